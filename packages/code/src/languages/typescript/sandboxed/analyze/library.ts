/**
 * Joins TypeScript's own declarations (`lib.*.d.ts`) into one file. There are eighty files, and many declare parts of
 * the same types. The checker would merge them again for each solution, which is a quarter of its work. The package
 * build joins them in advance and removes the comments, which are two thirds of the text.
 */
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { BUILT_LIBRARY, readBuilt } from '../built-for.ts'
import { parse } from './syntax.ts'

/** The name of TypeScript's library of declarations with which solutions are checked. */
export const LIBRARY = 'esnext'

export interface Library {
  /** The version of TypeScript that the declarations belong to. */
  readonly version: string
  /** The names of the files that were joined. */
  readonly names: readonly string[]
  readonly text: string
}

const REFERENCE = /^\/\/\/ <reference lib="([\w.]+)" \/>\s*$/gm

const fileIn = (folder: string, name: string): string => join(folder, `lib.${name}.d.ts`)

const versionIn = (folder: string): string =>
  (
    JSON.parse(readFileSync(join(dirname(folder), 'package.json'), 'utf8')) as {
      readonly version: string
    }
  ).version

/** Joins the declarations in the folder. A file that is a module cannot be joined, so the result only refers to it. */
export function joinLibrary(folder: string): Library {
  const names: string[] = []
  const kept: string[] = []
  const add = (name: string): string => {
    if (names.includes(name) || kept.includes(name)) return ''
    const text = readFileSync(fileIn(folder, name), 'utf8')
    if (/^export\b/m.test(text)) {
      kept.push(name)
      return ''
    }
    names.push(name)
    const before = [...text.matchAll(REFERENCE)].map(([, other = '']) => add(other))
    return [...before, text.replaceAll(REFERENCE, '')].join('\n')
  }
  const text = add(LIBRARY)
  const references = kept.map((name) => `/// <reference lib="${name}" />`)
  return { version: versionIn(folder), names, text: [...references, text].join('\n') }
}

/** Removes all comments except references to other files. Also removes the lines that are empty afterwards. */
export function withoutComments(text: string): string {
  const pieces: string[] = []
  let from = 0
  for (const { start, end } of parse('library.d.ts', text).comments) {
    if (text.startsWith('/// <reference', start)) continue
    pieces.push(text.slice(from, start))
    from = end
  }
  return [...pieces, text.slice(from)].join('').replaceAll(/^[ \t]*\r?\n/gm, '')
}

/**
 * Returns the text of each file of the library. One file contains all declarations. The other joined files are empty.
 * They still exist because a source may reference one by name.
 */
export function libraryOf(folder: string): Map<string, string> {
  const { names, text } = builtFor(versionIn(folder)) ?? joinLibrary(folder)
  const files = new Map(names.map((name) => [fileIn(folder, name), '']))
  return files.set(fileIn(folder, LIBRARY), text)
}

/** Returns the library that the package build joined, if it is for this version of TypeScript. */
function builtFor(version: string): Library | null {
  const text = readBuilt(BUILT_LIBRARY)
  if (text === null) return null
  const built = JSON.parse(text) as Library
  return built.version === version ? built : null
}
