/**
 * Solutions that try to pass without being correct, to read files that they must not see, or to overload the
 * machine.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { createServer, type AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { inspectSandbox, openSandbox, type Sandbox } from '@assay/sandbox'
import type { CodeReport, CodeWork, Fault, LanguageTools } from '../../../language.ts'
import { rust } from '../rust.ts'

const ready =
  (await inspectSandbox()).ready && (await rust.inspect()).every(({ how }) => how === undefined)

let sandbox: Sandbox
let tools: LanguageTools

beforeAll(async () => {
  if (!ready) return
  sandbox = await openSandbox('auto')
  tools = rust.open(sandbox)
})

afterAll(async () => {
  await tools?.close()
  await sandbox?.close()
})

const assess = (
  source: string,
  tests: string,
  other: Partial<CodeWork> = {},
): Promise<CodeReport> =>
  tools.assess({
    files: { 'solution.rs': source },
    main: 'solution.rs',
    module: null,
    edition: null,
    format: null,
    support: {},
    tests: { kind: 'source', source: tests, entryPoint: null, prelude: null },
    lint: false,
    integrity: 'in-process',
    define: false,
    allowUnsafe: false,
    dependencies: [],
    vendor: null,
    limits: { cpuMs: 1000, memoryBytes: 128 * 1024 * 1024 },
    signal: new AbortController().signal,
    ...other,
  })

/**
 * `add(1, 2)` must return 3. There are three tests, so that one runs before, one during and one after the hostile
 * code.
 */
const TESTS = `#[cfg(test)] mod tests { use super::*;
  #[test] fn first() { assert_eq!(1 + 1, 2); }
  #[test] fn adds() { assert_eq!(add(1, 2), 3); }
  #[test] fn last() { assert_eq!(add(2, 2), 4); }
}`

const passed = ({ tests }: CodeReport): boolean[] => (tests ?? []).map((test) => test.passed)

/** Makes a function \`add\` that returns 0 at its end, so that it is never correct. */
const body = (statements: string, before = ''): string =>
  `${before}\npub fn add(_a: i32, _b: i32) -> i32 { ${statements}\n#[allow(unreachable_code)] 0 }`

describe.skipIf(!ready).concurrent('a sample that ends the process', () => {
  it.each<[string, string, Fault['kind']]>([
    ['by exit(0)', body('std::process::exit(0);'), 'exit'],
    ['by abort', body('std::process::abort();'), 'crash'],
    [
      'from a panic hook',
      body('std::panic::set_hook(Box::new(|_| std::process::exit(0))); panic!();'),
      'exit',
    ],
    [
      'when a value is dropped',
      body(
        'std::panic::panic_any(Last);',
        'struct Last; impl Drop for Last { fn drop(&mut self) { std::process::exit(0) } }\nthread_local! { static L: Last = Last; }\n',
      ).replace('std::panic', 'L.with(|_| ()); std::panic'),
      'exit',
    ],
    [
      'from another thread',
      body('std::thread::spawn(|| std::process::exit(0)); loop { std::thread::yield_now(); }'),
      'exit',
    ],
    ['by a loop without end', body('loop {}'), 'timeout'],
    ['by waiting for ever', body('loop { std::thread::park(); }'), 'timeout'],
    [
      'by its stack',
      body(
        'return deep(1);',
        '#[allow(unconditional_recursion)] fn deep(n: i32) -> i32 { let a = [n; 100]; deep(n + 1) + a[7] }',
      ),
      'crash',
    ],
    [
      'by memory',
      body('let mut v: Vec<Vec<u8>> = vec![]; loop { v.push(vec![1; 1 << 24]); }'),
      'memory',
    ],
    ['by output', body('loop { println!("{}", "x".repeat(100_000)); }'), 'output'],
    [
      'by a panic while panicking',
      body(
        'let _a = B; panic!();',
        'struct B; impl Drop for B { fn drop(&mut self) { panic!() } }',
      ),
      'crash',
    ],
  ])('%s has failed, and keeps what was passed before', async (_, source, kind) => {
    const report = await assess(source, TESTS)
    expect(report.errors).toEqual([])
    expect(passed(report)).toEqual([true, false, false])
    expect(report.fault?.kind).toBe(kind)
    expect(report.tests?.[2]?.message).toBe(report.fault?.text)
  })

  it('after all tests changes nothing, nor do threads that go on', async () => {
    const source = `pub fn add(a: i32, b: i32) -> i32 { std::thread::spawn(|| loop { std::thread::yield_now(); }); a + b }`
    const report = await assess(source, TESTS)
    expect(passed(report)).toEqual([true, true, true])
    expect(report.fault).toBeNull()
  })
})

