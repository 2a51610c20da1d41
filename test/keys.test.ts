/**
 * Tests that no program that a run starts can find a key of Assay's environment, neither in its own variables nor
 * in what the system shows of other processes. The tests start the command as people start it.
 *
 * These code paths were checked:
 * - Programs: custom graders, program graders, `command:` subjects, suites and experiments that are modules,
 *   graders of `assay validate`, and programs that inherit Assay's variables (git, cargo, bubblewrap).
 * - Starts of Assay: by Node 24, by an older Node that hands over to it, as root, as an ordinary user.
 * - Keys: variables with a secret name, with a password in an address, with another name that assay.toml declares
 *   to be a key, and copies of a key in further variables.
 */
import { execFile, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { Trial } from 'assay'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'

const command = fileURLToPath(new URL('../packages/assay/bin/assay.js', import.meta.url))
const ENVIRONMENT = new URL('../packages/assay/dist/environment/index.js', import.meta.url).href

/**
 * Searches for keys in all places that a program of the same user can read without tracing another process: its own
 * variables, the variables that the system shows for any process, its own memory, and the module in which Assay
 * keeps its keys.
 */
const scanner = (prefix: string): string => `
import { closeSync, openSync, readdirSync, readFileSync, readSync } from 'node:fs'
const START = ${JSON.stringify(prefix)}
const KEY = new RegExp(START + '[0-9a-f]{32}')
const environ = (pid) => { try { return readFileSync('/proc/' + pid + '/environ', 'latin1') } catch { return '' } }
function inMemory() {
  const memory = openSync('/proc/self/mem', 'r')
  const part = Buffer.alloc(1 << 20)
  try {
    for (const line of readFileSync('/proc/self/maps', 'utf8').split('\\n')) {
      const [, from, to, rights] = /^([0-9a-f]+)-([0-9a-f]+) (\\S+)/.exec(line) ?? []
      if (rights === undefined || !rights.startsWith('rw')) continue
      const end = Number('0x' + to)
      for (let at = Number('0x' + from); at < end; at += part.length - 100) {
        let read = 0
        try { read = readSync(memory, part, 0, Math.min(part.length, end - at), at) } catch {}
        for (let i = part.indexOf(START); i !== -1 && i < read; i = part.indexOf(START, i + 1))
          if (KEY.test(part.toString('latin1', i, i + 100))) return true
      }
    }
    return false
  } finally { closeSync(memory) }
}
export async function scan() {
  const found = []
  if (KEY.test(JSON.stringify(process.env))) found.push('process.env')
  for (const pid of ['self', String(process.ppid), ...readdirSync('/proc').filter((name) => /^\\d+$/.test(name))])
    if (KEY.test(environ(pid))) found.push('/proc/' + pid)
  if (inMemory()) found.push('memory')
  const { ownVariables } = await import(${JSON.stringify(ENVIRONMENT)})
  if (KEY.test(JSON.stringify(ownVariables()))) found.push('module')
  return found.length === 0 ? 'no key' : 'a key in ' + found.join(', ')
}
`
const GRADER = `
import { scan } from './scan.mjs'
export default { grade: async () => ({ score: 1, passed: true, reason: await scan() }) }
`
const PROGRAM = `
import { scan } from './scan.mjs'
console.log(JSON.stringify({ score: 1, passed: true, reason: await scan() }))
`
const ANSWER = `
import { scan } from './scan.mjs'
console.log(await scan())
`
const MODULE = `
import { writeFileSync } from 'node:fs'
import { scan } from './scan.mjs'
writeFileSync('found.txt', await scan())
`

let folder: string
let key: string

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'assay-keys-'))
  await chmod(folder, 0o777)
  // Another run of these tests on this machine has its own keys.
  const prefix = `assay-${randomBytes(4).toString('hex')}-`
  key = `${prefix}${randomBytes(16).toString('hex')}`
  const files = { 'scan.mjs': scanner(prefix), 'g.mjs': GRADER, 'p.mjs': PROGRAM, 'a.mjs': ANSWER }
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text)
})

