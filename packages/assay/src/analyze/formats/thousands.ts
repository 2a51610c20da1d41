/**
 * In a CSV file with semicolons, `1,000` and `1.000` are ambiguous: each can mean one (with three decimals) or a
 * thousand. Such a cell is read as one, and a note tells the user. But another cell of the same column may have the
 * mark in a position where a thousands separator is impossible. Then the mark is certainly a decimal mark, and there is
 * no note.
 */
import { counted } from '../../text/index.ts'

const ZERO = 0x30
const MARKS = [0x2c, 0x2e] as const
/** The number of digits that follow a thousands separator. */
const GROUP = 3

interface Seen {
  doubtful: number
  example: string
  /** Whether another cell of the column shows that the mark is a decimal mark. */
  isDecimal: boolean
}

export class Thousands {
  /** By column and mark (comma or period): what was seen. */
  readonly #seen = new Map<string, Seen & { readonly title: string }>()

  see(title: string, bytes: Buffer, start: number, end: number): void {
    for (const mark of MARKS) {
      const at = bytes.subarray(start, end).indexOf(mark)
      if (at === -1) continue
      const key = `${mark} ${title}`
      let seen = this.#seen.get(key)
      if (seen === undefined)
        this.#seen.set(key, (seen = { title, doubtful: 0, example: '', isDecimal: false }))
      const isGroup =
        end - start - at - 1 === GROUP && at >= 1 && at <= GROUP && bytes[start] !== ZERO
      if (!isGroup) seen.isDecimal = true
      else if (seen.doubtful++ === 0) seen.example = bytes.toString('latin1', start, end)
    }
  }

  notes(): string[] {
    return [...this.#seen.values()]
      .filter(({ doubtful, isDecimal }) => doubtful > 0 && !isDecimal)
      .map(
        ({ title, doubtful, example }) =>
          `${title}: ${counted(doubtful, 'number')} such as ${example} read as ${Number(example.replace(',', '.'))}, not as thousands`,
      )
  }
}
