/**
 * The judge grader: models judge an answer by a rubric. Each judge is asked separately through the scheduler, and
 * again if its reply is not a valid verdict. If a judge never gives one, the trial has no grade: that is an error of
 * the judge, not a failure of the answer. The score comes only from validated marks. If another grader of the case
 * decides, this one only advises.
 */
import { fsum, quantile } from '@assay/metrics'
import { JUDGE_GRADER, SubjectError, type Grade, plain } from '@assay/contract'
import { counted } from '../../text/index.ts'
import type { AskJudge, Grader, JudgeReply } from '../grader.ts'
import { quoted, shortened } from '../shown.ts'
import { judgeOptions, type Aggregate, type JudgeOptions } from './options.ts'
import { retryMessages, promptOf, type Prompt } from './prompt.ts'
import { readReply, type Marked } from './reply.ts'

/** A judge gave no valid verdict: the trial is errored but keeps its answer. */
export class JudgeFailure extends Error {
  override readonly name = 'JudgeFailure'
}

const TOLERANCE = 1e-9
const MOST_KEPT_REPLY = 20_000

/** The verdict of one judge. */
interface Verdict {
  readonly judge: string
  readonly score: number
  readonly passed: boolean
  readonly marks: readonly Marked[]
  readonly replies: readonly JudgeReply[]
}

export const judge: Grader<JudgeOptions> = {
  type: JUDGE_GRADER,
  summary: 'what one or several models think of the answer, by a rubric',
  options: judgeOptions,
  // It waits for providers. The scheduler applies their deadlines.
  keepsDeadline: true,
  advises: true,
  judges: {
    named: ({ judges }) => judges,
    replaced: (options, judges) => ({ ...options, judges }),
    messages: (graded, options) => promptOf(graded, options).messages,
  },
  async grade(graded, options, { ask }) {
    if (ask === undefined) throw new JudgeFailure('there is nobody to ask here')
    if (options.judges.length === 0) throw new JudgeFailure('no judge is named')
    const prompt = promptOf(graded, options)
    const verdicts: Verdict[] = []
    for (const name of options.judges) verdicts.push(await verdictOf(name, prompt, options, ask))
    const score = combine(options.aggregate, verdicts)
    const passed =
      options.aggregate === 'majority' ? score > 0.5 : score >= options.threshold - TOLERANCE
    return {
      score,
      passed,
      reason: sentence(score, passed, options, verdicts, prompt),
      evidence: verdicts.map(toldBy).join('\n\n'),
      facts: {
        aggregate: options.aggregate,
        threshold: options.threshold,
        requests: verdicts.reduce((sum, { replies }) => sum + replies.length, 0),
        ...(prompt.leftOut === 0 ? {} : { leftOut: prompt.leftOut }),
      },
      details: verdicts.map(detail),
    }
  },
}

async function verdictOf(
  name: string,
  prompt: Prompt,
  { rubric, attempts, threshold }: JudgeOptions,
  ask: AskJudge,
): Promise<Verdict> {
  const replies: JudgeReply[] = []
  let fault = ''
  for (let attempt = 1; attempt <= attempts; attempt++) {
    const reply = await replyOf(
      name,
      attempt === 1 ? prompt.messages : retryMessages(prompt, fault),
      ask,
    )
    replies.push(reply)
    const stopped = STOPPED[reply.stop]
    const opinion =
      stopped === null ? readReply(reply.text, prompt.key, rubric) : { fault: stopped }
    if ('marks' in opinion) {
      const { marks, score } = opinion
      return { judge: name, score, passed: score >= threshold - TOLERANCE, marks, replies }
    }
    fault = opinion.fault
  }
  const last = replies.at(-1)
  const said = last?.note ?? quoted(last?.text ?? '')
  throw new JudgeFailure(
    plain(
      `${name} gave no valid verdict in ${counted(attempts, 'attempt')}; of its last reply, ${fault}: ${said}`,
    ),
  )
}

async function replyOf(
  name: string,
  messages: Prompt['messages'],
  ask: AskJudge,
): Promise<JudgeReply> {
  try {
    return await ask(name, messages)
  } catch (error) {
    // The scheduler has already retried as often as is useful.
    if (!(error instanceof SubjectError)) throw error
    throw new JudgeFailure(plain(`${name} did not answer: ${error.message}`), { cause: error })
  }
}

const STOPPED: Readonly<Record<JudgeReply['stop'], string | null>> = {
  end: null,
  length: 'it was cut off at its token limit',
  filter: 'the provider’s content filter stopped it',
  refusal: 'it was a refusal',
  exit: 'the command ended with an error',
  timeout: 'the command did not end in time',
  limit: 'it went over one of its limits',
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
  { leftOut }: Prompt,
): string {
  const [only] = verdicts
  const of =
    verdicts.length === 1
      ? plain(only?.judge ?? '')
      : `the ${aggregate} of ${verdicts.map(({ judge: name, score: own }) => `${plain(name)} ${figure(own)}`).join(', ')}`
  const needed = aggregate === 'majority' ? 'more than half' : String(threshold)
  const cut = leftOut === 0 ? '' : `; the judge did not see ${leftOut} characters of the answer`
  return `judged ${figure(score)} by ${of}; ${passed ? 'reaches' : 'does not reach'} ${needed}${cut}`
}

const figure = (value: number): string => String(Number(value.toFixed(3)))

/** Returns the replies word for word, as evidence for the verdict. */
const toldBy = ({ judge: name, replies }: Verdict): string =>
  replies.map(({ text }) => `${name}:\n${shortened(text, MOST_KEPT_REPLY)}`).join('\n\n')

function detail({ judge: name, score, passed, marks, replies }: Verdict): Grade {
  return {
    name,
    type: JUDGE_GRADER,
    score,
    passed,
    weight: 1,
    facts: { requests: replies.length },
    details: marks.map(({ criterion, score: place, mark, reason }) => ({
      name: criterion.id,
      type: 'criterion',
      score: place,
      passed: null,
      weight: criterion.weight,
      reason: mark === null ? `does not apply: ${reason}` : `${String(mark)}: ${reason}`,
    })),
  }
}
