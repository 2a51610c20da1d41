/**
 * Hostile Rust programs for the compiler: they read files and variables of the machine, make the compiler use too
 * much time or memory, or suppress the linter.
 */
import { rustSum as sum } from './rust-verdicts.ts'
import { BOMB, EITHER, NOTHING, REFUSED, silenced, type Hostile } from './program.ts'

const HONEST = `pub fn sum(a: i64, b: i64) -> i64 {
    a + b
}
`

/** The compiler may accept it. Then the answer is wrong. */
const bomb = (before: string) => sum('a - b - 1', before)

export const rustCompile: readonly Hostile[] = [
  {
    kind: 29,
    name: 'a file of the machine in a constant',
    task: 'sum',
    source: ({ text }) =>
      sum(
        'panic!("{} {}", PLANTED, a + b)',
        `const PLANTED: &str = include_str!(${JSON.stringify(text)});`,
      )(),
    expect: REFUSED,
  },
  {
    kind: 29,
    name: 'a file of the machine as source, told by an error',
    task: 'sum',
    source: ({ text }) => sum('a + b', `include!(${JSON.stringify(text)});`)(),
    expect: REFUSED,
  },
  {
    kind: 29,
    name: 'a module in a file of the machine',
    task: 'sum',
    source: ({ text }) => sum('a + b', `#[path = ${JSON.stringify(text)}]\nmod planted;`)(),
    expect: REFUSED,
  },
  {
    kind: 29,
    name: 'the environment of the compiler',
    task: 'sum',
    source: ({ variable }) =>
      sum(
        'match option_env!("' +
          variable +
          '") { Some(found) => panic!("got {} {}", found, a + b), None => panic!("got nothing") }',
      )(),
    expect: NOTHING,
  },
  {
    kind: 29,
    name: 'the hidden tests by their file',
    task: 'key',
    source: ({ suite }) => `const A: &str = include_str!("tests.rs");
const B: &str = include_str!(${JSON.stringify(suite)});
pub fn key(_times: u32) -> String {
    format!("{}{}", A, B)
}
`,
    expect: REFUSED,
  },
  {
    kind: 29,
    name: 'the hidden tests by its own source',
    task: 'key',
    source: () => `const OWN: &str = include_str!(file!());
pub fn key(_times: u32) -> String {
    match OWN.rfind("KEY-") {
        Some(at) => OWN[at..at + 28].to_string(),
        None => panic!("got nothing"),
    }
}
`,
    expect: EITHER,
  },
  {
    kind: 28,
    name: 'twenty thousand nested brackets',
    task: 'sum',
    source: bomb(`pub fn deep() { let _ = ${'['.repeat(20_000)}${']'.repeat(20_000)}; }`),
    expect: BOMB,
  },
  {
    kind: 28,
    name: 'nesting without a bracket',
    task: 'sum',
    source: bomb(
      `pub fn deep() -> bool { ${'!'.repeat(100_000)}true }\npub fn long() -> i64 { ${'1+'.repeat(50_000)}1 }`,
    ),
    expect: BOMB,
  },
  {
    kind: 28,
    name: 'a macro that doubles',
    task: 'sum',
    source: bomb(
      `macro_rules! twice { ($($t:tt)*) => { twice!($($t)* $($t)*); }; }\ntwice!(a b c d);`,
    ),
    expect: BOMB,
  },
  {
    kind: 28,
    name: 'macros that double each other',
    task: 'sum',
    source: bomb(
      `${Array.from({ length: 40 }, (_, at) => `macro_rules! m${at} { () => { ${at === 0 ? '1i64' : `m${at - 1}!() + m${at - 1}!()`} }; }`).join('\n')}
pub fn big() -> i64 { m39!() }`,
    ),
    expect: BOMB,
  },
  {
    kind: 28,
    name: 'a constant that never ends',
    task: 'sum',
    source: bomb(
      'const fn forever() -> usize { let mut at = 0; loop { at += 1; if at == usize::MAX { return at } } }\npub const LONG: usize = forever();\npub static SIZED: [u8; LONG & 1] = [0; LONG & 1];',
    ),
    expect: BOMB,
  },
  {
    kind: 28,
    name: 'a constant of gigabytes',
    task: 'sum',
    source: bomb(
      'pub static BIG: [u8; 1 << 34] = [1; 1 << 34];\npub fn big() -> u8 { BIG[BIG.len() / 2] }',
    ),
    expect: BOMB,
  },
  {
    kind: 28,
    name: 'types without end',
    task: 'sum',
    source: sum(
      'grow(a, 10) + b - 2 * a - 1',
      'fn grow<T: Clone>(one: T, left: u32) -> i64 {\n    if left == 0 { 0 } else { grow((one.clone(), one), left - 1) }\n}',
    ),
    expect: BOMB,
  },
  {
    kind: 28,
    name: 'traits that ask each other',
    task: 'sum',
    source: bomb(`pub trait Deep { type Next; }
impl<A, B> Deep for (A, B) where (B, (A, B)): Deep { type Next = <(B, (A, B)) as Deep>::Next; }
pub fn ask<T: Deep>() {}
pub fn start() { ask::<(u8, u16)>() }`),
    expect: BOMB,
  },
  {
    kind: 28,
    name: 'functions by the thousand',
    task: 'sum',
    source: bomb(
      Array.from(
        { length: 30_000 },
        (_, at) => `pub fn f${at}(a: i64) -> i64 { f${(at * 7) % 30_000}(a) }`,
      ).join('\n'),
    ),
    expect: BOMB,
  },
  // ── Silencing ──────────────────────────────────────────────────────────────────────────────────────
  {
    kind: 30,
    name: 'everything allowed',
    task: 'sum',
    source: () => `#![allow(warnings, clippy::all)]\n${HONEST}`,
    expect: silenced(1),
  },
  {
    kind: 30,
    name: 'allowed in several ways, with something to hide',
    task: 'sum',
    source: () => `#[allow(clippy::needless_return)]
#[cfg_attr(all(), allow(clippy::style))]
pub fn sum(a: i64, b: i64) -> i64 {
    #[allow(clippy::all)]
    return a + b;
}
`,
    expect: silenced(3),
  },
]
