/**
 * The tester: runs hidden tests on a solution that is in another process. It gets the tests from the host, and calls
 * the solution over a channel between the two processes (the link). It sends each result at once. So if a test ends
 * the solution or the tester, only this test and later ones are affected. One tester process tests many solutions,
 * one after another. Each solution has its own link. So nothing that a solution sends can be mistaken for a message
 * of the host or of the next solution.
 */
import { checkCalls, namesOfCalls } from './calls.ts'
import {
  anything,
  evaluate,
  NotThere,
  type Evaluated,
  type Namespace,
  type Solution,
  type Surroundings,
} from './evaluate.ts'
import { assertsWith } from './framework/asserts.ts'
import { explained } from './framework/shown.ts'
import type { Unready } from '../../../language.ts'
import type { Registry } from './framework/suite.ts'
import { pretended } from './framework/vi.ts'
import type { PreparedTests } from './analyze/prepared.ts'
import { loadPackages } from './packages.ts'
import type { FromHost, FromTester } from './test-session.ts'
import { compileLater } from './tiers.ts'
import { HOST, Link, ChannelClosed, OTHER, parsed } from './calls/channel.ts'
import { Remote, type Wires } from './calls/remote.ts'
import { FrameError } from '../../../frames.ts'
import { moduleFor, stemOf } from './solution-modules.ts'
import { Violation, type LoadedModule, type Message } from './calls/wire.ts'

const host = new Link(HOST)
const say = (message: FromTester): void => host.send(message)

interface Run {
  readonly remote: Remote
  /** Waits until the solution is loaded. Throws if it cannot be loaded or has ended. */
  load(): Solution
  /** Why the solution has ended; null while it is running. */
  lost: string | null
  /** Rejects as soon as the solution has ended, so that a test that waits for the solution fails. */
  readonly ending: Promise<never>
  lose(why: string): void
  /**
   * Ends the run. A test may have left code running that still uses the solution's objects. These uses fail from now
   * on, so that they do not disturb the next run.
   */
  end(): void
  registry: Registry | null
}

let run: Run | null = null

/** Returns the environment in which a test file runs, with the packages that the file imports. */
async function surroundingsOf(
  { packages }: PreparedTests,
  folder: string | null,
): Promise<Surroundings> {
  return {
    beside: null,
    builtin: (specifier) => process.getBuiltinModule(specifier),
    packages: await loadPackages(packages, folder),
  }
}

/** Returns the same environment, but calls `asserted` for each assertion, so that assertions can be counted. */
function counting(surroundings: Surroundings, asserted: () => void): Surroundings {
  const asserts = assertsWith(asserted)
  return {
    ...surroundings,
    asserted,
    builtin: (specifier) => asserts.get(specifier) ?? surroundings.builtin(specifier),
  }
}

type RunRequest = Extract<FromHost, { say: 'run' }>

function begin(request: RunRequest, link: Link): Run {
  let isClosed = false
  let isOver = false
  const close = (error?: unknown): void => {
    if (isClosed) return
    isClosed = true
    if (error instanceof FrameError)
      say({ say: 'violation', kind: 'output', text: `the sample sent ${error.message}` })
    else say({ say: 'closed' })
  }
  const wires: Wires = {
    send(text) {
      if (isOver) throw new Gone('the tests are over')
      try {
        link.sendText(text)
      } catch (error) {
        if (!(error instanceof ChannelClosed)) throw error
        close()
      }
    },
    wait() {
      try {
        return content(link.wait())
      } catch (error) {
        if (!(error instanceof ChannelClosed || error instanceof FrameError)) throw error
        close(error)
      }
      // The link has failed. The host then ends the solution and sends a message about it, so wait for that message.
      fromHost(parsed(host.wait()) as FromHost)
      return null
    },
  }
  const remote = new Remote('tester', wires)
  let solution: Solution | null = null
  const ending = Promise.withResolvers<never>()
  ending.promise.catch(() => {})
  const made: Run = {
    remote,
    load() {
      for (;;) {
        if (made.lost !== null) throw new Gone(made.lost)
        if (solution !== null) break
        remote.take(wires.wait())
      }
      link.listenWhenIdle((frame) => remote.take(content(frame)), close)
      return solution
    },
    lost: null,
    ending: ending.promise,
    registry: null,
    end() {
      isOver = true
      link.close()
    },
    lose(why) {
      if (made.lost !== null) return
      made.lost = why
      remote.lose(why)
      ending.reject(new Gone(why))
    },
  }
  remote.onViolation = (why) => {
    made.lose(why)
    say({ say: 'violation', kind: 'crash', text: why })
  }
  remote.onMessage = (message) => {
    if (message[0] === 'loaded') solution ??= solutionOf(remote, message, request)
    else if (message[0] === 'failed') {
      if (solution === null) throw new Gone(text(message[1]))
    } else if (message[0] === 'uncaught') made.registry?.stray(text(message[1]))
    else throw new Violation('sent a message of no kind')
  }
  return made
}

