import { describe, expect, it } from 'vitest'
import { inventoryOf } from './inventory.ts'

const of = (source: string) => inventoryOf(source, 'MARK', 'HARNESS')

describe('the inventory of tests', () => {
  it('is every test that the compiler’s own harness would run, by its path and in order', () => {
    const { names, refused } = of(`
      use std::fmt;
      #[cfg(test)]
      mod tests {
        use super::*;
        fn helper<T>(x: T) -> T { x }
        #[test] fn first() {}
        #[test]
        #[should_panic(expected = "no")]
        fn second() {}
        #[test] #[ignore = "slow"] fn ignored() {}
        mod inner { #[test] fn third() -> Result<(), String> { Ok(()) } }
        #[cfg(windows)] #[test] fn elsewhere() {}
        #[cfg(not(test))] mod gone { #[test] fn gone() {} }
        // #[test] fn comment() {}
        const TEXT: &str = "#[test] fn text() {}";
      }
      #[test] fn bare() {}
    `)
    expect(names).toEqual(['tests::first', 'tests::second', 'tests::inner::third', 'bare'])
    expect(refused).toBeNull()
  })

  it('is empty where there is no test', () => {
    expect(of('fn helper() {}')).toMatchObject({ names: [], refused: null })
    expect(of('')).toMatchObject({ names: [], refused: null })
  })

  it('is the main of a plain program, where nothing is marked as a test', () => {
    expect(of('fn main() { assert_eq!(f(1), 2); }')).toMatchObject({
      names: ['main'],
      refused: null,
    })
    expect(of('fn main() {}\n#[test] fn t() {}').names).toEqual(['t'])
    expect(of('fn main() {}\n#[test] #[ignore] fn t() {}').names).toEqual([])
    expect(of('mod inner { fn main() {} }').names).toEqual([])
    expect(of('#[cfg(not(test))] fn main() {}').names).toEqual([])
  })

  it('needs the compiler where a macro makes tests or only the compiler knows a condition', () => {
    const source =
      'macro_rules! t { ($n:ident) => { #[test] fn $n() {} } }\nt!(a);\n#[test] fn b() {}'
    expect(of(source)).toMatchObject({ unlisted: true, refused: null })
    expect(of('#[test] #[cfg_attr(debug_assertions, ignore)] fn a() {}').unlisted).toBe(true)
    const made = ['a', 'b'].map((name) => ({ name, ignored: name === 'b', panics: null }))
    const known = inventoryOf(source, 'MARK', 'HARNESS', { made })
    expect(known).toMatchObject({ names: ['a'], ignored: ['b'], unlisted: false })
    expect(known.text).toContain(
      'MARK_table.add(0, ::HARNESS::std::option::Option::None, || ::HARNESS::Outcome::fault(r#a()));',
    )
    expect(inventoryOf(source, 'MARK', 'HARNESS', { made, includeIgnored: true }).names).toEqual([
      'a',
      'b',
    ])
  })

  it.each([
    ['fn f() { #[test] fn inner() {} }', /^line 1: a test inside a function/u],
    ['\n#![feature(test)]\nextern crate test;', /^line 2: #!\[feature\(…\)\] needs a nightly/u],
    ['#[bench] fn b(b: &mut Bencher) {}', /^line 1: #\[bench\] needs a nightly/u],
    ['use rstest::rstest;\n#[rstest]\nfn a() {}', /^line 2: tests made by #\[rstest\] cannot/u],
    ['#[tokio::test]\nasync fn a() {}', /^line 1: tests made by #\[tokio::test\] cannot/u],
    ['#![cfg(windows)]\n#[test] fn a() {}', /^line 1: this #!\[cfg\(…\)\] leaves out/u],
    ['#[test] fn a() { env!("CARGO_MANIFEST_DIR"); }', /^line 1: env!\("CARGO_MANIFEST_DIR"\)/u],
  ])('refuses %s by name', (source, expected) => {
    expect(of(source)).toMatchObject({ names: [], refused: expect.stringMatching(expected) })
  })

  it('refuses tests that another crate makes, rather than to lose them', () => {
    const made = [{ name: 'props', ignored: false, panics: null }]
    const { refused } = inventoryOf('quickcheck! { fn props() {} }', 'MARK', 'HARNESS', { made })
    expect(refused).toMatch(/^the test props is made by a macro or an attribute of another crate/u)
  })

  it('refuses a source that nests without end', () => {
    expect(of(`#[cfg(${'not('.repeat(50_000)}x`)).toMatchObject({
      refused: expect.stringMatching(/deep/u),
    })
  })

  it('tells the harness of each test, and of the text that it has to panic with', () => {
    const { text } = of(
      'mod a { #[test] #[should_panic(expected = r#"x"#)] fn b() {} #[test] fn r#c() {} }',
    )
    expect(text).toContain(
      'MARK_table.add(0, ::HARNESS::std::option::Option::Some(r#"x"#), || ::HARNESS::Outcome::fault(r#b()));',
    )
    expect(text).toContain('MARK_table.add(1, ::HARNESS::std::option::Option::None,')
    expect(text).toContain('r#a::MARK(MARK_table);')
    expect(text).not.toContain('#[test]')
  })

  it('keeps the lines of the source', () => {
    const source =
      '#![allow(x)]\n#[cfg(test)]\nmod tests {\n#[test]\nfn a() { assert!(1 == 1); }\n}\n'
    const { text } = of(source)
    expect(text.split('\n').findIndex((line) => line.includes('fn a()'))).toBe(4)
    expect(text).toContain('#[cfg(MARK)]')
    expect(text).not.toContain('#![allow')
  })

  it.each([
    ['assert!(a == b)', 'assert!(@ "a == b" ::HARNESS::compared!(a , ==,  b))'],
    [
      'assert!(f(1, 2) != g, "m")',
      'assert!(@ "f(1, 2) != g" ::HARNESS::compared!(f(1, 2) , !=,  g), "m")',
    ],
    [
      'assert!(a == 1 && x.ok())',
      'assert!(@ "a == 1 && x.ok()" ::HARNESS::compared!(a , ==,  1) && x.ok())',
    ],
    [
      'assert!(s == "a\\n")',
      'assert!(@ "s == \\"a\\\\n\\"" ::HARNESS::compared!(s , ==,  "a\\n"))',
    ],
    ['assert!(f::<u8>() == 1)', null],
    ['assert!(x.iter().all(|y| *y == 1))', null],
    ['assert!((1..3) == r)', 'assert!(@ "(1..3) == r" ::HARNESS::compared!((1..3) , ==,  r))'],
    ['assert!(1..3 == r)', null],
    ['assert!(a == b == c)', null],
    ['assert!(a)', null],
    ['std::assert!(a == b)', null],
    ['assert!()', null],
  ])('%s', (source, expected) => {
    // This source has a macro call outside of a function, for which the compiler's list is needed. So an empty
    // list is given.
    const { text } = inventoryOf(source, 'MARK', 'HARNESS', { made: [] })
    expect(text.split('\n')[0]).toBe(expected ?? source)
  })
})
