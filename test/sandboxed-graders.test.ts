/**
 * Tests through the command that graders with `sandbox = true` can reach only what the sandbox shows. Each grader
 * is tried as the user who runs the tests. If that is root, it is also tried as an ordinary user.
 *
 * These code paths were checked: the module of a custom grader, when the suite is read (`assay validate`) and when
 * it grades; a program grader; a suite's folder that is a link, or that contains a home folder; a machine without
 * bubblewrap; a run that sandboxes all graders although the suite says `sandbox = false`.
 */
import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { chmod, mkdir, mkdtemp, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Trial } from 'assay'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { closeGraders, graders } from '../packages/assay/src/grade/index.ts'
import { findProgram } from '@assay/sandbox'
import { run } from '../packages/assay/src/run/index.ts'
import { makeSubjects } from '../packages/assay/src/subject/index.ts'
import { loadSuite } from '../packages/assay/src/suite/index.ts'

const command = fileURLToPath(new URL('../packages/assay/bin/assay.js', import.meta.url))

/** Tries what a sandboxed grader must not do, and what it may do. */
const LOOK = `
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { connect, createServer } from 'node:net'
const attempt = (work) => { try { return work() } catch (error) { return error.code ?? String(error) } }
const dial = (port, host) => new Promise((done) => {
  const socket = connect({ port, host }, () => { socket.destroy(); done('connected') })
  socket.on('error', (error) => done(error.code))
})
export async function look({ outside, port, marker }) {
  const own = createServer().listen(0, '127.0.0.1')
  await new Promise((done) => own.once('listening', done))
  const others = readdirSync('/proc').filter((name) => /^\\d+$/.test(name))
    .filter((pid) => attempt(() => readFileSync('/proc/' + pid + '/cmdline', 'utf8')).includes('assay.js'))
  const facts = {
    variables: Object.entries(process.env).filter(([, value]) => value.includes(marker)),
    outside: attempt(() => readFileSync(outside, 'utf8')),
    repository: attempt(() => readFileSync('../shared.txt', 'utf8')),
    logins: ['.git/config', '.jj/repo/config', 'lib/.hg/hgrc', 'lib/own/.git/config']
      .map((path) => attempt(() => readFileSync('../' + path, 'utf8'))),
    written: attempt(() => writeFileSync('written.txt', '')),
    temporary: attempt(() => { writeFileSync('/tmp/own', 'mine'); return readFileSync('/tmp/own', 'utf8') }),
    assay: others.length,
    machine: await dial(port, '127.0.0.1'),
    internet: await dial(80, '192.0.2.1'),
    loopback: await dial(own.address().port, '127.0.0.1'),
  }
  own.close()
  return { score: 1, passed: true, facts }
}
`
const GRADER = `
import { look } from '../look.mjs'
export default { options: { outside: '', port: 0, marker: '' }, grade: (_, options) => look(options) }
`
const PROGRAM = `
import { text } from 'node:stream/consumers'
import { look } from '../look.mjs'
console.log(JSON.stringify(await look(JSON.parse(await text(process.stdin)).options)))
`

let outer: string
let folder: string
let home: string
let marker: string

/** A repository with the folder of a suite, and a home folder outside of it. */
beforeEach(async () => {
  outer = await realpath(await mkdtemp(join(tmpdir(), 'assay-sandboxed-')))
  folder = join(outer, 'repository', 'suites')
  home = join(outer, 'home')
  marker = `secret-${randomUUID()}`
  for (const path of ['.git', '.jj/repo', 'lib/.hg', 'lib/own/.git'])
    await mkdir(join(outer, 'repository', path), { recursive: true })
  await mkdir(folder)
  await mkdir(home)
  const login = `[remote "origin"]\n\turl = https://me:${marker}@x.example/a.git\n`
  const files = {
    'repository/look.mjs': LOOK,
    'repository/shared.txt': 'shared',
    'repository/.git/config': login,
    'repository/.jj/repo/config': login,
    'repository/lib/.hg/hgrc': login,
    'repository/lib/own/.git/config': login,
    'repository/suites/g.mjs': GRADER,
    'repository/suites/p.mjs': PROGRAM,
    'home/private.txt': marker,
  }
  for (const [name, text] of Object.entries(files)) await writeFile(join(outer, name), text)
  // As root, Assay runs the grader as another user. As an ordinary user, the run folder is created here.
  for (const path of [outer, folder, join(outer, 'repository')]) await chmod(path, 0o777)
  await chmod(join(outer, 'repository'), 0o755)
})

