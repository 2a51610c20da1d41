/**
 * The judge grader: models or agents judge an answer by a rubric. Each judge is asked separately through the
 * scheduler, once or several times. If a judge never gives a valid verdict, that is not the answer's failure, so the
 * trial is errored and has no grade. The score is computed only from validated marks. If another grader of the case
 * gives a verdict, this grader's verdict is only advice.
 */
import { fsum, quantile } from '@assay/metrics'
import { JUDGE_GRADER, plain } from '@assay/contract'
import type { Grader } from '../grader.ts'
import { JudgeFailure } from './failure.ts'
import {
  explorationOf,
  judgeOptions,
  runsOf,
  type Aggregate,
  type JudgeOptions,
} from './options.ts'
import { promptOf } from './prompt.ts'
import { askRuns } from './runs.ts'
import { evidenceOf, figure, judgeDetail, runsTold } from './told.ts'
import { reaches, verdictOf, type Verdict } from './verdict.ts'

export const judge: Grader<JudgeOptions> = {
  type: JUDGE_GRADER,
  summary: 'what one or several models or agents think of the answer, by a rubric',
  options: judgeOptions,
  // The grader waits for providers. The scheduler applies the deadline of each request.
  keepsDeadline: true,
  advises: true,
  judges: {
    named: ({ judges }) => judges,
    replaced: (options, judges) => ({ ...options, judges }),
    messages: (graded, options) => promptOf(graded, options).messages,
    runs: runsOf,
    exploration: explorationOf,
  },
  async grade(graded, options, { ask }) {
    if (ask === undefined) throw new JudgeFailure('there is nobody to ask here')
    if (options.judges.length === 0) throw new JudgeFailure('no judge is named')
    const verdicts: Verdict[] = []
    for (const plan of runsOf(options))
      verdicts.push(verdictOf(await askRuns(plan, graded, options, ask), options.threshold))
    const score = combine(options.aggregate, verdicts)
    const passed =
      options.aggregate === 'majority' ? score > 0.5 : reaches(score, options.threshold)
    const { leftOut } = promptOf(graded, options)
    const runs = verdicts.flatMap((verdict) => verdict.runs)
    return {
      score,
      passed,
      reason: sentence(score, passed, options, verdicts, leftOut),
      evidence: verdicts.map(evidenceOf).join('\n\n'),
      facts: {
        aggregate: options.aggregate,
        threshold: options.threshold,
        requests: runs.reduce((sum, { replies }) => sum + replies.length, 0),
        ...(runs.length === verdicts.length ? {} : { runs: runs.length }),
        ...(leftOut === 0 ? {} : { leftOut }),
      },
      details: verdicts.map((verdict) =>
        judgeDetail(verdict, options.threshold, verdicts.length === 1),
      ),
    }
  },
}

function combine(aggregate: Aggregate, verdicts: readonly Verdict[]): number {
  const scores = verdicts.map(({ score }) => score)
  switch (aggregate) {
    case 'median':
      return quantile(
        scores.toSorted((a, b) => a - b),
        0.5,
      )
    case 'majority':
      return verdicts.filter(({ passed }) => passed).length / verdicts.length
    default:
      return fsum(scores) / scores.length
  }
}

function sentence(
  score: number,
  passed: boolean,
  { aggregate, threshold }: JudgeOptions,
  verdicts: readonly Verdict[],
  leftOut: number,
): string {
  const [only] = verdicts
  const of =
    verdicts.length === 1
      ? plain(only?.plan.judge ?? '')
      : `the ${aggregate} of ${verdicts.map(({ plan, score: own }) => `${plain(plan.judge)} ${figure(own)}`).join(', ')}`
  const needed = aggregate === 'majority' ? 'more than half' : String(threshold)
  // With several judges, the grade of each judge says how often it ran, so this reason does not.
  const runs = only === undefined || verdicts.length > 1 ? '' : runsTold(only)
  const told = runs === '' ? '' : `; ${runs}`
  const cut = leftOut === 0 ? '' : `; the judge did not see ${leftOut} characters of the answer`
  return `judged ${figure(score)} by ${of}; ${passed ? 'reaches' : 'does not reach'} ${needed}${told}${cut}`
}
