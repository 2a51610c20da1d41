/**
 * Selects the rows of a data set that become cases. The selection depends on the values of columns, on a random
 * sample and on a limit.
 */
import type { Json } from '@assay/contract'
import { hashOf } from '@assay/contract/hash'
import type { Row } from './row.ts'

type Scalar = string | number | boolean

export type Wanted = Readonly<Record<string, Scalar | readonly Scalar[]>>

/**
 * Whether every named column has one of the wanted values. Values are compared as text, because all cells of a CSV
 * file are text. A cell that is a list matches if one of its items matches.
 */
export function matchesRow(row: Row, where: Wanted): boolean {
  return Object.entries(where).every(([column, wanted]) => {
    if (!Object.hasOwn(row, column)) return false
    const found = new Set([row[column] as Json].flat().map(textOf))
    return [wanted].flat().some((value) => found.has(String(value)))
  })
}

const textOf = (value: Json): string | null => (typeof value === 'object' ? null : String(value))

/**
 * Selects a random sample of items. A hash of the seed and the item's id decides whether an item is selected. So the
 * order of the items does not matter, and items that are added later change the selection as little as possible.
 */
export class Sample<T extends { readonly id: string }> {
  readonly #count: number
  readonly #seed: number
  #kept: { readonly key: string; readonly place: number; readonly item: T }[] = []
  #given = 0

  constructor(count: number, seed: number) {
    this.#count = count
    this.#seed = seed
  }

  add(item: T): void {
    const key = hashOf(['sample', this.#seed, item.id])
    this.#kept.push({ key, place: this.#given++, item })
    // Cut the list from time to time, so that a small sample of a large file needs little memory.
    if (this.#kept.length > 4 * this.#count + 1000) this.#cut()
  }

  /** Returns the selected items, in the order in which they were added. */
  items(): T[] {
    this.#cut()
    return this.#kept.sort((a, b) => a.place - b.place).map(({ item }) => item)
  }

  #cut(): void {
    this.#kept.sort((a, b) => (a.key < b.key ? -1 : 1))
    this.#kept.length = Math.min(this.#kept.length, this.#count)
  }
}
