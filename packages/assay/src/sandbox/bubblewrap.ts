/**
 * Bubblewrap: new namespaces for everything, an empty root with the system's libraries read-only, no
 * network. Started as root it binds first, so that toolchains in private folders can be shown, and drops
 * to a user of its own inside, where the kernel counts that user's processes.
 */
import { execFileSync, spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { existsSync, lstatSync, readFileSync, readlinkSync } from 'node:fs'
import type { Duplex, Readable, Writable } from 'node:stream'
import { SandboxError, type Boxed, type Ended, type Limits, type Program, type Sandbox } from './sandbox.ts'

const SCRATCH = '/scratch'
const DEVICES = ['/dev/null', '/dev/zero', '/dev/full', '/dev/random', '/dev/urandom']

export function openBubblewrap(): Sandbox {
  const bwrap = '/usr/bin/bwrap'
  const version = execFileSync(bwrap, ['--version'], { encoding: 'utf8' }).trim().split(' ').at(-1) ?? ''
  const running = new Set<Boxed>()
  let nextUser = randomInt(2 ** 30, 2 ** 31 - 2 ** 24)
  return {
    name: 'bubblewrap',
    version,
    start(program) {
      const child = spawn(bwrap, [...wrapping(program, nextUser++), ...program.argv], {
        env: { ...program.env },
        detached: true,
        stdio: Array.from({ length: 3 + program.pipes }, () => 'pipe' as const),
      })
      const { pid } = child
      if (pid === undefined) throw new SandboxError('bubblewrap could not be started')
      let how: Ended['how'] = 'exit'
      const end = (why: 'killed' | 'wall'): void => {
        if (how === 'exit') how = why
        killInside(pid)
      }
      const { wallMs } = program.limits
      const timer = wallMs === null ? undefined : setTimeout(() => end('wall'), wallMs)
      const ended = new Promise<Ended>((resolve) => {
        child.once('exit', (code, signal) => {
          clearTimeout(timer)
          running.delete(boxed)
          resolve({ code, signal, how: how === 'exit' && code === 152 ? 'cpu' : how })
        })
      })
      for (const stream of child.stdio) stream?.on('error', () => {})
      const boxed: Boxed = {
        pid,
        stdin: child.stdio[0] as unknown as Writable,
        stdout: child.stdio[1] as unknown as Readable,
        stderr: child.stdio[2] as unknown as Readable,
        pipes: child.stdio.slice(3) as unknown as Duplex[],
        ended,
        kill() {
          end('killed')
          return ended
        },
      }
      running.add(boxed)
      return boxed
    },
    async close() {
      await Promise.all([...running].map((boxed) => boxed.kill()))
    },
  }
}

/** The first process inside takes all others of its namespace with it; the one outside only reports. */
function killInside(pid: number): void {
  try {
    const inner = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ')
    for (const one of inner) if (one !== '') process.kill(Number(one), 'SIGKILL')
  } catch {
    // It has ended by itself, or not begun.
  }
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // Likewise.
  }
}

function wrapping(program: Program, user: number): string[] {
  const root = process.getuid?.() === 0
  const args = [
    ...['--unshare-pid', '--unshare-net', '--unshare-ipc', '--unshare-uts', '--die-with-parent'],
    ...(root ? [] : ['--unshare-user']),
    ...['--cap-drop', 'ALL'],
    ...(root ? ['CAP_SETUID', 'CAP_SETGID', 'CAP_SETPCAP'].flatMap((cap) => ['--cap-add', cap]) : []),
    ...parentsOf(['/usr/bin/prlimit', '/etc/ld.so.cache', '/dev/null', ...program.reads]).flatMap(
      (path) => ['--perms', '0755', '--dir', path],
    ),
    ...systemMounts(program.system),
    ...DEVICES.flatMap((device) => ['--dev-bind-try', device, device]),
    ...program.reads.flatMap((path) => ['--ro-bind', path, path]),
    ...(program.scratchBytes === 0
      ? ['--chdir', '/']
      : ['--perms', '1777', '--size', String(program.scratchBytes), '--tmpfs', SCRATCH, '--chdir', SCRATCH]),
    ...['--remount-ro', '/', '--'],
  ]
  if (root)
    args.push(
      ...['/usr/bin/setpriv', `--reuid=${user}`, `--regid=${user}`, '--clear-groups'],
      ...['--inh-caps=-all', '--bounding-set=-all', '--no-new-privs', '--'],
    )
  return [...args, '/usr/bin/prlimit', ...limiting(program.limits), '--']
}

/** Folders above these paths, outermost first: those that bubblewrap makes by itself are closed to others. */
function parentsOf(paths: readonly string[]): string[] {
  const folders = new Set<string>()
  for (const path of paths)
    for (let end = path.indexOf('/', 1); end !== -1; end = path.indexOf('/', end + 1))
      folders.add(path.slice(0, end))
  return [...folders].sort((a, b) => a.length - b.length)
}

function systemMounts(programs: boolean): string[] {
  const mounts: string[] = []
  for (const path of ['/usr/lib', '/usr/lib64', '/usr/libexec', ...(programs ? ['/usr/bin'] : [])])
    mounts.push('--ro-bind-try', path, path)
  for (const path of ['/lib', '/lib64', ...(programs ? ['/bin'] : [])]) {
    if (!existsSync(path)) continue
    if (lstatSync(path).isSymbolicLink()) mounts.push('--symlink', readlinkSync(path), path)
    else mounts.push('--ro-bind', path, path)
  }
  if (!programs)
    for (const path of ['/usr/bin/setpriv', '/usr/bin/prlimit']) mounts.push('--ro-bind-try', path, path)
  return [...mounts, '--ro-bind-try', '/etc/ld.so.cache', '/etc/ld.so.cache']
}

function limiting(limits: Limits): string[] {
  const seconds = Math.max(1, Math.ceil(limits.cpuMs / 1000))
  return [
    `--nproc=${limits.processes === 'threads' ? 64 : limits.processes}`,
    `--cpu=${seconds}:${seconds + 1}`,
    `--data=${limits.memoryBytes}`,
    ...(limits.addressBytes === null ? [] : [`--as=${limits.addressBytes}`]),
    `--fsize=${limits.fileBytes}`,
    `--nofile=${limits.openFiles}`,
    '--core=0',
  ]
}
