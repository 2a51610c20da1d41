import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { blanked, edited, lex, placesIn, read, textOf, type Kind } from './lex.ts'
import { anyCharacter } from '../../../../../../../test/any-character.ts'

const kinds = (source: string): [Kind, string][] =>
  lex(source)
    .filter(({ kind }) => kind !== 'space')
    .map(({ kind, start, end }) => [kind, source.slice(start, end)])

/** Pieces of source that are difficult for a lexer, in any order. */
const hostile = fc
  .array(
    fc.constantFrom(
      ...[
        '"',
        "'",
        '\\',
        'r#"',
        '"#',
        'br##"',
        '"##',
        "b'",
        '/*',
        '*/',
        '//',
        '\n',
        '#!',
        '#',
        '[',
        ']',
      ],
      ...[
        '(',
        ')',
        '{',
        '}',
        "'a",
        "'a'",
        "'\\''",
        'r#fn',
        '1.',
        '1..2',
        '1e-',
        '0x',
        '::',
        '->',
        'é',
        '😀',
      ],
      ...[
        ' ',
        'allow',
        'expect',
        'cfg',
        'clippy',
        ',',
        'fn',
        'mod',
        'impl',
        '<',
        '>',
        '!',
        ';',
        '\0',
      ],
    ),
    { maxLength: 60 },
  )
  .map((parts) => parts.join(''))

describe('the lexer', () => {
  it('gives every character to exactly one token', () => {
    fc.assert(
      fc.property(fc.oneof(hostile, fc.string({ unit: anyCharacter })), (source) => {
        let at = 0
        for (const { start, end } of lex(source)) {
          expect(start).toBe(at)
          expect(end).toBeGreaterThan(start)
          at = end
        }
        expect(at).toBe(source.length)
      }),
    )
  })

  it('finds brackets that enclose each other, whatever the source', () => {
    fc.assert(
      fc.property(hostile, (source) => {
        const { partner, tokens } = read(source)
        for (const [index, other] of partner.entries()) {
          if (other === -1) continue
          expect(partner[other]).toBe(index)
          expect(tokens[index]?.kind).toBe(other > index ? 'open' : 'close')
        }
      }),
    )
  })

  it.each<[string, [Kind, string][]]>([
    [
      "'a' 'b c'",
      [
        ['literal', "'a'"],
        ['lifetime', "'b"],
        ['word', 'c'],
        ['sign', "'"],
      ],
    ],
    [
      "&'a str '\\'' '\\u{1F600}' '😀'",
      [
        ['sign', '&'],
        ['lifetime', "'a"],
        ['word', 'str'],
        ['literal', "'\\''"],
        ['literal', "'\\u{1F600}'"],
        ['literal', "'😀'"],
      ],
    ],
    [
      '"a\\"b" x',
      [
        ['literal', '"a\\"b"'],
        ['word', 'x'],
      ],
    ],
    [
      'r#"a"b"# r"\\" br##"#"## c"x" b\'"\'',
      [
        ['literal', 'r#"a"b"#'],
        ['literal', 'r"\\"'],
        ['literal', 'br##"#"##'],
        ['literal', 'c"x"'],
        ['literal', "b'\"'"],
      ],
    ],
    [
      '/* a /* b */ c */ d // e',
      [
        ['comment', '/* a /* b */ c */'],
        ['word', 'd'],
        ['comment', '// e'],
      ],
    ],
    [
      'r#fn r',
      [
        ['word', 'r#fn'],
        ['word', 'r'],
      ],
    ],
    [
      '1..2 1.5e-3 1.max(2) 0xe-1',
      [
        ['literal', '1'],
        ['sign', '..'],
        ['literal', '2'],
        ['literal', '1.5e-3'],
        ['literal', '1'],
        ['sign', '.'],
        ['word', 'max'],
        ['open', '('],
        ['literal', '2'],
        ['close', ')'],
        ['literal', '0xe'],
        ['sign', '-'],
        ['literal', '1'],
      ],
    ],
    [
      '#!/usr/bin/env run\nfn',
      [
        ['comment', '#!/usr/bin/env run'],
        ['word', 'fn'],
      ],
    ],
    [
      '#! [allow(x)]',
      [
        ['sign', '#'],
        ['sign', '!'],
        ['open', '['],
        ['word', 'allow'],
        ['open', '('],
        ['word', 'x'],
        ['close', ')'],
        ['close', ']'],
      ],
    ],
    [
      'Vec<Vec<u8>>=',
      [
        ['word', 'Vec'],
        ['sign', '<'],
        ['word', 'Vec'],
        ['sign', '<'],
        ['word', 'u8'],
        ['sign', '>'],
        ['sign', '>='],
      ],
    ],
    ['"never closed', [['literal', '"never closed']]],
    ['r##"never"#', [['literal', 'r##"never"#']]],
    ['/* never', [['comment', '/* never']]],
  ])('reads %s', (source, expected) => {
    expect(kinds(source)).toEqual(expected)
  })

  it('takes time in proportion to the length', () => {
    for (const part of ["'", 'r#"', '/*', 'a::', '#[', '#![allow(', '(', '\\', "b'", '#', '1e'])
      expect(lex(part.repeat(200_000)).length).toBeGreaterThan(0)
  })

  it('knows a raw name by its plain one', () => {
    expect(textOf(read('r#type'), 0)).toBe('type')
    expect(textOf(read('a'), 7)).toBe('')
  })
})

describe('places and edits', () => {
  it('counts lines and columns from 1', () => {
    const place = placesIn('ab\ncd\n')
    expect([0, 1, 2, 3, 5, 6].map(place)).toEqual([
      ...[
        { line: 1, column: 1 },
        { line: 1, column: 2 },
        { line: 1, column: 3 },
      ],
      ...[
        { line: 2, column: 1 },
        { line: 2, column: 3 },
        { line: 3, column: 1 },
      ],
    ])
  })

  it('blanks without moving anything', () => {
    fc.assert(
      fc.property(fc.string(), fc.nat(), fc.nat(), (source, one, other) => {
        const [start, end] = [one, other].map((n) => n % (source.length + 1)).sort((a, b) => a - b)
        const text = edited(source, [blanked(source, start ?? 0, end ?? 0)])
        expect(text.length).toBe(source.length)
        expect(text.split('\n').length).toBe(source.split('\n').length)
      }),
    )
  })
})
