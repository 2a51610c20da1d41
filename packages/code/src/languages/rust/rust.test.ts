/** Real solutions with real toolchains: the one on the PATH, and Debian's own if both are installed. */
import { whole } from './host/dependencies.ts'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { inspectSandbox, openSandbox, type Sandbox } from '@assay/sandbox'
import type { CodeReport, CodeWork, LanguageTools } from '../../language.ts'
import { rustWith } from './rust.ts'

const SYSTEM = '/usr/bin/rustc'
const hasSandbox = (await inspectSandbox()).ready
const isReady = async (rustc?: string): Promise<boolean> =>
  hasSandbox && (await rustWith(rustc).inspect()).every(({ how }) => how === undefined)
const ready = await isReady()
const readySystem = existsSync(SYSTEM) && (await isReady(SYSTEM))

let sandbox: Sandbox
const opened = new Map<string, LanguageTools>()

beforeAll(async () => {
  if (hasSandbox) sandbox = await openSandbox('auto')
})

function toolsFor(rustc?: string): LanguageTools {
  const tools = opened.get(rustc ?? '') ?? rustWith(rustc).open(sandbox)
  opened.set(rustc ?? '', tools)
  return tools
}

afterAll(async () => {
  await Promise.all([...opened.values()].map((tools) => tools.close()))
  await sandbox?.close()
})

function assess(
  source: string,
  tests: string | null,
  other: Partial<CodeWork> = {},
  rustc?: string,
): Promise<CodeReport> {
  return toolsFor(rustc).assess({
    files: { 'solution.rs': source },
    main: 'solution.rs',
    module: null,
    edition: null,
    format: null,
    support: {},
    tests:
      tests === null ? null : { kind: 'source', source: tests, entryPoint: null, prelude: null },
    lint: true,
    integrity: 'in-process',
    define: false,
    allowUnsafe: false,
    dependencies: [],
    vendor: null,
    limits: { cpuMs: 2000, memoryBytes: 256 * 1024 * 1024 },
    signal: new AbortController().signal,
    ...other,
  })
}

const passed = ({ tests }: CodeReport): boolean[] | undefined => tests?.map((test) => test.passed)
const messages = ({ tests }: CodeReport): string[] | undefined =>
  tests?.map(({ message = '' }) => message)

const STACK = `
use std::fmt;

/// A stack.
#[derive(Debug, Default)]
pub struct Stack<T> { items: Vec<T> }

impl<T: fmt::Display> Stack<T> {
    pub fn new() -> Self { Stack { items: Vec::new() } }
    pub fn push(&mut self, item: T) { self.items.push(item); }
    pub fn pop(&mut self) -> Option<T> { self.items.pop() }
    fn len(&self) -> usize { self.items.len() }
}

fn main() { println!("my own main"); }

#[cfg(test)]
mod tests { #[test] fn padding() {} #[test] fn more_padding() { panic!() } }
`

const STACK_TESTS = `
#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    fn filled<T: fmt::Display>(items: Vec<T>) -> Stack<T> {
        let mut stack = Stack::new();
        for item in items { stack.push(item); }
        stack
    }

    #[test] fn pops_in_reverse() { let mut s = filled(vec![1, 2]); assert_eq!(s.pop(), Some(2)); assert!(s.len() == 1); }
    #[test] fn shows() { assert_eq!(format!("{}", filled(vec!["a"]).pop().unwrap()), "a", "with {}", 1); }
    #[test] fn a_result() -> Result<(), std::num::ParseIntError> { let n: i32 = "7".parse()?; assert_ne!(n, 8); Ok(()) }
    #[test] #[should_panic(expected = "boom")] fn panics() { panic!("it goes boom"); }
    #[test] #[should_panic] fn panics_somehow() { let v: Vec<i32> = vec![]; let _ = v[0]; }
    #[test] #[ignore] fn ignored() { panic!() }
    mod nested { use super::*; #[test] fn private_items() { assert_eq!(filled(vec![1.5, 2.5]).len(), 2); } }
    #[test] fn a_set() { let set: HashSet<_> = [1, 1].into_iter().collect(); assert!(matches!(set.len(), 1)); }
    #[test] fn with_crate() { assert_eq!(crate::Stack::<i32>::default().len(), 0); main(); }
}
`

