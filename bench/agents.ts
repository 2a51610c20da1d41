/**
 * Measures what workspaces cost. A scripted agent runs trials through the whole engine, in bubblewrap, in folders
 * of 5,000 files that a setup command has completed. Each trial changes a few files, is diffed, and is graded
 * twice: by a file grader, and by a program in a separate copy. Each row is measured in a separate process with its
 * own control group and its own temporary folder. The group lists every process that was started. So a process that
 * is left in the group, or a file that is left in the folder, was leaked. For comparison, each row also has the
 * cost of one trial by hand: copying the folder and removing it, without sandbox or grading. Run it with `npm run
 * bench:agents [trials [files]]`. The agent touches five files, so there are at least six.
 */
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import type { GraderConfig, Json } from '@assay/contract'
import { fakeCase, fakeSuite } from '../packages/assay/test/fakes.ts'
import { planOf } from '../packages/assay/test/workspaces.ts'
import { Group } from './cpu.ts'
import { NODE_FLAGS } from './measure.ts'

const TRIALS = 200
const PARALLELISM = 8
const FILES = 5000
const LEAST_FILES = 6
const LINES = 120
const HAND_ROUNDS = 5
const EVERY_MS = 250
const HOUR = 3_600_000

/**
 * The setup command. It takes a second and gives a different result each time, so the benchmark sees how often it ran.
 */
const SETUP = 'sleep 1; head -c 16 /dev/urandom | od -An -tx1 > setup-id'
/**
 * What the scripted agent does. Like a real agent, it reads many files, changes a few, and creates build output that is
 * not part of the result.
 */
const AGENT = [
  'cat setup-id',
  'grep -r "line 77" . > /dev/null',
  'for i in 1 2 3; do echo changed >> d$i/f$i.ts; done',
  'rm d4/f4.ts; echo right > answer.txt',
  'mkdir -p node_modules/x && cp d5/*.ts node_modules/x',
].join('; ')

interface Found {
  readonly passed: number
  readonly setups: number
  readonly wallMs: number
  /** The time of the first trial, which includes the setup. */
  readonly firstMs: number
  readonly hostMb: number
  readonly mostFolders: number
  /** The processes that are left at the end. */
  readonly left: number
}

const grader = (type: string, options: Json): GraderConfig => ({
  type,
  name: type,
  weight: 1,
  required: false,
  negate: false,
  options,
})

function makeFolder(folder: string, files: number): void {
  for (let i = 0; i < files; i++) {
    const below = join(folder, `d${i % 100}`)
    mkdirSync(below, { recursive: true })
    writeFileSync(
      join(below, `f${i}.ts`),
      Array.from({ length: LINES }, (_, n) => `line ${i + n}\n`).join(''),
    )
  }
}

async function runTrials(
  trials: number,
  folder: string,
  given: string,
  group: Group,
): Promise<void> {
  const { makeSubjects, readTrials, run } = await import('assay')
  const one = fakeCase('edit', {
    files: { 'README.md': 'Change three files.\n' },
    workspace: planOf({
      folder: { path: given, sha256: '' },
      setup: [SETUP],
      ignore: ['**/node_modules'],
      hidden: {
        'check.sh':
          '#!/bin/sh\nset -e\ngrep -q right answer.txt\ngrep -q changed d1/f1.ts\ntest ! -e d4/f4.ts\n',
      },
    }),
    limits: null,
    graders: [
      grader('file-contains', { path: 'answer.txt', value: 'right', ignoreCase: false }),
      grader('run', {
        command: ['/bin/sh', 'check.sh'],
        input: '',
        env: {},
        exitCode: 0,
        memoryMb: 1024,
      }),
    ],
  })
  const temporary = tmpdir()
  let mostFolders = 0
  const timer = setInterval(() => {
    const root = readdirSync(temporary).find((name) => name.startsWith('work-'))
    if (root === undefined || !existsSync(join(temporary, root))) return
    mostFolders = Math.max(mostFolders, readdirSync(join(temporary, root)).length)
  }, EVERY_MS)
  const concurrency = { start: PARALLELISM, most: PARALLELISM }
  const subjects = await makeSubjects({
    subjects: ['agent'],
    named: { agent: { command: ['/bin/sh', '-c', AGENT] } },
  })
  const began = performance.now()
  let firstMs = 0
  const { tally } = await run({
    suites: [fakeSuite([one])],
    subjects: subjects.map((subject) => ({ ...subject, concurrency })),
    folder: join(folder, 'run'),
    trials,
    parallelism: PARALLELISM,
    sandbox: 'bubblewrap',
    onEvent: ({ type }) => {
      if (type === 'trial') firstMs ||= performance.now() - began
    },
  })
  clearInterval(timer)
  const wallMs = performance.now() - began
  // A killed process stays in the list for a moment.
  await wait(EVERY_MS)
  const left = group.processes().filter((pid) => pid !== process.pid).length
  const setups = new Set<string>()
  await readTrials(join(folder, 'run'), ({ answer }) => setups.add(JSON.stringify(answer)))
  const { passed } = tally.counts()
  const found: Found = {
    passed,
    setups: setups.size,
    wallMs,
    firstMs,
    hostMb: process.resourceUsage().maxRSS / 1024,
    mostFolders,
    left,
  }
  writeFileSync(join(folder, 'found.json'), JSON.stringify(found))
}

