/** Finds what the tests of a case need from its solution: the name of its module, and the names it must define. */
import type { Case } from '@assay/contract'
import type { ImportedModule, Language } from '../language.ts'

export type TestedCase = Pick<
  Case,
  'entryPoint' | 'expectations' | 'files' | 'dependencies' | 'id' | 'module' | 'reference' | 'tests'
>

export interface Needs {
  /** Names that the solution must define. Each entry lists alternatives: the solution must define one of them. */
  readonly wanted: readonly (readonly string[])[]
  /** Names that the tests use but do not define. Some of them may be defined by the solution. */
  readonly mentioned: ReadonlySet<string>
}

/** Caches the result of `read` for each case, because it is the same for all answers of a case. */
export function perCase<T, One extends TestedCase = TestedCase>(
  read: (one: One, language: Language) => T,
): (one: One, language: Language) => T {
  const known = new WeakMap<One, Map<Language, T>>()
  return (one, language) => {
    const found = known.get(one) ?? new Map<Language, T>()
    known.set(one, found)
    if (!found.has(language)) found.set(language, read(one, language))
    return found.get(language) as T
  }
}

export const needsOf = perCase((one, language): Needs => {
  const wanted: (readonly string[])[] = []
  const { expectations, entryPoint, tests } = one
  if (entryPoint !== null) wanted.push([entryPoint.split('.', 1)[0] ?? entryPoint])
  for (const name of [...(expectations?.functions ?? []), ...(expectations?.types ?? [])])
    wanted.push([name])
  if (tests === null) return { wanted, mentioned: new Set() }
  const module = solutionModule(one, language)
  for (const imported of candidates(one, language))
    if (module === null || imported.name === module) wanted.push(...imported.names)
  return { wanted, mentioned: language.source.mentioned(tests) }
})

/**
 * Returns the name that the tests use for the solution's module. The case may set this name. Otherwise, the name
 * comes from the modules that could be the solution (`candidates`). These rules apply in order: the only candidate,
 * the one called `solution`, the one named like the case, the only one from which the tests import a name that the
 * reference defines. Null if none of these applies.
 */
export const solutionModule = perCase((one, language): string | null => {
  if (one.module !== null) return one.module
  const found = candidates(one, language)
  const names = [...new Set(found.map(({ name }) => name))]
  if (names.length <= 1) return names[0] ?? null
  if (names.includes('solution')) return 'solution'
  const likely = [
    names.filter((name) => isSameName(name, one.id)),
    definers(found, one, language),
  ].find((list) => list.length === 1)
  return likely?.[0] ?? null
})

/**
 * Returns the imported modules that could be the solution: those that neither the case's files nor its dependencies
 * provide.
 */
export const candidates = perCase((one, language): readonly ImportedModule[] => {
  if (one.tests === null) return []
  const provided = new Set([
    ...Object.keys(one.files).map((path) => language.source.moduleOf(path)),
    ...one.dependencies.map(({ name }) => language.source.moduleOf(name)),
  ])
  return language.source
    .imports(one.tests)
    .filter(({ name }) => !provided.has(name) && !provided.has(name.split('.', 1)[0] ?? name))
})

const isSameName = (name: string, id: string): boolean => {
  const plain = (text: string): string => text.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, '')
  return plain(name.split('.').at(-1) ?? name) === plain(id.split(/[/:]/).at(-1) ?? id)
}

/** Returns the modules from which the tests import a name that the reference defines. */
function definers(
  found: readonly ImportedModule[],
  { reference }: TestedCase,
  language: Language,
): string[] {
  if (reference === null) return []
  const defined = new Set(language.source.defined(reference).map(({ name }) => name))
  const defining = found.filter(({ names }) =>
    names.some((alternatives) => alternatives.some((name) => defined.has(name))),
  )
  return [...new Set(defining.map(({ name }) => name))]
}
