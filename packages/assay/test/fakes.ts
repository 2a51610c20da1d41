/** Cases, suites and subjects for tests: as small as they can be, with everything in the test's hands. */
import type { Answer, Ask, Case, GraderConfig, Subject, Suite } from '../src/contract.ts'
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
    allowUnsafe: false,
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

/** A live subject that answers by a function; counts what it was asked. */
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

/** A clock whose sleeps cost no time: sleeping moves it on. */
export function skippingClock(): Clock & { slept: number } {
  let skipped = 0
  const clock = {
    slept: 0,
    now: () => performance.timeOrigin + performance.now() + skipped,
    sleep: async (ms: number, signal: AbortSignal) => {
      signal.throwIfAborted()
      await new Promise<void>((resolve) => {
        setImmediate(resolve)
      })
      signal.throwIfAborted()
      skipped += ms
      clock.slept += ms
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
  'duration_seconds',
  'meanGradeMs',
  'meanAnswerMs',
  'answerMs',
  'answerMsSq',
])

/** A report as text without what differs between two runs of the same plan: times, ids, asking again. */
export const timeless = (report: object): string =>
  JSON.stringify(report, (key, value: unknown) => (TIMES.has(key) ? undefined : value))
