/** How the subjects of a run are made from its settings, on this machine and on workers. */
import type { Subject } from '@assay/contract'
import type { Job } from '../../run/index.ts'
import { promptedName } from '../../suite/index.ts'

/** How the subjects of a run are made, from its settings. */
export interface SubjectRecipe {
  readonly named: Readonly<Record<string, unknown>>
  readonly providers: Readonly<Record<string, unknown>>
  readonly parameters: Readonly<Record<string, unknown>>
  readonly defaults: Readonly<Record<string, unknown>>
  /** The text of the price file. Null if there is none. */
  readonly prices: string | null
  /** The names of the subjects as the user wrote them. Default: those of the plan. */
  readonly subjects?: readonly string[]
  /** The folder to which paths of named subjects are relative. Default: the project. */
  readonly folder?: string
}

/** The name that a subject is made from. */
export function madeFrom({ id, kind }: Subject, { subjects = [] }: SubjectRecipe): string | null {
  if (kind === 'function') return null
  return subjects.find((one) => id === one || id.startsWith(promptedName(one, ''))) ?? id
}

/** The settings of the named subjects that the run uses. Others are not sent. */
export function usedNames(
  { plan, judges }: Pick<Job, 'plan' | 'judges'>,
  recipe: SubjectRecipe,
): Record<string, unknown> {
  const used = new Set([...plan.subjects, ...judges].map((one) => madeFrom(one, recipe)))
  return Object.fromEntries(Object.entries(recipe.named).filter(([name]) => used.has(name)))
}
