/** Sources that keep a compiler busy until a limit ends it. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { inspectSandbox, openSandbox, type Sandbox } from '@assay/sandbox'
import type { CodeReport, LanguageTools } from '../../../language.ts'
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

const assess = (source: string): Promise<CodeReport> =>
  tools.assess({
    files: { 'solution.rs': source },
    main: 'solution.rs',
    module: null,
    edition: null,
    format: null,
    support: {},
    tests: {
      kind: 'source',
      source: '#[test] fn a() { super::a(); }',
      entryPoint: null,
      prelude: null,
    },
    lint: true,
    integrity: 'in-process',
    define: false,
    allowUnsafe: false,
    dependencies: [],
    vendor: null,
    limits: { cpuMs: 2000, memoryBytes: 128 * 1024 * 1024 },
    signal: new AbortController().signal,
  })

describe.skipIf(!ready)('a compile bomb', () => {
  it.each([
    [
      'macros that double',
      'macro_rules! m { ($($t:tt)*) => { m!($($t)* $($t)*); } }\nm!(a b c d);\npub fn a() {}',
    ],
    [
      'types without end',
      '#![recursion_limit = "100000000"]\ntrait T { const N: usize; } struct W<X>(X); impl<X> T for W<X> where W<W<X>>: T { const N: usize = 1; }\npub const A: usize = <W<u8> as T>::N;\npub fn a() {}',
    ],
    [
      'a constant without end',
      '#![allow(long_running_const_eval)]\npub const A: u64 = { let mut i = 0u64; loop { i += 1; if i == u64::MAX { break i } } };\npub fn a() {}',
    ],
  ])('of %s does not compile, and is told why', async (_, source) => {
    const report = await assess(source)
    expect(report.compiled).toBe(false)
    expect(report.fault?.kind).toBe('timeout')
    expect(report.errors[0]?.message).toBe('compiling it takes more than 10 s of processor time')
  })

  it('of instances without end, which only the build with the tests makes, has failed them', async () => {
    const report = await assess(
      'fn g<T>(n: u32) { if n > 0 { g::<(T, T)>(n - 1) } }\npub fn a() { g::<u8>(9) }',
    )
    expect(report).toMatchObject({ compiled: true, tests: [{ passed: false }] })
    expect(report.tests?.[0]?.message).toMatch(/recursion limit/u)
  })

  it('of thousands of functions and warnings is a long sample like others', async () => {
    const report = await assess(
      `${Array.from({ length: 5000 }, (_, i) => `pub fn f${i}(x: i32) -> i32 { return x; }`).join('\n')}\npub fn a() {}`,
    )
    expect(report).toMatchObject({ compiled: true, tests: [{ passed: true }], fault: null })
    expect(report.warnings?.length).toBe(200)
  })

  it('of static data cannot be loaded: that is failed, and no error of the sandbox', async () => {
    const report = await assess(
      `static HUGE: std::sync::Mutex<[u8; 1 << 28]> = std::sync::Mutex::new([0; 1 << 28]);
       pub fn a() { HUGE.lock().unwrap()[7] = 1; }`,
    )
    expect(report).toMatchObject({ compiled: true, tests: [{ passed: false }] })
    expect(report.fault?.text).toMatch(/could not be loaded/u)
  })
})
