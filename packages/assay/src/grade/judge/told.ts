/**
 * Converts a judge's verdict to grades and sentences. They say what each run marked and why, and whether the runs
 * agreed.
 */
import {
  JUDGE_CRITERION,
  JUDGE_GRADER,
  JUDGE_RUN,
  type Grade,
  type Json,
  plain,
} from '@assay/contract'
import { counted } from '../../text/index.ts'
import { stepLine, toolCalls } from '../agent/step-lines.ts'
import { shortened } from '../shown.ts'
import type { Marked } from './reply.ts'
import { isCategory, type Criterion } from './rubric.ts'
import { isApart, type JudgeRun } from './runs.ts'
import { reaches, type CriterionVerdict, type Verdict } from './verdict.ts'

const MOST_KEPT_REPLY = 20_000
const MOST_STEPS = 100

/** Formats a score or a confidence. */
export const figure = (value: number): string => String(Number(value.toFixed(3)))

/** Returns a text that says how often a judge ran and why. Empty for a judge with one run. */
export function runsTold(verdict: Verdict): string {
  const { plan, runs, firstDifference, difference, unstated, isUnsure } = verdict
  if (runs.length === 1) return ''
  const further = runs.length - plan.planned
  const bound = figure(plan.disagreement)
  const parts = [
    `consensus of ${runs.length} runs: ${runs.map(({ score }) => figure(score)).join(', ')}`,
  ]
  if (further > 0 && firstDifference !== null)
    parts.push(
      `asked ${further === 1 ? 'once' : `${further} times`} more, as its first ${plan.planned} runs differ by ${figure(firstDifference)} on average, more than ${bound}`,
    )
  if (difference !== null && isApart(difference, plan))
    parts.push(
      `its runs still disagree, by ${figure(difference)} on average${further === 0 ? ` (more than ${bound})` : ''}, and ${plan.most} are the most it has`,
    )
  if (isUnsure) parts.push('every run states the confidence 0, so all count the same')
  else if (unstated === runs.length)
    parts.push('no run states its confidence, so all count the same')
  else if (unstated > 0)
    parts.push(
      `${counted(unstated, 'run states', 'runs state')} no confidence and ${unstated === 1 ? 'counts' : 'count'} as certain`,
    )
  return parts.join('; ')
}

/**
 * Returns the grade of one judge. Its details are the criteria and, if there are several runs, the runs. `isAlone`
 * means that there is no other judge. The grade above this one then says how often the judge ran.
 */
export function judgeDetail(verdict: Verdict, threshold: number, isAlone: boolean): Grade {
  const { plan, runs, score, passed, confidence, criteria, difference, unstated } = verdict
  const [only] = runs
  const isOne = runs.length === 1 && only !== undefined
  const reason = isOne ? opinionTold(only) : isAlone ? '' : runsTold(verdict)
  const requests = runs.reduce((sum, { replies }) => sum + replies.length, 0)
  return {
    name: plan.judge,
    type: JUDGE_GRADER,
    score,
    passed,
    weight: 1,
    ...(reason === '' ? {} : { reason }),
    facts: {
      requests,
      ...(isOne
        ? opinionFacts(only)
        : {
            runs: runs.length,
            plannedRuns: plan.planned,
            maxRuns: plan.most,
            difference,
            bound: plan.disagreement,
            ...(confidence === null ? {} : { confidence }),
            ...(unstated === 0 ? {} : { unstatedConfidence: unstated }),
            ...(isApart(difference, plan) ? { disagree: true } : {}),
          }),
    },
    details: isOne
      ? only.marks.map(markDetail)
      : [
          ...criteria.map((one) => criterionDetail(one, runs)),
          ...runs.map((run, i) => runDetail(run, i, threshold)),
        ],
  }
}

