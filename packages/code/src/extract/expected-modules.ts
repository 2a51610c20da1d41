/**
 * Finds the modules that an answer is expected to provide. Tests may import further modules, such as helpers. If the
 * case does not provide these, the tests are at fault. Only the case decides this, never an answer: otherwise an
 * answer could leave out a file, and its trial would be errored instead of failed.
 */
import type { Case } from '@assay/contract'
import type { ImportedModule } from '../language.ts'
import { extractCode, type ExtractedCase } from './extract.ts'
import { candidates, perCase, solutionModule } from './needs.ts'

export type ExpectingCase = ExtractedCase & Pick<Case, 'workspace' | 'system' | 'examples'>

/**
 * Returns the names of the modules that an answer is expected to provide. With a reference, these are the solution's
 * module, the files of the reference, and the modules from which the tests import what the reference defines. Without
 * one, they are the solution's module and the modules that the prompt names. Null if the case does not tell.
 */
export const expectedModules = perCase(
  (one: ExpectingCase, language): ReadonlySet<string> | null => {
    // An agent may provide any file of its workspace.
    if (one.tests === null || one.workspace !== null) return null
    const module = solutionModule(one, language)
    const moduleOf = (path: string): string => language.source.moduleOf(path)
    const own = module === null ? [] : [module, moduleOf(module)]
    const others = candidates(one, language).filter(({ name }) => name !== module)
    // Most tests import one module, and most references are one file. Then the reference need not be read.
    if (module !== null && others.length === 0 && !/```|~~~/.test(one.reference ?? ''))
      return new Set(own)
    const reference = one.reference === null ? null : extractCode(one.reference, {}, one, language)
    if (reference === null)
      return module === null
        ? null
        : new Set([...own, ...others.filter((other) => isNamed(other.name, one)).map(nameOf)])
    const sources = Object.values(reference.files)
    const defined = new Set(
      sources.flatMap((source) => language.source.defined(source).map(({ name }) => name)),
    )
    const defining = others.filter((other) => definesSome(defined, other)).map(nameOf)
    if (module === null && defining.length === 0) return null
    return new Set([...own, ...defining, ...Object.keys(reference.files).map(moduleOf)])
  },
)

const nameOf = ({ name }: ImportedModule): string => name

/** A default import tells nothing: the solution's own default export has the same name. */
const definesSome = (defined: ReadonlySet<string>, { names }: ImportedModule): boolean =>
  names.some((alternatives) => alternatives.some((name) => name !== 'default' && defined.has(name)))

/** True if the prompt names this module: as a path, in quotes, with an extension, or as a module. */
function isNamed(module: string, { turns, system = '', examples = [] }: ExpectingCase): boolean {
  const name = (module.split(/[./]/).at(-1) ?? module).replaceAll(/[$()*+?[\\\]^{|}]/gu, '\\$&')
  const word = String.raw`(?<![\p{L}\p{N}_])${name}(?![\p{L}\p{N}_])`
  const file = '(?:file|module|crate|package)'
  const forms = [
    `["'\x60/*]${word}`,
    String.raw`${word}\.(?:[cm]?[jt]sx?|json|py|rs)\b`,
    String.raw`\b${file}s?\s+${word}`,
    String.raw`${word}\s+${file}\b`,
  ]
  const prompt = [system, ...examples.map(({ content }) => content), ...turns].join('\n')
  return new RegExp(forms.join('|'), 'iu').test(prompt)
}
