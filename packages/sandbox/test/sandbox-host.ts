/**
 * A separate process that opens a sandbox and runs what it is told to: as an ordinary user, with open descriptors,
 * or to be killed. It runs a copy of the sandbox in a folder that all users can read.
 */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { randomInt } from 'node:crypto'
import {
  chmodSync,
  chownSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface, type Interface } from 'node:readline'
import type { SandboxState } from '../src/open-sandbox.ts'
import type { Ended } from '../src/sandbox.ts'
import { hasBubblewrap, inNode, programOf, type Wanted } from './sandboxed.ts'

export const isRoot = process.getuid?.() === 0
export const user = randomInt(50_000, 60_000)

export const home = realpathSync(mkdtempSync(join(tmpdir(), 'assay-host-')))
export const host = join(home, 'src', 'host.ts')
/** Files of this user that nobody else can read. */
export const secret = join(home, 'private', 'secret')
export let node = process.execPath

const HOST = `
import { createInterface } from 'node:readline'
import { openBubblewrap } from './sandbox/bubblewrap/bubblewrap.ts'
import { collect } from './sandbox/collect.ts'
import { inspectSandbox, workingWay } from './sandbox/open-sandbox.ts'
const say = (value: unknown) => console.log(JSON.stringify(value))
const way = await workingWay({})
const sandbox = openBubblewrap({ ...way, filter: way.filter && process.argv[2] !== 'unfiltered' })
say(await inspectSandbox())
for await (const line of createInterface({ input: process.stdin })) {
  const { program, killAfter } = JSON.parse(line)
  const started = sandbox.start(program)
  if (killAfter === 'output') started.stdout.once('data', () => started.kill())
  else if (killAfter !== undefined) setTimeout(() => started.kill(), killAfter)
  const { stdout, stderr, ...ended } = await collect(started)
  say({ ...ended, stdout: stdout.toString(), stderr: stderr.toString() })
}
await sandbox.close()
`

/** Whether that user can start Node where it is. If not, a copy is used. */
function makeReadable(): boolean {
  const canStart = (): boolean =>
    spawnSync(node, ['--version'], { uid: user, gid: user, cwd: '/' }).status === 0
  if (canStart()) return true
  node = join(home, 'node')
  cpSync(process.execPath, node)
  chmodSync(node, 0o755)
  return canStart()
}

mkdirSync(join(home, 'src'))
mkdirSync(join(home, 'private'), { mode: 0o700 })
writeFileSync(secret, 'sesame', { mode: 0o600 })
writeFileSync(join(home, 'package.json'), '{ "type": "module" }')
cpSync(join(import.meta.dirname, '..', 'src'), join(home, 'src', 'sandbox'), { recursive: true })
writeFileSync(host, HOST)
if (isRoot) for (const path of [join(home, 'private'), secret]) chownSync(path, user, user)
chmodSync(home, 0o755)
export const canBeUser = hasBubblewrap && isRoot && makeReadable()

/** The number of milliseconds to wait, or the first output of the program. */
type KillAfter = number | 'output'

interface Answer extends Ended {
  readonly stdout: string
  readonly stderr: string
}

/** Starts a process that opens a sandbox and runs what it is told to. */
export class Host {
  readonly child: ChildProcess
  readonly state: Promise<SandboxState>
  readonly #lines: AsyncIterator<string>
  readonly #reader: Interface
  complaints = ''

  constructor(options: {
    readonly asUser: boolean
    readonly mode?: string
    readonly stray?: number
  }) {
    this.child = spawn(node, [host, options.mode ?? ''], {
      cwd: '/',
      env: { PATH: '/usr/bin:/bin', HOME: join(home, 'private'), SECRET: 'sesame' },
      ...(options.asUser ? { uid: user, gid: user } : {}),
      stdio: [
        ...Array.from({ length: 3 }, () => 'pipe' as const),
        ...(options.stray === undefined
          ? []
          : [...Array.from({ length: 17 }, () => 'ignore' as const), options.stray]),
      ],
    })
    this.child.stderr?.on('data', (chunk: Buffer) => (this.complaints += chunk.toString()))
    this.#reader = createInterface({ input: this.child.stdout ?? process.stdin })
    this.#lines = this.#reader[Symbol.asyncIterator]()
    this.state = this.#next() as Promise<SandboxState>
  }

  async #next(): Promise<unknown> {
    const { value, done } = await this.#lines.next()
    if (done === true) throw new Error(`the host ended: ${this.complaints}`)
    return JSON.parse(value as string)
  }

  send(wanted: Wanted, killAfter?: KillAfter): void {
    this.child.stdin?.write(`${JSON.stringify({ program: programOf(wanted), killAfter })}\n`)
  }

  async run(wanted: Wanted, killAfter?: KillAfter): Promise<Answer> {
    await this.state
    this.send(wanted, killAfter)
    return (await this.#next()) as Answer
  }

  async shows(source: string, options: Omit<Wanted, 'argv'> = {}): Promise<unknown> {
    const { stdout, ...rest } = await this.run(inNode(source, options, node))
    if (stdout === '') throw new Error(JSON.stringify(rest))
    return JSON.parse(stdout)
  }

  async end(): Promise<void> {
    const ended = new Promise((resolve) => {
      this.child.once('close', resolve)
    })
    this.child.stdin?.end()
    await ended
  }
}
