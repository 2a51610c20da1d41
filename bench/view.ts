/**
 * Measures the workbench: the list of 500 runs with and without its index, and the pages of a run of a million trials.
 * As for a user, the server runs in a separate process and is asked over HTTP. Run it with `node bench/view.ts [runs]
 * [trials]`.
 */
import { spawn, type ChildProcess } from 'node:child_process'
import {
  appendFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { random } from '@assay/metrics'
import { loadSuite, makeSubjects, run } from '../packages/assay/dist/index.js'
import { trialLine } from '../packages/assay/src/log/trial-lines.ts'
import { readRecord, writeRecord } from '../packages/assay/src/log/run-record.ts'

const RUNS = Number(process.argv[2] ?? 500)
const TRIALS = Number(process.argv[3] ?? 1_000_000)

const root = mkdtempSync(join(tmpdir(), 'assay-bench-view-'))
try {
  console.log(`${RUNS} runs of 40 cases × 2 subjects × 5 trials`)
  await manyRuns(join(root, 'many'))
  for (const index of ['no index', 'index']) await measureList(join(root, 'many'), index)
  const cases = Math.max(1, Math.round(TRIALS / 500))
  console.log(`\n${cases} cases × 5 subjects × 100 trials`)
  await plannedRun(join(root, 'large', 'run'), cases, 5, 100)
  for (const index of ['no index', 'index']) await measureRun(join(root, 'large'), index)
  await measureFollowing(join(root, 'live'))
} finally {
  rmSync(root, { recursive: true })
}

/**
 * Creates the folder of a complete run. The engine creates the folder and plans the run. Then it is stopped, and this
 * function writes the log.
 */
async function plannedRun(
  path: string,
  cases: number,
  subjects: number,
  trials: number,
): Promise<void> {
  const file = join(root, 'suite.json')
  const list = Array.from({ length: cases }, (_, i) => ({
    id: `case-${i}`,
    prompt: `What is ${i} + 1?`,
    graders: [{ type: 'equals', value: String(i + 1) }],
  }))
  writeFileSync(file, JSON.stringify({ id: 'questions', cases: list }))
  const { suite } = await loadSuite(file)
  const names = Array.from({ length: subjects }, (_, i) => `simulated:pass=${0.5 + i / 10}`)
  const stop = new AbortController()
  await run({
    suites: [suite],
    subjects: await makeSubjects({ subjects: names }),
    folder: path,
    trials,
    passK: [1, 5],
    signal: stop.signal,
    graceMs: 0,
    onEvent: (event) => {
      if (event.type === 'start') stop.abort()
    },
  })
  writeTrials(path, 1)
  const record = readRecord(path)
  const at = new Date().toISOString()
  writeRecord(path, { ...record, ended: { at, how: 'complete' } })
}

/**
 * Returns a function that returns the log line of the next planned trial at each call, and null after the last one. The
 * outcomes are random.
 */
function linesOf(path: string, seed: number): () => string | null {
  const [plan] = readRecord(path).revisions
  if (plan === undefined) throw new Error('no plan')
  const next = random(seed)
  const [suite] = plan.suites
  if (suite === undefined) throw new Error('no suite')
  let [c, s, index] = [0, 0, 0]
  return () => {
    const one = suite.cases[c]
    const subject = plan.subjects[s]
    if (one === undefined || subject === undefined) return null
    const passed = next() < 0.4 + s / 10 + (c % 10) / 50
    const ms = Math.round(500 + next() * 3000)
    const line = trialLine({
      ...{ suite: suite.id, case: one.id, subject: subject.id, index, caseHash: one.hash },
      outcome: passed ? 'passed' : 'failed',
      ...(passed ? {} : { reason: { code: 'wrong-answer', text: 'equals: not as expected' } }),
      score: passed ? 1 : 0,
      implRate: null,
      grades: [{ name: 'equals', type: 'equals', score: passed ? 1 : 0, passed, weight: 1 }],
      answer: passed ? String(c + 1) : `I think it is ${c}, since ${'so it is '.repeat(10)}`,
      usage: { input: 12, cacheRead: 0, cacheWrite: 0, output: 40, reasoning: 0 },
      cost: { answerUsd: ms / 1e7, judgeUsd: null, spentUsd: ms / 1e7 },
      time: { startedAt: '2026-01-01T00:00:00.000Z', answerMs: ms, waitMs: 0, gradeMs: 1 },
      source: 'simulated',
    })
    if (++index === one.trials) {
      index = 0
      if (++s === plan.subjects.length) {
        s = 0
        c++
      }
    }
    return line
  }
}

function writeTrials(path: string, seed: number): void {
  const next = linesOf(path, seed)
  for (let isEnd = false; !isEnd;) {
    const lines: string[] = []
    while (lines.length < 10_000 && !isEnd) {
      const line = next()
      if (line === null) isEnd = true
      else lines.push(`${line}\n`)
    }
    appendFileSync(join(path, 'trials.jsonl'), lines.join(''))
  }
}

async function manyRuns(folder: string): Promise<void> {
  const first = join(root, 'first')
  await plannedRun(first, 40, 2, 5)
  const record = readRecord(first)
  const [head = ''] = readFileSync(join(first, 'trials.jsonl'), 'utf8').split('\n')
  mkdirSync(folder)
  for (let i = 0; i < RUNS; i++) {
    const path = join(folder, `run-${i}`)
    cpSync(first, path, { recursive: true })
    const day = new Date(Date.UTC(2025, 0, 1) + i * 3_600_000).toISOString()
    writeRecord(path, { ...record, id: `run-${i}`, createdAt: day })
    writeFileSync(join(path, 'trials.jsonl'), `${head}\n`)
    writeTrials(path, i + 1)
  }
}

interface Viewer {
  readonly ask: (path: string) => Promise<unknown>
  readonly peakMegabytes: () => number
  /** The CPU time of the server so far, in seconds. */
  readonly cpuSeconds: () => number
  readonly stop: () => Promise<void>
}

/** Starts `assay view` on a folder. Two calls with the same folder use the same cache. */
async function startViewer(folder: string): Promise<Viewer> {
  const program = join(import.meta.dirname, '../packages/assay/bin/assay.js')
  const cache = join(root, `cache of ${folder.split('/').at(-1)}`)
  const child: ChildProcess = spawn(
    process.execPath,
    [program, 'view', folder, '--no-open', '--port', '0'],
    { env: { ...process.env, XDG_CACHE_HOME: cache }, stdio: ['ignore', 'ignore', 'pipe'] },
  )
  const address = await new Promise<string>((resolve, reject) => {
    let text = ''
    child.stderr?.on('data', (piece) => {
      text += String(piece)
      const [found] = /http:\S+/u.exec(text) ?? []
      if (found !== undefined) resolve(found)
    })
    child.on('exit', () => reject(new Error(text)))
  })
  const entered = await fetch(address)
  const [cookie = ''] = (entered.headers.get('set-cookie') ?? '').split(';')
  const { origin } = new URL(address)
  return {
    ask: async (path) => {
      const response = await fetch(`${origin}/api/${path}`, { headers: { cookie } })
      const text = await response.text()
      if (!response.ok) throw new Error(text)
      return JSON.parse(text)
    },
    peakMegabytes: () => {
      const status = readFileSync(`/proc/${child.pid}/status`, 'utf8')
      return Number(/VmHWM:\s+(\d+)/u.exec(status)?.[1] ?? 0) / 1024
    },
    cpuSeconds: () => {
      const [, rest = ''] = readFileSync(`/proc/${child.pid}/stat`, 'utf8').split(') ')
      const fields = rest.split(' ')
      // Linux reports processor time in hundredths of a second.
      return (Number(fields[11]) + Number(fields[12])) / 100
    },
    stop: () =>
      new Promise((resolve) => {
        child.on('exit', () => resolve())
        child.kill('SIGTERM')
      }),
  }
}

async function timed<T>(viewer: Viewer, label: string, work: () => Promise<T>): Promise<T> {
  const [began, cpu] = [performance.now(), viewer.cpuSeconds()]
  const value = await work()
  const wall = (performance.now() - began) / 1000
  console.log(
    `  ${label.padEnd(42)} ${wall.toFixed(2)} s, CPU of the server ${(viewer.cpuSeconds() - cpu).toFixed(2)} s`,
  )
  return value
}

/** Asks until nothing is pending. */
async function settled(viewer: Viewer, path: string): Promise<void> {
  while (((await viewer.ask(path)) as List).pending > 0)
    await new Promise((resolve) => setTimeout(resolve, 200))
}

interface List {
  readonly runs: readonly { readonly key: string }[]
  readonly pending: number
}

async function measureList(folder: string, index: string): Promise<void> {
  console.log(`with ${index}`)
  const viewer = await startViewer(folder)
  console.log(`  CPU of the server until it answers: ${viewer.cpuSeconds().toFixed(2)} s`)
  await timed(viewer, 'list', () => viewer.ask('runs'))
  await timed(viewer, 'all figures of the list', () => settled(viewer, 'runs'))
  await timed(viewer, 'list, again', () => viewer.ask('runs'))
  await timed(viewer, 'trend of the last 60 runs, all compared', () => settled(viewer, 'trend'))
  console.log(`  peak memory of the server: ${viewer.peakMegabytes().toFixed(0)} MB`)
  await viewer.stop()
}

async function measureRun(folder: string, index: string): Promise<void> {
  console.log(`with ${index}`)
  const viewer = await startViewer(folder)
  const { runs } = (await timed(viewer, 'list', () => viewer.ask('runs'))) as List
  const key = runs[0]?.key ?? ''
  await timed(viewer, 'figures of the list', () => settled(viewer, 'runs'))
  const head = (await timed(viewer, 'page of the run: its figures', () =>
    viewer.ask(`run?run=${key}`),
  )) as { at: string }
  await timed(viewer, 'page of the run: its cells', () =>
    viewer.ask(`cells?run=${key}&suite=questions&at=${encodeURIComponent(head.at)}`),
  )
  const trials = `trials?run=${key}&suite=questions&from=`
  await timed(viewer, 'a page of its trials', () => viewer.ask(`${trials}0`))
  await timed(viewer, 'its last page', () => viewer.ask(`${trials}999950`))
  await timed(viewer, 'a search for the words of a case', () =>
    viewer.ask(`${trials}0&words=case-77`),
  )
  await timed(viewer, 'a search in reasons', () => viewer.ask(`${trials}0&words=expected`))
  await timed(viewer, 'sorted by time', () => viewer.ask(`${trials}0&order=time&descending=1`))
  await timed(viewer, 'sorted by score, in the middle', () =>
    viewer.ask(`${trials}500000&order=score`),
  )
  await timed(viewer, 'one trial', () =>
    viewer.ask(`trial?run=${key}&suite=questions&case=case-7&subject=simulated:pass=0.5&index=50`),
  )
  console.log(`  peak memory of the server: ${viewer.peakMegabytes().toFixed(0)} MB`)
  await viewer.stop()
}

/**
 * Measures how late a page shows new results of a run that is being written. It writes trials at a rate of 10,000 per
 * minute.
 */
async function measureFollowing(folder: string): Promise<void> {
  const path = join(folder, 'run')
  await plannedRun(path, 400, 5, 10)
  const [head = ''] = readFileSync(join(path, 'trials.jsonl'), 'utf8').split('\n')
  writeFileSync(join(path, 'trials.jsonl'), `${head}\n`)
  writeRecord(path, { ...readRecord(path), ended: null })
  // The viewer treats a run as being written only if a living process holds its lock. So this process takes the lock.
  const { Lock } = await import('../packages/assay/src/log/lock/lock.ts')
  const lock = Lock.take(path)
  const viewer = await startViewer(folder)
  const { runs } = (await viewer.ask('runs')) as List
  const key = runs[0]?.key ?? ''
  const next = linesOf(path, 5)
  const seconds = 30
  const late: number[] = []
  const began = performance.now()
  /** The time at which each trial was written, in order. */
  const written: number[] = []
  const writing = setInterval(() => {
    const due = Math.floor(((performance.now() - began) / 60_000) * 10_000)
    while (written.length < due) {
      const line = next()
      if (line === null) break
      appendFileSync(join(path, 'trials.jsonl'), `${line}\n`)
      written.push(performance.now())
    }
  }, 20)
  while (performance.now() - began < seconds * 1000) {
    const { report } = (await viewer.ask(`run?run=${key}`)) as {
      report: { counts: { planned: number; cancelled: number } }
    }
    const now = performance.now()
    const shown = report.counts.planned - report.counts.cancelled
    // When the oldest trial that the page does not show yet was written.
    const waiting = written[shown]
    late.push(waiting === undefined ? 0 : now - waiting)
    await new Promise((resolve) => setTimeout(resolve, 300))
  }
  clearInterval(writing)
  await viewer.stop()
  lock.release()
  late.sort((a, b) => a - b)
  const at = (share: number): string =>
    `${((late[Math.floor(share * (late.length - 1))] ?? 0) / 1000).toFixed(2)} s`
  console.log(`\n10,000 trials per minute for ${seconds} s, a run of 20,000`)
  console.log(
    `  oldest trial that an answer lacks: median ${at(0.5)}, worst ${at(1)}, ${late.length} answers`,
  )
}
