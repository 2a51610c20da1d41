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

  it('refuses tests that only a macro makes, rather than to lose them', () => {
    const source =
      'macro_rules! t { ($n:ident) => { #[test] fn $n() {} } }\nt!(a);\n#[test] fn b() {}'
    expect(of(source).refused).toMatch(/^line 1: .*macro/u)
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
      'table.add(0, ::HARNESS::std::option::Option::Some(r#"x"#), || ::HARNESS::Outcome::fault(r#b()));',
    )
    expect(text).toContain('table.add(1, ::HARNESS::std::option::Option::None,')
    expect(text).toContain('r#a::MARK(table);')
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
    expect(of(source).text.split('\n')[0]).toBe(expected ?? source)
  })
})