afterEach(() => rm(folder, { recursive: true, force: true }))

const suite = (graders: readonly object[]): string =>
  JSON.stringify({ id: 's', cases: [{ id: 'c', prompt: 'p', reference: 'x', graders }] })

const CUSTOM = { type: 'custom', file: 'g.mjs' }
const BY_PROGRAM = { type: 'program', command: [process.execPath, 'p.mjs'], timeout: '30s' }

interface Start {
  readonly env?: Readonly<Record<string, string>>
  /** Options of Node, before the command. */
  readonly flags?: readonly string[]
  readonly as?: 'nobody'
  /** True to run where a process cannot write its own memory through /proc. */
  readonly readOnlyProc?: true
  /** The program that starts the command. */
  readonly through?: readonly string[]
}

function start(args: readonly string[], how: Start = {}) {
  const { PATH = '' } = process.env
  // Without this, graders would run in a sandbox.
  const variables = { HOME: folder, PATH, OPENAI_API_KEY: key, ASSAY_TRUST: '1', ...how.env }
  const user = how.as === 'nobody' ? { uid: 65_534, gid: 65_534 } : {}
  const own = [process.execPath, ...(how.flags ?? []), command, ...args]
  const words = [...(how.through ?? []), ...own]
  // The process that starts Assay must not have a key either.
  const sets = Object.entries(variables).flatMap(([name, value]) => ['--setenv', name, value])
  const wrapped = [
    'bwrap',
    '--dev-bind',
    '/',
    '/',
    '--ro-bind',
    '/proc',
    '/proc',
    ...sets,
    ...words,
  ]
  const [program = '', ...rest] = how.readOnlyProc === true ? wrapped : words
  const child = spawn(program, rest, {
    cwd: folder,
    env: how.readOnlyProc === true ? { PATH } : variables,
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: 60_000,
    killSignal: 'SIGKILL',
    ...user,
  })
  const printed = { stdout: '', all: '' }
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    printed.stdout += chunk
    printed.all += chunk
  })
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    printed.all += chunk
  })
  const ended = once(child, 'close').then(([code]) => ({
    code: code as number | null,
    stdout: printed.stdout,
    printed: printed.all,
  }))
  return { child, ended, text: () => printed.all }
}

const assay = (args: readonly string[], how?: Start) => start(args, how).ended

/** Resolves when there is no such process. */
async function gone(pid: number): Promise<void> {
  expect(pid).toBeGreaterThan(0)
  for (;;) {
    try {
      process.kill(pid, 0)
      const stat = await readFile(`/proc/${pid}/stat`, 'utf8')
      // The process has ended, but its parent has not collected it yet.
      if (/\) [ZX] /.test(stat)) return
    } catch {
      return
    }
    await setTimeout(20)
  }
}

async function trial(name: string): Promise<Trial> {
  const lines = (await readFile(join(folder, name, 'trials.jsonl'), 'utf8')).trimEnd().split('\n')
  return JSON.parse(lines[1] ?? '{}') as Trial
}

/** What the programs of a run found. */
async function reasons(model: string, how: Start = {}): Promise<(string | undefined)[]> {
  const args = ['run', 'suite.json', '--model', model, '-o', 'r']
  const { code, printed } = await assay(args, how)
  expect(printed).not.toContain('error:')
  expect(code).toBe(0)
  const { grades, answer } = await trial('r')
  return [
    ...grades.map(({ reason }) => reason),
    ...(model === 'simulated:pass=1' ? [] : [typeof answer === 'string' ? answer.trim() : '']),
  ]
}

/** Assay is then started by a program that looks like an older Node and hands over to another process. */
const OLDER = [
  '--import',
  `data:text/javascript,Object.defineProperty(process,'versions',{value:{...process.versions,node:'20.0.0'}})`,
]

