/**
 * Reads a corpus of test files that were not written for Assay, in the forms that people publish. Each exercise has
 * a reference solution and three mutants of it. A mutant is made by replacing one text in the reference. The format
 * of the files: a line `=== name style language`, then sections that begin with `--- file` (the solution first, its
 * tests second), and at the end `--- mutants` with lines `old ==> new`.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export interface Exercise {
  readonly name: string
  readonly style: 'jest' | 'vitest' | 'node' | 'mocha'
  readonly language: 'typescript' | 'javascript'
  readonly file: string
  readonly testFile: string
  readonly tests: string
  /** The reference, followed by its mutants. */
  readonly solutions: readonly string[]
}

const BEGIN = /^=== (?=\S+ (?:jest|vitest|node|mocha) (?:js|ts)$)/m

const folder = fileURLToPath(new URL('javascript', import.meta.url))

export const exercises = (): Exercise[] =>
  readdirSync(folder).flatMap((name) =>
    readFileSync(join(folder, name), 'utf8').split(BEGIN).slice(1).map(exerciseOf),
  )

function exerciseOf(text: string): Exercise {
  const [head = '', ...sections] = text.split(/^--- /m)
  const [name = '', style = '', language = ''] = head.trim().split(' ')
  const [solution = '', tests = '', mutants = ''] = sections
  const reference = bodyOf(solution)
  // A replacement may have several lines. It ends before the line with the next arrow.
  const pairs = replacements(bodyOf(mutants))
  return {
    name,
    style: style as Exercise['style'],
    language: language === 'ts' ? 'typescript' : 'javascript',
    file: firstLine(solution),
    testFile: firstLine(tests),
    tests: bodyOf(tests),
    solutions: [
      reference,
      ...pairs.map(([old, new_]) => {
        if (!reference.includes(old)) throw new Error(`${name}: there is no ${old}`)
        return reference.replace(old, () => new_)
      }),
    ],
  }
}

const firstLine = (section: string): string => section.slice(0, section.indexOf('\n')).trim()
const bodyOf = (section: string): string => section.slice(section.indexOf('\n') + 1)

/**
 * Reads `old ==> new`. Either text may have several lines. The further lines are indented, or they are empty.
 */
function replacements(text: string): [string, string][] {
  const lines = text.replace(/\n$/, '').split('\n')
  const pairs: [string, string][] = []
  let old: string[] = []
  for (const [index, line] of lines.entries()) {
    const [before, after] = line.split(/ ==> ?/)
    if (after === undefined && pairs.length > 0 && old.length === 0 && isMore(line, lines, index)) {
      const last = pairs.at(-1) as [string, string]
      last[1] += `\n${line}`
      continue
    }
    old.push(before ?? '')
    if (after === undefined) continue
    pairs.push([old.join('\n'), after])
    old = []
  }
  return pairs
}

/** True if a line without an arrow continues the replacement before it. False if it begins the next one. */
const isMore = (line: string, lines: readonly string[], index: number): boolean =>
  /^\s/.test(line) || !lines.slice(index + 1).some((one) => one.includes(' ==> '))
