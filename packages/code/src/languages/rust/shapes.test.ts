/** The forms in which people write Rust tests: unchanged files of cargo projects and of exercise tracks. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { isRustReady, openRustBench, outcomesOf, type RustBench } from '../../../test/try-rust.ts'

const isReady = await isRustReady()
let bench: RustBench

beforeAll(async () => {
  if (isReady) bench = await openRustBench()
})

afterAll(() => bench?.close())

const SQUARE = 'pub fn square(n: i64) -> i64 { n * n }'

describe.skipIf(!isReady).concurrent('Rust tests', () => {
  it('may be made by macros of the test file, with modules, panics and ignored ones', async () => {
    const tests = `
use square::square;

macro_rules! squares {
    ($($name:ident: $given:expr => $expected:expr,)*) => {
        $(
            #[test]
            fn $name() { assert_eq!(square($given), $expected); }
        )*
        mod again {
            use super::*;
            pub mod deeper {
                use super::super::*;
                $( #[test] fn $name() { assert_eq!($expected, square($given)); } )*
            }
        }
    };
}

squares! {
    one: 1 => 1,
    wrong: 2 => 5,
}

macro_rules! test { ($(#[$meta:meta])* fn $name:ident() $body:block) => { $(#[$meta])* fn $name() $body }; }
test! {
    #[test]
    #[should_panic(expected = "attempt to multiply with overflow")]
    fn too_big() { square(i64::MAX); }
}
test! { #[test] #[ignore = "slow"] fn slow() { panic!() } }
`
    const report = await bench.run(SQUARE, tests, { module: 'square' })
    expect(outcomesOf(report)).toEqual({
      one: 'ok',
      wrong: expect.stringContaining('left: 4'),
      'again::deeper::one': 'ok',
      'again::deeper::wrong': expect.stringContaining('right: 4'),
      too_big: 'ok',
    })
    expect(report.skipped).toEqual(['slow'])
    const all = await bench.run(SQUARE, tests, { module: 'square', includeIgnored: true })
    expect(outcomesOf(all)).toMatchObject({ slow: expect.stringContaining('explicit panic') })
    expect(all.skipped).toBeUndefined()
  })

  it('may be several files with helpers, named as cargo finds them', async () => {
    const tests = `//! Integration tests.
mod common;
mod cases {
    mod small;
}
#[path = "fixtures/table.rs"]
mod table;

use common::{given, Setup};
use square::square;

const TEXT: &str = include_str!("fixtures/four.txt");

#[test]
fn uses_helpers() {
    let setup: Setup = given(2);
    assert_eq!(square(setup.value), TEXT.trim().parse::<i64>().unwrap());
    assert_eq!(include_bytes!("fixtures/four.txt").len(), 2);
    assert_eq!(table::ROWS.len(), 1);
    crate::common::checks::check(3);
}

#[test]
fn fails_here() { assert_eq!(square(2), 5); }
`
    const support = {
      'tests/common/mod.rs': `//! Helpers.
#![allow(dead_code)]
pub mod checks;
pub struct Setup { pub value: i64 }
pub fn given(value: i64) -> Setup { Setup { value } }
`,
      'tests/common/checks.rs': `use square::square;
pub fn check(n: i64) {
    assert_eq!(square(n), n * n);
}
`,
      'tests/cases/small.rs': `#[test]
fn zero() { assert_eq!(square::square(0), 0); }

#[test]
fn one() { assert_eq!(square::square(1), 2); }
`,
      'tests/fixtures/table.rs': 'pub const ROWS: [i64; 1] = [1];',
      'tests/fixtures/four.txt': '4\n',
    }
    const report = await bench.run(SQUARE, tests, { module: 'square', support })
    expect(outcomesOf(report)).toEqual({
      uses_helpers: 'ok',
      fails_here: 'tests:24: assertion `left == right` failed\n  left: 4\n right: 5',
      'cases::small::zero': 'ok',
      'cases::small::one':
        'tests/cases/small.rs:5: assertion `left == right` failed\n  left: 1\n right: 2',
    })
    const lacking = bench.run(SQUARE, tests, { module: 'square', support: {} })
    await expect(lacking).rejects.toThrow(
      'the tests of the case are at fault: line 2: the module common is in another file, and the files of the case have no tests/common.rs or tests/common/mod.rs',
    )
  })

  it('may declare the crate as older editions do', async () => {
    const tests = `
#[macro_use]
extern crate square;
extern crate square as math;
extern crate core;
use square::*;
#[test]
fn both() { assert_eq!(square(3), math::square(3)); assert_eq!(twice!(2), 4); }
`
    const source = `${SQUARE}\n#[macro_export]\nmacro_rules! twice { ($x:expr) => { $x * 2 } }`
    const report = await bench.run(source, tests, { module: 'square', edition: '2018' })
    expect(outcomesOf(report)).toEqual({ both: 'ok' })
  })

  it('may leave tests to conditions that only the compiler knows', async () => {
    const tests = `
#[test] #[cfg_attr(target_pointer_width = "64", ignore)] fn wide() { panic!() }
#[test] #[cfg(target_endian = "big")] fn big() { panic!() }
#[test] #[cfg(target_endian = "little")] fn little() { assert_eq!(square(2), 4); }
`
    const report = await bench.run(SQUARE, tests)
    expect([outcomesOf(report), report.skipped]).toEqual([{ little: 'ok' }, ['wide']])
  })

  it('may have the names that a harness would use, and thread-local data', async () => {
    const tests = `
use square as maths;
thread_local! { static SEEN: std::cell::Cell<i64> = std::cell::Cell::new(0); }
#[test] fn table() { SEEN.with(|seen| seen.set(maths::square(3))); SEEN.with(|seen| assert_eq!(seen.get(), 9)); }
#[test] fn run() { assert_eq!(maths::square(1), 1); }
#[test] fn main() {}
`
    const report = await bench.run(SQUARE, tests, { module: 'square' })
    expect(outcomesOf(report)).toEqual({ table: 'ok', run: 'ok', main: 'ok' })
  })

  it('are refused by name where the case does not declare a crate', async () => {
    const tests = 'use super::*;\nuse rand::Rng;\n#[test] fn a() { square(1); }'
    await expect(bench.run(SQUARE, tests, { module: 'rand' })).rejects.toThrow(
      'they use the crate rand, which the case does not declare: add it to dependencies',
    )
  })
})