describe.skipIf(!ready).concurrent('a Rust sample', () => {
  it('is checked, linted and tested with all that tests may use', async () => {
    const report = await assess(STACK, STACK_TESTS, { define: true })
    expect(report.errors).toEqual([])
    expect(report.tests?.map(({ name }) => name)).toEqual([
      ...['tests::pops_in_reverse', 'tests::shows', 'tests::a_result', 'tests::panics'],
      ...[
        'tests::panics_somehow',
        'tests::nested::private_items',
        'tests::a_set',
        'tests::with_crate',
      ],
    ])
    expect(messages(report)).toEqual(Array.from({ length: 8 }, () => ''))
    expect(report.warnings).toEqual([])
    expect(report.defined).toEqual({
      functions: ['new', 'push', 'pop', 'len', 'main'],
      types: ['Stack'],
    })
    expect(report.fault).toBeNull()
  })

  it('fails test by test, each with why and where', async () => {
    const report = await assess(
      'pub fn half(n: i32) -> i32 { if n == 9 { panic!("nine") } n / 2 }',
      `#[test] fn right() { assert_eq!(half(4), 2); }
       #[test] fn wrong() { assert_eq!(half(5), 3, "of {}", 5); }
       #[test] fn untrue() { assert!(half(4) == 3); }
       #[test] fn error() -> Result<(), String> { Err("no".into()) }
       #[test] #[should_panic] fn calm() { half(1); }
       #[test] #[should_panic(expected = "ten")] fn other() { half(9); }
       #[test] fn own() { half(9); }`,
    )
    expect(passed(report)).toEqual([true, false, false, false, false, false, false])
    expect(messages(report)?.slice(1)).toEqual([
      'tests:2: assertion `left == right` failed: of 5\n  left: 2\n right: 3',
      'tests:3: assertion failed: half(4) == 3',
      'the test returned an error: "no"',
      'the test did not panic as it should',
      'solution.rs:1: panicked with "nine", which does not contain "ten"',
      'solution.rs:1: nine',
    ])
  })

  it('that does not compile has its errors and no tests', async () => {
    const report = await assess('pub fn a() -> i32 {\n    "text"\n}', '#[test] fn t() { a(); }')
    expect(report).toMatchObject({ compiled: false, tests: null, warnings: [], fault: null })
    expect(report.errors[0]).toMatchObject({
      file: 'solution.rs',
      line: 2,
      column: 5,
      code: 'E0308',
    })
  })

  it('that compiles alone but not with the tests has failed them all, with the first error', async () => {
    const report = await assess('pub fn one() {}', '#[test] fn a() { two(); }\n#[test] fn b() {}')
    expect(report).toMatchObject({ compiled: true, fault: null })
    expect(passed(report)).toEqual([false, false])
    expect(messages(report)).toEqual([
      'does not compile with the tests: tests:1: cannot find function `two` in this scope (E0425)',
      'not run: it does not compile with the tests',
    ])
  })

  it('is linted by clippy, with what it tried to silence, and shown the compiler’s warnings', async () => {
    const report = await assess(
      '#![allow(clippy::all)]\n#[allow(dead_code, warnings)]\nfn a() -> i32 {\n    return 1;\n}\npub fn b() { let x = 1; }',
      null,
    )
    expect(report.warnings?.map(({ code, line }) => [code, line])).toEqual([
      ['silenced', 1],
      ['silenced', 2],
      ['clippy::needless_return', 4],
    ])
    expect(report.notes.map(({ code }) => code)).toEqual(['unused_variables'])
    expect(report.tests).toBeNull()
  })

  it('is not linted where that is off, and compiles all the same', async () => {
    const report = await assess('#[allow(clippy::all)] pub fn a() -> i32 { return 1; }', null, {
      lint: false,
    })
    expect(report).toMatchObject({ compiled: true, warnings: null })
  })

  it('may deny lints: the linter’s stay warnings, the compiler’s are errors', async () => {
    const lint = await assess(
      '#![deny(clippy::all)]\npub fn a() -> i32 { return 1; }',
      '#[test] fn t() { a(); }',
    )
    expect(lint).toMatchObject({ compiled: true, warnings: [{ code: 'clippy::needless_return' }] })
    expect(passed(lint)).toEqual([true])
    const own = await assess('#![deny(warnings)]\npub fn a() { let x = 1; }', null)
    expect(own).toMatchObject({ compiled: false, errors: [{ code: 'unused_variables' }] })
    const allowed = await assess(
      '#![deny(warnings)]\n#[allow(dead_code)]\nfn a() {}',
      '#[test] fn t() { a(); }',
    )
    expect(allowed).toMatchObject({ compiled: true, warnings: [{ code: 'silenced' }] })
    expect(passed(allowed)).toEqual([true])
  })

  it('keeps its own ways: inner attributes, no_std, macros, main, a module called tests', async () => {
    const report = await assess(
      `//! About it.
#![forbid(unsafe_code)]
#![no_std]
#![crate_name = "mine"]
extern crate alloc;
use alloc::vec::Vec;
macro_rules! twice { ($x:expr) => { $x * 2 } }
mod tests { pub fn helper() -> i32 { 1 } }
pub fn list() -> Vec<i32> { [twice!(1), crate::tests::helper()].to_vec() }
fn main() {}`,
      `#[cfg(test)] mod tests { use super::*; #[test] fn a() { assert_eq!(list(), vec![2, 1]); assert_eq!(twice!(2), 4); } }`,
    )
    expect(report.errors).toEqual([])
    expect(messages(report)).toEqual([''])
  })

  it('may be a script with a first line of its own', async () => {
    const report = await assess(
      '#!/usr/bin/env run-cargo-script\npub fn a() -> i32 { 1 }',
      '#[test] fn t() { assert_eq!(a(), 1); }',
    )
    expect(messages(report)).toEqual([''])
  })

  it('may be several files, with the case’s own beside them', async () => {
    const report = await assess(
      '',
      '#[cfg(test)] mod tests { use super::*; #[test] fn a() { assert_eq!(shapes::area(2), 4); assert_eq!(given(), 3); assert_eq!(DATA.trim(), "data"); } }',
      {
        files: {
          'src/lib.rs':
            'pub mod shapes;\nmod brought;\nuse brought::given;\nconst DATA: &str = include_str!("../data.txt");',
          'src/shapes.rs': 'mod deep;\npub fn area(n: i32) -> i32 { return deep::square(n); }',
          'src/shapes/deep.rs':
            '#![allow(clippy::all)]\npub fn square(n: i32) -> i32 { n * n }\npub struct Deep;',
          'data.txt': 'data\n',
          'unused.rs': 'pub fn unused() {}',
        },
        main: 'src/lib.rs',
        support: { 'src/brought.rs': 'pub fn given() -> i32 { return 3; }' },
        define: true,
      },
    )
    expect(report.errors).toEqual([])
    expect(messages(report)).toEqual([''])
    expect(report.warnings?.map(({ code, file, line }) => [code, file, line])).toEqual([
      ['silenced', 'src/shapes/deep.rs', 1],
      ['clippy::needless_return', 'src/shapes.rs', 2],
    ])
    expect(report.defined).toEqual({ functions: ['area', 'square'], types: ['Deep'] })
  })

  it('refuses tests that hold none or cannot be run', async () => {
    await expect(assess('pub fn a() {}', 'fn helper() {}')).rejects.toThrow('there is no test')
    const calls = { kind: 'calls', entryPoint: 'a', calls: [{ args: [], returns: null }] } as const
    const report = await assess('pub fn a() {}', null, { tests: calls })
    expect(report.tests).toMatchObject([{ name: 'call 1', passed: false }])
    const inner = assess('pub fn a() {}', 'fn f() { #[test] fn x() {} }')
    await expect(inner).rejects.toThrow('a test inside a function is never run')
  })

  it('says the expression of an assertion with its message', async () => {
    const report = await assess(
      'pub fn f(x: i64) -> i64 { x }',
      '#[test] fn a() { let x = 2; assert!(f(1) == x, "no {}", x); }\n#[test] fn b() { assert!(f(1) > 2, "small"); }\n#[test] #[should_panic(expected = "small")] fn c() { assert!(f(1) > 2, "small"); }',
    )
    expect(messages(report)).toEqual(['tests:1: no 2 (f(1) == x)', 'tests:2: small (f(1) > 2)', ''])
  })

  it('repeats no line of cargo and cuts none', () => {
    const said = 'no matching package\n  searched: x\nno matching package\n\nlast line'
    expect(whole(said, 400)).toBe('no matching package searched: x last line')
    expect(whole(said, 35)).toBe('no matching package searched: x …')
  })

  it('ends when its signal does', async () => {
    const ending = new AbortController()
    const work = assess('pub fn a() { loop {} }', '#[test] fn t() { a(); }', {
      signal: ending.signal,
    })
    setTimeout(() => ending.abort(new Error('enough')), 50)
    await expect(work).rejects.toThrow('enough')
  })
})

