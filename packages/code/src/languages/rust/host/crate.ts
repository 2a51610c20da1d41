/**
 * The program that tests a sample: the sample's source as the root of a crate, so that its inner attributes,
 * its `crate::` paths and its files stay where they are, and behind it one module of ours with the hidden
 * tests. They see private items and imports through `use super::*`, as tests in the same file do. The
 * crate has no `main` of the language's kind, so that a `main` of the sample's is a function like others; the
 * one that the system calls is in our module.
 *
 * This is the "the sample a module of the harness and the tests its child" turned inside out: a sample
 * that is no longer the root could not say `crate::`, `#![…]` or `mod file;`. The harness's own names are
 * drawn anew for each program, so that no sample can mean them.
 *
 * What a sample could put between the tests and the truth is taken away from it: macros of its own that are
 * called like the standard ones, and names of its own for `Some`, `Ok`, `Vec` and their like.
 */
import { randomBytes } from 'node:crypto'
import { EDITION } from './edition.ts'
import { inventoryOf, type Inventory } from './inventory.ts'
import { rustSource } from './source/source-reader.ts'

/** Macros of the standard library that tests are likely to use. */
const STANDARD = [
  ...['cfg', 'column', 'concat', 'dbg', 'env', 'eprint', 'eprintln', 'file', 'format'],
  ...[
    'format_args',
    'include_str',
    'line',
    'matches',
    'module_path',
    'option_env',
    'panic',
    'print',
  ],
  ...[
    'println',
    'stringify',
    'thread_local',
    'todo',
    'unimplemented',
    'unreachable',
    'vec',
    'write',
  ],
  'writeln',
]

const OURS: Readonly<Record<string, string>> = {
  assert: 'checked',
  assert_eq: 'equal',
  assert_ne: 'unequal',
  debug_assert: 'checked',
  debug_assert_eq: 'equal',
  debug_assert_ne: 'unequal',
}

const NAMES = [
  ...['boxed::Box', 'option::Option::{None, Some}', 'result::Result::{Err, Ok}', 'string::String'],
  'vec::Vec',
]

export interface TestCrate {
  readonly text: string
  readonly name: string
  /** What the harness library is called in it. */
  readonly harness: string
  /** A condition to set. */
  readonly cfg: string
  readonly inventory: Inventory
  /** The line of the crate that is the first of the tests. */
  readonly firstLine: number
}

export interface CrateOptions {
  /** What the tests call the crate of the solution; null where they do not name it. */
  readonly module?: string | null
  readonly edition?: string
}

export function testCrate(
  sample: string,
  tests: string,
  { module = null, edition = EDITION }: CrateOptions = {},
): TestCrate {
  const noMangle = edition < '2024' ? 'no_mangle' : 'unsafe(no_mangle)'
  const drawn = randomBytes(8).toString('hex')
  const [name, harness, mark] = [`sample_${drawn}`, `harness_${drawn}`, `tests_${drawn}`]
  const inventory = inventoryOf(tests, mark, harness)
  const macros = [
    ...STANDARD.map((macro) => [macro, `std::${macro}`]),
    ...Object.entries(OURS),
  ].map(
    ([macro, ours]) =>
      `macro_rules! ${macro} { ($($t:tt)*) => { ::${harness}::${ours}!($($t)*) } }`,
  )
  const before = [
    withoutMain(sample),
    ...(module === null || hasModule(sample, module) ? [] : [`extern crate self as ${module};`]),
    `mod ${mark} {`,
    ...macros,
    `use super::*; use ::${harness}::std::{${NAMES.join(', ')}};`,
    `mod ${mark}_entry { #[${noMangle}] pub extern "C" fn main() -> i32 { ::${harness}::run(super::${mark}_source::${mark}) } }`,
    `mod ${mark}_source { use super::*;`,
    '',
  ].join('\n')
  return {
    text: `${before}${inventory.text}\n} }\n`,
    name,
    harness,
    cfg: mark,
    inventory,
    firstLine: before.split('\n').length,
  }
}

/** The solution has a module of that name itself, so paths with it lead there. */
const hasModule = (sample: string, module: string): boolean =>
  rustSource.defined(sample).some(({ name }) => name === module)

/** The attribute goes before all others, on their line, but behind a `#!` line, which has to stay the first. */
function withoutMain(sample: string): string {
  const text = sample.startsWith('\uFEFF') ? sample.slice(1) : sample
  const isScript = /^#![^\n]*/u.test(text) && !/^#!\s*\[/u.test(text)
  if (!isScript) return `#![no_main] ${text}`
  const end = text.indexOf('\n')
  return end === -1 ? text : `${text.slice(0, end + 1)}#![no_main] ${text.slice(end + 1)}`
}
