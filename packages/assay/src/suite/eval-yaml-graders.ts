/**
 * The eval YAML's graders of the answer's text and their twins here: `output-contains` and
 * `output-matches`, each also in its `-not-` form or with `negate`.
 */
import { z } from 'zod'
import type { GraderConfig, Json } from '../contract.ts'
import { check } from './check.ts'
import type { SuiteGrader } from './grading.ts'
import type { Notes } from './notes.ts'
import { quote } from './problem.ts'
import type { Path } from './problem.ts'
import { noteUnread } from './unread.ts'

const graderSchema = z.looseObject({
  type: z.string().min(1),
  name: z.string().min(1).optional(),
  negate: z.boolean().optional(),
  config: z.looseObject({}).optional(),
})

const containsSchema = z
  .looseObject({
    substring: z.string().min(1).optional(),
    value: z.string().min(1).optional(),
    case_sensitive: z.boolean().optional(),
    negate: z.boolean().optional(),
  })
  .refine(
    ({ substring, value }) => substring !== undefined || value !== undefined,
    'a table with substring',
  )

const matchesSchema = z.looseObject({
  pattern: z.string().min(1),
  negate: z.boolean().optional(),
})

export interface Twin {
  /** As the file calls it, by which weights are given. */
  readonly name: string
  readonly type: string
  readonly config: Omit<GraderConfig, 'weight' | 'name'>
}

/** The grader here that does the same, or null after noting why there is none. */
export function graderTwin(
  item: unknown,
  path: Path,
  graders: readonly SuiteGrader[],
  notes: Notes,
): Twin | null {
  const given = check(graderSchema, item, notes, { path })
  if (given === undefined) return null
  for (const key of Object.keys(given))
    if (!Object.hasOwn(graderSchema.shape, key)) notes.unread([...path, key])
  const positive = given.type.replace('-not-', '-')
  const twin = translate(positive, given.config ?? {}, [...path, 'config'], notes)
  if (twin === 'wrong') return null
  const grader = graders.find(({ type }) => type === twin?.type)
  if (twin === null || grader === undefined) {
    notes.unread(path, `(${quote(given.type)}) is left out: the grader is not available`)
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

interface Translation {
  readonly type: string
  readonly options: Json
  readonly negate: boolean
}

function translate(
  type: string,
  config: unknown,
  path: Path,
  notes: Notes,
): Translation | 'wrong' | null {
  switch (type) {
    case 'output-contains': {
      const given = check(containsSchema, config, notes, { path })
      if (given === undefined) return 'wrong'
      noteUnread(containsSchema, config, path, notes)
      const value = given.substring ?? given.value ?? ''
      // The origin ignores case unless told otherwise.
      const ignoreCase = !(given.case_sensitive ?? false)
      return { type: 'contains', options: { value, ignoreCase }, negate: given.negate ?? false }
    }
    case 'output-matches': {
      const given = check(matchesSchema, config, notes, { path })
      if (given === undefined) return 'wrong'
      noteUnread(matchesSchema, config, path, notes)
      return { type: 'matches', options: withFlags(given.pattern), negate: given.negate ?? false }
    }
    default:
      return null
  }
}

/** The origin's leading `(?ims)` as flags, which is how JavaScript takes them. */
function withFlags(pattern: string): { pattern: string; flags: string } {
  const [all = '', letters = ''] = /^\(\?([ims]+)\)/.exec(pattern) ?? []
  return { pattern: pattern.slice(all.length), flags: [...new Set(letters)].join('') }
}