describe.skipIf(!readySystem)('a Rust sample under Debian’s toolchain', () => {
  it('is checked, linted and tested as well', async () => {
    const silenced = `#[allow(clippy::all)]\npub fn quiet() -> i32 { return 1; }`
    const report = await assess(`${STACK}${silenced}`, STACK_TESTS, {}, SYSTEM)
    expect(report.errors).toEqual([])
    expect(messages(report)).toEqual(Array.from({ length: 8 }, () => ''))
    expect(report.warnings?.map(({ code }) => code)).toEqual([
      'silenced',
      'clippy::needless_return',
    ])
  })

  it('cannot use unsafe code, nor end the process to pass', async () => {
    const refused = await assess('pub fn a() { unsafe {} }', '#[test] fn t() { a(); }', {}, SYSTEM)
    expect(refused).toMatchObject({ compiled: false, errors: [{ code: 'unsafe_code' }] })
    const gone = await assess(
      'pub fn a() { std::process::exit(0) }',
      '#[test] fn t() { a(); }',
      {},
      SYSTEM,
    )
    expect(gone).toMatchObject({
      compiled: true,
      tests: [{ passed: false }],
      fault: { kind: 'exit' },
    })
  })
})

describe.skipIf(!ready)('crates that a case depends on', () => {
  const adder = { name: 'tiny-adder', version: '0.1', features: ['more'] }

  async function vendored(): Promise<string> {
    const folder = await mkdtemp(join(tmpdir(), 'assay-vendor-'))
    const crate = join(folder, 'cargo', 'tiny-adder')
    const files: Readonly<Record<string, string>> = {
      'Cargo.toml':
        '[package]\nname = "tiny-adder"\nversion = "0.1.3"\nedition = "2021"\n\n[features]\nmore = []\n',
      'src/lib.rs':
        'pub fn add(a: i32, b: i32) -> i32 { a + b }\n#[cfg(feature = "more")]\npub fn more() -> i32 { 7 }\n',
    }
    const sums: Record<string, string> = {}
    await mkdir(join(crate, 'src'), { recursive: true })
    for (const [name, text] of Object.entries(files)) {
      await writeFile(join(crate, name), text)
      sums[name] = createHash('sha256').update(text).digest('hex')
    }
    await writeFile(
      join(crate, '.cargo-checksum.json'),
      JSON.stringify({ files: sums, package: null }),
    )
    return folder
  }

  it.each([undefined, ...(readySystem ? [SYSTEM] : [])])(
    'are built once from the vendored folder (rustc: %s)',
    async (rustc) => {
      const vendor = await vendored()
      try {
        expect(await rustWith(rustc).missing([adder], vendor)).toEqual([])
        const sample =
          'use tiny_adder::add;\npub fn sum() -> i32 { add(1, 2) + tiny_adder::more() }'
        const tests =
          '#[cfg(test)] mod tests { use super::*; #[test] fn t() { assert_eq!(sum(), 10); } }'
        const other = { dependencies: [adder], vendor }
        const report = await assess(sample, tests, other, rustc)
        expect(report.errors).toEqual([])
        expect(messages(report)).toEqual([''])
        // The crates are already built, so the vendored folder is no longer read.
        await rm(join(vendor, 'cargo'), { recursive: true })
        expect(passed(await assess(sample, tests, other, rustc))).toEqual([true])
        expect((await assess(sample, tests, {}, rustc)).compiled).toBe(false)
      } finally {
        await rm(vendor, { recursive: true, force: true })
      }
    },
  )

  it('are named when they are missing', async () => {
    const vendor = await vendored()
    try {
      const absent = { name: 'no-such-crate-anywhere', version: '1', features: [] }
      const missing = await rustWith().missing([adder, absent], vendor)
      expect(missing).toHaveLength(1)
      expect(missing[0]).toMatch(
        /no-such-crate-anywhere 1 is neither in .*cargo nor in cargo's cache/u,
      )
      expect(await rustWith().missing([], null)).toEqual([])
    } finally {
      await rm(vendor, { recursive: true, force: true })
    }
  })
})

