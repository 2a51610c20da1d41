import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ready, refusal } from './silence.ts'

describe('the guard', () => {
  it('refuses what is too long or nests too deep, and says so', () => {
    expect(refusal('a'.repeat(256 * 1024))).toBeNull()
    expect(refusal('a'.repeat(256 * 1024 + 1))).toMatch(/257 KB/u)
    expect(refusal('['.repeat(200))).toBeNull()
    expect(refusal('['.repeat(201))).toMatch(/201 deep/u)
    expect(refusal(`// ${'['.repeat(500)}`)).toBeNull()
  })
})

describe('silencing attributes', () => {
  it.each([
    ['#[allow(clippy::all)] fn f() {}', '                      fn f() {}'],
    ['#![allow(warnings)]', '                   '],
    ['#[allow(clippy::a, dead_code)]', '#[allow(           dead_code)]'],
    [
      '#[allow(dead_code, clippy::a, reason = "x")]',
      '#[allow(dead_code,            reason = "x")]',
    ],
    ['#[expect(clippy::a, reason = "x")]', '                                  '],
    ['#[cfg_attr(all(), allow(clippy::a))]', '#[cfg_attr(all(), allow(         ))]'],
    ['#![allow(unsafe_code)]', '                      '],
    ['#[r#allow(clippy::a)]', '                     '],
    ['#[allow($($lint)*)]', '                   '],
    ['hush!(allow(clippy::all));', 'hush!(allow(           ));'],
    ['#[cfg(not(clippy))] fn f() {}', '#[cfg(not(clipp_))] fn f() {}'],
    ['if cfg!(feature = "cargo-clippy") {}', 'if cfg!(feature = "cargo-clipp_") {}'],
  ])('%s counts once and has no effect', (source, expected) => {
    const { text, silenced } = ready('a.rs', source)
    expect(text).toBe(expected)
    expect(silenced).toHaveLength(1)
    expect(silenced[0]).toMatchObject({ file: 'a.rs', line: 1, code: 'silenced' })
  })

  it.each([
    '// #[allow(clippy::all)]',
    'const A: &str = "#[allow(clippy::all)]";',
    'value.expect("clippy::all")',
    '#[derive(Debug)] struct A;',
    '#![deny(warnings)]',
    'use clippy::x;',
  ])('%s is left alone', (source) => {
    expect(ready('a.rs', source)).toEqual({ text: source, withStd: source, silenced: [] })
  })

  it('counts the compiler’s own lints but leaves them to the sample', () => {
    const source = '#![deny(warnings)]\n#[allow(dead_code)]\nfn f() {}'
    expect(ready('a.rs', source)).toMatchObject({
      text: source,
      silenced: [{ line: 2, column: 1 }],
    })
  })

  it('gives tests the standard library, and nothing else than the check saw', () => {
    const sets = (source: string): boolean => ready('a.rs', source).withStd.trim() === ''
    expect(sets('#![no_std]')).toBe(true)
    expect(sets('#![cfg_attr(not(test), no_std)]')).toBe(true)
    expect(sets('#![cfg(no_std)]')).toBe(false)
    expect(sets('#![cfg_attr(all(), no_std, cfg(any()))]')).toBe(false)
    expect(ready('a.rs', '#![crate_name = "x"]').text.trim()).toBe('')
  })

  it('never moves a line or a character, whatever the source', () => {
    const part = fc.constantFrom(
      ...[
        '#[',
        '#![',
        ']',
        'allow(',
        'expect(',
        ')',
        'clippy::all',
        'warnings',
        ',',
        'cfg(',
        'cfg_attr(',
      ],
      ...[
        'cfg!(',
        'clippy',
        '\n',
        '"',
        'no_std',
        'reason = "x"',
        'dead_code',
        '$x',
        'crate_name',
        ' ',
        '(',
      ],
    )
    fc.assert(
      fc.property(fc.array(part, { maxLength: 40 }), (parts) => {
        const source = parts.join('')
        const { text, withStd } = ready('a.rs', source)
        expect(text.length).toBe(source.length)
        expect(withStd.length).toBe(source.length)
        expect(text.split('\n').map((line) => line.length)).toEqual(
          source.split('\n').map((line) => line.length),
        )
      }),
    )
  })

  it('takes time in proportion to the length', () => {
    for (const part of [
      '#[allow(clippy::a)]',
      '#[allow(',
      'allow(warnings)',
      'cfg!(clippy)',
      '#[cfg(x)]',
      '#[allow(a,',
    ])
      expect(ready('a.rs', part.repeat(12_000)).text.length).toBeGreaterThan(0)
  })
})
