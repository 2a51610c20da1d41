/**
 * Which cases are graded as code, and what cannot be: a case with hidden tests, calls or expectations has
 * the `code` grader whether its suite says so or not, where its language is one that can be run here.
 */
import { canGrade, codeDefaults, gradableLanguages, languageByName } from '@assay/code'
import { CODE_GRADER, type GraderConfig, isCodeGrade } from '@assay/contract'
import type { CaseContent } from './case-content.ts'
import type { GraderEntry } from './grading.ts'
import { type Notes, type Path, quote } from '../../documents/index.ts'

type Coded = Pick<CaseContent, 'language' | 'tests' | 'calls' | 'expectations'>

const isCoded = ({ tests, calls, expectations }: Coded): boolean =>
  tests !== null || calls.length > 0 || expectations !== null

/** Whether nothing but the language stands between the case and its grade. */
export const isUngradable = (one: Coded): boolean => isCoded(one) && !canGrade(one.language)

const config = (): Omit<GraderConfig, 'weight'> => ({
  type: CODE_GRADER,
  name: CODE_GRADER,
  required: false,
  negate: false,
  options: codeDefaults(),
})

/** For formats without graders of their own. */
export function withCodeGrader(content: CaseContent): CaseContent {
  if (!isCoded(content) || !canGrade(content.language)) return content
  return { ...content, graders: [...content.graders, { ...config(), weight: 1 }] }
}

/** The case's graders, with `code` among them where the case has something for it to do. */
export function codeEntries(entries: readonly GraderEntry[], one: Coded): readonly GraderEntry[] {
  if (!isCoded(one) || !canGrade(one.language)) return entries
  if (entries.some((entry) => isCodeGrade(entry.config))) return entries
  return [...entries, { config: config(), weight: null, decides: true }]
}

/** Notes what a code grader could never work with. */
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

const LANGUAGE_KEYS = ['allowUnsafe', 'edition', 'format'] as const

/** Notes keys of a case that its language knows nothing of; those of a suite's defaults are for some of its cases. */
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
