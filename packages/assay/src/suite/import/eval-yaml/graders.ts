/**
 * Translates one grader of an eval YAML file into Assay's equivalent grader. The grader keeps its name, because the
 * file assigns weights by name. Types with `-not-` in their name and the option `negate` are supported too. A grader
 * without an equivalent is left out and listed in a warning.
 */
import { z } from 'zod'
import type { GraderConfig, Json } from '@assay/contract'
import { check, type Notes, quote, type Path } from '../../../documents/index.ts'
import { COUNTERPARTS } from './counterparts.ts'
import type { JudgeDefaults } from './judges.ts'
import type { SuiteGrader } from '../../native/suite-grader.ts'

const graderSchema = z.looseObject({
  type: z.string().min(1),
  name: z.string().min(1).optional(),
  negate: z.boolean().optional(),
  config: z.looseObject({}).optional(),
})

export interface Counterpart {
  /** The grader's name in the file. The file assigns weights by this name. */
  readonly name: string
  readonly type: string
  readonly config: Omit<GraderConfig, 'weight' | 'name'>
}

/** For some types of grader: an explanation for the user why the type has no equivalent. */
const LACKS: Readonly<Record<string, string>> = {
  'custom-metrics':
    'the figures come from the program that the file was written for. Write the check as a program or custom grader in a suite of Assay’s own format',
  program:
    'a program runs with your rights: write it as a program grader in a suite of Assay’s own format',
}

/** Returns the equivalent grader. Returns null if there is none. The reason is then noted. */
export function graderCounterpart(
  item: unknown,
  path: Path,
  graders: readonly SuiteGrader[],
  notes: Notes,
  judging: JudgeDefaults,
): Counterpart | null {
  const given = check(graderSchema, item, notes, { path })
  if (given === undefined) return null
  for (const key of Object.keys(given))
    if (!Object.hasOwn(graderSchema.shape, key)) notes.unread([...path, key])
  const positive = given.type.replace('-not-', '-')
  const translate = Object.hasOwn(COUNTERPARTS, positive) ? COUNTERPARTS[positive] : undefined
  if (translate === undefined) {
    notes.unread(path, leftOut(given.type, positive))
    return null
  }
  const twin = translate(given.config ?? {}, [...path, 'config'], notes, judging)
  if (twin === null) return null
  const grader = graders.find(({ type }) => type === twin.type)
  if (grader === undefined) {
    notes.unread(path, leftOut(given.type, positive))
    return null
  }
  const options = check(grader.options, twin.options, notes, { path: [...path, 'config'] })
  if (options === undefined) return null
  const negate = (positive !== given.type) !== (given.negate ?? twin.negate)
  return {
    name: given.name ?? given.type,
    type: given.type,
    config: { type: grader.type, required: false, negate, options: options as Json },
  }
}

const leftOut = (type: string, positive: string): string =>
  `(${quote(type)}) is left out: ${LACKS[positive] ?? 'the grader is not available'}`
