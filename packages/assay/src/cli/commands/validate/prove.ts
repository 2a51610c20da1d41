/**
 * `assay validate --prove`: grades the reference answers and the faulty answers in each suite. It reports the cases
 * whose graders do not distinguish right answers from wrong ones.
 */
import { isCodeGrade, type Grade, type Suite, plain } from '@assay/contract'
import type { OwnFaulty } from '@assay/code'
import { closeGraders } from '../../../grade/index.ts'
import { counted } from '../../../text/index.ts'
import {
  needsWorkspaces,
  proveSuite,
  RUN_DEFAULTS,
  setUpCode,
  type AnswerProof,
  type CaseProof,
} from '../../../run/index.ts'
import type { SandboxChoice } from '@assay/sandbox'
import { openWorkspaceStore } from '../../../workspace/index.ts'
import { warn, type Output } from '../../output/output.ts'

export interface ProveOptions {
  /** Whether grader programs must run in a sandbox, as in the run's option of the same name. */
  readonly sandboxGraders: boolean
  readonly offlineSetup: boolean
  readonly signal?: AbortSignal | undefined
  /** The time limit of each grader, as in the run's option of the same name. */
  readonly gradeTimeoutMs?: number | undefined
  /** How many answers are graded at the same time. */
  readonly parallelism?: number | undefined
}

/** Returns whether all cases of the suite are proven. Prints those that are not. */
export async function prove(
  suite: Suite,
  choice: SandboxChoice,
  output: Pick<Output, 'out' | 'err' | 'colors'>,
  {
    sandboxGraders,
    offlineSetup,
    signal = new AbortController().signal,
    gradeTimeoutMs = RUN_DEFAULTS.gradeTimeoutMs,
    parallelism,
  }: ProveOptions,
): Promise<boolean> {
  const code = await setUpCode([suite], [], choice)
  if (code?.sandbox.name === 'none' || code?.sandbox.name === 'process')
    warn(output, 'the code of this suite runs without a sandbox')
  const workspaces =
    code === null || !needsWorkspaces([suite], [])
      ? null
      : await openWorkspaceStore({
          ...{ sandbox: code.sandbox, keep: null, offlineSetup },
          onFetch: (text) => output.err(`${plain(text)}\n`),
        })
  try {
    const proofs = await proveSuite(suite, {
      sandbox: code?.sandbox ?? null,
      sandboxGraders,
      workspaces,
      gradeTimeoutMs,
      signal,
      ...(parallelism === undefined ? {} : { parallelism }),
    })
    for (const line of linesOf(proofs)) output.out(`${line}\n`)
    return proofs.every(({ answers }) => answers.every(({ holds }) => holds))
  } finally {
    await closeGraders()
    await workspaces?.close()
    await code?.sandbox.close()
  }
}

function linesOf(proofs: readonly CaseProof[]): string[] {
  const lines: string[] = []
  for (const { case: id, answers } of proofs)
    for (const { answer, holds, score, reason, grades, isGraded } of answers)
      if (!holds)
        lines.push(`  ${plain(id)}: ${failureOf({ answer, score, isGraded }, plain(reason))}`)
      else if (answer === 'reference' && warningsOf(grades) > 0)
        lines.push(
          `  ${plain(id)}: the reference passes with ${counted(warningsOf(grades), 'lint warning')}: ${plain(reason)}`,
        )
  const references = proofs.flatMap(({ answers }) =>
    answers.filter(({ answer }) => answer === 'reference'),
  )
  const faulty = proofs.flatMap(({ answers }) =>
    answers.filter(({ answer }) => typeof answer === 'number'),
  )
  const made = proofs.flatMap(({ answers }) =>
    answers.filter(
      ({ answer }) => typeof answer === 'string' && answer !== 'reference' && answer !== 'start',
    ),
  )
  const allStarts = proofs.flatMap(({ answers }) =>
    answers.filter(({ answer }) => answer === 'start'),
  )
  const starts = allStarts.filter(({ isGraded }) => isGraded)
  const right = (list: typeof faulty): number => list.filter(({ holds }) => holds).length
  // Some graders, such as text similarity, never give a full score. In that case the references only have to pass.
  const allFull = references.every(({ holds, score }) => !holds || score === null || score === 1)
  lines.push(
    `  ${right(references)} of ${counted(references.length, `reference ${allFull ? 'scores 1' : 'passes'}`, `references ${allFull ? 'score 1' : 'pass'}`)}, ${right(faulty)} of ${counted(faulty.length, 'faulty answer fails', 'faulty answers fail')}`,
  )
  if (starts.length > 0)
    lines.push(
      `  doing nothing passes ${starts.filter(({ passed }) => passed).length} of ${counted(starts.length, 'case')} with a workspace${right(starts) === starts.length ? '' : `; ${starts.length - right(starts)} of them do not begin as their tests say`}`,
    )
  if (starts.length < allStarts.length)
    lines.push(
      `  ${counted(allStarts.length - starts.length, 'case')} with a workspace could not be graded where nothing was done`,
    )
  if (made.length > 0)
    lines.push(
      `  ${right(made)} of ${counted(made.length, 'faulty answer')} that Assay made itself fail`,
    )
  const beside = proofs.filter(({ integrity }) => integrity === 'in-process')
  const apart = proofs.filter(({ integrity }) => integrity === 'isolated')
  if (apart.length > 0)
    lines.push(
      `  integrity isolated: ${counted(apart.length, 'case')}, tests in another process than the code`,
    )
  if (beside.length > 0)
    lines.push(
      `  integrity in-process: ${counted(beside.length, 'case')}, tests in the process of the code${apart.length > 0 ? `: ${beside.map((one) => plain(one.case)).join(', ')}` : ''}`,
    )
  const unproven = proofs.filter(({ lacks }) => lacks.some((one) => one !== 'grader'))
  if (unproven.length > 0)
    lines.push(
      `  ${counted(unproven.length, 'case')} without a reference or a faulty answer: ${named(unproven)}`,
    )
  const ungraded = proofs.filter(
    ({ lacks }) => lacks.every((one) => one === 'grader') && lacks.length > 0,
  )
  if (ungraded.length > 0)
    lines.push(
      `  ${counted(ungraded.length, 'case')} without a grader, or with judges alone, who are not asked here: ${named(ungraded)}`,
    )
  return lines
}

/** Descriptions of the faulty answers that Assay itself generates. */
const MADE: Readonly<Record<OwnFaulty['name'], string>> = {
  empty: 'an empty program',
  'returns nothing': 'a program that returns nothing',
  constant: 'a program that returns a constant',
  exception: 'a program that only throws',
}

function failureOf(
  { answer, score, isGraded }: Pick<AnswerProof, 'answer' | 'score' | 'isGraded'>,
  reason: string,
): string {
  if (answer === 'reference')
    return `the reference ${score === null ? 'could not be graded' : `scores ${score}`}: ${reason}`
  if (answer === 'start')
    return isGraded
      ? `where nothing was done, ${reason}`
      : `could not be graded where nothing was done: ${reason}`
  if (typeof answer === 'string') return `${MADE[answer]} passes`
  return `faulty answer ${answer} ${score === null ? `could not be graded: ${reason}` : 'passes'}`
}

function warningsOf(grades: readonly Grade[]): number {
  const facts = grades.find(isCodeGrade)?.facts as { warnings?: number } | undefined
  return facts?.warnings ?? 0
}

const MOST_NAMED = 5

function named(proofs: readonly CaseProof[]): string {
  const names = proofs.slice(0, MOST_NAMED).map((one) => plain(one.case))
  return names.join(', ') + (proofs.length > names.length ? ', …' : '')
}
