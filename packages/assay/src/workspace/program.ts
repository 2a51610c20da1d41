/**
 * Runs a program in a workspace: an agent or a setup command. The program gets the workspace's folder, a home folder
 * and a folder for temporary files. If the sandbox can mount folders at other paths, the program sees them at fixed
 * paths such as /workspace. The program is killed with all processes that it started if it reaches its time limit, if
 * it prints too much, or if `onOutput` returns `stop`.
 */
import type { Network, TrialWorkspace, WorkspaceEnd, WorkspaceProgram } from '@assay/contract'
import { agentLimits, npmReads, WORK_PLACE, workEnvironment, type Sandbox } from '@assay/sandbox'
import { openWayOut, type WayOut } from './network/way-out.ts'
import { WorkspaceError } from './workspace-error.ts'

/** The paths of a workspace's folders on this machine. Programs in the sandbox may see them at other paths. */
export interface Place {
  /** The folder in which programs start. */
  readonly folder: string
  readonly home: string
  readonly temporary: string
  /** The folder with the work that a judge reviews. It is set only if programs start in another folder. */
  readonly work?: string
}

/** Returns the paths at which programs inside the sandbox see these folders. */
export const seenPlace = (sandbox: Sandbox, place: Place): Place =>
  !sandbox.moves
    ? place
    : {
        ...WORK_PLACE,
        // A judge starts in /review. The reviewed work keeps the path at which the agent saw it, because files in it
        // may contain that path.
        ...(place.work === undefined ? {} : { folder: '/review', work: WORK_PLACE.folder }),
      }

const MOST_STDERR = 8192

/**
 * Runs the program. Rejects with a `SandboxError` if the program cannot be started, and with the signal's reason if the
 * signal aborts. When the promise settles, no process of the program is running.
 */
export async function runProgram(
  sandbox: Sandbox,
  place: Place,
  program: WorkspaceProgram,
  network: Network = 'open',
): Promise<WorkspaceEnd> {
  if (network !== 'open' && !sandbox.moves)
    throw new WorkspaceError(
      'the case does not allow an open network, and only bubblewrap can close it: run it without --sandbox none',
    )
  const hosts = typeof network === 'string' ? [] : network
  const wantsOut = network !== 'open' && (hosts.length > 0 || program.serve !== undefined)
  const { serve, argv } = program
  const seenHome = seenPlace(sandbox, place).home
  const out = wantsOut ? await openWayOut({ home: place.home, seenHome, hosts, serve, argv }) : null
  try {
    return await runInside(sandbox, place, program, network !== 'open', out)
  } finally {
    await out?.close()
  }
}

/**
 * Returns the workspace with a closed network. Without a sandbox, the network cannot be closed. Then the workspace is
 * returned unchanged, and its `network` still says that the network is open.
 */
export const withoutNetwork = (
  sandbox: Sandbox,
  workspace: TrialWorkspace,
  run: (program: WorkspaceProgram, network: Network) => Promise<WorkspaceEnd>,
): TrialWorkspace =>
  sandbox.moves
    ? { ...workspace, network: 'none', run: (program) => run(program, 'none') }
    : workspace

async function runInside(
  sandbox: Sandbox,
  place: Place,
  program: WorkspaceProgram,
  isOffline: boolean,
  out: WayOut | null,
): Promise<WorkspaceEnd> {
  const { argv, env, reads, input, mostBytes, signal, onOutput } = program
  signal.throwIfAborted()
  const seen = seenPlace(sandbox, place)
  const boxed = sandbox.start({
    argv: out?.argv ?? argv,
    env: { ...env, ...out?.env, ...workEnvironment(seen, [argv[0]]) },
    reads: [...reads, argv[0], process.execPath, ...npmReads()],
    limits: agentLimits(program.timeoutMs),
    scratchBytes: 0,
    pipes: 0,
    system: true,
    open: true,
    ...(isOffline ? { offline: true } : {}),
    folders: [
      { from: place.folder, at: seen.folder },
      { from: place.home, at: seen.home },
      { from: place.temporary, at: seen.temporary },
      ...(place.work === undefined || seen.work === undefined
        ? []
        : [{ from: place.work, at: seen.work }]),
    ],
    cwd: seen.folder,
  })

  let how: WorkspaceEnd['how'] = 'ended'
  let broken: { readonly error: unknown } | null = null
  let bytes = 0
  let stderr: Buffer = Buffer.alloc(0)
  const end = (why: typeof how): void => {
    if (how !== 'ended') return
    how = why
    void boxed.kill()
  }
  const fail = (error: unknown): void => {
    broken ??= { error }
    end('stopped')
  }
  const abort = (): void => fail(signal.reason)
  signal.addEventListener('abort', abort, { once: true })
  boxed.stdout.on('data', (chunk: Buffer) => {
    const room = mostBytes - bytes
    bytes += chunk.length
    if (how !== 'ended') return
    try {
      if (room > 0 && onOutput(chunk.subarray(0, room)) === 'stop') end('stopped')
    } catch (error) {
      fail(error)
    }
    if (bytes > mostBytes) end('too-much')
  })
  boxed.stderr.on('data', (chunk: Buffer) => {
    stderr = Buffer.concat([stderr, chunk.subarray(-MOST_STDERR)]).subarray(-MOST_STDERR)
  })
  const { stdin } = boxed
  if (program.converse === undefined) stdin.end(input)
  else
    program.converse({
      write: (text) => {
        if (stdin.writable) stdin.write(text)
      },
      end: () => {
        stdin.end()
      },
      get pending() {
        return stdin.writableLength
      },
    })

  const ended = await boxed.ended
  signal.removeEventListener('abort', abort)
  if (broken !== null) throw (broken as { readonly error: unknown }).error
  return {
    how: how === 'ended' && ended.how === 'wall' ? 'timeout' : how,
    code: ended.code,
    signal: ended.signal,
    stderr: stderr.toString('utf8'),
    ...(ended.reached === undefined ? {} : { reached: ended.reached }),
    ...(ended.starved === undefined ? {} : { starved: ended.starved }),
  }
}