function runDetail(run: JudgeRun, index: number, threshold: number): Grade {
  const reason = opinionTold(run)
  return {
    name: `run ${index + 1}`,
    type: JUDGE_RUN,
    score: run.score,
    passed: reaches(run.score, threshold),
    weight: run.confidence ?? 1,
    ...(reason === '' ? {} : { reason }),
    facts: { requests: run.replies.length, ...opinionFacts(run) },
    details: run.marks.map(markDetail),
  }
}

const criterionDetail = (
  { criterion, score, confidence }: CriterionVerdict,
  runs: readonly JudgeRun[],
): Grade => ({
  name: criterion.id,
  type: JUDGE_CRITERION,
  score,
  passed: null,
  weight: criterion.weight,
  reason: `marks ${runs
    .flatMap(({ marks }) => marks.filter((one) => one.criterion === criterion))
    .map(
      ({ mark, confidence: sure }) =>
        `${markTold(mark)}${sure === null ? '' : ` (${figure(sure)})`}`,
    )
    .join(', ')}${confidence === null ? '' : ', in brackets the confidence'}`,
  ...criterionFacts(criterion, confidence),
})

/**
 * Returns the facts of a criterion. The built-in categories of quality are marked, so that programs that read the
 * log can separate them from other criteria.
 */
function criterionFacts(criterion: Criterion, confidence: number | null): Pick<Grade, 'facts'> {
  const facts = {
    ...(confidence === null ? {} : { confidence }),
    ...(isCategory(criterion) ? { category: true } : {}),
  }
  return Object.keys(facts).length === 0 ? {} : { facts }
}

const markTold = (mark: Marked['mark']): string => (mark === null ? 'does not apply' : String(mark))

const markDetail = ({ criterion, score, mark, reason, confidence }: Marked): Grade => ({
  name: criterion.id,
  type: JUDGE_CRITERION,
  score,
  passed: null,
  weight: criterion.weight,
  reason: `${markTold(mark)}: ${reason}${confidence === null ? '' : ` (confidence ${figure(confidence)})`}`,
  ...criterionFacts(criterion, confidence),
})

/** Returns a run's confidence, strengths and weaknesses as text. What the run does not state is left out. */
function opinionTold({ confidence, strengths, weaknesses, replies }: JudgeRun): string {
  const explored = replies.flatMap(({ trajectory }) => trajectory ?? [])
  const calls = explored.reduce((sum, one) => sum + toolCalls(one).length, 0)
  return [
    ...(explored.length === 0 ? [] : [`explored with ${counted(calls, 'tool call')}`]),
    ...(confidence === null ? [] : [`confidence ${figure(confidence)}`]),
    ...(strengths.length === 0 ? [] : [`strengths: ${strengths.map(plain).join('; ')}`]),
    ...(weaknesses.length === 0 ? [] : [`weaknesses: ${weaknesses.map(plain).join('; ')}`]),
  ].join('. ')
}

function opinionFacts({ confidence, strengths, weaknesses, replies }: JudgeRun) {
  const explored = replies.flatMap(({ trajectory }) => trajectory ?? [])
  const facts: Record<string, Json> = {}
  if (confidence !== null) facts['confidence'] = confidence
  if (strengths.length > 0) facts['strengths'] = [...strengths]
  if (weaknesses.length > 0) facts['weaknesses'] = [...weaknesses]
  if (explored.length > 0)
    facts['explored'] = explored
      .flatMap(({ steps }) =>
        steps.flatMap((step) => (step.kind === 'tool-call' ? (stepLine(step) ?? []) : [])),
      )
      .slice(0, MOST_STEPS)
  return facts
}

/** Returns the judge's replies word for word, as evidence for the verdict. Long replies are cut. */
export const evidenceOf = ({ plan: { judge }, runs }: Verdict): string =>
  runs
    .flatMap(({ replies }, i) =>
      replies.map(
        ({ text }) =>
          `${judge}${runs.length === 1 ? '' : `, run ${i + 1}`}:\n${shortened(text, MOST_KEPT_REPLY)}`,
      ),
    )
    .join('\n\n')