describe.skipIf(!ready).concurrent('a sample that says it passed', () => {
  const LINES = [
    'running 3 tests',
    'test tests::adds ... ok',
    'test result: ok. 3 passed; 0 failed',
    '0 ok',
    'ready',
    'end',
  ]
  const JSON_LINES = [
    '{"type":"test","event":"ok","name":"tests::adds"}',
    '{"type":"suite","event":"ok","passed":3}',
  ]
  const print = [...LINES, ...JSON_LINES]
    .map(
      (line) =>
        `println!("{}", ${JSON.stringify(line)}); eprintln!("{}", ${JSON.stringify(line)});`,
    )
    .join(' ')

  it('in the words of the compiler’s own harness is not heard', async () => {
    expect(passed(await assess(body(`${print} std::process::exit(0);`), TESTS))).toEqual([
      true,
      false,
      false,
    ])
  })

  it.each([
    ['a macro called assert_eq', `macro_rules! assert_eq { ($($t:tt)*) => { () } }\n${body('')}`],
    [
      'an exported macro',
      `#[macro_export] macro_rules! assert_eq { ($($t:tt)*) => { () } }\n${body('')}`,
    ],
    [
      'an import called assert_eq',
      `macro_rules! mine { ($($t:tt)*) => { () } }\npub(crate) use mine as assert_eq;\n${body('')}`,
    ],
    [
      'a standard library of its own',
      `extern crate self as std;\n#[macro_export] macro_rules! assert_eq { ($($t:tt)*) => { () } }\n${body('')}`,
    ],
    [
      'a value that equals everything',
      `#[derive(Debug)] pub struct Any; impl PartialEq<i32> for Any { fn eq(&self, _: &i32) -> bool { true } }\npub fn add(_: i32, _: i32) -> Any { Any }`,
    ],
    [
      'a list of them',
      `#[derive(Debug)] pub struct Any; impl PartialEq<i32> for Any { fn eq(&self, _: &i32) -> bool { true } }\npub fn add(_: i32, _: i32) -> Any { Any }\npub fn list() -> Vec<Any> { vec![Any] }`,
    ],
  ])('by %s has failed', async (_, source) => {
    const tests = source.includes('fn list')
      ? '#[cfg(test)] mod tests { use super::*; #[test] fn a() { assert_eq!(list(), vec![7]); } #[test] fn b() { assert!(add(1, 2) == 3); } #[test] fn c() { assert!(add(1, 2) == 3 && true, "m"); } }'
      : TESTS.replace('assert_eq!(1 + 1, 2);', 'assert_eq!(1, 2);')
    const report = await assess(source, tests)
    expect(passed(report)).not.toContain(true)
  })

  it('by other means of the language has failed', async () => {
    const source = `
      macro_rules! matches { ($($t:tt)*) => { true } }
      #[allow(non_snake_case)] pub fn Some<T>(_: T) -> Any { Any }
      #[derive(Debug, PartialEq)] pub struct Any;
      impl std::ops::Not for Any { type Output = bool; fn not(self) -> bool { false } }
      pub fn get() -> Any { Any }
      pub fn check(n: i32) -> bool { n == 0 }`
    const tests = (statement: string): string =>
      `#[cfg(test)] mod tests { use super::*; #[test] fn a() { ${statement} } }`
    for (const statement of [
      'assert!(matches!(check(1), true));',
      'assert_eq!(get(), Some(3));',
      'assert!(get());',
    ])
      expect(passed(await assess(source, tests(statement))), statement).toEqual([false])
  })

  it('with its own types on both sides is believed, as the tests ask for it', async () => {
    const source = `#[derive(Debug, PartialEq, Clone)] pub enum Token { Number(i32), Plus }
      pub fn tokens() -> Vec<Token> { vec![Token::Number(1), Token::Plus] }
      pub fn first() -> Option<Token> { tokens().first().cloned() }`
    const tests = `#[cfg(test)] mod tests { use super::*;
      #[test] fn a() { assert_eq!(tokens(), [Token::Number(1), Token::Plus]); assert_eq!(first(), Some(Token::Number(1))); }
      #[test] fn b() { assert!(tokens()[1] == Token::Plus && *tokens() != [Token::Plus]); assert_ne!(&tokens()[..], &[Token::Plus][..]); } }`
    const report = await assess(source, tests)
    expect(report.tests).toEqual([
      { name: 'tests::a', passed: true },
      { name: 'tests::b', passed: true },
    ])
  })
})

