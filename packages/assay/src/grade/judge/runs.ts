/**
 * The runs of one judge on one answer. Each run sends its own request, and repeats it if the reply is not a valid
 * verdict. If the scores of the planned runs are too far apart, further runs follow one at a time. They stop when
 * the runs agree or the highest allowed number is reached.
 */
import { SubjectError, plain } from '@assay/contract'
import { meanDifference } from '@assay/metrics'
import { counted } from '../../text/index.ts'
import type { AskJudge, GraderInput, JudgeReply, JudgeRequest } from '../grader.ts'
import { quoted } from '../shown.ts'
import { JudgeFailure } from './failure.ts'
import { explorationOf, type JudgeOptions, type RunsPlan } from './options.ts'
import { promptOf, retryMessages, type Prompt } from './prompt.ts'
import { readReply, type Opinion } from './reply.ts'

/** A valid verdict of one run, and all replies that it took. */
export interface JudgeRun extends Opinion {
  readonly replies: readonly JudgeReply[]
}

export interface JudgeRuns {
  readonly plan: RunsPlan
  readonly runs: readonly JudgeRun[]
  /** The mean difference between the scores of the planned runs. Null for a single run. */
  readonly firstDifference: number | null
  /** The mean difference between the scores of all runs. Null for a single run. */
  readonly difference: number | null
}

/**
 * The tolerance for comparing a difference with its limit. Scores are sums of products and are rounded. Without the
 * tolerance, rounding alone could make a difference exceed the limit.
 */
const TOLERANCE = 1e-9

export const isApart = (difference: number | null, { disagreement }: RunsPlan): boolean =>
  difference !== null && difference > disagreement + TOLERANCE

/** Asks the judge for all runs of the plan. Rejects with `JudgeFailure` if a run gives no valid verdict. */
export async function askRuns(
  plan: RunsPlan,
  graded: GraderInput,
  options: JudgeOptions,
  ask: AskJudge,
): Promise<JudgeRuns> {
  const runs: JudgeRun[] = []
  const exploration = explorationOf(options)
  const difference = (): number | null => meanDifference(runs.map(({ score }) => score))
  const add = async (): Promise<void> => {
    const run = runs.length
    const prompt = promptOf(graded, options, run)
    runs.push(await runOf(plan.judge, prompt, options, { run, exploration }, ask))
  }
  while (runs.length < plan.planned) await add()
  const firstDifference = difference()
  while (runs.length < plan.most && isApart(difference(), plan)) await add()
  return { plan, runs, firstDifference, difference: difference() }
}

async function runOf(
  name: string,
  prompt: Prompt,
  { rubric, attempts }: JudgeOptions,
  request: JudgeRequest,
  ask: AskJudge,
): Promise<JudgeRun> {
  const replies: JudgeReply[] = []
  let fault = ''
  for (let attempt = 1; attempt <= attempts; attempt++) {
    const messages = attempt === 1 ? prompt.messages : retryMessages(prompt, fault)
    const reply = await replyOf(name, messages, request, ask)
    replies.push(reply)
    const stopped = STOPPED[reply.stop]
    const opinion =
      stopped === null ? readReply(reply.text, prompt.key, rubric) : { fault: stopped }
    if ('marks' in opinion) return { ...opinion, replies }
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
  request: JudgeRequest,
  ask: AskJudge,
): Promise<JudgeReply> {
  try {
    return await ask(name, messages, request)
  } catch (error) {
    // Do not retry here, because the scheduler has already retried this error.
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
  threw: 'the function threw an error',
  timeout: 'the command did not end in time',
  limit: 'it went over one of its limits',
}
