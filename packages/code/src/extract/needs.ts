/** What the tests of a case need from its solution: its module's name, and names that it must define. */
import type { Case } from '@assay/contract'
import type { ImportedModule, Language } from '../language.ts'

export type TestedCase = Pick<
  Case,
  'entryPoint' | 'expectations' | 'files' | 'dependencies' | 'id' | 'module' | 'reference' | 'tests'
>

export interface Needs {
  /** Names that the solution must define; of each entry, one suffices. */
  readonly wanted: readonly (readonly string[])[]
  /** Names in the tests that the tests do not define: some of them may be the solution's. */
  readonly mentioned: ReadonlySet<string>
}

export function needsOf(one: TestedCase, language: Language): Needs {
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
}

/**
 * What the tests call the solution's module: as the case says, or the only module that they import and nobody
 * else provides. Null where the tests import none, or several that could be it.
 */
export function solutionModule(one: TestedCase, language: Language): string | null {
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
}

/** Modules that could be the solution. */
export function candidates(one: TestedCase, language: Language): readonly ImportedModule[] {
  if (one.tests === null) return []
  const provided = new Set([
    ...Object.keys(one.files).map((path) => language.source.moduleOf(path)),
    ...one.dependencies.map(({ name }) => language.source.moduleOf(name)),
  ])
  return language.source
    .imports(one.tests)
    .filter(({ name }) => !provided.has(name) && !provided.has(name.split('.', 1)[0] ?? name))
}

const isSameName = (name: string, id: string): boolean => {
  const plain = (text: string): string => text.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, '')
  return plain(name.split('.').at(-1) ?? name) === plain(id.split(/[/:]/).at(-1) ?? id)
}

/** Modules from which the tests take names that the reference defines. */
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
