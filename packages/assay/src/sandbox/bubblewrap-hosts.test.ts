/** The sandbox in a process of its own: started as an ordinary user, with descriptors left open, killed. */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { randomInt } from 'node:crypto'
import {
  chmodSync,
  chownSync,
  closeSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { once } from 'node:events'
import { createServer, type AddressInfo, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface, type Interface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  carrying,
  hasBubblewrap,
  inNode,
  inShell,
  programOf,
  type Wanted,
} from '../../test/sandboxed.ts'
import type { SandboxState } from './open-sandbox.ts'
import type { Ended } from './sandbox.ts'

const isRoot = process.getuid?.() === 0
const user = randomInt(50_000, 60_000)

const home = realpathSync(mkdtempSync(join(tmpdir(), 'assay-host-')))
const host = join(home, 'src', 'host.ts')
/** Of this user, and readable to nobody else. */
const secret = join(home, 'private', 'secret')
let node = process.execPath

const HOST = `
import { createInterface } from 'node:readline'
import { openBubblewrap } from './sandbox/bubblewrap.ts'
import { collect } from './sandbox/collect.ts'
import { inspectSandbox, workingWay } from './sandbox/open-sandbox.ts'
const say = (value: unknown) => console.log(JSON.stringify(value))
const way = await workingWay({})
const sandbox = openBubblewrap({ ...way, filter: way.filter && process.argv[2] !== 'unfiltered' })
say(await inspectSandbox())
for await (const line of createInterface({ input: process.stdin })) {
  const { program, killAfterMs } = JSON.parse(line)
  const started = sandbox.start(program)
  if (killAfterMs !== undefined) setTimeout(() => started.kill(), killAfterMs)
  const { stdout, stderr, ...ended } = await collect(started)
  say({ ...ended, stdout: stdout.toString(), stderr: stderr.toString() })
}
await sandbox.close()
`

/** Whether that user can start Node; else from a copy. */
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
cpSync(import.meta.dirname, join(home, 'src', 'sandbox'), { recursive: true })
cpSync(join(import.meta.dirname, '..', 'survivors.ts'), join(home, 'src', 'survivors.ts'))
writeFileSync(host, HOST)
if (isRoot) for (const path of [join(home, 'private'), secret]) chownSync(path, user, user)
chmodSync(home, 0o755)
const canBeUser = hasBubblewrap && isRoot && makeReadable()

interface Answer extends Ended {
  readonly stdout: string
  readonly stderr: string
}

/** A process that opens a sandbox and runs what it is told to. */
class Host {
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

  send(wanted: Wanted, killAfterMs?: number): void {
    this.child.stdin?.write(`${JSON.stringify({ program: programOf(wanted), killAfterMs })}\n`)
  }

  async run(wanted: Wanted, killAfterMs?: number): Promise<Answer> {
    await this.state
    this.send(wanted, killAfterMs)
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

afterAll(() => rmSync(home, { recursive: true, force: true }))

describe.skipIf(!canBeUser)('as an ordinary user', () => {
  let ours: Host
  let unfiltered: Host
  let server: Server

  beforeAll(async () => {
    server = createServer((socket) => socket.end('reached')).listen(0, '127.0.0.1')
    await once(server, 'listening')
    ours = new Host({ asUser: true })
    unfiltered = new Host({ asUser: true, mode: 'unfiltered' })
    await Promise.all([ours.state, unfiltered.state])
  })

  afterAll(async () => {
    server.close()
    await Promise.all([ours.end(), unfiltered.end()])
  })

  it('bubblewrap works, and says as who', async () => {
    const { ready: works, notes } = await ours.state
    expect(works).toBe(true)
    expect(notes.join()).toMatch(/ordinary user/)
  })

  it('a program is nobody, and has no secret of its user', async () => {
    // The folders above the program itself are there, with nothing else in them.
    const paths = JSON.stringify(
      [secret, home, '/etc/passwd', '/proc', '/root', '/home', '/tmp', host].filter(
        (path) => !node.startsWith(`${path}/`),
      ),
    )
    expect(
      await ours.shows(
        `show([process.getuid(), process.getgid(), process.env, ${paths}.filter(fs.existsSync)])`,
      ),
    ).toEqual([65534, 65534, { PWD: '/scratch' }, []])
  })

  it('a program reads what it is given, though only its user may', async () => {
    const seen = await ours.shows(`show(fs.readFileSync(${JSON.stringify(secret)}, 'utf8'))`, {
      reads: [secret],
    })
    expect(seen).toBe('sesame')
  })

  it('a program writes nowhere but in its folder', async () => {
    const source = `show(['/x', '/usr/lib/x', '/dev/x', 'x'].map((path) => {
      try { fs.writeFileSync(path, 'x'); return 'written' } catch (error) { return error.code } }))`
    const results = (await ours.shows(source)) as string[]
    expect(results.pop()).toBe('written')
    expect(results).not.toContain('written')
  })

  it('a program reaches no network, with the filter or without', async () => {
    const { port } = server.address() as AddressInfo
    const source = `require('node:net').connect(${port}, '127.0.0.1').on('data', () => show('reached'))
      .on('error', (error) => show(error.code))`
    expect(await ours.shows(source)).toBe('EPERM')
    expect(await unfiltered.shows(source)).not.toBe('reached')
  })

  it('a program makes no namespace of users, with the filter or without', async () => {
    for (const one of [ours, unfiltered]) {
      const { stdout, stderr } = await one.run(
        inShell('unshare -U true || unshare -Ur true; echo $?'),
      )
      expect(stdout.trim()).not.toBe('0')
      expect(stderr).toMatch(/unshare/)
    }
  })

  it('a program is held to its number of processes, however many its user has', async () => {
    const forks = 'i=0; while [ $i -lt 40 ]; do sleep 5 & i=$((i+1)); done; echo all'
    const { stdout, stderr } = await ours.run(
      inShell(forks, { limits: { processes: 20, wallMs: 9000 } }),
    )
    expect(stdout).toBe('')
    expect(stderr).toMatch(/fork/i)
  })

  it.each([
    [
      'a daemon',
      `require('node:child_process').spawn('/bin/sh', ['-c', 'trap "" TERM; sleep 999; : WORD'],
      { detached: true, stdio: 'inherit' }).unref(); process.exit(0)`,
    ],
    ['one that stops its group', 'process.kill(0, "SIGSTOP") // WORD'],
    ['one that kills its group', 'process.kill(0, "SIGKILL") // WORD'],
    ['one that kills all', 'process.kill(-1, "SIGKILL") // WORD'],
    ['one that never ends', 'setInterval(() => {}, 1e6) // WORD'],
  ])('nothing is left of a program: %s', async (_, source) => {
    const word = `assay-user-${process.pid}-${randomInt(1e9)}`
    await ours.run(inNode(source.replace('WORD', word), { system: true }, node), 700)
    expect(carrying(word)).toEqual([])
  })

  it('a program ends at its limits, and says how', async () => {
    const wanted = inNode('for (;;);', { limits: { cpuMs: 1000, processes: 'threads' } }, node)
    expect(await ours.run(wanted)).toMatchObject({ code: null, signal: 'SIGXCPU', how: 'cpu' })
  })
})

describe.skipIf(!hasBubblewrap)('when the process that started it is killed', () => {
  const endsWithIt = async (asUser: boolean): Promise<void> => {
    const word = `assay-orphan-${process.pid}-${String(asUser)}`
    const one = new Host({ asUser })
    await one.state
    one.send(inNode(`setInterval(() => {}, 1e6) // ${word}`, {}, node))
    for (let look = 0; look < 100 && carrying(word).length === 0; look++) await sleep(50)
    await sleep(200)
    expect(carrying(word)).not.toEqual([])
    one.child.kill('SIGKILL')
    for (let look = 0; look < 100 && carrying(word).length > 0; look++) await sleep(50)
    expect(carrying(word)).toEqual([])
  }

  it('a program ends with it', async () => {
    await expect(endsWithIt(false)).resolves.toBeUndefined()
  })

  it.skipIf(!canBeUser)('a program ends with it, as an ordinary user', async () => {
    await expect(endsWithIt(true)).resolves.toBeUndefined()
  })
})

describe.skipIf(!hasBubblewrap)(
  'a descriptor that was left open for the process that started it',
  () => {
    it('does not reach a program', async () => {
      const stray = openSync(secret, 'r')
      const one = new Host({ asUser: false, stray })
      try {
        const source = `let seen; try { seen = fs.readFileSync(20, 'utf8') } catch (error) { seen = error.code }
        show(seen)`
        expect(await one.shows(source)).not.toBe('sesame')
      } finally {
        closeSync(stray)
        await one.end()
      }
    })
  },
)