describe('the toolchain', () => {
  it('that is not there is said to be missing, with how to get it', async () => {
    const tools = await rustWith('/no/such/rustc').inspect()
    expect(tools.map(({ name }) => name)).toEqual(['rustc', 'cargo', 'clippy-driver', 'gcc'])
    expect(tools[0]).toMatchObject({ version: null, how: expect.stringMatching(/rustup/u) })
  })
})

const minor = Number((await rustWith().inspect())[0]?.version?.split('.')[1] ?? 0)
/** The first compiler version with `let` chains, which only edition 2024 allows. */
const hasChains = minor >= 88

describe.skipIf(!ready)('editions and file documentation of Rust tests', () => {
  const CHAIN =
    'pub fn f(a: Option<i32>, b: i32) -> i32 { if let Some(x) = a && b > 0 { x } else { b } }'
  const TESTS = '#[test] fn chains() { assert_eq!(f(Some(1), 2), 1); }'

  it.skipIf(!hasChains)(
    'use edition 2021, and the message says where only a newer one compiles',
    async () => {
      const report = await assess(CHAIN, TESTS)
      expect(report.compiled).toBe(false)
      expect(report.errors[0]?.message).toMatch(/edition 2024 allows it/)
    },
  )

  it.skipIf(!hasChains)('use the edition that the case gives', async () => {
    const report = await assess(CHAIN, TESTS, { edition: '2024' })
    expect([report.errors, passed(report)]).toEqual([[], [true]])
    const older = await assess(
      'pub fn r#async() -> i32 { 1 }',
      '#[test] fn a() { assert_eq!(r#async(), 1) }',
      { edition: '2018' },
    )
    expect(passed(older)).toEqual([true])
  })

  it('may start with the documentation of their file', async () => {
    const tests = `//! Tests of f.\n//!\n/*! More. */\n\nuse word_count::f;\n\n${TESTS}`
    const source = 'pub fn f(_: Option<i32>, _: i32) -> i32 { 1 }'
    expect(passed(await assess(source, tests, { module: 'word_count' }))).toEqual([true])
  })
})