afterEach(async () => {
  await closeGraders()
  await rm(outer, { recursive: true, force: true })
})

const suite = (list: readonly object[]): Promise<void> =>
  writeFile(
    join(folder, 'suite.json'),
    JSON.stringify({ id: 's', cases: [{ id: 'c', prompt: 'p', reference: 'x', graders: list }] }),
  )

interface Start {
  readonly as?: 'nobody'
  readonly before?: readonly string[]
}

async function assay(args: readonly string[], { as, before = [] }: Start = {}) {
  const [program = '', ...words] = [...before, process.execPath, command, ...args]
  const child = spawn(program, words, {
    cwd: folder,
    env: { HOME: home, PATH: process.env['PATH'], OPENAI_API_KEY: marker },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: 60_000,
    killSignal: 'SIGKILL',
    ...(as === 'nobody' ? { uid: 65_534, gid: 65_534 } : {}),
  })
  let printed = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (chunk: string) => (printed += chunk))
  const [code] = (await once(child, 'close')) as [number | null]
  return { code, printed }
}

const RUN = ['run', 'suite.json', '--model', 'simulated:pass=1', '-o', join('..', '..', 'r')]

async function facts(): Promise<unknown[]> {
  const lines = (await readFile(join(outer, 'r', 'trials.jsonl'), 'utf8')).trimEnd().split('\n')
  return (JSON.parse(lines[1] ?? '{}') as Trial).grades.map((grade) => grade.facts)
}

const asOrdinary = process.getuid?.() === 0 ? [{ as: 'nobody' as const }] : []

