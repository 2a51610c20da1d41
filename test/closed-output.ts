/**
 * What the short and the long tests of closed output share: a project with two runs, and functions that close a
 * stream.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import { assayHere } from './assay-here.ts'
import { command, machine } from './command.ts'

export const CASES = 100
export const TRIALS = 4

const SUITE = {
  id: 'many',
  cases: Array.from({ length: CASES }, (_, i) => ({
    id: `c${i}`,
    prompt: `Answer with: ${i}`,
    reference: String(i),
    faulty: ['none'],
    graders: [{ type: 'equals', value: String(i) }],
  })),
}

let template: string
let folder: string

/** The folder of the current test. */
export const folderOfTest = (): string => folder

/** The runs of the template and of its copies belong to one user. */
const environment = (): NodeJS.ProcessEnv => ({
  ...machine(),
  XDG_CONFIG_HOME: `${template}-config`,
})

interface Ended {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** Starts a shell in the folder, in which `assay` is the command. */
export async function bash(script: string, cwd: string): Promise<Ended> {
  const child = spawn(
    'bash',
    ['-c', `assay() { "$0" "$1" "\${@:2}"; }\n${script}`, process.execPath],
    {
      cwd,
      env: environment(),
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: 100_000,
      killSignal: 'SIGKILL',
    },
  )
  const text = { stdout: '', stderr: '' }
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => (text.stdout += chunk))
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => (text.stderr += chunk))
  const [code] = await once(child, 'close')
  return { code: code as number | null, ...text }
}

export const quote = (args: readonly string[]): string =>
  [command, ...args].map((arg) => `'${arg}'`).join(' ')

export const RUN = [
  'run',
  'suite.json',
  '-m',
  'simulated:pass=0.5',
  '-n',
  String(TRIALS),
  '-o',
  'new',
]

beforeAll(async () => {
  template = await mkdtemp(join(tmpdir(), 'assay-closed-template-'))
  await writeFile(join(template, 'suite.json'), JSON.stringify(SUITE))
  await writeFile(join(template, 'rows.csv'), 'case,passed\na,1\nb,0\n')
  for (const [name, pass] of Object.entries({ good: 1, bad: 0 })) {
    const args = ['run', 'suite.json', '-m', `simulated:pass=${pass}`, '-n', '2', '-o', name]
    const { code, stderr } = await assayHere(args, { cwd: template, env: environment() })
    if (code !== 0) throw new Error(stderr)
  }
}, 60_000)
afterAll(async () => {
  await rm(template, { recursive: true, force: true })
  await rm(`${template}-config`, { recursive: true, force: true })
})

beforeEach(async () => {
  folder = await copied()
})
afterEach(() => rm(folder, { recursive: true, force: true }))

export async function copied(): Promise<string> {
  const copy = await mkdtemp(join(tmpdir(), 'assay-closed-'))
  await cp(template, copy, { recursive: true })
  return copy
}

export const filesIn = async (path: string): Promise<string[]> =>
  (await readdir(path, { recursive: true })).filter((name) => !name.includes('blobs/')).toSorted()

/** Checks that the run is complete and that no temporary file is left. */
export async function expectWhole(run: string): Promise<void> {
  expect((await readdir(run)).toSorted()).toEqual(['blobs', 'run.json', 'trials.jsonl'])
  const lines = (await readFile(join(run, 'trials.jsonl'), 'utf8')).trimEnd().split('\n')
  expect(lines.length).toBe(1 + CASES * TRIALS)
  const record = JSON.parse(await readFile(join(run, 'run.json'), 'utf8')) as {
    ended: { how: string } | null
  }
  expect(record.ended?.how).toBe('complete')
}

export const COMMANDS: readonly (readonly [code: number, ...args: string[]])[] = [
  [0, ...RUN],
  [0, ...RUN, '--json'],
  [0, ...RUN, '--report', 'x.html', '--report', 'x.json'],
  [0, ...RUN, '--dry-run'],
  [3, ...RUN.with(3, 'simulated:pass=0.5,price=0.01'), '--budget', '0.5', '--json'],
  [0, 'run', '--resume', 'good', '--json'],
  [0, 'report', 'good'],
  ...['html', 'markdown', 'json', 'csv'].map((format): readonly [number, ...string[]] => [
    0,
    'report',
    'good',
    '--format',
    format,
  ]),
  [0, 'report', 'good', '--report', 'x.html'],
  [0, 'show', 'bad', '--full'],
  [0, 'show', 'bad', '--json'],
  [1, 'compare', '--baseline', 'good', '--current', 'bad', '--gate', 'statistical'],
  [
    1,
    'compare',
    '--baseline',
    'good',
    '--current',
    'bad',
    '--gate',
    'statistical',
    '--format',
    'json',
  ],
  [0, 'analyze', 'rows.csv', '--json'],
  [0, 'analyze', 'rows.csv', '--report', 'x.html'],
  [0, 'validate', 'suite.json', '--prove'],
  [0, 'models', '--json'],
  [0, 'graders', 'code', '--json'],
  [0, 'schema', 'report'],
  [0, 'doctor', '--json'],
  [0, 'bless', 'good'],
  [0, 'init', 'first'],
  [0, '--help'],
  [0, '--version'],
  [2, 'rnu'],
]

/** The parent closes standard output before the command can print. */
export async function closedAtOnce(args: readonly string[]): Promise<Ended> {
  const child = spawn(process.execPath, [command, ...args], {
    cwd: folder,
    env: environment(),
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: 60_000,
    killSignal: 'SIGKILL',
  })
  let stderr = ''
  child.stdout.destroy()
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => (stderr += chunk))
  const [code] = await once(child, 'close')
  return { code: code as number | null, stdout: '', stderr }
}

/** Makes one test for each command: closing its output changes neither its exit code nor a file. */
export function closingChangesNothing(commands: typeof COMMANDS): void {
  it.each(commands.map(([code, ...args]) => ({ code, args, title: args.join(' ') })))(
    'does not change code $code nor a file: $title',
    async ({ code, args }) => {
      const open = await copied()
      try {
        const read = await assayHere(args, { cwd: open, env: environment() })
        expect(read.code, read.stderr).toBe(code)

        const one = await closedAtOnce(args)
        expect(one.code, one.stderr).toBe(code)
        expect(one.stderr).not.toMatch(/EPIPE|cannot write|this is a bug/)
        expect(await filesIn(folder)).toEqual(await filesIn(open))
      } finally {
        await rm(open, { recursive: true, force: true })
      }
    },
  )
}
