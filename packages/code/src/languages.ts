/** All languages. To add one, create a folder with the same structure as the existing ones and an entry here. */
import type { Language } from './language.ts'
import { python } from './languages/python/python.ts'
import { rust } from './languages/rust/rust.ts'
import { javascript, typescript } from './languages/typescript/typescript.ts'

export const languages: readonly Language[] = [typescript, javascript, python, rust]

const byName = new Map(languages.map((language) => [language.name, language]))

export const languageByName = (name: string): Language | undefined => byName.get(name)

/** The subfolders of `vendor` in which packages are looked up, one per language. */
export const vendorFolders: ReadonlySet<string> = new Set(
  languages.map(({ vendorFolder }) => vendorFolder),
)

export const gradableLanguages = (): string[] => [...byName.keys()]

/** True if Assay can grade code of this language. Its toolchain must still be installed. */
export const canGrade = (name: string | null): boolean => name !== null && byName.has(name)