/** Converts anything the solution sent to a short string. */
const text = (sent: unknown): string => String(sent).slice(0, 1000)

class Gone extends Error {
  override readonly name = 'Lost'
}

function content(frame: string): unknown {
  try {
    return parsed(frame)
  } catch {
    return 'no JSON'
  }
}

/**
 * Returns the solution's modules as namespaces. Exported functions are part of the message. Other exports are
 * requested from the solution when a test reads them.
 */
function solutionOf(
  remote: Remote,
  message: Message,
  { main, modules }: Pick<RunRequest, 'main' | 'modules'>,
): Solution {
  const [, sent, nodes] = message as readonly ['loaded', readonly LoadedModule[], unknown]
  const decode = remote.receive(nodes)
  if (!Array.isArray(sent) || sent.length === 0) throw new Violation('loaded nothing')
  const byPath = new Map<string, { namespace: Namespace; common: boolean }>()
  let names: string[] = []
  for (const [path, wire, exported, common] of sent as readonly LoadedModule[]) {
    const holder = decode(wire)
    if (typeof holder !== 'object' || holder === null || !Array.isArray(exported))
      throw new Violation('exports nothing')
    const functions = new Map<PropertyKey, unknown>()
    for (const [name, value] of exported as readonly (readonly [unknown, unknown])[])
      if (value !== null) functions.set(String(name), decode(value))
    const namespace = new Proxy(Object.create(null) as Namespace, {
      get: (_, key) =>
        functions.has(key) ? functions.get(key) : (Reflect.get(holder, key) as unknown),
      has: (_, key) => functions.has(key) || Reflect.has(holder, key),
      ownKeys: () => Reflect.ownKeys(holder),
      getOwnPropertyDescriptor: (_, key) => {
        const found = Reflect.getOwnPropertyDescriptor(holder, key)
        return found === undefined ? undefined : { ...found, configurable: true }
      },
      set: () => false,
      defineProperty: () => false,
      deleteProperty: () => false,
    })
    byPath.set(path, { namespace, common })
    if (path === main) names = exported.map(([name]) => String(name))
  }
  return {
    names,
    module(specifier) {
      const path = moduleFor(specifier, { paths: [...byPath.keys()], main, names: modules })
      const found = path === null ? undefined : byPath.get(path)
      if (found === undefined) throw new NotThere(specifier)
      return found
    },
  }
}

