/**
 * The program for the integrity level `in-process`. The tests run in the solution's process, so that fake timers,
 * subclassing and similar features work. The solution could use that to fake results, so there are three protections.
 * The test library and copies of `node:assert` are created before the solution is loaded. Built-ins that the solution
 * changes are restored before each assertion. Each result must contain a nonce (a secret random text from the host),
 * and the host requires exactly one result for every known test.
 */
import { anything, evaluate, NotThere, type Namespace, type Solution } from './evaluate.ts'
import { assertsWith } from './framework/asserts.ts'
import { fakeClock } from './framework/clock.ts'
import { loadChai } from './framework/chai.ts'
import { explained } from './framework/shown.ts'
import { keepIntrinsics } from './calls/intrinsics.ts'
import { HOST, Link, parsed } from './calls/channel.ts'
import { loadModules, type Load } from './modules.ts'
import { MockedModules } from './module-mocks.ts'
import { loadPackages } from './packages.ts'
import { moduleFor } from './solution-modules.ts'
import type { PreparedTests } from './analyze/prepared.ts'

export interface InProcessLoad extends Load {
  readonly nonce: string
  readonly prepared: PreparedTests
  readonly main: string
  /** Names by which tests may import the main module; null if every relative path means it. */
  readonly modules: readonly string[] | null
}

/** A report to the host. Each begins with the nonce. */
export type InProcessReport =
  | readonly [nonce: string, 'result', name: string, passed: boolean, message: string | null]
  /** The solution could not be loaded (`code`), or the test file itself threw an error (`tests`). */
  | readonly [nonce: string, 'failed', message: string, what: 'code' | 'tests']
  | readonly [nonce: string, 'done']

async function run(link: Link): Promise<void> {
  const load = parsed(link.wait()) as InProcessLoad
  const { nonce, prepared } = load
  const tell = (report: InProcessReport): void => link.send(report)
  const restore = keepIntrinsics()
  // Copies of `node:assert` whose functions restore the built-ins before they compare.
  const asserts = assertsWith(restore)
  const stray = Promise.withResolvers<never>()
  stray.promise.catch(() => {})
  let onStray: (message: string) => void = () => {}
  for (const name of ['uncaughtException', 'unhandledRejection'])
    process.on(name, (error: unknown) => onStray(explained(error)))
  const clock = fakeClock()
  const mocks = prepared.mocksModules ? new MockedModules() : null
  let solution: Solution = { ...anything }
  let whyNot: string | null = null
  const loadSolution = async (): Promise<Solution> => {
    try {
      const modules = await loadModules(load, mocks)
      restore()
      return solutionOf(modules, load, mocks)
    } catch (error) {
      whyNot = explained(error)
      throw error
    }
  }
  // Chai and packages are loaded before the solution. Otherwise the solution could change them while they load.
  const chai = prepared.usesChai ? loadChai(restore, () => {}) : null
  const packages = await loadPackages(prepared.packages, load.packages)
  if (mocks === null)
    try {
      solution = await loadSolution()
    } catch {
      tell([nonce, 'failed', whyNot ?? '', 'code'])
      return
    }
  const { registry, failed, missing } = await evaluate(prepared, solution, {
    beside: { clock, modules: mocks ?? new MockedModules() },
    builtin: (specifier) => asserts.get(specifier) ?? process.getBuiltinModule(specifier),
    before: restore,
    chai,
    packages,
    ...(mocks === null ? {} : { load: loadSolution, mocked: (one) => mocks.namespace(one) }),
  })
  if (whyNot !== null) {
    tell([nonce, 'failed', whyNot, 'code'])
    return
  }
  if (failed !== null || missing !== null) {
    tell([nonce, 'failed', failed ?? new NotThere(missing ?? '').message, 'tests'])
    return
  }
  onStray = (message) => registry.stray(message)
  const names = registry.names()
  await registry.run(
    (index, passed, message) =>
      tell([nonce, 'result', names[index] ?? '', passed, message ?? null]),
    () => {
      restore()
      return null
    },
    stray.promise,
  )
  tell([nonce, 'done'])
}

function solutionOf(
  modules: readonly { path: string; holder: Namespace; common: boolean }[],
  { main, modules: own }: Pick<InProcessLoad, 'main' | 'modules'>,
  mocks: MockedModules | null,
): Solution {
  const paths = modules.map(({ path }) => path)
  const first = modules.find(({ path }) => path === main)
  return {
    names: Object.keys(first?.holder ?? {}),
    module(specifier) {
      const mock = mocks?.namespace(specifier)
      if (mock !== undefined) return { namespace: mock, common: false }
      const path = moduleFor(specifier, { paths, main, names: own })
      const found = modules.find((one) => one.path === path)
      if (found === undefined) throw new NotThere(specifier)
      return { namespace: found.holder, common: found.common }
    },
  }
}

const link = new Link(HOST)
link.send('ready')
// If nothing is left to run but the tests have not finished, they wait for something that never happens. Then exit
// with 13, the code that Node uses for a module in this state.
process.once('beforeExit', () => {
  if (!isOver) process.exitCode = 13
})
let isOver = false
async function runToTheEnd(): Promise<void> {
  await run(link)
  isOver = true
}
void runToTheEnd()
