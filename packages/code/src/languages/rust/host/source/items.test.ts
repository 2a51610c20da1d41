import { describe, expect, it } from 'vitest'
import { definedIn, isKept, itemsOf } from './items.ts'
import { read } from './lex.ts'

describe('what a sample defines', () => {
  it('is found at the top, in modules, impls and traits', () => {
    const { functions, types, modules } = definedIn(`
      pub(crate) fn plain() {}
      pub const unsafe extern "C" fn odd() {}
      const LIMIT: [u8; 2] = { fn hidden_in_constant() {} [0; 2] };
      async fn later() -> Grid<{ 1 + 2 }> { fn hidden_in_body() {} }
      fn bounded<T>() -> [u8; { 3 }] where T: Fn(i32) -> i32, { loop {} }
      mod inner { pub fn within() {} pub struct Deep; mod more { enum Deeper { A { x: i32 } } } }
      mod elsewhere;
      struct Point<const N: usize = { 3 }> { x: i32 }
      struct Unit; struct Pair(i32, fn(i32) -> i32);
      union Either { a: i32, b: f32 }
      pub trait Shape { type Size; fn area(&self) -> f64; fn twice(&self) -> f64 { 2.0 } }
      impl<'a> Shape for Point<{ 3 }> where Self: Sized { type Size = i32; fn area(&self) -> f64 { 1.0 } }
      type Alias<T> = Vec<T>;
      impl Point { pub fn r#match(&self) {} }
      pub fn last() {}
    `)
    expect(functions).toEqual([
      'plain',
      'odd',
      'later',
      'bounded',
      'within',
      'area',
      'twice',
      'match',
      'last',
    ])
    expect(types).toEqual(['Deep', 'Deeper', 'Point', 'Unit', 'Pair', 'Either', 'Shape', 'Alias'])
    expect(modules).toEqual(['elsewhere'])
  })

  it('is not what only comments, strings, macros or tests speak of', () => {
    const { functions, types } = definedIn(`
      // fn comment() {}
      /* struct Comment; /* fn nested() {} */ */
      /// fn documented() {}
      const TEXT: &str = "fn text() {}"; const RAW: &str = r#"struct Raw; "fn" raw() {}"#;
      macro_rules! made { () => { fn by_macro() {} struct ByMacro; } }
      made!(); made! { fn argument() {} }
      some::path::made! { struct Argument; }
      #[cfg(test)] mod tests { fn in_tests() {} struct InTests; }
      #[cfg(test)] fn tested() {}
      #[cfg(all(test, unix))] struct Tested;
      extern "C" { fn foreign(); }
      fn real() { fn inner() {} struct Inner; }
    `)
    expect(functions).toEqual(['real'])
    expect(types).toEqual([])
  })

  it('is read in time in proportion to the length, also from nonsense', () => {
    for (const part of [
      'a::',
      'pub ',
      'fn f',
      '#[x]',
      'impl',
      'mod m {',
      'x!',
      'const ',
      '{}',
      '<',
      '#[cfg(',
    ])
      expect(definedIn(part.repeat(60_000))).toBeDefined()
  })
})

describe('conditions', () => {
  it.each<[string, boolean | null]>([
    ['test', true],
    ['not(test)', false],
    ['any(windows, test)', true],
    ['all(unix, not(feature = "x"))', true],
    ['target_os = "linux"', true],
    ['target_os = "macos"', false],
    ['all(test, something_else)', null],
    ['any(test, something_else)', true],
  ])('#[cfg(%s)] holds for tests: %s', (condition, expected) => {
    const lexed = read(`#[cfg(${condition})] fn f() {}`)
    expect(isKept(lexed, itemsOf(lexed)[0]?.attributes ?? [], true)).toBe(expected)
  })
})
