/**
 * Reads the parts of a stimulus (a case in an eval YAML file) that are for its judges. `rubric` is a list of
 * sentences that a judge marks as met or not met. `golden_patch` is a patch that solves the stimulus, which judges
 * see.
 */
import { z } from 'zod'
import { JUDGE_GRADER, type Json } from '@assay/contract'
import { check, type Notes, type Path, quote } from '../../../documents/index.ts'
import type { GraderEntry } from '../../native/grading.ts'
import type { Reading } from '../../native/native.ts'
import { evalYamlRubric, isFindable, rubricOptions, type JudgeDefaults } from './judges.ts'

export const goldenPatchSchema = z
  .looseObject({ path: z.string().min(1).optional(), inline: z.string().min(1).optional() })
  .refine(
    ({ path, inline }) => (path === undefined) !== (inline === undefined),
    'a table with either path or inline',
  )

/** The limit on the patch. A judge sees the patch in its instructions, and these have a limit too. */
const MOST_PATCH = 19_000

/**
 * Returns the text of the patch. Returns null if there is no patch, or if it cannot be used. In the second case the
 * reason is noted.
 */
export async function readPatch(
  given: z.infer<typeof goldenPatchSchema> | undefined,
  at: Path,
  reading: Reading,
  notes: Notes,
): Promise<string | null> {
  if (given === undefined) return null
  const found =
    given.inline === undefined
      ? await reading.beside.text((given.path ?? '').replace(/^(?:\.\/)+/, ''))
      : { text: given.inline }
  if ('refusal' in found) {
    notes.problem([...at, 'path'], found.refusal)
    return null
  }
  if (found.text.length <= MOST_PATCH) return found.text
  notes.unread(at, `is left out: judges see at most ${MOST_PATCH} characters of it`)
  return null
}

const NAME = 'rubric'

interface RubricReading {
  readonly rubric: unknown
  readonly path: Path
  readonly reading: Reading
  readonly notes: Notes
  readonly judging: JudgeDefaults
  /** The weight that the file gives to `rubric`; null if it gives none. */
  readonly weight: number | null
  /** Whether the case has no other grader. */
  readonly alone: boolean
}

/** Returns the judge for the rubric of a stimulus. Returns null if there is no rubric, or no model to judge by it. */
export function rubricGrader({ rubric, path, reading, ...at }: RubricReading): GraderEntry | null {
  const { notes, judging, weight, alone } = at
  if (rubric === undefined) return null
  const given = check(evalYamlRubric, rubric, notes, { path })
  if (given === undefined) return null
  if (judging.model === null) {
    notes.unread(path, 'is left out: defaults.judge_model names no judge')
    return null
  }
  const grader = reading.graders.find(({ type }) => type === JUDGE_GRADER)
  if (grader === undefined) {
    notes.unread(path, 'is left out: the grader is not available')
    return null
  }
  if (!isFindable(judging.model))
    notes.unread(
      path,
      `is judged by ${quote(judging.model)}, which names no provider: --judge says who judges`,
    )
  const options = check(grader.options, rubricOptions(given, judging), notes, { path })
  if (options === undefined) return null
  return {
    config: {
      type: JUDGE_GRADER,
      name: NAME,
      required: false,
      negate: false,
      options: options as Json,
    },
    // The file's own graders decide the score. So the rubric has the weight 0, unless the file sets another weight
    // or there is no other grader.
    weight: weight ?? (alone ? 1 : 0),
    decides: true,
  }
}
