import { existsSync, mkdtempSync, readdirSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, describe, expect, it } from 'vitest'
import {
  carrying,
  inNode,
  MIB,
  programOf,
  run as runIn,
  shownBy as shownIn,
  type Wanted,
} from '../test/sandboxed.ts'
import { collect, type Collected } from './collect.ts'
import { findProgram } from './find-program.ts'
import { openNone } from './none.ts'
import { SandboxError } from './sandbox.ts'

const hasLimits = findProgram('prlimit') !== null
const sandbox = openNone()
afterAll(() => sandbox.close())

const run = (source: string, options = {}): Promise<Collected> =>
  runIn(sandbox, node(source, options))
const shownBy = (source: string, options = {}): Promise<unknown> =>
  shownIn(sandbox, node(source, options))
const node = (source: string, options: Omit<Wanted, 'argv'> = {}): Wanted =>
  inNode(source, {
    ...options,
    limits: { memoryBytes: 2048 * MIB, fileBytes: MIB, ...options.limits },
  })

describe.skipIf(process.platform === 'win32')('a program without a sandbox', () => {
  it('stays who it is', async () => {
    const shown = 'show([process.argv.at(-1), process.getuid()])'
    expect(await shownBy(shown, { drops: true })).toEqual(['0', process.getuid?.()])
  })

  it('has its own environment and the mark that it is found by', async () => {
    const env = (await shownBy('show(process.env)', { env: { ONLY: 'this' } })) as Record<
      string,
      string
    >
    const system = Object.keys(env).filter((name) => name.startsWith('__'))
    expect(Object.keys(env).filter((name) => !system.includes(name))).toEqual([
      'ONLY',
      'ASSAY_TRIAL',
    ])
  })

  it('works in a folder of its own, which is gone afterwards', async () => {
    const folder = await shownBy(
      `fs.writeFileSync('file', 'x'); fs.mkdirSync('more'); show(process.cwd())`,
    )
    expect(folder).toMatch(/assay-scratch/)
    expect(existsSync(String(folder))).toBe(false)
    expect(await shownBy('show(process.cwd())', { scratchBytes: 0 })).toBe('/')
  })

  it('starts where it is told to, and shares folders where they are', async () => {
    const shared = realpathSync(mkdtempSync(join(tmpdir(), 'none ')))
    try {
      expect(sandbox.moves).toBe(false)
      expect(sandbox.newOwner()).toBe(null)
      const seen = await shownBy(`fs.writeFileSync('new', 'x'); show(process.cwd())`, {
        folders: [{ from: shared, at: shared }],
        cwd: shared,
        open: true,
      })
      expect(seen).toBe(shared)
      expect(readdirSync(shared)).toEqual(['new'])
    } finally {
      rmSync(shared, { recursive: true })
    }
  })

  it.skipIf(!hasLimits)('has what has no limit', async () => {
    const endless = Number.POSITIVE_INFINITY
    const limits = { cpuMs: endless, memoryBytes: endless, fileBytes: endless }
    expect(await run('process.exit(7)', { limits })).toMatchObject({ code: 7, how: 'exit' })
  })

  it('ends with its code or signal', async () => {
    expect(await run('process.exit(3)')).toMatchObject({ code: 3, signal: null, how: 'exit' })
    expect(await run('process.abort()')).toMatchObject({
      code: null,
      signal: 'SIGABRT',
      how: 'exit',
    })
  })

  it('ends at its wall time', async () => {
    const ended = await run('setInterval(() => {}, 1e6)', { limits: { wallMs: 300 } })
    expect(ended).toMatchObject({ signal: 'SIGKILL', how: 'wall' })
  })

  it.skipIf(!hasLimits)('ends at its processor time', async () => {
    expect(await run('for (;;);', { limits: { cpuMs: 500 } })).toMatchObject({
      signal: 'SIGXCPU',
      how: 'cpu',
    })
  })

  it.skipIf(!hasLimits)('is held to its memory, file size and open files', async () => {
    const memory = await run(
      `const all = []; for (let i = 0; i < 40; i++) all.push(Buffer.alloc(100e6, 1)); show('had 4 GB')`,
    )
    expect(memory.stdout.toString()).toBe('')
    const source = `process.on('SIGXFSZ', () => {})
      show([attempt(() => fs.writeFileSync('f', Buffer.alloc(2e6))), attempt(() => { for (;;) fs.openSync('/dev/null') })])`
    expect(await shownBy(source)).toEqual(['EFBIG', 'EMFILE'])
  })

  it('takes with it what it started, in its group', async () => {
    const word = `assay-none-${process.pid}-group`
    const source = `require('node:child_process').spawn(process.execPath, ['-e', 'setInterval(() => {}, 1e6) // ${word}'],
      { stdio: 'inherit' }).unref(); setTimeout(() => process.exit(0), 200)`
    expect(await run(source)).toMatchObject({ code: 0, how: 'exit' })
    expect(carrying(word)).toEqual([])
  })

  it.skipIf(process.platform !== 'linux')(
    'takes with it what it started in a session of its own',
    async () => {
      const word = `assay-none-${process.pid}-session`
      const source = `require('node:child_process').spawn(process.execPath, ['-e', 'setInterval(() => {}, 1e6) // ${word}'],
      { stdio: 'inherit', detached: true }).unref(); setTimeout(() => process.exit(0), 200)`
      expect(await run(source)).toMatchObject({ code: 0, how: 'exit' })
      expect(carrying(word)).toEqual([])
    },
  )

  it('ends when killed, though it stops itself', async () => {
    const word = `assay-none-${process.pid}-stopped`
    const program = sandbox.start(
      programOf(node(`process.kill(process.pid, 'SIGSTOP') // ${word}`)),
    )
    await sleep(150)
    expect(await program.kill()).toEqual({ code: null, signal: 'SIGKILL', how: 'killed' })
    expect(carrying(word)).toEqual([])
  })

  it('talks over its pipes', async () => {
    const echo = `const pipe = new (require('node:net').Socket)({ fd: 3 }); pipe.pipe(pipe)`
    const program = sandbox.start(programOf(node(echo, { pipes: 1 })))
    const [pipe] = program.pipes
    pipe?.end('echo')
    let got = ''
    for await (const chunk of pipe ?? []) got += String(chunk)
    expect(got).toBe('echo')
    await program.kill()
  })

  it('is refused where there is no such program', async () => {
    const missing = programOf({ argv: ['/no/such/program'] })
    // With limits, `prlimit` starts first, and then it is the one that fails to find the program.
    if (hasLimits) expect(await collect(sandbox.start(missing))).toMatchObject({ code: 127 })
    else expect(() => sandbox.start(missing)).toThrow(SandboxError)
    expect(() => sandbox.start(programOf({ argv: ['node'] }))).toThrow(/absolute/)
    const closed = openNone()
    await closed.close()
    expect(() => closed.start(missing)).toThrow(/closed/)
  })
})