describe.skipIf(!ready).concurrent('unsafe code', () => {
  const CONSTRUCTOR = `#[used] #[link_section = ".init_array"] static START: extern "C" fn() = start;
    extern "C" fn start() { println!("test result: ok. 3 passed"); std::process::exit(0) }
    pub fn add(a: i32, b: i32) -> i32 { a + b }`

  it.each([
    ['a block', body('unsafe { std::hint::unreachable_unchecked() }')],
    ['a function before main', CONSTRUCTOR],
    [
      'a symbol of the system',
      `#[no_mangle] pub extern "C" fn write() -> isize { 0 }\n${body('')}`,
    ],
    ['a block that allows itself', `#![allow(unsafe_code)]\n${body('unsafe {}')}`],
    ['a block that only tests would see', `#![cfg(no_std)]\n${body('unsafe {}')}\n`],
    [
      'a block that the linter does not see',
      `#[cfg(not(clippy))] fn hidden() { unsafe {} }\n${body('')}`,
    ],
    [
      'a block that a macro makes',
      `macro_rules! m { ($l:ident) => { #[$l(unsafe_code)] fn n() { unsafe {} } } }\nm!(allow);\n${body('')}`,
    ],
  ])('as %s is refused', async (name, source) => {
    const report = await assess(source, TESTS, { lint: true })
    if (name.includes('only tests')) expect(passed(report)).not.toContain(true)
    else {
      expect(report.compiled).toBe(false)
      expect(report.errors.map(({ message }) => message).join()).toMatch(/unsafe/u)
    }
  })

  it('runs where the case allows it, and gains nothing by starting early', async () => {
    const fine = await assess(
      'pub fn add(a: i32, b: i32) -> i32 { unsafe { a.unchecked_add(b) } }',
      TESTS,
      { allowUnsafe: true },
    )
    expect(passed(fine)).toEqual([true, true, true])
    const early = await assess(CONSTRUCTOR, TESTS, { allowUnsafe: true })
    expect(passed(early)).toEqual([false, false, false])
    expect(early.fault?.kind).toBe('exit')
  })
})

