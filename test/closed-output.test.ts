/**
 * A reader that closes standard output or standard error stops the printing and nothing else: the exit code,
 * the run, the reports and every other file are the same as with an open stream.
 *
 * Related code paths that were checked. Every command that prints, each below: run (with and without --json,
 * with --report, --dry-run, --resume), report in several formats (all go through one function), show, compare, analyze, validate, models,
 * graders, schema, doctor, bless, init, --help, --version and a usage error. Standard output closed, standard
 * error closed, both closed, both never open, a disk that is full, a reader that is slow; on real pipes of a
 * shell and on the sockets that a parent process gives. The two places that end the process by themselves:
 * the second signal of a run (meant to), and the first file of the command (it has printed by then).
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'

const command = fileURLToPath(new URL('../packages/assay/bin/assay.js', import.meta.url))

const CASES = 100
const TRIALS = 4

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

interface Ended {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** A shell in the folder, in which `assay` is the command. */
async function bash(script: string, cwd: string): Promise<Ended> {
  const { HOME, PATH } = process.env
  const child = spawn(
    'bash',
    ['-c', `assay() { "$0" "$1" "\${@:2}"; }\n${script}`, process.execPath],
    {
      cwd,
      env: { HOME, PATH },
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

const quote = (args: readonly string[]): string =>
  [command, ...args].map((arg) => `'${arg}'`).join(' ')

const RUN = ['run', 'suite.json', '-m', 'simulated:pass=0.5', '-n', String(TRIALS), '-o', 'new']

beforeAll(async () => {
  template = await mkdtemp(join(tmpdir(), 'assay-closed-template-'))
  await writeFile(join(template, 'suite.json'), JSON.stringify(SUITE))
  await writeFile(join(template, 'rows.csv'), 'case,passed\na,1\nb,0\n')
  const one = (name: string, pass: number): string =>
    `assay ${quote(['run', 'suite.json', '-m', `simulated:pass=${pass}`, '-n', '2', '-o', name])} >/dev/null`
  const { code, stderr } = await bash(`set -e\n${one('good', 1)}\n${one('bad', 0)}`, template)
  if (code !== 0) throw new Error(stderr)
}, 60_000)
afterAll(() => rm(template, { recursive: true, force: true }))

beforeEach(async () => {
  folder = await copied()
})
afterEach(() => rm(folder, { recursive: true, force: true }))

async function copied(): Promise<string> {
  const copy = await mkdtemp(join(tmpdir(), 'assay-closed-'))
  await cp(template, copy, { recursive: true })
  return copy
}

const filesIn = async (path: string): Promise<string[]> =>
  (await readdir(path, { recursive: true })).filter((name) => !name.includes('blobs/')).toSorted()

/** The run is whole and nothing of its making is left. */
async function expectWhole(run: string): Promise<void> {
  expect((await readdir(run)).toSorted()).toEqual(['blobs', 'run.json', 'trials.jsonl'])
  const lines = (await readFile(join(run, 'trials.jsonl'), 'utf8')).trimEnd().split('\n')
  expect(lines.length).toBe(1 + CASES * TRIALS)
  const record = JSON.parse(await readFile(join(run, 'run.json'), 'utf8')) as {
    ended: { how: string } | null
  }
  expect(record.ended?.how).toBe('complete')
}

const COMMANDS: readonly (readonly [code: number, ...args: string[]])[] = [
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

/** Standard output closed by the parent before the command can print. */
async function closedAtOnce(args: readonly string[]): Promise<Ended> {
  const { HOME, PATH } = process.env
  const child = spawn(process.execPath, [command, ...args], {
    cwd: folder,
    env: { HOME, PATH },
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

describe('a reader that closes the stream', () => {
  it.each(COMMANDS.map(([code, ...args]) => ({ code, args, title: args.join(' ') })))(
    'does not change code $code nor a file: $title',
    async ({ code, args }) => {
      const open = await copied()
      try {
        const read = await bash(`assay ${quote(args)}`, open)
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

  it('does not change the exit code through the pipes of a shell', async () => {
    const gate = ['compare', '--baseline', 'good', '--current', 'bad', '--gate', 'statistical']
    const expected: readonly (readonly [string[], number])[] = [
      [['report', 'good', '--format', 'html'], 0],
      [['show', 'bad', '--json'], 0],
      [gate, 1],
      [['rnu'], 2],
    ]
    for (const [args, code] of expected)
      for (const into of ['2>/dev/null | true', '2>&1 | true', '| head -1 >/dev/null']) {
        const script = `assay ${quote(args)} ${into}; echo "\${PIPESTATUS[0]}"`
        expect(Number((await bash(script, folder)).stdout), script).toBe(code)
      }
  })

  it('leaves a run with --json whole, wherever in the middle it stops reading', async () => {
    for (const lines of [1, 2, 50]) {
      const { stdout } = await bash(
        `assay ${quote([...RUN, '--json'])} | head -${lines} | wc -l; echo "\${PIPESTATUS[0]}"`,
        folder,
      )
      expect(stdout.trim().split('\n')).toEqual([String(lines), '0'])
      await expectWhole(join(folder, 'new'))
      await rm(join(folder, 'new'), { recursive: true })
    }
  })

  it.each(['>&-', '2>&-', '>&- 2>&-', '2>&1 >/dev/null | true', '2>&1 | head -1'])(
    'leaves a run and its report whole: %s',
    async (into) => {
      const { stdout, stderr } = await bash(
        `assay ${quote([...RUN, '--report', 'x.html'])} ${into}; echo "code \${PIPESTATUS[0]}"`,
        folder,
      )
      expect(stdout, stderr).toMatch(/^code 0$/m)
      await expectWhole(join(folder, 'new'))
      expect(await filesIn(folder)).toContain('x.html')
      expect((await filesIn(folder)).filter((name) => name.endsWith('.tmp'))).toEqual([])
    },
  )
})

describe('a disk that is full', () => {
  it('is reported and ends with 3, after the run and its report are done', async () => {
    const args = [...RUN, '--json', '--report', 'x.html']
    const { code, stderr } = await bash(`assay ${quote(args)} >/dev/full`, folder)
    expect(code).toBe(3)
    expect(stderr.match(/cannot write the output: ENOSPC/g)).toHaveLength(1)
    await expectWhole(join(folder, 'new'))
    expect(await filesIn(folder)).toContain('x.html')
    expect((await filesIn(folder)).filter((name) => name.endsWith('.tmp'))).toEqual([])
  })

  it('does not change a code that says more', async () => {
    const args = ['compare', '--baseline', 'good', '--current', 'bad', '--gate', 'statistical']
    const { code, stderr } = await bash(`assay ${quote(args)} >/dev/full`, folder)
    expect(code).toBe(1)
    expect(stderr).toContain('cannot write the output')
  })

  it('that is only full for standard error changes nothing', async () => {
    const { code } = await bash(`assay ${quote([...RUN, '--json'])} 2>/dev/full >/dev/null`, folder)
    expect(code).toBe(0)
    await expectWhole(join(folder, 'new'))
  })
})

describe('a slow reader', () => {
  it('gets everything, after the command has nothing else left to do', async () => {
    const events = await bash(`assay ${quote([...RUN, '--json'])} | (sleep 2; wc -l)`, folder)
    expect(Number(events.stdout), events.stderr).toBe(CASES * TRIALS + 2)
    const args = ['report', 'new', '--format', 'csv']
    const rows = await bash(
      `assay ${quote(args)} | (sleep 1; cat) > slow.csv; assay ${quote(args)} > quick.csv`,
      folder,
    )
    expect(rows.code).toBe(0)
    const slow = await readFile(join(folder, 'slow.csv'), 'utf8')
    expect(slow).toBe(await readFile(join(folder, 'quick.csv'), 'utf8'))
    expect(slow.split('\n').length).toBe(CASES * TRIALS + 2)
  })
})
