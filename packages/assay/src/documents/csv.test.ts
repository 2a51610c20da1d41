import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { CsvParser, type CsvError } from './csv.ts'

/** Returns all rows of a text. The text is passed to the parser in pieces, which end at the offsets in `cuts`. */
function parse(
  text: string | Uint8Array,
  cuts: readonly number[] = [],
  longest?: number,
): string[][] {
  const rows: string[][] = []
  const parser = new CsvParser(
    (row) => rows.push(Array.from({ length: row.cells }, (_, cell) => row.text(cell))),
    longest,
  )
  const bytes = Buffer.from(text)
  let from = 0
  for (const cut of [...cuts.map((at) => at % (bytes.length + 1)).toSorted((a, b) => a - b)]) {
    parser.push(bytes.subarray(from, cut))
    from = cut
  }
  parser.push(bytes.subarray(from))
  parser.end()
  return rows
}

/** Writes rows as CSV by the grammar of RFC 4180. The parser must read the same rows back. */
const written = (rows: readonly (readonly string[])[], delimiter: string, end: string): string =>
  rows
    .map((row) =>
      row
        .map((cell) => (/["\r\n,;\t]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell))
        .join(delimiter),
    )
    .join(end)

const cell = fc.oneof(
  fc.string({ maxLength: 6 }),
  fc.string({
    unit: fc.constantFrom('"', ',', ';', '\t', '\r', '\n', 'a', 'é', '\0'),
    maxLength: 6,
  }),
)

describe('the CSV parser', () => {
  it('reads back whatever the grammar can write, in pieces of any size', () => {
    fc.assert(
      fc.property(
        fc
          .integer({ min: 2, max: 5 })
          .chain((width) =>
            fc.array(fc.array(cell, { minLength: width, maxLength: width }), { maxLength: 8 }),
          ),
        fc.constantFrom(',', ';', '\t'),
        fc.constantFrom('\n', '\r\n', '\r'),
        fc.array(fc.nat(), { maxLength: 8 }),
        fc.boolean(),
        (body, delimiter, end, cuts, isEnded) => {
          const width = body[0]?.length ?? 2
          const rows = [Array.from({ length: width }, (_, i) => `column${i}`), ...body]
          const text = written(rows, delimiter, end) + (isEnded ? end : '')
          expect(parse(text, cuts)).toEqual(rows)
        },
      ),
      { numRuns: 500 },
    )
  })

  it('gives the same rows and the same error wherever a text is cut', () => {
    const text = 'a,b\r\n"x\r\n""y""",1\r\n\r\n"unclosed\n,2'
    const outcome = (cuts: readonly number[]): unknown => {
      const rows: string[][] = []
      try {
        const parser = new CsvParser((row) => rows.push([row.text(0), String(row.line)]))
        const bytes = Buffer.from(text)
        let from = 0
        for (const cut of [...cuts, bytes.length]) {
          parser.push(bytes.subarray(from, cut))
          from = cut
        }
        parser.end()
      } catch (error) {
        return [rows, (error as CsvError).line, (error as CsvError).message]
      }
      return rows
    }
    const whole = outcome([])
    expect(whole).toEqual([
      [
        ['a', '1'],
        ['x\r\n"y"', '2'],
      ],
      5,
      'a quote that is opened and never closed',
    ])
    for (let cut = 0; cut <= text.length; cut++) expect(outcome([cut])).toEqual(whole)
  })

  it('takes the delimiter that the header has most of, and none inside quotes', () => {
    expect(parse('a;b;c\n1,5;2;3')).toEqual([
      ['a', 'b', 'c'],
      ['1,5', '2', '3'],
    ])
    expect(parse('"a;b;c",d\n1,2')[1]).toEqual(['1', '2'])
    expect(parse('a\tb\n1\t2')[1]).toEqual(['1', '2'])
  })

  it('takes the delimiter that a first line tells, as spreadsheets write it', () => {
    for (const first of ['sep=;\n', 'SEP=;\r\n', '"sep=;"\r'])
      for (const cut of [0, 3, 5, 6, 8, 14]) {
        const text = `${first}a,b,c;d\n1;2\n`
        expect(parse(text, [cut])).toEqual([
          ['a,b,c', 'd'],
          ['1', '2'],
        ])
      }
    expect(parse('sep=;')).toEqual([['sep=', '']])
    expect(parse('sep=x,b\n1,2')[1]).toEqual(['1', '2'])
    expect(() => parse('sep=;\na;b\n"c')).toThrow(expect.objectContaining({ line: 3 }))
  })

  it('says where a quote that never closes was opened', () => {
    expect(() => parse('a,b\n1,2\n"x\ny","z\n3,4\n5,6\n')).toThrow(
      expect.objectContaining({ line: 4 }),
    )
  })

  it('keeps a quote that stands inside an unquoted cell', () => {
    expect(parse('a,b\n5" disk,x')[1]).toEqual(['5" disk', 'x'])
  })

  it('refuses text after a closing quote, with its line', () => {
    expect(() => parse('a,b\n1,2\n"x"y,3')).toThrow(/text follows a closing quote/)
    try {
      parse('a,b\n"1\n1",2\n"x"y,3')
    } catch (error) {
      expect((error as CsvError).line).toBe(4)
    }
  })

  it('reads a cell of ten megabytes that comes in small pieces, and stops at its limit', () => {
    const long = 'x'.repeat(10_000_000)
    const text = `a,b\n"${long}",1\n`
    const cuts = Array.from({ length: 300 }, (_, i) => i * 33_000)
    expect(parse(text, cuts)[1]?.[0]).toHaveLength(long.length)
    expect(() => parse(text, cuts, 1_000_000)).toThrow(/is a quote never closed/)
  })

  it('has no rows for no bytes and for blank lines', () => {
    expect(parse('')).toEqual([])
    expect(parse('\n\r\n\r')).toEqual([])
  })
})
