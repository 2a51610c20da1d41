/** Finds the cases that have graders which are programs of the suite. Tells whether these graders run in a sandbox. */
import { eachGrader, type Case } from '@assay/contract'
import type { GraderContext } from '../grader.ts'
import { graderByType } from '../graders.ts'
import { isSandboxed } from './sandbox-option.ts'

type Context = Pick<GraderContext, 'sandboxGraders'>

const programsOf = ({ graders }: Pick<Case, 'graders'>) =>
  eachGrader(graders).filter(({ type }) => graderByType(type)?.runsAsUser === true)

const isIn = (options: unknown, context: Context): boolean =>
  isSandboxed(options as { readonly sandbox?: boolean }, context)

export const hasSandboxedGrader = (one: Pick<Case, 'graders'>, context: Context): boolean =>
  programsOf(one).some(({ options }) => isIn(options, context))

/** Whether a grader of the case runs with the user's permissions, outside of a sandbox. */
export const runsUnsandboxed = (one: Pick<Case, 'graders'>, context: Context): boolean =>
  programsOf(one).some(({ options }) => !isIn(options, context))
