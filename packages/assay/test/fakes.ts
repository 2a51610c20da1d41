/** Small cases, suites and subjects for tests. A test can set everything in them. */
import type {
  Answer,
  Ask,
  Case,
  FileChange,
  GraderConfig,
  Step,
  Subject,
  Suite,
  Trajectory,
  WorkspaceDiff,
} from '@assay/contract'
import type { Clock } from '../src/run/index.ts'

export const equalsGrader = (value: string): GraderConfig => ({
  type: 'equals',
  name: 'equals',
  weight: 1,
  required: false,
  negate: false,
  options: { value, trim: true, ignoreCase: false },
})

export function fakeCase(id: string, change: Partial<Case> = {}): Case {
  return {
    id,
    name: id,
    description: '',
    turns: [`Say right to ${id}.`],
    language: null,
    tests: null,
    calls: [],
    entryPoint: null,
    module: null,
    continuation: false,
    stop: [],
    expectations: null,
    reference: 'right',
    faulty: ['wrong'],
    files: {},
    tags: [],
    graders: [equalsGrader('right')],
    threshold: null,
    trials: null,
    timeoutMs: null,
    maxTokens: null,
    dependencies: [],
    lint: null,
    format: null,
    edition: null,
    includeIgnored: false,
    allowUnsafe: false,
    workspace: null,
    limits: null,
    hash: `hash-${id}`,
    ...change,
  }
}

export function fakeSuite(cases: number | readonly Case[], change: Partial<Suite> = {}): Suite {
  const list =
    typeof cases === 'number' ? Array.from({ length: cases }, (_, i) => fakeCase(`c${i}`)) : cases
  return {
    id: 'suite',
    name: 'Suite',
    description: '',
    path: 'suite.toml',
    format: 'native',
    threshold: null,
    cases: list,
    hash: list.map(({ hash }) => hash).join(),
    ...change,
  }
}

export const saying = (text: string, change: Partial<Answer> = {}): Answer => ({
  text,
  stop: 'end',
  usage: { input: 10, cacheRead: 0, cacheWrite: 0, output: 5, reasoning: 0 },
  usd: 0.001,
  ...change,
})

type Loose<T> = T extends unknown ? Omit<T, 'at' | 'turn'> & Partial<T> : never

/**
 * Makes a trajectory from steps. Each step is one second after the one before, and in the first turn unless it says
 * otherwise.
 */
export function fakeTrajectory(
  steps: readonly Loose<Step>[] = [],
  change: Partial<Trajectory> = {},
): Trajectory {
  return {
    version: 1,
    format: 'assay',
    agentVersion: null,
    model: null,
    steps: steps.map((step, i) => ({ at: i * 1000, turn: 0, ...step })),
    usage: {},
    usd: null,
    usdFrom: null,
    turns: 1,
    firstTokenMs: null,
    ms: steps.length * 1000,
    complete: true,
    oddities: [],
    ...change,
  }
}

/** A tool call that succeeded without output. */
export const fakeCall = (
  name: string,
  change: Partial<Extract<Step, { kind: 'tool-call' }>> = {},
): Extract<Step, { kind: 'tool-call' }> => ({
  kind: 'tool-call',
  at: 0,
  turn: 0,
  id: name,
  name,
  args: {},
  result: '',
  failed: false,
  ms: 1,
  ...change,
})

/** Makes the changes of a workspace from the texts of added files by path, or from whole changes. */
export function fakeDiff(
  ...changes: readonly (FileChange | Readonly<Record<string, string>>)[]
): WorkspaceDiff {
  return {
    version: 1,
    changes: changes
      .flatMap((change): FileChange[] =>
        isChange(change)
          ? [change]
          : Object.entries(change).map(([path, text]) => ({
              path,
              change: 'added',
              mode: '100644',
              text,
              patch: `@@ -0,0 +1 @@\n${text.replace(/\n$/, '').replaceAll(/^/gm, '+')}\n`,
            })),
      )
      .toSorted((a, b) => (a.path < b.path ? -1 : 1)),
  }
}

const isChange = (change: FileChange | Readonly<Record<string, string>>): change is FileChange =>
  'path' in change && 'change' in change

/** A subject whose answers come from a function. It counts its requests. */
export function fakeSubject(
  answer: (ask: Ask) => Answer | Promise<Answer>,
  change: Partial<Subject> = {},
): Subject & { asked: Ask[] } {
  const asked: Ask[] = []
  return {
    id: 'fake',
    kind: 'command',
    source: 'live',
    pool: 'fake',
    concurrency: { start: 4, most: 16 },
    config: { fake: true },
    secrets: [],
    estimateUsd: () => 0.001,
    answer: async (ask) => {
      asked.push(ask)
      return answer(ask)
    },
    close: async () => {},
    asked,
    ...change,
  }
}

/**
 * A clock whose sleeps take no time. A sleep moves the clock forward. Sleeps that overlap move it only once.
 */
export function skippingClock(): Clock & { slept: number } {
  let skipped = 0
  const clock = {
    slept: 0,
    now: () => performance.timeOrigin + performance.now() + skipped,
    sleep: async (ms: number, signal: AbortSignal) => {
      signal.throwIfAborted()
      const until = clock.now() + ms
      await new Promise<void>((resolve) => {
        setImmediate(resolve)
      })
      signal.throwIfAborted()
      const left = Math.max(0, until - clock.now())
      skipped += left
      clock.slept += left
    },
  }
  return clock
}

const TIMES: ReadonlySet<string> = new Set([
  'run',
  'provenance',
  'spentUsd',
  'latency',
  'waiting',
  'grading',
  'duration',
  'duration_seconds',
  'answer_seconds',
  'wait_seconds',
  'grade_seconds',
  'meanGradeMs',
  'meanAnswerMs',
  'answerMs',
  'answerMsSq',
])

/**
 * Returns a report as text without what differs between two runs of the same plan: times, ids, and repeated
 * requests.
 */
export const timeless = (report: object): string =>
  JSON.stringify(report, (key, value: unknown) => (TIMES.has(key) ? undefined : value))
