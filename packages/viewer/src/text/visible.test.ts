import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { brief, visible, visiblePieces } from './visible.ts'

const marks = (text: string): string[] =>
  visiblePieces(text)
    .filter(({ isMark }) => isMark)
    .map((piece) => piece.text)

describe('visible text', () => {
  test('escape sequences, direction marks and lone surrogates are shown as marks', () => {
    expect(visible('a\u001b[31mb')).toBe('a␛[31mb')
    expect(visible('a\u202eb\u2066c')).toBe('a<U+202E>b<U+2066>c')
    expect(visible('\ud800 and \udc00')).toBe('<U+D800> and <U+DC00>')
    expect(visible('bell\u0007 del\u007f c1\u009b')).toBe('bell␇ del␡ c1<U+009B>')
  })

  test('text hidden in tags and zero-width characters is shown', () => {
    expect(visible('hi\u{e0041}\u{e0042}\u200b')).toBe('hi<U+E0041><U+E0042><U+200B>')
    expect(marks('a\ufe00\ufe01\ufe02')).toEqual(['<U+FE00><U+FE01><U+FE02>'])
  })

  test('emoji and scripts that join their letters stay as they are', () => {
    for (const text of ['👩‍👩‍👧', '❤️‍🔥', '👍🏽', 'नमस्ते', 'می‌خواهم', 'naïve 日本'])
      expect(visible(text)).toBe(text)
  })

  test('an emoji can hide nothing behind it', () => {
    expect(visible('😀\ufe0f\ufe01\ufe02')).toBe('😀\ufe0f<U+FE01><U+FE02>')
  })

  test('a line break of two characters is one, a lone return is shown', () => {
    expect(visiblePieces('a\r\nb')).toEqual([
      { text: 'a', isMark: false },
      { text: '\nb', isMark: false },
    ])
    expect(marks('a\rb')).toEqual(['␍'])
  })

  test('nothing is lost, nothing hidden is left, whatever the text', () => {
    const hidden = fc.constantFrom(
      '\u001b',
      '\u202e',
      '\ud800',
      '\u200d',
      '\ufe0f',
      '\u0000',
      '😀',
      'a',
    )
    fc.assert(
      fc.property(fc.array(fc.oneof(hidden, fc.string()), { maxLength: 20 }), (parts) => {
        const text = parts.join('').replaceAll('\r', '')
        const pieces = visiblePieces(text)
        const kept = pieces.filter(({ isMark }) => !isMark).map((piece) => piece.text)
        for (const one of kept) {
          // eslint-disable-next-line no-control-regex
          expect(one).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u202a-\u202e\p{Cs}]/u)
          expect(text).toContain(one)
        }
        const visibleCharacters = Array.from(text)
          .filter((one) => /[a-z0-9 ]/i.test(one))
          .join('')
        expect(kept.join('').replaceAll(/[^a-z0-9 ]/gi, '')).toBe(visibleCharacters)
      }),
    )
  })

  test('a cut name says that it is cut', () => {
    expect(brief('a'.repeat(5_000_000), 10)).toBe('aaaaaa…aaa')
    expect(brief('provider/model:temperature=0.7', 16)).toBe('provider/…re=0.7')
    expect(Array.from(brief('😀'.repeat(20), 5))).toHaveLength(5)
    expect(brief('short', 10)).toBe('short')
  })
})
