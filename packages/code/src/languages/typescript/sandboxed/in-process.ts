/**
 * The program for the integrity level `in-process`: the tests run in the solution's process, so mock timers,
 * subclassing and similar features work. The test library and copies of `node:assert` are created before the solution
 * is loaded. Built-ins that the solution changes are restored before each assertion. Each result contains a nonce,
 * and the host requires exactly one result for every known test.
 */
import { evaluate, NotThere, type Namespace, type Solution } from './evaluate.ts'
import { assertsWith } from './framework/asserts.ts'
import { fakeClock } from './framework/clock.ts'
import { explained } from './framework/shown.ts'
import { keepIntrinsics } from './calls/intrinsics.ts'
import { HOST, Link, parsed } from './calls/channel.ts'
import { loadModules, type Load } from './modules.ts'
import type { PreparedTests } from './analyze/prepared.ts'

export interface InProcessLoad extends Load {
  readonly nonce: string
  readonly prepared: PreparedTests
  readonly main: string
}

/** The reports to the host. Each begins with the nonce. */
export type InProcessReport =
  | readonly [nonce: string, 'result', name: string, passed: boolean, message: string | null]
  /** The solution could not be loaded, or the test file itself failed. */
  | readonly [nonce: string, 'failed', message: string, what: 'code' | 'tests']
  | readonly [nonce: string, 'done']

async function run(link: Link): Promise<void> {
  const load = parsed(link.wait()) as InProcessLoad
  const { nonce, prepared, main } = load
  const tell = (report: InProcessReport): void => link.send(report)
  const restore = keepIntrinsics()
  // Copies of `node:assert` whose functions first restore the built-ins.
  const asserts = assertsWith(restore)
  const stray = Promise.withResolvers<never>()
  stray.promise.catch(() => {})
  let onStray: (message: string) => void = () => {}
  for (const name of ['uncaughtException', 'unhandledRejection'])
    process.on(name, (error: unknown) => onStray(explained(error)))
  const clock = fakeClock()
  let solution: Solution
  try {
    const modules = await loadModules(load)
    restore()
    solution = solutionOf(modules, main)
  } catch (error) {
    tell([nonce, 'failed', explained(error), 'code'])
    return
  }
  const { registry, failed, missing } = await evaluate(prepared, solution, {
    clock,
    builtin: (specifier) => asserts.get(specifier) ?? process.getBuiltinModule(specifier),
  })
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
  main: string,
): Solution {
  const stemOf = (path: string): string =>
    (path.split('/').at(-1) ?? '').replace(/\.[cm]?[jt]sx?$/, '')
  const first = modules.find(({ path }) => path === main)
  return {
    names: Object.keys(first?.holder ?? {}),
    module(specifier) {
      const stem = stemOf(specifier)
      const found = modules.find(({ path }) => stemOf(path) === stem) ?? first
      const local = /^\.{0,2}\//.test(specifier) || stem === stemOf(main) || stem === 'solution'
      if (!local || found === undefined) throw new NotThere(specifier)
      return { namespace: found.holder, common: found.common }
    },
  }
}

const link = new Link(HOST)
link.send('ready')
// Use Node's exit code for a module that awaits a promise that nothing can settle.
process.once('beforeExit', () => {
  if (!isOver) process.exitCode = 13
})
let isOver = false
async function runToTheEnd(): Promise<void> {
  await run(link)
  isOver = true
}
void runToTheEnd()
