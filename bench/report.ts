/**
 * Measures what reading a large run costs: the summary and the HTML page of a log of a million trials, each in a
 * separate process. Run it with `node bench/report.ts [trials]`.
 */
import { closeSync, mkdtempSync, openSync, rmSync, statSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { random } from '@assay/metrics'
import { loadSuite, makeSubjects, run } from '../packages/assay/dist/index.js'
import { trialLine } from '../packages/assay/src/log/trial-lines.ts'
import { measure, row } from './measure.ts'

const TRIALS_PER_CASE = 100
const SUBJECTS = 5
const total = Number(process.argv[2] ?? 1_000_000)
const cases = Math.max(1, Math.round(total / TRIALS_PER_CASE / SUBJECTS))

const folder = mkdtempSync(join(tmpdir(), 'assay-bench-'))
try {
  const path = await largeRun(join(folder, 'run'))
  console.log(`${cases} cases × ${SUBJECTS} subjects × ${TRIALS_PER_CASE} trials`)
  console.log(`log ${megabytes(statSync(join(path, 'trials.jsonl')).size)}`)
  for (const format of ['json', 'html', 'csv']) measured(path, format)
} finally {
  rmSync(folder, { recursive: true })
}

/**
 * Creates the folder of a large run. The engine creates the folder and plans the run, and this function writes the log.
 */
async function largeRun(path: string): Promise<string> {
  const file = join(folder, 'suite.json')
  const list = Array.from({ length: cases }, (_, i) => ({
    id: `case-${i}`,
    prompt: `What is ${i} + 1?`,
    graders: [{ type: 'equals', value: String(i + 1) }],
    trials: TRIALS_PER_CASE,
  }))
  const fd = openSync(file, 'w')
  writeSync(fd, JSON.stringify({ id: 'large', cases: list }))
  closeSync(fd)
  const { suite } = await loadSuite(file)
  const names = Array.from({ length: SUBJECTS }, (_, i) => `simulated:pass=${0.5 + i / 10}`)
  const subjects = await makeSubjects({ subjects: names })
  const stop = new AbortController()
  await run({
    suites: [suite],
    subjects,
    folder: path,
    trials: TRIALS_PER_CASE,
    passK: [1, 5, 10],
    signal: stop.signal,
    graceMs: 0,
    onEvent: (event) => {
      if (event.type === 'start') stop.abort()
    },
  })
  const log = openSync(join(path, 'trials.jsonl'), 'a')
  const next = random(1)
  let lines: string[] = []
  for (const [c, one] of suite.cases.entries())
    for (const [s, subject] of subjects.entries())
      for (let index = 0; index < TRIALS_PER_CASE; index++) {
        const passed = next() < 0.4 + s / 10 + (c % 10) / 50
        const ms = Math.round(500 + next() * 3000)
        lines.push(
          trialLine({
            suite: suite.id,
            case: one.id,
            subject: subject.id,
            index,
            caseHash: one.hash,
            outcome: passed ? 'passed' : 'failed',
            ...(passed
              ? {}
              : { reason: { code: 'wrong-answer', text: 'equals: not as expected' } }),
            score: passed ? 1 : 0,
            implRate: null,
            grades: [{ name: 'equals', type: 'equals', score: passed ? 1 : 0, passed, weight: 1 }],
            answer: passed ? String(c + 1) : `I think it is ${c}, since ${'so it is '.repeat(10)}`,
            usage: { input: 12, cacheRead: 0, cacheWrite: 0, output: 40, reasoning: 0 },
            cost: { answerUsd: ms / 1e7, judgeUsd: null, spentUsd: ms / 1e7 },
            time: { startedAt: '2026-01-01T00:00:00.000Z', answerMs: ms, waitMs: 0, gradeMs: 1 },
            source: 'simulated',
          }),
        )
        if (lines.length === 10_000) {
          writeSync(log, `${lines.join('\n')}\n`)
          lines = []
        }
      }
  if (lines.length > 0) writeSync(log, `${lines.join('\n')}\n`)
  closeSync(log)
  return path
}

function measured(path: string, format: string): void {
  const out = join(folder, `out.${format}`)
  const program = join(import.meta.dirname, '../packages/assay/bin/assay.js')
  const taken = measure(process.execPath, [program, 'report', path, '--report', out])
  console.log(`${row(format, taken)}   file ${megabytes(statSync(out).size)}`)
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`
}
