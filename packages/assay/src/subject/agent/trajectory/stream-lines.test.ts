import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { streamLines } from './stream-lines.ts'

/** Returns all lines of the bytes. The bytes are passed in chunks that end at the positions in `cuts`. */
function linesOf(bytes: Uint8Array, cuts: readonly number[], most?: number): string[] {
  const lines = streamLines(most)
  const ends = [...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length].sort((a, b) => a - b)
  let from = 0
  const read = ends.flatMap((end) => {
    const chunk = bytes.subarray(from, end)
    from = end
    return lines.add(chunk)
  })
  return [...read, ...lines.end()]
}

describe('lines of a stream', () => {
  it('are the same wherever its chunks end', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), fc.array(fc.nat()), (bytes, cuts) => {
        expect(linesOf(bytes, cuts)).toEqual(linesOf(bytes, []))
      }),
    )
    const text = Buffer.from('ein 😀\r\nzwei\n\ndrei')
    expect(linesOf(text, [5, 6, 7])).toEqual(['ein 😀', 'zwei', '', 'drei'])
    expect(linesOf(Buffer.from([65, 255, 10, 66]), [])).toEqual(['A\ufffd', 'B'])
  })

  it('say whether they are as they came, wherever a chunk ends', () => {
    const isUtf8 = (...chunks: readonly (readonly number[])[]): boolean => {
      const lines = streamLines()
      for (const chunk of chunks) lines.add(Uint8Array.from(chunk))
      lines.end()
      return lines.isUtf8
    }
    const smile = [...Buffer.from('😀')]
    expect(isUtf8(smile.slice(0, 1), smile.slice(1), [10])).toBe(true)
    expect(isUtf8([65, 255, 10])).toBe(false)
    expect(isUtf8(smile.slice(0, 2))).toBe(false)
  })

  it('are cut where they have no end, and that is counted', () => {
    const lines = streamLines(10)
    expect(lines.add(Buffer.from('x'.repeat(8)))).toEqual([])
    expect(lines.add(Buffer.from('yyyy'))).toEqual([])
    expect(lines.add(Buffer.from('zzzz\n0123456789\nshort'))).toEqual(['xxxxxxxxyy', '0123456789'])
    expect(lines.end()).toEqual(['short'])
    expect(lines.cut).toBe(1)
  })
})
