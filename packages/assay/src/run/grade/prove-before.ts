/**
 * Checks cases with a workspace before the first trial of an agent costs money. The reference answer of a case must
 * pass, and its workspace without any work must not. Judges are not asked. The user is told the result. If a case fails
 * this check, the user is only warned, because the reference may be wrong and the case right.
 *
 * The check has a time limit. The trials reuse the workspaces that it prepares.
 */
import { availableParallelism } from 'node:os'
import { plain, type Case, type Subject, type Suite } from '@assay/contract'
import { graderByType } from '../../grade/index.ts'
import { answerersOf } from '../../log/index.ts'
import { counted } from '../../text/index.ts'
import { proveSuite, type AnswerProof, type ProofOptions } from '../prove.ts'
import type { RunEvent } from '../schedule/events.ts'
import { Semaphore } from '../schedule/semaphore.ts'

export interface ProveBeforeOptions extends Pick<
  ProofOptions,
  'sandbox' | 'sandboxGraders' | 'workspaces' | 'gradeTimeoutMs' | 'signal'
> {
  readonly onEvent: (event: RunEvent) => void
  /** The time limit of the check. Default: 30 s. */
  readonly mostMs?: number
}

const MOST_MS = 30_000
const MOST_NAMED = 5

interface Proven {
  readonly name: string
  readonly answers: readonly AnswerProof[]
}

export async function proveBefore(
  suites: readonly Suite[],
  subjects: readonly Subject[],
  options: ProveBeforeOptions,
): Promise<void> {
  const { onEvent, signal, mostMs = MOST_MS } = options
  const provable = suites.flatMap((suite) =>
    answerersOf(suite, subjects).some(({ source }) => source === 'live')
      ? suite.cases.filter(isProvable).map((one) => ({ suite, one }))
      : [],
  )
  if (provable.length === 0 || signal.aborted) return
  const note = (text: string): void => onEvent({ type: 'note', text })
  note(
    `grading the references of ${counted(provable.length, 'case')}, and doing nothing, before the first trial (at most ${mostMs / 1000} s, --no-proof leaves it out)`,
  )
  const end = AbortSignal.any([signal, AbortSignal.timeout(mostMs)])
  const places = new Semaphore(availableParallelism())
  const proven: Proven[] = []
  const failed: string[] = []
  const work = provable.map(async ({ suite, one }) => {
    await places.enter()
    try {
      if (end.aborted) return
      const name = suites.length === 1 ? one.id : `${suite.id}/${one.id}`
      const alone = { ...suite, cases: [{ ...one, faulty: [] }] }
      const proof = { ...options, signal: end, ownFaulty: false, parallelism: 1 }
      const [found] = await proveSuite(alone, proof)
      if (found !== undefined && !end.aborted) proven.push({ name, answers: found.answers })
    } catch (error) {
      // The workspace could not be set up. Its trials will become errored with the same text.
      if (!end.aborted) failed.push(`case ${plain(one.id)}: ${(error as Error).message}`)
    } finally {
      places.leave()
    }
  })
  // At the time limit, a running setup command is not stopped, because the trials need its result.
  await Promise.race([Promise.all(work), aborted(end)])
  if (signal.aborted) return
  note(summary(proven, provable.length - proven.length - failed.length))
  for (const text of shortened([...faultsOf(proven), ...failed])) onEvent({ type: 'warning', text })
}

/** Whether the case has a grader that needs only the workspace: no judge, and no record of the agent's steps. */
const isProvable = ({ workspace, graders }: Case): boolean =>
  workspace !== null &&
  graders.some(({ type }) => {
    const grader = graderByType(type)
    return grader?.advises !== true && grader?.needs !== 'trajectory'
  })

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })

function summary(proven: readonly Proven[], unproven: number): string {
  const graded = (which: AnswerProof['answer']): AnswerProof[] =>
    proven.flatMap(({ answers }) => answers.filter(({ answer }) => answer === which))
  const passing = (list: readonly AnswerProof[]): number =>
    list.filter(({ passed }) => passed).length
  const references = graded('reference')
  const starts = graded('start').filter(({ isGraded }) => isGraded)
  const without = proven.length - references.length
  const parts = [
    ...(starts.length === 0
      ? []
      : [
          [
            ...(references.length === 0
              ? []
              : [
                  `${passing(references)} of ${counted(references.length, 'reference')} ${references.length === 1 ? 'passes' : 'pass'}`,
                ]),
            `doing nothing passes ${passing(starts)} of ${counted(starts.length, 'case')} with a workspace`,
          ].join(', '),
        ]),
    ...(without > 0
      ? [`${counted(without, 'case')} ${without === 1 ? 'has' : 'have'} no reference`]
      : []),
    ...(unproven > 0
      ? [
          `${counted(unproven, 'case')} with a workspace ${unproven === 1 ? 'was' : 'were'} not graded in time: \`assay validate --prove\` grades all`,
        ]
      : []),
  ]
  return `before the first trial: ${parts.join('; ') || 'no case with a workspace could be graded'}`
}

const faultsOf = (proven: readonly Proven[]): string[] =>
  proven.flatMap(({ name, answers }) =>
    answers.flatMap(({ answer, passed, holds, reason, isGraded }) => {
      const what = `case ${plain(name)}`
      if (answer === 'reference')
        return passed
          ? []
          : [`${what}: its reference does not pass, so perhaps nothing can: ${plain(reason)}`]
      if (!isGraded) return [`${what} could not be graded: ${plain(reason)}`]
      if (passed) return [`${what}: doing nothing passes, so a pass says little`]
      return holds ? [] : [`${what} does not begin as its tests say: ${plain(reason)}`]
    }),
  )

function shortened(texts: readonly string[]): string[] {
  const sorted = [...texts].sort()
  const more = sorted.length - MOST_NAMED
  return more <= 0
    ? sorted
    : [
        ...sorted.slice(0, MOST_NAMED),
        `and ${counted(more, 'more such case')}: \`assay validate --prove\` names them all`,
      ]
}
