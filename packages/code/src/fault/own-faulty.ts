/**
 * Faulty answers that Assay generates to check that a case fails them: an empty program, and programs that define the
 * names that the tests need but do nothing useful. If one of them passes, the tests check nothing.
 */
import { isCodeGrade, type Case } from '@assay/contract'
import { needsOf } from '../extract/needs.ts'
import type { Definition, Language } from '../language.ts'
import { languageByName } from '../languages.ts'
import { expectationsOf } from '../score.ts'

/** What the functions of a faulty program do when they are called. */
export type Deed = 'returns nothing' | 'constant' | 'exception'

export interface OwnFaulty {
  readonly name: 'empty' | Deed
  /** The faulty program as the text of an answer, as a model would write it. */
  readonly answer: string
}

const DEEDS: readonly Deed[] = ['returns nothing', 'constant', 'exception']

/** Returns the faulty answers for a case; none if the case does not require passing tests. */
export function ownFaulty(one: Case): OwnFaulty[] {
  const language = languageByName(one.language ?? '')
  const { shouldCompile, shouldPassTests } = expectationsOf(one)
  const isTested = one.calls.length > 0 || (one.tests ?? '').trim() !== ''
  if (language === undefined || !one.graders.some(isCodeGrade)) return []
  if (!shouldCompile || !shouldPassTests || !isTested) return []
  const definitions = neededBy(one, language)
  const answer = (source: string): string => `\`\`\`${language.fences[0]}\n${source}\n\`\`\`\n`
  const made = DEEDS.flatMap((name) => {
    const source = language.faulty(name, definitions, one.reference)
    return source === null ? [] : [{ name, answer: answer(source) }]
  })
  return [{ name: 'empty', answer: answer(language.faulty('empty', [], null) ?? '') }, ...made]
}

/**
 * Returns the definitions that a solution needs: the names that the tests use, each with its kind from the reference.
 */
function neededBy(one: Case, language: Language): Definition[] {
  const { wanted, mentioned } = needsOf(one, language)
  const defined = one.reference === null ? [] : language.source.defined(one.reference)
  const kinds = new Map(defined.map(({ name, kind }) => [name, kind]))
  const types = new Set(expectationsOf(one).types)
  const names = new Set([
    ...wanted.map(([first = '']) => first),
    ...defined.map(({ name }) => name).filter((name) => mentioned.has(name)),
  ])
  return [...names]
    .filter((name) => name !== '' && name !== '*')
    .map((name) => ({ name, kind: kinds.get(name) ?? (types.has(name) ? 'type' : 'function') }))
}
