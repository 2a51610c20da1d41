/** Makes a report from trials without a run folder, as if they came from a log. */
import type { Source, Trial } from '@assay/contract'
import {
  buildReport,
  SCORING,
  type Provenance,
  type Report,
  type TierScoring,
} from '../src/report/index.ts'
import { graderResult } from '../src/report/figures/spec-blocks.ts'
import { Plan, Tally } from '../src/log/index.ts'

export interface ReportedSuite {
  readonly id: string
  readonly threshold?: number
  readonly cases: readonly { readonly id: string; readonly trials: number; readonly code?: true }[]
}

export function reportOf(
  suites: readonly ReportedSuite[],
  subjects: readonly { readonly id: string; readonly source?: Source }[],
  trials: readonly Trial[],
  options: {
    readonly passK?: readonly number[]
    readonly tiers?: { readonly order: readonly string[]; readonly baseline: string }
    readonly scoring?: TierScoring
  } = {},
): Report {
  const planned = suites.map(({ id, cases }) => ({
    id,
    cases: cases.map((one) => ({ hash: 'h', ...one })),
  }))
  const plan = new Plan(
    planned,
    subjects.map(({ id }) => ({ id, pool: '' })),
    1,
  )
  const tally = new Tally(plan)
  const grades = new Map<number, ReturnType<typeof graderResult>[]>()
  for (const trial of trials) {
    const ordinal = tally.add(trial)
    if (ordinal !== null) grades.set(ordinal, trial.grades.map(graderResult))
  }
  // A complete run whose log lacks trials has lost them. These trials did not run.
  const logged = trials.length - tally.replaced - tally.foreign
  const wanted = suites.flatMap(({ cases }) => cases.map((one) => one.trials * subjects.length))
  const isWhole = logged === wanted.reduce((sum, one) => sum + one, 0)
  return buildReport({
    tally,
    run: { id: 'run', createdAt: null, endedAt: null },
    provenance: {
      ...provenanceOf(
        suites.map(({ id }) => id),
        subjects,
      ),
      suites: suites.map(({ id, threshold }) => suiteOf(id, threshold ?? null)),
      stopped: isWhole ? 'complete' : null,
      log: { torn: false, damaged: 0, replaced: tally.replaced, foreign: tally.foreign },
    },
    passK: options.passK ?? [1],
    gradesAt: (ordinal) => grades.get(ordinal) ?? [],
    tiers: options.tiers === undefined ? [] : [options.tiers],
    ...(options.scoring === undefined ? {} : { scoring: options.scoring }),
  })
}

const suiteOf = (id: string, threshold: number | null): Provenance['suites'][number] => ({
  id,
  name: id,
  path: '',
  format: 'toml',
  hash: 'h',
  gradersHash: null,
  threshold,
})

/** The source of a report's figures, for tests in which it does not matter. */
export const provenanceOf = (
  suites: readonly string[],
  subjects: readonly { readonly id: string; readonly source?: Source }[],
): Provenance => ({
  tool: null,
  seed: 1,
  suites: suites.map((id) => suiteOf(id, null)),
  subjects: subjects.map(({ id, source }) => ({
    id,
    kind: 'model',
    source: source ?? 'live',
    config: null,
    hash: 'h',
  })),
  timeoutMs: null,
  gradeTimeoutMs: null,
  budgetUsd: null,
  prices: null,
  sandbox: null,
  toolchains: {},
  scoring: SCORING,
  revisions: 1,
  stopped: 'complete',
  origin: null,
  log: { torn: false, damaged: 0, replaced: 0, foreign: 0 },
})

/** A trial with default values only. */
export const trialOf = (changes: Partial<Trial>): Trial => ({
  suite: 's',
  case: 'c',
  subject: 'x',
  index: 0,
  caseHash: 'h',
  outcome: 'passed',
  score: null,
  implRate: null,
  grades: [],
  answer: null,
  usage: null,
  cost: { answerUsd: null, judgeUsd: null, spentUsd: 0 },
  time: { startedAt: '', answerMs: 0, waitMs: 0, gradeMs: 0 },
  source: 'live',
  ...changes,
})
