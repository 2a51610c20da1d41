/**
 * A run in one process uses a model server in another. The run is killed with SIGKILL at a hundred random moments
 * and resumed each time, sometimes by six processes at once. Nothing may be lost, duplicated or left behind, no
 * answer that had arrived may be asked for again, and the summary must equal that of an undisturbed run.
 */
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as wait } from 'node:timers/promises'
import { random } from '@assay/metrics'
import { readTrials, summarize } from 'assay'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { timeless } from '../packages/assay/test/fakes.ts'
import { startModelProcess, type ModelProcess } from '../packages/assay/test/model-server/index.ts'

const KILLS = 100
/** How many processes resume at once, in one of this many rounds and at the end. */
const TOGETHER_EVERY = 20
const TOGETHER = 6
const CASES = 400
const TRIALS = 5
const PARALLELISM = 8
const assay = new URL('../packages/assay/bin/assay.js', import.meta.url).pathname

let folder: string
let server: ModelProcess
/** Where the processes create their temporary folders. */
let temporary: string

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'assay-crash-'))
  temporary = join(folder, 'temporary')
  mkdirSync(temporary)
  const cases = Array.from({ length: CASES }, (_, i) => ({
    id: `case-${i}`,
    prompt: `Question ${i}. Answer with: right`,
    graders: [{ type: 'equals', value: 'right' }],
  }))
  writeFileSync(join(folder, 'suite.json'), JSON.stringify({ id: 'crash', cases }))
  server = await startModelProcess({ latencyMs: 25, wrongShare: 0.3 })
})

afterAll(async () => {
  await server.stop()
  rmSync(folder, { recursive: true, force: true })
})

function start(args: readonly string[]): ChildProcess {
  return spawn(
    process.execPath,
    [assay, 'run', ...args, '--json', '--parallelism', String(PARALLELISM)],
    {
      cwd: folder,
      stdio: ['ignore', 'pipe', 'ignore'],
      env: {
        ...process.env,
        TMPDIR: temporary,
        OPENAI_API_KEY: 'sk-loopback-only',
        OPENAI_BASE_URL: `${server.origin}/v1`,
      },
    },
  )
}

const fresh = (run: string): string[] => [
  'suite.json',
  ...['--model', 'openai/gpt-4o', '--trials', String(TRIALS), '--pass-k', '1,3', '--output', run],
]

/**
 * Waits for the first trial of this session and for some more, and then kills the process. Returns whether it was
 * still running.
 */
async function killAfter(child: ChildProcess, ms: number): Promise<boolean> {
  const exited = once(child, 'exit')
  const first = Promise.withResolvers<void>()
  createInterface({ input: child.stdout as NodeJS.ReadableStream }).on('line', (line) => {
    if (line.startsWith('{"type":"trial"')) first.resolve()
  })
  await Promise.race([first.promise, exited])
  await Promise.race([wait(ms), exited])
  const alive = child.exitCode === null
  child.kill('SIGKILL')
  await exited
  return alive
}

async function toEnd(child: ChildProcess): Promise<number | null> {
  child.stdout?.resume()
  const [code] = (await once(child, 'exit')) as [number | null]
  return code
}

it('survives a hundred kills and six resumes at once, and nothing is lost, duplicated or left behind', async () => {
  const planned = CASES * TRIALS
  expect(await toEnd(start(fresh('undisturbed')))).toBe(0)
  const before = (await server.counts()).requests
  expect(before).toBe(planned)

  const draw = random(1)
  let kills = 0
  for (let attempt = 0; kills < KILLS && attempt < 3 * KILLS; attempt++) {
    const args = attempt === 0 ? fresh('killed') : ['--resume', 'killed']
    const together = attempt % TOGETHER_EVERY === TOGETHER_EVERY - 1 ? TOGETHER : 1
    const ms = draw() * 60
    const alive = await Promise.all(
      Array.from({ length: together }, () => killAfter(start(args), ms)),
    )
    if (alive.includes(true)) kills++
    else break
  }
  expect(kills).toBe(KILLS)
  const ends = await Promise.all(
    Array.from({ length: TOGETHER }, () => toEnd(start(['--resume', 'killed']))),
  )
  // One process does the work. The others are refused, or find nothing left to do.
  expect(ends).toContain(0)
  expect(ends.filter((code) => code !== 0 && code !== 2)).toEqual([])

  const identities: string[] = []
  const read = await readTrials(join(folder, 'killed'), (trial) =>
    identities.push(`${trial.case}/${trial.index}`),
  )
  expect(read).toMatchObject({ damaged: 0, torn: false })
  expect(new Set(identities).size).toBe(planned)
  expect(identities).toHaveLength(planned)
  expect(readdirSync(join(folder, 'killed')).toSorted()).toEqual([
    'blobs',
    'run.json',
    'trials.jsonl',
  ])
  const left = readdirSync(join(folder, 'killed'), { recursive: true }).map(String)
  expect(left.filter((name) => /tmp|lock/.test(name))).toEqual([])
  expect(readdirSync(temporary)).toEqual([])
  expect(readFileSync(join(folder, 'killed', 'trials.jsonl'), 'utf8').endsWith('\n')).toBe(true)

  const asked = (await server.counts()).requests - before
  console.log(
    `${planned} planned, ${kills} kills, ${asked} requests, ${asked - planned} asked again`,
  )
  expect(asked).toBeLessThanOrEqual(planned + kills * PARALLELISM)

  const [disturbed, undisturbed] = await Promise.all(
    ['killed', 'undisturbed'].map(async (run) => {
      // Durations and repeated requests may differ from the undisturbed run.
      const report = await summarize(join(folder, run))
      return timeless(report)
    }),
  )
  expect(disturbed).toEqual(undisturbed)
})