async function measureTrials(trials: number, given: string): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'assay-bench-'))
  const temporary = join(folder, 'temporary')
  mkdirSync(temporary, { mode: 0o755 })
  const group = new Group()
  try {
    const spent = await group.run({
      argv: [
        ...[process.execPath, ...NODE_FLAGS, import.meta.filename],
        ...['inside', String(trials), folder, given, group.folder],
      ] as [string, ...string[]],
      cwd: process.cwd(),
      env: { TMPDIR: temporary },
      limitMs: HOUR,
    })
    if (!spent.ok) throw new Error(`the run failed:\n${spent.said}`)
    const found = JSON.parse(readFileSync(join(folder, 'found.json'), 'utf8')) as Found
    const seconds = (ms: number): string => (ms / 1000).toFixed(2)
    console.log(
      `${trials} trials: ${found.passed} passed, set up ${found.setups} time(s); ${seconds(spent.cpuMs)} s CPU, ${seconds(found.wallMs)} s wall, the first after ${seconds(found.firstMs)} s; ${found.hostMb.toFixed(0)} MB at most; ${found.mostFolders} folders at once`,
    )
    const left = readdirSync(temporary)
    console.log(`left behind: ${left.length} files or folders, ${found.left} processes`)
    if (found.passed !== trials || found.setups !== 1 || left.length > 0 || found.left > 0)
      process.exitCode = 1
    return spent.cpuMs
  } finally {
    await group.close()
    rmSync(folder, { recursive: true })
  }
}

async function measureByHand(given: string): Promise<number> {
  const group = new Group()
  const folder = mkdtempSync(join(tmpdir(), 'assay-bench-'))
  try {
    const script = `for i in $(seq ${HAND_ROUNDS}); do cp -a --reflink=auto "$0" copy; rm -r copy; done`
    const argv = ['/bin/sh', '-c', script, given] as [string, ...string[]]
    const spent = await group.run({ argv, cwd: folder, limitMs: HOUR })
    if (!spent.ok) throw new Error(`copying failed: ${spent.said}`)
    return spent.cpuMs / HAND_ROUNDS
  } finally {
    await group.close()
    rmSync(folder, { recursive: true })
  }
}

const [first, ...rest] = process.argv.slice(2)
if (first === 'inside') {
  const [trials, folder = '', given = '', groupFolder] = rest
  await runTrials(Number(trials), folder, given, new Group(groupFolder))
} else {
  const trials = Number(first ?? TRIALS)
  const files = Math.max(LEAST_FILES, Number(rest[0] ?? FILES))
  const given = mkdtempSync(join(tmpdir(), 'assay-bench-given-'))
  try {
    makeFolder(given, files)
    console.log(`workspaces of ${files} files, parallelism ${PARALLELISM}`)
    const single = await measureTrials(1, given)
    const all = await measureTrials(trials, given)
    const hand = await measureByHand(given)
    console.log(`each trial after the first: ${((all - single) / (trials - 1)).toFixed(0)} ms CPU`)
    console.log(`by hand, cp -a and rm -r alone: ${hand.toFixed(0)} ms CPU`)
  } finally {
    rmSync(given, { recursive: true })
  }
}
