/**
 * Reads the graders of rows. Rows with the same graders, such as the same label, share them: that saves time and memory
 * for a table of many thousand rows.
 */
import type { Path } from '../../documents/index.ts'
import type { RowCase } from '../data/rows.ts'
import { readGraders, type GraderEntry, type GraderReading } from './grading.ts'

/** After this many different lists, no further ones are kept. Then most rows have their own graders. */
const MOST_KNOWN = 1000

const AT: Path = ['template', 'graders']

type Entries = readonly GraderEntry[]

export class RowGraders {
  readonly #reading: GraderReading
  /** The graders of earlier rows, by the JSON text of what the row gave. */
  readonly #known = new Map<string, Entries>()

  constructor(reading: GraderReading) {
    this.#reading = reading
  }

  /** Reads the graders of a row. Returns a promise only if one of them has to read something. */
  read(one: RowCase): Entries | Promise<Entries> {
    const typed = listOf(one.item['graders'])
    const given = JSON.stringify(typed)
    const known = this.#known.get(given)
    if (known !== undefined) return known
    const attempt = one.attempt()
    const isFine = (): boolean => !attempt.failed && attempt.warnings().length === 0
    const entries = readGraders(typed, AT, this.#reading, attempt)
    if (entries instanceof Promise)
      return entries.then((read) => (isFine() ? read : this.#readAsTexts(one, typed)))
    if (!isFine()) return this.#readAsTexts(one, typed)
    if (this.#known.size < MOST_KNOWN) this.#known.set(given, entries)
    return entries
  }

  /**
   * Reads graders with a problem or a warning. If a value of the row is a number and the grader refuses a number, the
   * number is tried as text. For example, a label that is written `3` in JSON must be a text.
   */
  async #readAsTexts(one: RowCase, typed: readonly unknown[]): Promise<Entries> {
    const texts = listOf(one.textGraders())
    const chosen: unknown[] = []
    for (const [index, grader] of typed.entries()) {
      const isText = (await this.#fails(one, grader)) && !(await this.#fails(one, texts[index]))
      chosen.push(isText ? texts[index] : grader)
    }
    return await readGraders(chosen, AT, this.#reading, one.notes)
  }

  async #fails(one: RowCase, grader: unknown): Promise<boolean> {
    const attempt = one.attempt()
    await readGraders([grader], AT, this.#reading, attempt)
    return attempt.failed
  }
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])
