/**
 * Decides which cases are graded as code. A case with hidden tests, calls or expectations gets the `code` grader if
 * Assay can run its language. The suite need not list this grader.
 */
import { canGrade, codeDefaults, gradableLanguages, languageByName } from '@assay/code'
import { CODE_GRADER, type GraderConfig, isCodeGrade } from '@assay/contract'
import type { CaseContent } from './case-content.ts'
import type { GraderEntry } from './grading.ts'
import { type Notes, type Path, quote } from '../../documents/index.ts'

type Coded = Pick<CaseContent, 'language' | 'tests' | 'calls' | 'expectations'>

const isCoded = ({ tests, calls, expectations }: Coded): boolean =>
  tests !== null || calls.length > 0 || expectations !== null

/** Whether the case would be graded as code, but Assay cannot run its language. */
export const isUngradable = (one: Coded): boolean => isCoded(one) && !canGrade(one.language)

const config = (): Omit<GraderConfig, 'weight'> => ({
  type: CODE_GRADER,
  name: CODE_GRADER,
  required: false,
  negate: false,
  options: codeDefaults(),
})

/** Adds the code grader to a case. This is for file formats in which a case cannot list graders. */
export function withCodeGrader(content: CaseContent): CaseContent {
  if (!isCoded(content) || !canGrade(content.language)) return content
  return { ...content, graders: [...content.graders, { ...config(), weight: 1 }] }
}

/**
 * Returns the graders of a case. Adds the grader `code` if the case has tests, calls or expectations that this
 * grader can check.
 */
export function codeEntries(entries: readonly GraderEntry[], one: Coded): readonly GraderEntry[] {
  if (!isCoded(one) || !canGrade(one.language)) return entries
  if (entries.some((entry) => isCodeGrade(entry.config))) return entries
  return [...entries, { config: config(), weight: null, decides: true }]
}

/** Notes a problem if the case has a code grader that could never grade it. */
export function checkCode(
  entries: readonly GraderEntry[],
  one: Coded & Pick<CaseContent, 'entryPoint'>,
  path: Path,
  notes: Notes,
): void {
  if (one.calls.length > 0 && one.tests !== null)
    notes.problem([...path, 'calls'], {
      at: 'key',
      found: 'tests and calls',
      expected: 'either tests or calls',
    })
  if (one.calls.length > 0 && one.entryPoint === null)
    notes.problem([...path, 'calls'], {
      at: 'key',
      found: 'calls without entryPoint',
      expected: 'entryPoint, the function that is called',
    })
  const callsFault = languageByName(one.language ?? '')?.callsFault ?? null
  if (one.calls.length > 0 && callsFault !== null)
    notes.problem([...path, 'calls'], { at: 'key', ...callsFault })
  if (!entries.some((entry) => isCodeGrade(entry.config)) || canGrade(one.language)) return
  notes.problem(path, {
    found: one.language === null ? 'no language' : `the language ${quote(one.language)}`,
    expected: `one of ${gradableLanguages().join(', ')} for the code grader`,
  })
}

const LANGUAGE_KEYS = ['allowUnsafe', 'edition', 'format', 'includeIgnored'] as const

/**
 * Notes a problem for keys of a case that are not valid for its language. Such keys are allowed in the defaults of a
 * suite, because they may apply to other cases.
 */
export function checkLanguageKeys(
  given: Readonly<Partial<Record<(typeof LANGUAGE_KEYS)[number], unknown>>>,
  language: string | null,
  path: Path,
  notes: Notes,
): void {
  const known = languageByName(language ?? '')?.caseKeys
  if (known === undefined) return
  for (const key of LANGUAGE_KEYS)
    if (given[key] !== undefined && !known.includes(key))
      notes.problem([...path, key], {
        at: 'key',
        found: `${key} in a case of ${language}`,
        expected: 'a case of another language, or no such key',
      })
}