async function tester(request: RunRequest): Promise<void> {
  const link = new Link(OTHER + request.link)
  const made = begin(request, link)
  run = made
  const report = (index: number, passed: boolean, message?: string): void =>
    say({ say: 'result', index, passed, ...(message === undefined ? {} : { message }) })
  const failAll = (names: readonly string[], why: string): void => {
    say({ say: 'names', names })
    for (const index of names.keys()) report(index, false, why)
  }
  let assertions = 0
  let unready: Unready | undefined
  try {
    const solution = loaded(made)
    const { tests, packages } = request
    if (typeof solution === 'string')
      failAll(
        tests.kind === 'calls' ? namesOfCalls(tests) : await collected(tests.prepared, packages),
        solution,
      )
    else if (tests.kind === 'calls') {
      say({ say: 'names', names: namesOfCalls(tests) })
      await checkCalls(tests, solution, report, () => made.lost, made.ending)
    } else {
      const plain = await surroundingsOf(tests.prepared, packages)
      const around = request.count === true ? counting(plain, () => assertions++) : plain
      const work = evaluate(tests.prepared, solution, around)
      work.catch(() => {})
      const evaluated = await Promise.race([work, made.ending]).catch(() => null)
      if (evaluated === null)
        failAll(await collected(tests.prepared, packages), made.lost ?? 'the sample is gone')
      else if (evaluated.failed !== null) {
        unready = { text: evaluated.failed, ...moduleIn(evaluated) }
        failAll([...evaluated.registry.names(), 'test file'], evaluated.failed)
        evaluated.dispose()
      } else {
        const { missing } = evaluated
        if (missing !== null)
          unready = { text: new NotThere(missing).message, ...moduleIn(evaluated) }
        made.registry = evaluated.registry
        const { registry } = evaluated
        say({ say: 'names', names: registry.names(), skipped: registry.skipped })
        await evaluated.registry.run(report, () => made.lost, made.ending)
        evaluated.dispose()
      }
    }
  } catch (error) {
    say({ say: 'broken', text: explained(error) })
  }
  run = null
  made.end()
  const activity = { assertions, uses: made.remote.asked }
  say({
    say: 'done',
    ...(request.count === true ? { activity } : {}),
    ...(unready === undefined ? {} : { unready }),
  })
  // Raise V8's thresholds only after the first tests. Node's modules must be loaded before that, and the first tests
  // load those that most tests use.
  served ??= compileLater()
  served()
}

let served: (() => void) | null = null

const moduleIn = ({ missing }: Evaluated): Pick<Unready, 'module'> =>
  missing === null ? {} : { module: missing }

/** Returns the solution's modules or, if they could not be loaded, the reason. */
function loaded(made: Run): Solution | string {
  try {
    return made.load()
  } catch (error) {
    return explained(error)
  }
}

/** Returns the names of the tests in a file, without a solution. */
async function collected(
  tests: PreparedTests,
  packages: string | null,
): Promise<readonly string[]> {
  return (await registered(tests, packages)).names()
}

async function registered(
  tests: PreparedTests,
  packages: string | null,
  data: Readonly<Record<string, string>> = {},
): Promise<Registry> {
  const surroundings = await surroundingsOf(tests, packages)
  const evaluated = await evaluate(tests, anything, {
    ...surroundings,
    beside: pretended,
    mocked: (specifier) => dataFor(specifier, data),
  })
  evaluated.dispose()
  return evaluated.registry
}

/** Returns the module for a JSON file of the case; undefined for other modules. */
function dataFor(specifier: string, data: Readonly<Record<string, string>>): Namespace | undefined {
  const path = specifier.endsWith('.json')
    ? Object.keys(data).find((one) => stemOf(one) === stemOf(specifier))
    : undefined
  return path === undefined ? undefined : { default: JSON.parse(data[path] ?? 'null') as unknown }
}

function fromHost(message: FromHost): void {
  if (message.say === 'lost') run?.lose(message.text)
  else if (message.say === 'run') void tester(message)
  else void list(message)
}

async function list({
  prepared,
  packages,
  data,
}: Extract<FromHost, { say: 'collect' }>): Promise<void> {
  try {
    const registry = await registered(prepared, packages, data)
    say({ say: 'names', names: registry.names(), skipped: registry.skipped })
  } catch (error) {
    say({ say: 'broken', text: explained(error) })
  }
  say({ say: 'done' })
}

for (const name of ['uncaughtException', 'unhandledRejection'])
  process.on(name, (error: unknown) => {
    if (!(error instanceof Gone)) run?.registry?.stray(explained(error))
  })

say('ready' as unknown as FromTester)
host.listen(
  (frame) => fromHost(parsed(frame) as FromHost),
  () => process.exit(0),
)
