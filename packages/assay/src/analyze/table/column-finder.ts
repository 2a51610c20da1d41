/**
 * Finds columns by the names that the user gives and by common names. It keeps the reason for each choice. A column is
 * chosen at most once.
 */
import { UsageError } from '@assay/contract'
import type { ChosenColumn, Role } from './column-map.ts'
import {
  describeValues,
  profileOf,
  type ColumnProfile,
  type ColumnSample,
} from './column-profile.ts'
import { GUESSES, NOT_INSIDE, plainName } from './guesses.ts'
import { ambiguous, unknownColumn } from './mapping-errors.ts'

export type Fits = (profile: ColumnProfile, at: number) => boolean

export class ColumnFinder {
  readonly titles: readonly string[]
  readonly names: readonly string[]
  /** For keys inside JSON objects: the last key of each title. Null if the title has no dot. */
  readonly #tails: readonly (string | null)[]
  readonly profiles: readonly ColumnProfile[]
  readonly used = new Set<number>()
  readonly chosen: ChosenColumn[] = []
  readonly #where: string

  constructor(titles: readonly string[], sample: ColumnSample, where: string) {
    this.titles = titles
    this.names = titles.map(plainName)
    this.#tails = titles.map((title) => {
      const tail = title.slice(title.lastIndexOf('.') + 1)
      return tail === title ? null : plainName(tail)
    })
    this.profiles = titles.map((_, at) => profileOf(sample[at] ?? []))
    this.#where = where
  }

  profile(at: number): ColumnProfile {
    return this.profiles[at] as ColumnProfile
  }

  /** Returns the first unused column that has one of these names. The name must be unique, and the values must fit. */
  guess(candidates: readonly string[], fits: Fits = () => true): number | null {
    for (const names of [this.names, this.#tails])
      for (const candidate of candidates) {
        const wanted = plainName(candidate)
        if (names === this.#tails && NOT_INSIDE.has(wanted)) continue
        const at = names.indexOf(wanted)
        // If two columns have this name, it is unclear which one is meant, so neither is chosen.
        if (at === -1 || names.indexOf(wanted, at + 1) !== -1 || this.used.has(at)) continue
        if (fits(this.profile(at), at)) return at
      }
    return null
  }

  /**
   * Like `guess`, but throws if two columns have the best matching name. The column with the next best name could have
   * a different meaning.
   */
  guessRole(role: Role, fits?: Fits, first: readonly string[] = []): number | null {
    const candidates = [...first, ...GUESSES[role]]
    const wanted = candidates.map(plainName).find((name) => this.names.includes(name))
    const twice = this.titles.filter((_, at) => this.names[at] === wanted)
    if (twice.length > 1) throw ambiguous(role, twice, this.#where)
    return this.guess(candidates, fits)
  }

  /** Returns the column that the user named with `--role`. */
  named(role: string, given: string): number {
    const at = this.titles.indexOf(given)
    if (at === -1) throw unknownColumn(role, given, this.titles, this.#where)
    if (this.titles.indexOf(given, at + 1) !== -1)
      throw new UsageError(
        `${this.#where}: two columns are called "${given}"; rename one of them, or name another one with --${role}`,
      )
    return at
  }

  /** Returns the columns that the user named with `--role`, separated by commas. A name can itself contain a comma. */
  severalNamed(role: string, given: string): number[] {
    return this.titles.includes(given)
      ? [this.named(role, given)]
      : given.split(',').map((name) => this.named(role, name.trim()))
  }

  take(
    columns: readonly number[],
    role: string,
    why: 'flag' | 'name' | { readonly because: string },
    unit: string = '',
  ): void {
    if (columns.length === 0) return
    for (const at of columns) this.used.add(at)
    const [only] = columns
    const values =
      columns.length === 1 && only !== undefined ? describeValues(this.profile(only)) : ''
    const reason = why === 'flag' ? `--${role} says so` : why === 'name' ? 'its name' : why.because
    this.chosen.push({
      role,
      columns: columns.map((at) => this.titles[at] as string),
      why: [reason, unit, values].filter((part) => part !== '').join('; '),
      isGuess: why !== 'flag',
    })
  }
}
