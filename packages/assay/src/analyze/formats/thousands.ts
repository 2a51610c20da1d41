/**
 * `1,000` and `1.000` in a file with semicolons: one, with three decimals, or a thousand? Both are written
 * there, and no rule tells. Such a cell is read with a decimal mark, and it is said, unless another cell of the
 * column has the mark where no thousands can be.
 */
import { counted } from '../../text/index.ts'

const ZERO = 0x30
const MARKS = [0x2c, 0x2e] as const
/** Digits after a mark of thousands. */
const GROUP = 3

interface Seen {
  doubtful: number
  example: string
  /** Another cell shows that the mark is a decimal one. */
  isDecimal: boolean
}

export class Thousands {
  /** By column and mark. */
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
