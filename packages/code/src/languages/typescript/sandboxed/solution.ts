/**
 * The program that holds one solution. The host starts it before there is a solution. It reports that it is ready and
 * waits until the host sends the solution's modules. It loads them from memory. From then on it answers requests from
 * the tester, over a separate channel (the link). It serves one solution and is then ended.
 *
 * References (correct solutions) come from the case, not from a model. A process for references holds several of
 * them, one after another, each with its own link. After each reference, it reports whether it can hold another one.
 *
 * Nothing in this program can be trusted, because the solution shares the process and may forge any message. The
 * tester checks everything that it receives.
 */
import { HOST, Link, OTHER, parsed } from './calls/channel.ts'
import { loadModules, setGlobals, type Load } from './modules.ts'
import { Remote } from './calls/remote.ts'
import { rememberSurroundings } from './surroundings.ts'
import type { LoadedModule } from './calls/wire.ts'

/** After the tester has closed the link, the host kills this process. This is how long to wait for that. */
const REST_MS = 10_000

const { keys } = Object
const host = new Link(HOST)
/** Waits until the host kills this process. Exiting would take a millisecond longer, because Node cleans up at exit. */
const rest = (): never => {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, REST_MS)
  process.exit(0)
}
const told = (error: unknown): string => {
  try {
    if (!(error instanceof Error)) return `threw ${String(error)}`
    const at = /\((?:file:\/\/)?\/sample\/([^)]*)\)/.exec(error.stack ?? '')?.[1]
    return `${error.name}: ${error.message}${at === undefined ? '' : ` (${at})`}`.slice(0, 1000)
  } catch {
    return 'threw something that cannot be shown'
  }
}

let remote: Remote
let isLoaded = false
for (const name of ['uncaughtException', 'unhandledRejection'])
  process.on(name, (error: unknown) => remote.tell(() => ['uncaught', told(error)]))
// Code that uses one of these names may have timers or other pending work that Node does not list as active
// resources. Then it cannot be checked whether something is still pending.
const UNCOUNTED = /\b(?:unref|ref|AbortSignal|Worker|FinalizationRegistry)\b/
process.once('beforeExit', () => {
  if (!isLoaded)
    remote.tell(() => ['failed', 'loading it never ends: it awaits what never happens'])
  setInterval(() => {}, 1000)
})

/**
 * Loads one solution and answers the tester's requests to it. `onEnd` is called only for a reference, when the tester
 * has closed its connection.
 */
async function hold(load: Load, onEnd: (isClean: boolean) => void): Promise<void> {
  const link =
    load.shared === undefined ? new Link(OTHER, rest) : new Link(OTHER + load.shared.link)
  remote = new Remote('solution', {
    send: (text) => link.sendText(text),
    wait: () => parsed(link.wait()),
  })
  const serve = (frame: string): void => remote.take(parsed(frame))
  isLoaded = false
  try {
    const modules = await loadModules(load)
    isLoaded = true
    remote.tell((encode, nodes) => [
      'loaded',
      modules.map(({ path, holder, common }): LoadedModule => [
        path,
        encode(holder),
        keys(holder).map((name) => {
          const value: unknown = holder[name]
          return [name, typeof value === 'function' ? encode(value) : null] as const
        }),
        common,
      ]),
      nodes(),
    ])
  } catch (error) {
    remote.tell(() => ['failed', told(error)])
  }
  const end = (isClean: boolean): void => {
    link.close()
    onEnd(isClean)
  }
  if (Object.values(load.files).some(({ source }) => UNCOUNTED.test(source)))
    link.listen(serve, load.shared === undefined ? rest : () => end(false))
  else link.pump(serve, end)
}

function holdReferences(first: Load): void {
  setGlobals()
  const isUnchanged = rememberSurroundings()
  const holdNext = (load: Load): void => {
    void hold(load, (isClean) => {
      if (!isClean || !isUnchanged()) {
        host.send('spent')
        rest()
      }
      host.send('ready')
      holdNext(parsed(host.wait()) as Load)
    })
  }
  holdNext(first)
}

host.send('ready')
const load = parsed(host.wait()) as Load
if (load.shared === undefined) void hold(load, rest)
else holdReferences(load)