describe.skipIf(!ready).concurrent('what is not the sample’s', () => {
  /** Returns whether the one test of this source passes, which it does only if \`peek\` finds something. */
  const peeks = async (source: string): Promise<boolean> => {
    const report = await assess(
      source,
      '#[cfg(test)] mod tests { use super::*; #[test] fn a() { assert!(peek()); } }',
    )
    return report.compiled && passed(report).includes(true)
  }

  it('can be told apart from what is', async () => {
    expect(await peeks('pub fn peek() -> bool { std::path::Path::new("/usr/lib").exists() }')).toBe(
      true,
    )
  })

  it('is not to be read, started or reached at run time', async () => {
    process.env['ASSAY_PLANTED'] = 'secret'
    const folder = await mkdtemp(join(tmpdir(), 'assay-planted-'))
    const planted = join(folder, 'secret')
    await writeFile(planted, 'secret')
    const server = createServer()
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    const checks = [
      'std::env::vars().any(|(name, _)| name != "PWD")',
      `["/home", "/etc/passwd", "/etc/hostname", "/proc/1/environ", "/proc/self/maps", "/scratch", "/bin/sh", "/usr/bin/rustc", ${JSON.stringify(import.meta.filename)}, ${JSON.stringify(join(homedir(), '.cargo'))}, ${JSON.stringify(planted)}].iter().any(|p| std::fs::metadata(p).is_ok())`,
      'std::fs::read(std::env::args().next().unwrap()).is_ok()',
      'std::fs::write("/tmp/x", "x").is_ok() || std::fs::write("x", "x").is_ok() || std::fs::write(std::env::args().next().unwrap(), "x").is_ok()',
      `std::net::TcpStream::connect(("127.0.0.1", ${port})).is_ok() || std::net::TcpListener::bind("127.0.0.1:0").is_ok()`,
      '["/bin/sh", "/bin/true", "sh"].iter().any(|p| std::process::Command::new(p).spawn().is_ok()) || std::process::Command::new(std::env::args().next().unwrap()).spawn().is_ok()',
      'std::fs::read_dir("/dev/fd").is_ok() || std::fs::File::open("/dev/fd/3").is_ok() || std::fs::File::open("/proc/self/fd/3").is_ok()',
      '{ let mut s = String::new(); std::io::Read::read_to_string(&mut std::io::stdin(), &mut s).is_ok() && !s.is_empty() }',
      '(0..500).filter(|_| std::thread::Builder::new().spawn(|| std::thread::park()).is_ok()).count() > 200',
    ]
    try {
      const source = checks
        .map((check, index) => `pub fn peek${index}() -> bool { ${check} }`)
        .join('\n')
      const tests = checks
        .map((_, index) => `#[test] fn t${index}() { assert!(!peek${index}()); }`)
        .join('\n')
      const report = await assess(source, tests)
      expect(report.tests?.filter((test) => !test.passed)).toEqual([])
      expect(report.tests).toHaveLength(checks.length)
    } finally {
      server.close()
      delete process.env['ASSAY_PLANTED']
      await rm(folder, { recursive: true })
    }
  })

  it.each([
    [
      'a file of the machine',
      'pub fn peek() -> bool { !include_str!("/etc/hostname").is_empty() }',
    ],
    ['its environment', 'pub fn peek() -> bool { !include_str!("/proc/self/environ").is_empty() }'],
    ['the input of the compiler', 'pub fn peek() -> bool { include_str!("/dev/stdin").len() > 1 }'],
    ['the source that it is in', 'pub fn peek() -> bool { include_str!("<anon>").len() > 1 }'],
    [
      'a variable of the machine',
      'pub fn peek() -> bool { option_env!("HOME").is_some() || option_env!("USER").is_some() }',
    ],
    ['the name of a variable', 'pub fn peek() -> bool { env!("HOME").len() > 1 }'],
  ])('is not to be had while compiling: %s', async (_, source) => {
    expect(await peeks(source)).toBe(false)
  })
})

describe.skipIf(!ready).concurrent('a sample that the compiler cannot cope with', () => {
  it.each<[string, string, RegExp]>([
    ['nests too deep', `pub fn a() { ${'('.repeat(5000)}${')'.repeat(5000)} }`, /nest 5001 deep/u],
    ['is too long', `pub fn a() {}${' '.repeat(300_000)}`, /293 KB/u],
    [
      'has endless operators',
      `pub fn a() -> i32 { ${'-'.repeat(100_000)}1 }`,
      /the compiler broke down/u,
    ],
  ])('because it %s does not compile, and is told why', async (_, source, why) => {
    const report = await assess(source, '#[test] fn a() {}')
    expect(report.compiled).toBe(false)
    expect(report.errors[0]?.message).toMatch(why)
  })
})
