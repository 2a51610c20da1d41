import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { NOT_A_NUMBER, numberAt, numberOf, verdictOf, VERDICTS } from './csv-field.ts'

const read = (text: string, decimalComma = false): number => {
  const bytes = Buffer.from(`x${text}x`, 'latin1')
  return numberAt(bytes, 1, bytes.length - 1, decimalComma)
}

describe('a number', () => {
  it('is the nearest one to its decimal digits, as JavaScript reads them', () => {
    const digits = fc.string({
      unit: fc.constantFrom(...'0123456789'.split('')),
      minLength: 1,
      maxLength: 12,
    })
    fc.assert(
      fc.property(digits, fc.option(digits), fc.constantFrom('', '-', '+'), (whole, part, sign) => {
        const text = `${sign}${whole}${part === null ? '' : `.${part}`}`
        expect(read(text)).toBe(Number(text))
      }),
      { numRuns: 1000 },
    )
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
        expect(read(String(value))).toBe(value + 0)
      }),
    )
  })

  it('is unknown where nothing stands or a word for nothing', () => {
    for (const text of ['', ' ', 'NaN', 'nan', 'NULL', 'None', 'NA', 'n/a', '-'])
      expect(read(text), text).toBeNaN()
  })

  it('is none where the text is something else, an infinity included', () => {
    for (const text of [
      'abc',
      '.',
      '1.2.3',
      '0x10',
      'Infinity',
      'inf',
      '1,234',
      '$5',
      '50%',
      '1 2',
      '١',
    ])
      expect(read(text), text).toBe(NOT_A_NUMBER)
  })

  it('may have a decimal comma where the file is of that kind', () => {
    expect(read('0,25', true)).toBe(0.25)
    expect(read('-1,5e-3', true)).toBe(-0.0015)
    expect(numberOf('1,2,3', true)).toBe(NOT_A_NUMBER)
  })
})

describe('a verdict', () => {
  it('is told by the words that programs write', () => {
    for (const text of ['True', 'true', '1', '1.0', 'PASS', 'passed', ' yes '])
      expect(verdictOf(text), text).toBe(VERDICTS.passed)
    for (const text of ['False', '0', '0.0', 'fail', 'Failed', 'no', 'timed out'])
      expect(verdictOf(text), text).toBe(VERDICTS.failed)
    expect(verdictOf('error')).toBe(VERDICTS.errored)
    expect(verdictOf('skipped')).toBe(VERDICTS.none)
  })

  it('is unscored, not failed, where nobody judged', () => {
    for (const text of ['', 'None', 'NaN', 'null', 'unscored'])
      expect(verdictOf(text), text).toBe(VERDICTS.unscored)
  })

  it('is none for anything else', () => {
    for (const text of ['maybe', '0.5', '2', 'constructor', '__proto__', 'x'.repeat(1000)])
      expect(verdictOf(text), text).toBeNull()
  })
})
