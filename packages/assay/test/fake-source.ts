/**
 * The input of report formats without a run folder: trials that the test defines, and the report that would be
 * built from their log.
 */
import type { Identity, Suite, Text, Trial } from '@assay/contract'
import type { ReportSource } from '../src/report/formats/format.ts'
import type { Report } from '../src/report/schema/report.ts'
import { reportOf } from './report-of.ts'

/** A trial with an answer and one grade that fits its outcome. */
export function fakeTrial(change: Partial<Trial> & Identity): Trial {
  const outcome = change.outcome ?? 'passed'
  const score = outcome === 'passed' ? 1 : outcome === 'failed' ? 0 : null
  const grade = { name: 'equals', type: 'equals', score, passed: score === 1, weight: 1 }
  return {
    caseHash: 'h',
    outcome,
    score,
    implRate: null,
    grades: score === null ? [] : [grade],
    answer: outcome === 'errored' ? null : 'right',
    usage: { input: 10, cacheRead: 0, cacheWrite: 0, output: 5, reasoning: 0 },
    cost: { answerUsd: 0.001, judgeUsd: null, spentUsd: 0.001 },
    time: { startedAt: '2026-01-02T03:04:05.000Z', answerMs: 800, waitMs: 0, gradeMs: 20 },
    source: 'live',
    ...change,
  }
}

interface Place {
  readonly subject: number
  readonly case: number
}

/**
 * Makes `subjects` × `cases` × `trials`. Good subjects are first and hard cases last. The outcomes are always the
 * same.
 */
export function fakeTrials(shape: {
  readonly suite?: string
  readonly subjects: readonly string[]
  readonly cases: readonly string[]
  readonly trials: number
  readonly change?: (identity: Identity, passes: boolean, place: Place) => Partial<Trial>
}): Trial[] {
  const { suite = 'suite', subjects, cases, trials } = shape
  return subjects.flatMap((subject, s) =>
    cases.flatMap((one, c) =>
      Array.from({ length: trials }, (_, index) => {
        const identity = { suite, case: one, subject, index }
        const passes = drawn(s, c, index) < 1.2 - 0.15 * s - (0.9 * c) / cases.length
        const changed = shape.change?.(identity, passes, { subject: s, case: c })
        return fakeTrial({ ...identity, outcome: passes ? 'passed' : 'failed', ...changed })
      }),
    ),
  )
}

/** Returns a number in [0, 1) that depends only on its place. */
export function drawn(...place: readonly number[]): number {
  let state = 2166136261
  for (const one of place) {
    state = Math.imul(state ^ (one + 1), 16777619)
    state = Math.imul(state ^ (state >>> 13), 2246822519)
    state ^= state >>> 15
  }
  return (state >>> 0) / 2 ** 32
}

/** Every case is planned with as many trials as the largest index says. Blobs are found by their name. */
export function fakeSource(
  trials: readonly Trial[],
  change: Partial<Report> = {},
  {
    suites = [],
    blobs = {},
  }: { suites?: readonly Suite[]; blobs?: Readonly<Record<string, string>> } = {},
): ReportSource {
  const planned = [...Map.groupBy(trials, ({ suite }) => suite)].map(([id, ofSuite]) => ({
    id,
    cases: [...Map.groupBy(ofSuite, (trial) => trial.case)].map(([one, ofCase]) => ({
      id: one,
      trials: ofCase.reduce((most, { index }) => Math.max(most, index + 1), 0),
      ...(ofCase.some(({ grades }) => grades.some(({ type }) => type === 'code')) && {
        code: true as const,
      }),
    })),
  }))
  const subjects = [...Map.groupBy(trials, ({ subject }) => subject)].map(([id, [first]]) => ({
    id,
    source: first?.source ?? 'live',
  }))
  const passK = change.passK ?? [1, 3]
  return {
    report: { ...reportOf(planned, subjects, trials, { passK }), ...change },
    suites,
    trials: async (each) => {
      for (const trial of trials) each(trial)
    },
    text: (text: Text, most?: number) =>
      (typeof text === 'string' ? text : blobs[text.blob])?.slice(0, most) ?? null,
  }
}
