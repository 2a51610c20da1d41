/**
 * The program of the integrity `in-process`: the tests run in the sample's own process, where mock timers,
 * subclassing and whatever else needs it can work. The test library and copies of `node:assert` are made
 * before the sample is loaded; what the sample then changes of the language is put back before each
 * assertion. Each result carries a nonce, and the host wants every test that it knows of exactly once.
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

/** What is reported, after the nonce. */
export type InProcessReport =
  | readonly [nonce: string, 'result', name: string, passed: boolean, message: string | null]
  /** The sample could not be loaded, or the test file itself failed. */
  | readonly [nonce: string, 'failed', message: string, what: 'code' | 'tests']
  | readonly [nonce: string, 'done']

async function run(link: Link): Promise<void> {
  const load = parsed(link.wait()) as InProcessLoad
  const { nonce, prepared, main } = load
  const tell = (report: InProcessReport): void => link.send(report)
  const restore = keepIntrinsics()
  // As it was, and each of its functions first puts the language right.
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
// As Node itself does where a module waits for what nothing is left to bring.
process.once('beforeExit', () => {
  if (!isOver) process.exitCode = 13
})
let isOver = false
async function runToTheEnd(): Promise<void> {
  await run(link)
  isOver = true
}
void runToTheEnd()
