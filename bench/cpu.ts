/**
 * Measures the processor time of a program and everything that it starts, with a control group. The kernel adds up
 * the time of all processes in the group. The times that a parent process gets from `wait` are incomplete. They do
 * not include processes that are killed together with their namespace, and sandboxed processes end that way. The
 * group also lists its processes, so none can leave it unnoticed. This needs a control group that this process may
 * write to: it runs as root, or the group was delegated to its user.
 */
import { spawn, type ChildProcess } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'

export interface Step {
  /** The program and its arguments. */
  readonly argv: readonly [string, ...string[]]
  readonly cwd: string
  readonly env?: NodeJS.ProcessEnv
  /** The limit on the wall-clock time. When it is reached, everything in the group is killed. */
  readonly limitMs: number
}

export interface Spent {
  /** True if the exit code was 0 and the time limit was not reached. */
  readonly ok: boolean
  readonly late: boolean
  readonly cpuMs: number
  /** The last part of its output. */
  readonly said: string
}

const ENTER = 'echo $$ > "$0/cgroup.procs" && exec "$@"'
const MOST_SAID = 4000
let groups = 0

/**
 * One control group. Programs in one group must run one after another. Programs that run at the same time each need
 * their own group.
 */
export class Group {
  readonly folder: string

  constructor(folder = newFolder()) {
    this.folder = folder
  }

  /** The processor time so far, in milliseconds. */
  cpuMs(): number {
    const usage = join(this.folder, 'cpuacct.usage')
    if (existsSync(usage)) return Number(readFileSync(usage, 'utf8')) / 1e6
    const [, microseconds] = /usage_usec (\d+)/.exec(
      readFileSync(join(this.folder, 'cpu.stat'), 'utf8'),
    ) ?? ['', '']
    return Number(microseconds) / 1e3
  }

  /** The processes in the group. */
  processes(): number[] {
    const listed = readFileSync(join(this.folder, 'cgroup.procs'), 'utf8')
    return listed.split('\n').filter(Boolean).map(Number)
  }

  /** Starts a program that is in the group from the beginning, so that all of its processor time is counted. */
  start({ argv, cwd, env }: Omit<Step, 'limitMs'>): ChildProcess {
    return spawn('/bin/sh', ['-c', ENTER, this.folder, ...argv], {
      cwd,
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
  }

  /**
   * Runs a program until it ends or reaches the limit. Returns the processor time of the program and of everything that
   * it started.
   */
  async run(step: Step): Promise<Spent> {
    const before = this.cpuMs()
    const child = this.start(step)
    let said = ''
    for (const stream of [child.stdout, child.stderr])
      stream?.setEncoding('utf8').on('data', (text: string) => {
        said = (said + text).slice(-MOST_SAID)
      })
    let late = false
    const timer = setTimeout(() => {
      late = true
      this.#kill()
    }, step.limitMs)
    const code = await new Promise<number | null>((resolve, reject) => {
      child.on('error', reject)
      child.on('exit', resolve)
    })
    clearTimeout(timer)
    await this.#empty()
    return { ok: code === 0 && !late, late, cpuMs: this.cpuMs() - before, said }
  }

  /** Kills all processes that are still in the group, and removes the group. */
  async close(): Promise<void> {
    await this.#empty()
    rmdirSync(this.folder)
  }

  #kill(): void {
    for (const pid of this.processes())
      try {
        process.kill(pid, 'SIGKILL')
      } catch {
        // The process has just ended.
      }
  }

  async #empty(): Promise<void> {
    while (this.processes().length > 0) {
      this.#kill()
      await wait(5)
    }
  }
}

function newFolder(): string {
  const folder = join(ownFolder(), `assay-bench-${process.pid}-${++groups}`)
  try {
    mkdirSync(folder)
    if (!existsSync(join(folder, 'cgroup.procs'))) throw new Error('it is not a control group')
  } catch (error) {
    throw new Error(
      `processor time is counted by a control group, and none can be made below ${ownFolder()}: ${String(error)}. Run as root, or in a delegated group (systemd-run --user --scope -p Delegate=yes)`,
      { cause: error },
    )
  }
  return folder
}

/**
 * Returns the folder of the control group that this process is in. It uses the version 1 hierarchy that counts
 * processor time if there is one, otherwise version 2.
 */
function ownFolder(): string {
  const lines = readFileSync('/proc/self/cgroup', 'utf8').trim().split('\n')
  const mounts = readFileSync('/proc/self/mounts', 'utf8').split('\n')
  const mountOf = (isIt: (kind: string, options: string[]) => boolean): string | undefined =>
    mounts
      .map((line) => line.split(' '))
      .find(([, , kind = '', options = '']) => isIt(kind, options.split(',')))?.[1]
  for (const line of lines) {
    const [, controllers = '', path = ''] = /^\d+:([^:]*):(.*)$/.exec(line) ?? []
    if (!controllers.split(',').includes('cpuacct')) continue
    const mount = mountOf((kind, options) => kind === 'cgroup' && options.includes('cpuacct'))
    if (mount !== undefined) return join(mount, path)
  }
  const path = lines.find((line) => line.startsWith('0::'))?.slice(3) ?? '/'
  return join(mountOf((kind) => kind === 'cgroup2') ?? '/sys/fs/cgroup', path)
}

// ── Whether it counts right ──────────────────────────────────────────────────────────────────────────

const BURN = `
const own = () => { const { user, system } = process.cpuUsage(); return (user + system) / 1e3 }
const until = Number(process.argv[1])
while (own() < until);
if (process.argv[2] === 'stay') { require('fs').writeSync(1, 'done'); setInterval(() => {}, 1e6) }
`

/**
 * Checks that a control group counts processor time correctly. A program uses a known amount of time twice: once in a
 * child of a child process, and once in a process that is killed with its namespace. Returns the counted times as text.
 * Throws if they differ from the known amount.
 */
export async function checkCounting(bwrap: string | null): Promise<string> {
  const burnt = 500
  const read: string[] = []
  const inNamespace = [bwrap ?? '', '--ro-bind', '/', '/', '--unshare-pid', '--die-with-parent']
  const ways: readonly (readonly [string, readonly string[], boolean])[] = [
    ['by a grandchild', ['/bin/sh', '-c', '"$@"; exit $?', 'sh'], false],
    ...(bwrap === null ? [] : [['killed with its namespace', inNamespace, true] as const]),
  ]
  for (const [name, around, isKilled] of ways) {
    const group = new Group()
    const child = group.start({
      argv: [
        ...around,
        ...[process.execPath, '-e', BURN, String(burnt)],
        ...(isKilled ? ['stay'] : []),
      ] as [string, ...string[]],
      cwd: '/',
    })
    const ended = new Promise((resolve) => child.on('exit', resolve))
    if (isKilled) {
      await Promise.race([new Promise((resolve) => child.stdout?.on('data', resolve)), ended])
      child.kill('SIGKILL')
    }
    await ended
    const counted = group.cpuMs()
    await group.close()
    read.push(`${counted.toFixed(0)} ms (${name})`)
    // The group counts a little more than the program itself does: the exit of Node, and the shell or bubblewrap that
    // started it.
    if (counted < burnt || counted > burnt + 60)
      throw new Error(`the control group counts wrong: ${counted} ms for ${burnt} ms ${name}`)
  }
  return `${burnt} ms burnt are counted as ${read.join(' and ')}`
}