const asOrdinary = process.getuid?.() === 0 ? [{ as: 'nobody' as const }] : []

const found = () => readFile(join(folder, 'found.txt'), 'utf8')

describe.skipIf(process.platform !== 'linux')('keys of the environment', () => {
  it('are found by these tests where they are', async () => {
    const { stdout } = await promisify(execFile)(process.execPath, ['a.mjs'], {
      cwd: folder,
      env: { OTHER: key },
    })
    expect(stdout).toMatch(/^a key in process\.env, \/proc\/self, .*memory, module$/m)
  })

  it.each([{}, { flags: OLDER }, { readOnlyProc: true as const }, ...asOrdinary])(
    'are found by no grader and no command, started with %j',
    async (how) => {
      await writeFile(join(folder, 'suite.json'), suite([CUSTOM, BY_PROGRAM]))
      const model = `command:${process.execPath} a.mjs`
      expect(await reasons(model, how)).toEqual(['no key', 'no key', 'no key'])
    },
  )

  it.each([
    ['has a password in an address', { DATABASE_URL: 'postgres://u:KEY@host/db' }],
    ['is a key by assay.toml alone', { HOUSE: 'KEY' }],
    ['is a copy of a key', { OPENAI_API_KEY: 'KEY', SETTINGS: '{"openai":"KEY"}' }],
  ])('are kept also where a variable %s', async (_, variables) => {
    const env = Object.fromEntries(
      Object.entries(variables).map(([name, value]) => [name, value.replace('KEY', key)]),
    )
    const toml = '[providers.house]\nbaseUrl = "http://127.0.0.1:9/v1"\napiKeyEnv = "HOUSE"\n'
    await writeFile(join(folder, 'assay.toml'), toml)
    await writeFile(join(folder, 'suite.json'), suite([CUSTOM, BY_PROGRAM]))
    expect(await reasons('simulated:pass=1', { env: { OPENAI_API_KEY: '', ...env } })).toEqual([
      'no key',
      'no key',
    ])
  })

  it('are found by no suite and no experiment that is a module', async () => {
    const data = suite([{ type: 'equals', value: 'x' }])
    await writeFile(join(folder, 'suite.mjs'), `${MODULE}export default () => (${data})`)
    const args = ['--model', 'simulated:pass=1']
    expect((await assay(['run', 'suite.mjs', ...args])).code).toBe(0)
    expect(await found()).toBe('no key')
    await writeFile(join(folder, 'suite.json'), data)
    const experiment = `{ suites: ['suite.json'], trials: 1, subjects: { a: { simulated: 'pass=1' } } }`
    await writeFile(join(folder, 'e.mjs'), `${MODULE}export default ${experiment}`)
    await rm(join(folder, 'found.txt'))
    expect((await assay(['run', 'e.mjs'])).printed).toContain('1 planned = 1 passed')
    expect(await found()).toBe('no key')
  })

  it('are handed over by programs of the system where /proc is read-only, never by one of the folder', async () => {
    for (const name of ['mkfifo', 'rm', 'node'])
      await writeFile(join(folder, name), '#!/bin/sh\necho "$0" >>started\n', { mode: 0o755 })
    const env = { PATH: `:.:${process.env['PATH'] ?? ''}` }
    const { code } = await assay(['models'], { readOnlyProc: true, env })
    expect(code).toBe(0)
    expect(await readFile(join(folder, 'started'), 'utf8').catch(() => 'none')).toBe('none')
  })

  it('still reach the provider whose they are', async () => {
    await writeFile(join(folder, 'suite.json'), suite([CUSTOM]))
    const { printed } = await assay(['models'], { flags: OLDER })
    expect(printed).toMatch(/^openai +yes +key from OPENAI_API_KEY/m)
    const seen: (string | undefined)[] = []
    const server = createServer((request, response) => {
      seen.push(request.headers.authorization)
      response.writeHead(401).end()
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    try {
      const env = { OPENAI_BASE_URL: `http://127.0.0.1:${port}/v1` }
      await assay(['run', 'suite.json', '--model', 'openai/gpt-5', '-o', 'r'], { env })
    } finally {
      server.close()
    }
    expect(seen[0]).toBe(`Bearer ${key}`)
  })

  it('are said to be readable in a process that started Assay with them', async () => {
    await writeFile(join(folder, 'suite.json'), suite([CUSTOM]))
    const args = ['run', 'suite.json', '--model', 'simulated:pass=1']
    // A shell that waits for the command, as npm and CI scripts do.
    const { printed } = await assay(args, { through: ['/bin/sh', '-c', '"$@"; exit $?', 'sh'] })
    expect(printed).toMatch(/can read OPENAI_API_KEY in the environment of \w+ \(process \d+\)/)
    expect((await assay(args)).printed).not.toContain('can read')
  })
})

describe('the command, with secrets in its environment', () => {
  it.each([{ flags: [] }, { flags: OLDER }])(
    'ends with 130 on Ctrl-C, and leaves no grader behind (%j)',
    async ({ flags }) => {
      const grader = `
import { writeFileSync } from 'node:fs'
export default { grade() { writeFileSync('pid.txt', String(process.pid)); for (;;); } }
`
      await writeFile(join(folder, 'g.mjs'), grader)
      await writeFile(join(folder, 'suite.json'), suite([CUSTOM]))
      const args = ['run', 'suite.json', '--model', 'simulated:pass=1', '--grade-timeout', '60s']
      const running = start(args, { flags })
      let pid = ''
      while (pid === '' && running.child.exitCode === null) {
        await setTimeout(20)
        pid = await readFile(join(folder, 'pid.txt'), 'utf8').catch(() => '')
      }
      running.child.kill('SIGINT')
      while (!running.text().includes('stopping') && running.child.exitCode === null)
        await setTimeout(20)
      running.child.kill('SIGINT')
      expect((await running.ended).code).toBe(130)
      await gone(Number(pid))
    },
  )

  it('leaves no grader behind where it is killed', async () => {
    const grader = `
import { writeFileSync } from 'node:fs'
export default { async grade() { writeFileSync('pid.txt', String(process.pid)); await new Promise(() => {}) } }
`
    await writeFile(join(folder, 'g.mjs'), grader)
    await writeFile(join(folder, 'suite.json'), suite([CUSTOM]))
    const running = start(['run', 'suite.json', '--model', 'simulated:pass=1'])
    let pid = ''
    while (pid === '' && running.child.exitCode === null) {
      await setTimeout(20)
      pid = await readFile(join(folder, 'pid.txt'), 'utf8').catch(() => '')
    }
    running.child.kill('SIGKILL')
    expect((await running.ended).code).toBeNull()
    await gone(Number(pid))
  })

  it.each([{}, { flags: OLDER }, { readOnlyProc: true as const }])(
    'prints events, reads no input and keeps its exit codes, started with %j',
    async (how) => {
      await writeFile(join(folder, 'suite.json'), suite([CUSTOM, BY_PROGRAM]))
      const closed = ['/bin/sh', '-c', 'exec "$@" <&-', 'sh']
      const args = ['run', 'suite.json', '--model', 'simulated:pass=1', '--json']
      const { code, stdout } = await assay(args, { ...how, through: closed })
      expect(code).toBe(0)
      const types = stdout
        .trimEnd()
        .split('\n')
        .map((line) => (JSON.parse(line) as { type: string }).type)
      expect(types.at(-1)).toBe('end')
      expect((await assay(['run', 'missing.json', '--model', 'simulated:pass=1'], how)).code).toBe(
        2,
      )
      expect((await assay(['nonsense'], how)).code).toBe(2)
    },
  )
})
