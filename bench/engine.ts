/**
 * Measures what the engine itself costs, in several parts: the start of the command; trials that take no time, with
 * the durable log, in runs of growing size; large runs through the command; thousands of requests at once to a
 * server on loopback. Run it with `npm run bench:engine [largest] [starts|trials|cases|million|requests …]`.
 * Without names of parts, all parts run.
 */
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Ask } from '@assay/contract'
import { fakeSubject, fakeSuite, saying } from '../packages/assay/test/fakes.ts'
import { startModelProcess } from '../packages/assay/test/model-server/index.ts'
import { measure, NODE_FLAGS, row, type Taken } from './measure.ts'

const CASES = 1000
const DISTINCT_CASES = 10_000
const AT_ONCE = 5000
const STARTS = 40
const PROGRAM = join(import.meta.dirname, '../packages/assay/bin/assay.js')

const [mode, ...rest] = process.argv.slice(2)

if (mode === 'instant') await instantTrials(Number(rest[0]))
else {
  const most = Number(mode ?? 1_000_000)
  const isWanted = (part: string): boolean => rest.length === 0 || rest.includes(part)
  const folder = mkdtempSync(join(tmpdir(), 'assay-bench-'))
  try {
    if (isWanted('starts')) starts()
    if (isWanted('trials')) growing(most)
    console.log('through the command')
    if (isWanted('cases')) distinctCases(folder)
    if (isWanted('million')) manyTrials(folder, most)
    if (isWanted('requests')) await requestsAtOnce(folder)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

function growing(most: number): void {
  console.log(`instant trials of ${CASES} cases, log on disk`)
  for (let planned = 1000; planned <= most; planned *= 10)
    print(
      `${planned} trials`,
      measure(process.execPath, [...NODE_FLAGS, import.meta.filename, 'instant', String(planned)]),
    )
}

async function instantTrials(planned: number): Promise<void> {
  const { run } = await import('assay')
  const folder = join(mkdtempSync(join(tmpdir(), 'assay-bench-')), 'run')
  const subject = {
    ...fakeSubject(() => saying(''), { source: 'simulated', concurrency: { start: 64, most: 64 } }),
    // This subject keeps nothing. The fake subject of the tests would keep every request in memory.
    answer: ({ random }: Ask) =>
      Promise.resolve(saying(random() < 0.7 ? 'right' : 'wrong', { ms: 1 })),
  }
  const { tally } = await run({
    suites: [fakeSuite(CASES)],
    subjects: [subject],
    folder,
    trials: planned / CASES,
  })
  const { passed, failed } = tally.counts()
  if (passed + failed !== planned) throw new Error(`${passed + failed} of ${planned} were scored`)
  rmSync(join(folder, '..'), { recursive: true })
}

function starts(): void {
  console.log('node -e 0 and the command')
  const rows = [
    ['node -e 0', ['-e', '0']],
    ['assay --version', [PROGRAM, '--version']],
    ['assay --help', [PROGRAM, '--help']],
  ] as const
  const loop = (args: readonly string[]): string =>
    `for i in $(seq ${STARTS}); do "$0" ${args.join(' ')} > /dev/null; done`
  let floor = 0
  for (const [label, args] of rows) {
    // One start takes a few hundredths of a second, and the kernel counts in hundredths. So several starts are
    // measured together.
    const cpu = measure('bash', ['-c', loop(args), process.execPath]).cpuSeconds / STARTS
    floor ||= cpu
    console.log(
      `${label.padEnd(44)} ${cpu.toFixed(4)} s CPU, ${(cpu / floor).toFixed(2)} times the first`,
    )
  }
}

function distinctCases(folder: string): void {
  const suite = writeSuite(folder, 'distinct', DISTINCT_CASES)
  const out = join(folder, 'distinct')
  const args = ['run', suite, '--model', 'simulated:pass=0.7', '--output', out]
  print(`run of ${DISTINCT_CASES} distinct cases`, command(args))
  checkScored(out, DISTINCT_CASES)
}

function manyTrials(folder: string, planned: number): void {
  const suite = writeSuite(folder, 'many', CASES)
  const out = join(folder, 'many')
  const trials = String(planned / CASES)
  const model = ['--model', 'simulated:pass=0.7', '--trials', trials]
  print(`run of ${planned} trials`, command(['run', suite, ...model, '--output', out]))
  const sized = (file: string): string =>
    `${(statSync(join(out, file)).size / 1e6).toFixed(0)} MB ${file}`
  console.log(`  ${sized('trials.jsonl')}, ${sized('trials.index')}`)
  const json = (): string => command(['report', out, '--json']).stdout
  print('report', command(['report', out]))
  print('show of one case', command(['show', out, 'case-7']))
  const before = json()
  rmSync(join(out, 'trials.index'))
  print('report without the index, which it writes', command(['report', out]))
  if (json() !== before) throw new Error('the report from the index is not the one from the log')
  checkScored(out, planned)
}

async function requestsAtOnce(folder: string): Promise<void> {
  const planned = 2 * AT_ONCE
  const suite = writeSuite(folder, 'asked', CASES)
  const out = join(folder, 'asked')
  const server = await startModelProcess({ latencyMs: 2000 })
  try {
    const args = ['run', suite, '--model', 'openai/gpt-4o', '--output', out]
    const taken = command([...args, '-n', String(planned / CASES), '-p', String(AT_ONCE)], {
      OPENAI_API_KEY: 'sk-loopback-only',
      OPENAI_BASE_URL: `${server.origin}/v1`,
    })
    print(`run of ${planned} requests, -p ${AT_ONCE}`, taken)
    const { requests, replied, mostInFlight } = await server.counts()
    console.log(`  ${requests} requests, ${replied} replies, at most ${mostInFlight} at once`)
    if (requests !== planned || replied !== planned)
      throw new Error(`${planned} trials, ${requests} requests, ${replied} replies`)
    checkScored(out, planned)
  } finally {
    await server.stop()
  }
}

/** Writes a suite whose cases all have different ids, prompts, answers and graders. */
function writeSuite(folder: string, id: string, cases: number): string {
  const list = Array.from({ length: cases }, (_, i) => ({
    id: `case-${i}`,
    prompt: `What is ${i} + 1? Answer with: ${i + 1}`,
    reference: String(i + 1),
    faulty: ['I do not know'],
    graders: [{ type: 'equals', value: String(i + 1) }],
  }))
  const file = join(folder, `${id}.json`)
  writeFileSync(file, JSON.stringify({ id, cases: list }))
  return file
}

function checkScored(out: string, planned: number): void {
  const report = join(out, 'report.json')
  command(['report', out, '--report', report])
  const { counts } = JSON.parse(readFileSync(report, 'utf8')) as {
    counts: { passed: number; failed: number }
  }
  const scored = counts.passed + counts.failed
  if (scored !== planned) throw new Error(`${scored} of ${planned} were scored`)
}

function command(args: readonly string[], env: NodeJS.ProcessEnv = {}): Taken {
  return measure(process.execPath, [...NODE_FLAGS, PROGRAM, ...args], env)
}

function print(label: string, taken: Taken): void {
  console.log(row(label, taken))
}
