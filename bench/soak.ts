/**
 * Grades ten thousand TypeScript samples in one run. Memory must not grow, and nothing may be left at the end. The
 * run is a process with its own control group and its own temporary folder. The group lists every process that the
 * run started. So a process that is left in the group, or a file that is left in the folder, was leaked. Part of
 * `npm run proof`; alone: `npx node bench/soak.ts [samples]`.
 */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { Group } from './cpu.ts'
import { endlessOf, loadBasics, openGrading, without } from './shipped.ts'
import { NODE_FLAGS } from './measure.ts'

const SAMPLES = 10_000
const EVERY_MS = 500
const HOUR = 3_600_000
/** How much each figure of `Moment` may grow from the second quarter of the run to the last quarter. */
const FLAT = { hostMb: 24, belowMb: 64, descriptors: 4, processes: 2, files: 4 }

/** The state at one moment. */
interface Moment {
  readonly samples: number
  /** The resident memory of this process and of all its descendants. */
  readonly hostMb: number
  readonly belowMb: number
  readonly descriptors: number
  /** The descendants of this process. */
  readonly processes: number
  /** The entries of the temporary folder. */
  readonly files: number
}

interface Soaked {
  readonly samples: number
  readonly passed: number
  readonly errored: number
  readonly before: Moment
  readonly during: readonly Moment[]
  readonly after: Moment
}

function residentMb(pid: number): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8')
    return Number(/VmRSS:\s*(\d+)/.exec(status)?.[1] ?? 0) / 1024
  } catch {
    // The process has just ended.
    return 0
  }
}

function momentOf(group: Group, samples: number): Moment {
  const below = group.processes().filter((pid) => pid !== process.pid)
  return {
    samples,
    hostMb: residentMb(process.pid),
    belowMb: below.reduce((sum, pid) => sum + residentMb(pid), 0),
    descriptors: readdirSync('/proc/self/fd').length,
    processes: below.length,
    files: readdirSync(tmpdir(), { recursive: true }).length,
  }
}

async function soak(least: number, folder: string, group: Group): Promise<void> {
  const { makeSubjects, run } = await import('assay')
  const whole = await loadBasics('typescript')
  const grading = await openGrading([whole])
  const suite = without(whole, endlessOf(await grading.grade(whole)))
  await grading.close()
  await wait(EVERY_MS)
  const before = momentOf(group, 0)
  const during: Moment[] = []
  let samples = 0
  const timer = setInterval(() => during.push(momentOf(group, samples)), EVERY_MS)
  const { tally } = await run({
    suites: [suite],
    subjects: await makeSubjects({ subjects: ['simulated:pass=0.5'] }),
    folder: join(folder, 'run'),
    trials: Math.ceil(least / suite.cases.length),
    sandbox: 'bubblewrap',
    onEvent: ({ type }) => {
      if (type === 'trial') samples++
    },
  })
  clearInterval(timer)
  // A killed process stays in the list for a moment.
  await wait(EVERY_MS)
  const { passed, failed, errored } = tally.counts()
  const soaked: Soaked = {
    samples: passed + failed,
    passed,
    errored,
    before,
    during,
    after: momentOf(group, samples),
  }
  writeFileSync(join(folder, 'soaked.json'), JSON.stringify(soaked))
}

const median = (values: number[]): number => values.sort((a, b) => a - b)[values.length >> 1] ?? 0

function report({ samples, passed, errored, before, during, after }: Soaked): string[] {
  const quarter = (at: number): Moment[] =>
    during.slice(Math.floor((during.length * at) / 4), Math.floor((during.length * (at + 1)) / 4))
  const keys = Object.keys(FLAT) as (keyof typeof FLAT)[]
  const names = {
    hostMb: 'memory of the host process, MB',
    belowMb: 'memory of all processes below it, MB',
    descriptors: 'open descriptors of the host',
    processes: 'processes below the host',
    files: 'files in the temporary folder',
  }
  const missed: string[] = []
  console.log(`${samples} samples graded, ${passed} passed, ${errored} errored`)
  console.log('| | before | median of each quarter | largest | after |')
  console.log('|---|---|---|---|---|')
  for (const key of keys) {
    const of = (list: readonly Moment[]): number[] => list.map((moment) => moment[key])
    const medians = [0, 1, 2, 3].map((at) => median(of(quarter(at))))
    const largest = Math.max(...of(during))
    const cells = [before[key], ...medians, largest, after[key]].map((value) => value.toFixed(0))
    console.log(
      `| ${names[key]} | ${cells[0]} | ${cells.slice(1, 5).join(', ')} | ${cells[5]} | ${cells[6]} |`,
    )
    const growth = (medians[3] ?? 0) - (medians[1] ?? 0)
    if (growth > FLAT[key]) missed.push(`${names[key]} grew by ${growth.toFixed(1)}`)
  }
  for (const key of ['processes', 'files', 'descriptors'] as const)
    if (after[key] > (key === 'descriptors' ? before[key] : 0))
      missed.push(`${names[key]}: ${after[key]} left at the end, ${before[key]} before`)
  if (errored > 0) missed.push(`${errored} samples errored`)
  return missed
}

const [first, ...rest] = process.argv.slice(2)
if (first === 'inside') {
  const [least, folder = '', groupFolder] = rest
  await soak(Number(least), folder, new Group(groupFolder))
} else {
  const folder = mkdtempSync(join(tmpdir(), 'assay-bench-'))
  const temporary = join(folder, 'temporary')
  mkdirSync(temporary, { mode: 0o755 })
  const group = new Group()
  try {
    const least = Number(first ?? SAMPLES)
    const began = performance.now()
    const spent = await group.run({
      argv: [
        ...[process.execPath, ...NODE_FLAGS, import.meta.filename],
        ...['inside', String(least), folder, group.folder],
      ] as [string, ...string[]],
      cwd: process.cwd(),
      env: { TMPDIR: temporary },
      limitMs: 4 * HOUR,
    })
    if (!spent.ok) throw new Error(`the run failed:\n${spent.said}`)
    const soaked = JSON.parse(readFileSync(join(folder, 'soaked.json'), 'utf8')) as Soaked
    const missed = report(soaked)
    if (soaked.samples < least) missed.push(`${soaked.samples} of ${least} samples were graded`)
    console.log(
      `${(spent.cpuMs / 1000).toFixed(0)} s CPU, ${((performance.now() - began) / 1000).toFixed(0)} s wall`,
    )
    for (const line of missed) console.log(`Missed: ${line}`)
    process.exitCode = missed.length === 0 ? 0 : 1
  } finally {
    await group.close()
    rmSync(folder, { recursive: true })
  }
}
