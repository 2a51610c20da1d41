/** All languages. A new one is a folder of the same shape and an entry here. */
import type { Language } from './language.ts'
import { python } from './languages/python/python.ts'
import { rust } from './languages/rust/rust.ts'
import { javascript, typescript } from './languages/typescript/typescript.ts'

export const languages: readonly Language[] = [typescript, javascript, python, rust]

const byName = new Map(languages.map((language) => [language.name, language]))

export const languageByName = (name: string): Language | undefined => byName.get(name)

/** The folders in `vendor` that packages are looked for in. */
export const vendorFolders: ReadonlySet<string> = new Set(
  languages.map(({ vendorFolder }) => vendorFolder),
)

export const gradableLanguages = (): string[] => [...byName.keys()]

/** Whether code of this language can be graded here, its toolchain provided. */
export const canGrade = (name: string | null): boolean => name !== null && byName.has(name)
