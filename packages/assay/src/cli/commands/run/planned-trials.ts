/** Counts the trials of a planned run, for the progress display and for `--dry-run`. */
import { plain, type Subject, type Suite } from '@assay/contract'
import { answerersOf, Plan, type Shard } from '../../../log/index.ts'
import { askedCase, trialsOf } from '../../../run/index.ts'
import { counted, dollars, table } from '../../../text/index.ts'
import { planLines } from '../../../trust/index.ts'
import { experimentLines } from '../../output/experiment-lines.ts'
import type { Output } from '../../output/output.ts'
import { NONE_RECORDED, type Recorded } from '../../output/progress.ts'
import { judgeLines } from '../../settings/plan-judges.ts'
import type { PlannedRun } from '../../settings/planned-run.ts'
import { settingLines } from '../../settings/setting-lines.ts'

/** The numbers of finished trials, by subject. */
export type RecordedTrials = ReadonlyMap<string, Recorded>

export const planOf = (
  { suites, subjects, resolved }: PlannedRun,
  shard: Shard | null,
): Plan<Suite, Subject> =>
  new Plan(suites, subjects, (one, _, suite) => trialsOf(resolved.cases, suite, one).value, shard)

/** Returns, for each subject, the number of planned trials and of those that are already recorded. */
export function progressPlan(plan: Plan<Suite, Subject>, recorded: RecordedTrials) {
  const planned = new Map<string, number>()
  for (const { subject, trials } of plan.cells)
    planned.set(subject.id, (planned.get(subject.id) ?? 0) + trials)
  return {
    subjects: plan.subjects.map(({ id }) => ({
      id,
      planned: planned.get(id) ?? 0,
      recorded: recorded.get(id) ?? NONE_RECORDED,
    })),
  }
}

/** Returns messages that the user should see before one part of a plan (`--shard`) runs. */
export function shardNotices(plan: Plan<Suite, Subject>, budgetUsd: number | null): string[] {
  if (plan.shard === null) return []
  const { index, of } = plan.shard
  const all = plan.cells.reduce((sum, cell) => sum + cell.trialsOfAllParts, 0)
  return [
    `part ${index} of ${of}: ${plan.planned} of ${counted(all, 'trial')}. Limits on requests apply to this part alone, so the parts together send up to ${of} times as many`,
    ...(budgetUsd === null
      ? []
      : [
          `the budget of ${dollars(budgetUsd)} applies to this part alone: ${of} parts with it may spend ${dollars(of * budgetUsd)}`,
        ]),
  ]
}

export function dryRun(run: PlannedRun, plan: Plan<Suite, Subject>, output: Output): string {
  const { suites, subjects, judges, experiment, trust } = run
  const byRow = Map.groupBy(plan.cells, ({ suite, subject }) =>
    JSON.stringify([suite.id, subject.id]),
  )
  const rows = suites.flatMap((suite) =>
    answerersOf(suite, subjects).map((subject) => {
      const cells = byRow.get(JSON.stringify([suite.id, subject.id])) ?? []
      const usd = cells.reduce(
        (sum, { case: one, trials }) =>
          sum +
          (trials === 0
            ? 0
            : (subject.estimateUsd(askedCase(subject, suite.id, one)) ?? Number.NaN) * trials),
        0,
      )
      return [
        plain(subject.id),
        plain(suite.id),
        String(suite.cases.length),
        String(cells.reduce((sum, { trials }) => sum + trials, 0)),
        Number.isNaN(usd) ? 'unknown' : `≤ ${dollars(usd)}`,
      ]
    }),
  )
  const lines = table(
    [
      { title: 'subject', align: 'left' },
      { title: 'suite', align: 'left' },
      { title: 'cases', align: 'right' },
      { title: 'trials', align: 'right' },
      { title: 'cost', align: 'right' },
    ],
    rows,
    output.width,
  )
  const tiers = experiment === undefined ? [] : experimentLines(experiment, output.width)
  const trialsOfCase = new Map<object, number>()
  for (const { case: one, trials } of plan.cells)
    trialsOfCase.set(one, (trialsOfCase.get(one) ?? 0) + trials)
  const judging = judgeLines(suites, judges, (one) => trialsOfCase.get(one) ?? 0)
  const access = planLines(trust.uses, trust.allows)
  const settings = settingLines(run, output.width)
  return `${[...lines, ...tiers, ...judging, ...access, ...settings, ''].join('\n')}\n${counted(plan.planned, 'trial')} planned; nothing was run\n`
}
