/**
 * Faulty answers that Assay makes itself, to see whether a case can tell: an empty program, and programs that define
 * what the tests need and do nothing with it. Tests that one of them passes test nothing.
 */
import { isCodeGrade, type Case } from '@assay/contract'
import { needsOf } from './extract/needs.ts'
import type { Definition, Language } from './language.ts'
import { languageByName } from './languages.ts'
import { expectationsOf } from './score.ts'

/** What a faulty program does where it is called. */
export type Deed = 'returns nothing' | 'constant' | 'exception'

export interface OwnFaulty {
  readonly name: 'empty' | Deed
  /** As a model would answer. */
  readonly answer: string
}

const DEEDS: readonly Deed[] = ['returns nothing', 'constant', 'exception']

/** None for cases that are not about passing tests. */
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

/** What the solution must define: as the tests name it, and of the kind that the reference has. */
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
