/**
 * No program that a run starts finds a key of Assay's environment: not in its own variables, and not in what
 * the system shows of other processes. The command is started as people start it.
 *
 * Related code paths that were checked: custom graders, program graders, `command:` subjects, suites and
 * experiments that are modules, graders of `assay validate`; Assay started by Node 24 and by an older Node that
 * hands over to it; root and an ordinary user; variables with a secret name, with a password in an address, with
 * another name that assay.toml declares to be a key, and copies of a key in further variables; programs that
 * inherit Assay's variables (git, cargo, bubblewrap).
 */
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Trial } from 'assay'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'

const command = fileURLToPath(new URL('../packages/assay/bin/assay.js', import.meta.url))

/** Looks for keys wherever a program of the same user may look without tracing another one. */
const scanner = (start: string): string => `
import { readdirSync, readFileSync } from 'node:fs'
const KEY = /${start}[0-9a-f]{32}/
const environ = (pid) => { try { return readFileSync('/proc/' + pid + '/environ', 'latin1') } catch { return '' } }
export function scan() {
  const found = []
  if (KEY.test(JSON.stringify(process.env))) found.push('process.env')
  for (const pid of ['self', String(process.ppid), ...readdirSync('/proc').filter((name) => /^\\d+$/.test(name))])
    if (KEY.test(environ(pid))) found.push('/proc/' + pid)
  return found.length === 0 ? 'no key' : 'a key in ' + found.join(', ')
}
`
const GRADER = `
import { scan } from './scan.mjs'
export default { grade: () => ({ score: 1, passed: true, reason: scan() }) }
`
const PROGRAM = `
import { scan } from './scan.mjs'
console.log(JSON.stringify({ score: 1, passed: true, reason: scan() }))
`
const ANSWER = `
import { scan } from './scan.mjs'
console.log(scan())
`

let folder: string
let key: string

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'assay-keys-'))
  await chmod(folder, 0o777)
  // Another run of these tests on this machine has keys of its own.
  const start = `assay-${randomBytes(4).toString('hex')}-`
  key = `${start}${randomBytes(16).toString('hex')}`
  const files = { 'scan.mjs': scanner(start), 'g.mjs': GRADER, 'p.mjs': PROGRAM, 'a.mjs': ANSWER }
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text)
})

afterEach(() => rm(folder, { recursive: true, force: true }))

const suite = (graders: readonly object[]): string =>
  JSON.stringify({ id: 's', cases: [{ id: 'c', prompt: 'p', reference: 'x', graders }] })

const CUSTOM = { type: 'custom', file: 'g.mjs' }
const BY_PROGRAM = { type: 'program', command: [process.execPath, 'p.mjs'], timeout: '30s' }

interface Start {
  readonly env?: Readonly<Record<string, string>>
  /** Of Node, before the command. */
  readonly flags?: readonly string[]
  readonly as?: 'nobody'
  /** In a place where a process cannot write its own memory through /proc. */
  readonly readOnlyProc?: true
}

/** Ends with its exit code and what it printed. */
async function assay(args: readonly string[], start: Start = {}) {
  const { PATH = '' } = process.env
  const variables = { HOME: folder, PATH, OPENAI_API_KEY: key, ...start.env }
  const user = start.as === 'nobody' ? { uid: 65_534, gid: 65_534 } : {}
  const words = [process.execPath, ...(start.flags ?? []), command, ...args]
  // Whoever starts Assay has no key either.
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
  const [program = '', ...rest] = start.readOnlyProc === true ? wrapped : words
  const child = spawn(program, rest, {
    cwd: folder,
    env: start.readOnlyProc === true ? { PATH } : variables,
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: 60_000,
    killSignal: 'SIGKILL',
    ...user,
  })
  let printed = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (chunk: string) => (printed += chunk))
  const [code] = (await once(child, 'close')) as [number | null]
  return { code, printed }
}

async function trial(name: string): Promise<Trial> {
  const lines = (await readFile(join(folder, name, 'trials.jsonl'), 'utf8')).trimEnd().split('\n')
  return JSON.parse(lines[1] ?? '{}') as Trial
}

/** What the programs of a run found. */
async function found(model: string, start: Start = {}): Promise<(string | undefined)[]> {
  const args = ['run', 'suite.json', '--model', model, '-o', 'r']
  const { code, printed } = await assay(args, start)
  expect(printed).not.toContain('error:')
  expect(code).toBe(0)
  const { grades, answer } = await trial('r')
  return [
    ...grades.map(({ reason }) => reason),
    ...(model === 'simulated:pass=1' ? [] : [String(answer).trim()]),
  ]
}

/** Assay is then started by what looks like an older Node, which hands over to another process. */
const OLDER = [
  '--import',
  `data:text/javascript,Object.defineProperty(process,'versions',{value:{...process.versions,node:'20.0.0'}})`,
]

const asOrdinary = process.getuid?.() === 0 ? [{ as: 'nobody' as const }] : []

describe.skipIf(process.platform !== 'linux')('keys of the environment', () => {
  it.each([{}, { flags: OLDER }, { readOnlyProc: true as const }, ...asOrdinary])(
    'are found by no grader and no command, started with %j',
    async (start) => {
      await writeFile(join(folder, 'suite.json'), suite([CUSTOM, BY_PROGRAM]))
      const command = `command:${process.execPath} a.mjs`
      expect(await found(command, start)).toEqual(['no key', 'no key', 'no key'])
    },
  )
})
