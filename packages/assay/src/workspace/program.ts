/**
 * Runs a program in a workspace: an agent or a setup command. The program gets the workspace's folder, a home
 * and a folder for temporary files. If the sandbox can move folders, it sees them at neutral paths. It is
 * ended, with everything that it started, at its timeout, if it prints too much, or if `onOutput` returns
 * `stop`.
 */
import { existsSync } from 'node:fs'
import { delimiter, dirname } from 'node:path'
import type { WorkspaceEnd, WorkspaceProgram } from '@assay/contract'
import { agentLimits, type Sandbox } from '@assay/sandbox'

/** The real paths of the three folders of a workspace. */
export interface Place {
  readonly folder: string
  readonly home: string
  readonly temporary: string
}

/** Returns the paths at which programs see these folders. */
export const seenPlace = (sandbox: Sandbox, place: Place): Place =>
  sandbox.moves ? { folder: '/workspace', home: '/home/agent', temporary: '/tmp' } : place

const SYSTEM_FOLDERS = [
  '/usr/local/sbin',
  '/usr/local/bin',
  '/usr/sbin',
  '/usr/bin',
  '/sbin',
  '/bin',
]
const SHELL = '/bin/sh'
const USUAL_SHELL = '/bin/bash'
const USER = 'agent'
const MOST_STDERR = 8192

/**
 * Rejects with a `SandboxError` if the program cannot be started, and with the signal's reason when it
 * aborts. In every case, nothing is left running.
 */
export async function runProgram(
  sandbox: Sandbox,
  place: Place,
  program: WorkspaceProgram,
  network: 'host' | 'none' = 'host',
): Promise<WorkspaceEnd> {
  const { argv, env, reads, input, mostBytes, signal, onOutput } = program
  signal.throwIfAborted()
  const seen = seenPlace(sandbox, place)
  const boxed = sandbox.start({
    argv,
    env: { ...env, ...environment(seen, argv[0]) },
    reads: [...reads, argv[0], process.execPath],
    limits: agentLimits(program.timeoutMs),
    scratchBytes: 0,
    pipes: 0,
    system: true,
    open: true,
    ...(network === 'none' ? { offline: true } : {}),
    folders: [
      { from: place.folder, at: seen.folder },
      { from: place.home, at: seen.home },
      { from: place.temporary, at: seen.temporary },
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
  boxed.stdin.end(input)

  const ended = await boxed.ended
  signal.removeEventListener('abort', abort)
  if (broken !== null) throw (broken as { readonly error: unknown }).error
  return {
    how: how === 'ended' && ended.how === 'wall' ? 'timeout' : how,
    code: ended.code,
    signal: ended.signal,
    stderr: stderr.toString('utf8'),
  }
}

function environment(seen: Place, program: string): Record<string, string> {
  // `node` is the one that runs Assay, because the system's may be older. A case that needs another one gives
  // its path.
  const path = [dirname(process.execPath), ...SYSTEM_FOLDERS, dirname(program)]
  return {
    PATH: [...new Set(path)].join(delimiter),
    HOME: seen.home,
    TMPDIR: seen.temporary,
    USER,
    LOGNAME: USER,
    SHELL: existsSync(USUAL_SHELL) ? USUAL_SHELL : SHELL,
    LANG: 'C.UTF-8',
  }
}
