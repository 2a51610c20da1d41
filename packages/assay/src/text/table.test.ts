import stringWidth from 'string-width'
import { describe, expect, it } from 'vitest'
import { cut, displayWidth, table, wrap, wrapProse } from './table.ts'

describe('tables', () => {
  it('count wide characters as two columns and cut whole characters', () => {
    expect(displayWidth('日本')).toBe(4)
    expect(cut('日本語', 5)).toBe('日本…')
    expect(cut('abc', 3)).toBe('abc')
  })

  it.each([
    ['✔', 1],
    ['©', 1],
    ['✅', 2],
    ['⚠️', 2],
    ['🇩🇪', 2],
    ['👨‍👩‍👧', 2],
    ['\u{20000}', 2],
    ['e\u0301', 1],
    ['\u200b', 0],
  ])('give %j as many columns as a terminal does: %i', (text, columns) => {
    expect(displayWidth(text)).toBe(columns)
  })

  it('give every character below U+2600 the width that string-width gives it', () => {
    const different: string[] = []
    for (let code = 0x20; code < 0x2600; code++) {
      const character = String.fromCharCode(code)
      // Each character is also measured between letters, because it may combine with its neighbours.
      for (const text of [character, `a${character}b`])
        if (displayWidth(text) !== stringWidth(text)) different.push(text)
    }
    expect(different).toEqual([])
  })

  it('print no sequence that a terminal would obey, as wrapped text does not', () => {
    const hostile = 'a\u001b[2J\u009b31m\u202eb'
    const shown = 'a\ufffd[2J\ufffd31m\ufffdb'
    expect(table([{ title: 'name', align: 'left' }], [[hostile]], 80)).toEqual(['name', shown])
    expect(wrap(`x ${hostile}`, 80)).toEqual([`x ${shown}`])
  })

  it('let the first column give way, never the figures', () => {
    const lines = table(
      [
        { title: 'name', align: 'left' },
        { title: 'n', align: 'right' },
      ],
      [
        ['a name that is much too long', '12345678'],
        ['b', '1'],
      ],
      20,
    )
    expect(lines).toEqual(['name               n', 'a name th…  12345678', 'b                  1'])
  })
})

describe('wrap', () => {
  it('breaks at spaces, keeps every word, and cuts only what is wider than a line', () => {
    expect(wrap('one two three', 7)).toEqual(['one two', 'three'])
    expect(wrap('a extraordinarily b', 6)).toEqual(['a', 'extra…', 'b'])
    expect(wrap('', 10)).toEqual([])
  })
})

describe('wrapProse', () => {
  it('breaks lines at spaces and leaves long words, indented lines and columns whole', () => {
    expect(wrapProse('one two three\nfour', 7)).toBe('one two\nthree\nfour')
    expect(wrapProse('see /a/very/long/path now', 8)).toBe('see\n/a/very/long/path\nnow')
    expect(wrapProse('  assay run a b c d e', 8)).toBe('  assay run a b c d e')
    expect(wrapProse('next  assay run a b c', 8)).toBe('next  assay run a b c')
    expect(wrapProse('', 8)).toBe('')
  })
})
