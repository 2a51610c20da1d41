/**
 * Makes the program that tests a solution. The solution's source is the root of a crate, so that its inner
 * attributes, `crate::` paths and `mod` files keep working. Assay's module with the hidden tests is appended. Like
 * tests in the same file, these tests see private items and imports through `use super::*`. The crate has
 * `#![no_main]`, so that a `main` of the solution is an ordinary function. The real entry point is in the appended
 * module.
 *
 * The reverse design, with the solution as a module of the harness, would not work: a solution that is not the root
 * could not use `crate::`, `#![…]` or `mod file;`.
 *
 * A solution must not be able to fake test results. So the names of the appended modules and of the harness are
 * random for each program, and no solution can refer to them. A solution may define macros with the names of standard
 * ones, or its own `Some`, `Ok`, `Vec` and similar names. The tests still use the standard ones.
 */
import { randomBytes } from 'node:crypto'
import { EDITION } from '../edition.ts'
import { inventoryOf, type Inventory, type MadeTest } from './inventory.ts'
import { itemsOf } from '../source/items.ts'
import { read } from '../source/lex.ts'

/**
 * Macros of the standard library that tests are likely to use. They are defined again for the tests, so that the tests
 * get the standard ones even if the solution has macros of the same names.
 */
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
  /** The name of the harness library in this test crate. */
  readonly harness: string
  /** The `cfg` condition to set when the crate is compiled. It replaces `test` in the tests' conditions. */
  readonly cfg: string
  readonly inventory: Inventory
  /** The line of the crate's source at which the tests begin. */
  readonly firstLine: number
}

export interface CrateOptions {
  /** The name that the tests use for the solution's crate; null if they do not name it. */
  readonly module?: string | null
  readonly edition?: string
  /** The compiler's list of tests, if the list cannot be read from the source. */
  readonly made?: readonly MadeTest[] | undefined
  readonly includeIgnored?: boolean
}

export function testCrate(
  sample: string,
  tests: string,
  { module = null, edition = EDITION, made, includeIgnored = false }: CrateOptions = {},
): TestCrate {
  const noMangle = edition < '2024' ? 'no_mangle' : 'unsafe(no_mangle)'
  const drawn = randomBytes(8).toString('hex')
  const [name, harness, mark] = [`sample_${drawn}`, `harness_${drawn}`, `tests_${drawn}`]
  const inventory = inventoryOf(tests, mark, harness, {
    made,
    isCrate: module !== null,
    includeIgnored,
  })
  const macros = [
    ...STANDARD.map((macro) => [macro, `std::${macro}`]),
    ...Object.entries(OURS),
  ].map(([macro, ours]) => {
    // `thread_local!` is called where Rust expects an item, and there a macro call needs braces.
    const [open, close] = macro === 'thread_local' ? ['{', '}'] : ['(', ')']
    return `macro_rules! ${macro} { ($($t:tt)*) => { ::${harness}::${ours}!${open}$($t)*${close} } }`
  })
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

/** True if the solution itself has a module of that name. Paths that begin with this name then refer to that module. */
const hasModule = (sample: string, module: string): boolean =>
  itemsOf(read(sample)).some(
    ({ kind, name, parent }) => kind === 'mod' && parent === null && name === module,
  )

/**
 * Inserts `#![no_main]` before all other attributes. It is on the same line as they are, so that line numbers do not
 * change. A script line (`#!…`) must stay the first line.
 */
function withoutMain(sample: string): string {
  const text = sample.startsWith('\uFEFF') ? sample.slice(1) : sample
  const isScript = /^#![^\n]*/u.test(text) && !/^#!\s*\[/u.test(text)
  if (!isScript) return `#![no_main] ${text}`
  const end = text.indexOf('\n')
  return end === -1 ? text : `${text.slice(0, end + 1)}#![no_main] ${text.slice(end + 1)}`
}
