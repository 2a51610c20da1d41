/** The settings from which the subjects of a run are created, on this machine and on workers. */
import type { Subject } from '@assay/contract'
import type { Job } from '../../run/index.ts'
import { promptedName } from '../../suite/index.ts'

/** Everything that is needed to create the subjects of a run. */
export interface SubjectRecipe {
  readonly named: Readonly<Record<string, unknown>>
  readonly providers: Readonly<Record<string, unknown>>
  readonly parameters: Readonly<Record<string, unknown>>
  readonly defaults: Readonly<Record<string, unknown>>
  /** The text of the price file. Null if there is none. */
  readonly prices: string | null
  /** The names of the subjects as the user wrote them. Default: the ids of the plan's subjects. */
  readonly subjects?: readonly string[]
  /** The folder to which paths of named subjects are relative. Default: the project. */
  readonly folder?: string
}

/** Returns the name from which a subject is created, or null for a function of a suite. */
export function madeFrom({ id, kind }: Subject, { subjects = [] }: SubjectRecipe): string | null {
  if (kind === 'function') return null
  return subjects.find((one) => id === one || id.startsWith(promptedName(one, ''))) ?? id
}

/** Returns the settings of those named subjects that the run uses. The settings of other subjects are not sent. */
export function usedNames(
  { plan, judges }: Pick<Job, 'plan' | 'judges'>,
  recipe: SubjectRecipe,
): Record<string, unknown> {
  const used = new Set([...plan.subjects, ...judges].map((one) => madeFrom(one, recipe)))
  return Object.fromEntries(Object.entries(recipe.named).filter(([name]) => used.has(name)))
}
