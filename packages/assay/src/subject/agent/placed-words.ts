/**
 * Finds the files that the arguments of a command name, so that the sandbox shows them. An argument that begins with ./
 * or ../ and names a file or folder is relative to the folder in which the subject is defined. It is made absolute. The
 * sandbox also shows a file whose absolute path is an argument, and a program whose absolute path is part of one, as in
 * `sh -c "/opt/tool x"`. Such arguments, and all others, are passed unchanged.
 */
import { existsSync, realpathSync, statSync } from 'node:fs'
import { isAbsolute, resolve } from 'node:path'
import { UsageError } from '@assay/contract'
import { isProgram } from '@assay/sandbox'
import type { McpServer } from './agent-kind.ts'
import { findAgent } from './find-agent.ts'

export interface PlacedWords {
  readonly words: readonly string[]
  /** Files and folders that the program must be able to read. */
  readonly reads: readonly string[]
}

export function placedWords(words: readonly string[], folder: string): PlacedWords {
  const placed = words.map((word) => placeOf(word, folder) ?? word)
  return {
    words: placed,
    reads: [
      ...new Set([
        ...words.flatMap((word) => withReal(placeOf(word, folder))),
        ...words.flatMap(namedFiles),
      ]),
    ],
  }
}

/**
 * Returns the absolute path that an argument with ./ or ../ names. Returns null for other arguments, and if nothing
 * exists at the path.
 */
export function placeOf(word: string, folder: string): string | null {
  if (!/^\.\.?\//u.test(word)) return null
  const path = resolve(folder, word)
  return existsSync(path) ? path : null
}

const withReal = (path: string | null): string[] =>
  path === null ? [] : [...new Set([path, realpathSync(path)])]

const PATHS_INSIDE = /(?<=^|[\s'"=;|&(])\/[^\s'"=;|&()<>$`*?]+/gu

function namedFiles(word: string): string[] {
  if (isAbsolute(word) && isFile(word)) return [...withReal(word), ...partsOf(word)]
  return (word.match(PATHS_INSIDE) ?? []).flatMap((path) =>
    isFile(path) && isProgram(path) ? [...withReal(path), ...partsOf(path)] : [],
  )
}

const isFile = (path: string): boolean => {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false
  } catch {
    return false
  }
}

/** Returns the files that a program needs in addition to its own file. */
function partsOf(path: string): readonly string[] {
  if (!isProgram(path)) return []
  try {
    return findAgent({ id: path, program: path }).reads
  } catch (error) {
    if (error instanceof UsageError) return []
    throw error
  }
}

export interface PlacedServers {
  readonly servers: Readonly<Record<string, McpServer>>
  readonly reads: readonly string[]
}

/**
 * Finds the programs and files of MCP servers. A program that is not found is no error, because it may be in the
 * workspace.
 */
export function placedServers(
  given: Readonly<Record<string, McpServer>>,
  folder: string,
): PlacedServers {
  const reads: string[] = []
  const entries = Object.entries(given).map(([name, server]): [string, McpServer] => {
    if ('url' in server) return [name, server]
    const args = placedWords(server.args, folder)
    const found = programOf(name, placeOf(server.command, folder) ?? server.command)
    reads.push(...args.reads, ...found.reads)
    const [command = server.command, ...before] = found.words
    return [name, { command, args: [...before, ...args.words], env: server.env }]
  })
  return { servers: Object.fromEntries(entries), reads }
}

function programOf(id: string, program: string): PlacedWords {
  try {
    const { argv, reads } = findAgent({ id, program })
    return { words: argv, reads }
  } catch (error) {
    if (error instanceof UsageError) return { words: [program], reads: [] }
    throw error
  }
}