describe.skipIf(process.platform !== 'linux')('graders with sandbox = true', () => {
  it.each([{}, ...asOrdinary])(
    'reach their repository and nothing else, started with %j',
    async (start) => {
      const server = createServer((socket) => socket.end()).listen(0, '127.0.0.1')
      await once(server, 'listening')
      const { port } = server.address() as AddressInfo
      const options = { outside: join(home, 'private.txt'), port, marker }
      await suite([
        { type: 'custom', file: 'g.mjs', sandbox: true, options },
        {
          type: 'program',
          command: [process.execPath, 'p.mjs'],
          sandbox: true,
          options,
          timeout: '30s',
        },
      ])
      try {
        const { code, printed } = await assay(RUN, start)
        expect(printed).toContain('1 planned = 1 passed')
        expect(code).toBe(0)
      } finally {
        server.close()
      }
      const reached = {
        variables: [],
        outside: 'ENOENT',
        repository: 'shared',
        logins: ['ENOENT', 'ENOENT', 'ENOENT', 'ENOENT'],
        written: 'EROFS',
        temporary: 'mine',
        assay: 0,
        machine: 'ECONNREFUSED',
        internet: 'ENETUNREACH',
        loopback: 'connected',
      }
      expect(await facts()).toEqual([reached, reached])
    },
  )

  it('are ended at the deadline and errored where they throw, as others are', async () => {
    const grader = (work: string): string => `export default { grade() { ${work} } }`
    await writeFile(join(folder, 'hangs.mjs'), grader('for (;;);'))
    await writeFile(join(folder, 'throws.mjs'), grader('throw new Error("broken")'))
    const timed = [...RUN, '--grade-timeout', '1s', '--max-errors', '1']
    await suite([{ type: 'custom', file: 'hangs.mjs', sandbox: true }])
    expect((await assay(timed)).printed).toContain('0 passed + 1 failed')
    await rm(join(outer, 'r'), { recursive: true })
    await suite([{ type: 'custom', file: 'throws.mjs', sandbox: true }])
    const { printed } = await assay(timed)
    expect(printed).toContain('1 errored')
    expect(printed).toContain('Error: broken')
    await rm(join(outer, 'r'), { recursive: true })
    await suite([{ type: 'program', command: ['sleep', '60'], sandbox: true }])
    expect((await assay(timed)).printed).toContain('0 passed + 1 failed')
  })

  it('run their modules in the sandbox when the suite is only read', async () => {
    const source = `import { existsSync } from 'node:fs'
if (existsSync(${JSON.stringify(home)})) throw new Error('not in the sandbox')
export default { grade: () => true }`
    await writeFile(join(folder, 'top.mjs'), source)
    await suite([{ type: 'custom', file: 'top.mjs', sandbox: true }])
    const validate = ['validate', 'suite.json', '--trust']
    expect(await assay(validate)).toMatchObject({ code: 0 })
    await suite([{ type: 'custom', file: 'top.mjs', sandbox: false }])
    expect((await assay(validate)).printed).toContain('not in the sandbox')
  })

  it.each([
    { type: 'custom', file: 'g.mjs', sandbox: true },
    { type: 'program', command: ['node', 'p.mjs'], sandbox: true },
  ])('are refused before the first trial without bubblewrap: %j', async (grader) => {
    const bwrap = await realpath(findProgram('bwrap') ?? '')
    const before = [bwrap, '--dev-bind', '/', '/', '--ro-bind', '/dev/null', bwrap]
    await suite([grader])
    const { code, printed } = await assay(RUN, { before })
    expect(code).toBe(2)
    expect(printed).toContain('bubblewrap is not installed')
    expect(printed).toMatch(/suite\.json:\d+:\d+: cases\[0\]\.graders\[0\]\.sandbox/)
    await expect(readFile(join(outer, 'r', 'run.json'))).rejects.toThrow('ENOENT')
  })

  it('show no home folder, not even through a link', async () => {
    await writeFile(join(home, 'suite.json'), '')
    // Outside of the repository: from there, a link that leads out is refused before.
    await symlink(home, join(outer, 'linked'))
    await suite([{ type: 'program', command: ['true'], sandbox: true }])
    for (const at of [home, join(outer, 'linked')]) {
      const file = join(at, 'suite.json')
      await writeFile(file, await readFile(join(folder, 'suite.json')))
      const { code, printed } = await assay(['validate', file])
      expect(code).toBe(2)
      expect(printed).toContain('holds a whole home folder')
    }
  })
})

describe.skipIf(process.platform !== 'linux')('a run that sandboxes all graders', () => {
  const read = (): Promise<unknown> =>
    loadSuite(join(folder, 'suite.json'), { graders, allowModules: true, sandboxGraders: true })

  it('does so without being asked, also for the module when the suite is read', async () => {
    const source = `import { existsSync } from 'node:fs'
if (existsSync(${JSON.stringify(dirname(home))} + '/home')) throw new Error('not in the sandbox')
export default { grade: () => true }`
    await writeFile(join(folder, 'top.mjs'), source)
    await suite([{ type: 'custom', file: 'top.mjs' }])
    await expect(read()).resolves.toBeDefined()
  })

  it('does so where it grades a suite that was read by somebody else', async () => {
    const source = `import { existsSync } from 'node:fs'
export default { grade: () => !existsSync(${JSON.stringify(home)}) }`
    await writeFile(join(folder, 'where.mjs'), source)
    await suite([{ type: 'custom', file: 'where.mjs' }])
    const loaded = await loadSuite(join(folder, 'suite.json'), { graders, allowModules: true })
    const counts = async (sandboxGraders: boolean) => {
      const subjects = await makeSubjects({ subjects: ['simulated:pass=1'] })
      const out = join(outer, String(sandboxGraders))
      const { tally } = await run({ suites: [loaded.suite], subjects, folder: out, sandboxGraders })
      return tally.counts()
    }
    expect(await counts(true)).toMatchObject({ passed: 1 })
    expect(await counts(false)).toMatchObject({ failed: 1 })
  })

  it.each([
    { type: 'custom', file: 'g.mjs', sandbox: false },
    { type: 'program', command: ['true'], sandbox: false },
  ])('refuses %j', async (grader) => {
    await suite([grader])
    await expect(read()).rejects.toThrow('a folder that is not trusted')
  })
})
