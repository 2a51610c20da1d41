/** Crates that a case declares, from a vendored folder and from the user's registry. */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import {
  isRustReady,
  openRustBench,
  outcomesOf,
  writeCrate,
  type RustBench,
} from '../../../test/try-rust.ts'
import { rust } from './rust.ts'

const isReady = await isRustReady()
let bench: RustBench
let folder: string

beforeAll(async () => {
  if (isReady) bench = await openRustBench()
})

afterAll(() => bench?.close())

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'assay-crates-test-'))
})

afterEach(() => {
  vi.unstubAllEnvs()
  rmSync(folder, { recursive: true, force: true })
})

const crate = (
  name: string,
  features: readonly string[] = [],
): { name: string; version: string | null; features: readonly string[] } => ({
  name,
  version: null,
  features,
})

describe.skipIf(!isReady)('declared crates from a vendored folder', () => {
  it('are there for solution and tests: features, crates of crates, macros and build scripts', async () => {
    const cargo = join(folder, 'cargo')
    writeCrate(cargo, 'tiny-words', {
      more: '[features]\nloud = []\n',
      'src/lib.rs':
        'pub fn word() -> &\'static str { if cfg!(feature = "loud") { "WORD" } else { "word" } }\n#[macro_export]\nmacro_rules! shout { ($x:expr) => { $x.to_uppercase() } }\n#[macro_export]\nmacro_rules! checks { ($(#[$meta:meta] fn $name:ident($x:ident in $list:expr) $body:block)*) => { $(#[$meta] fn $name() { for $x in $list $body })* } }\n',
    })
    writeCrate(cargo, 'tiny-sentence', {
      more: '[dependencies]\ntiny-words = { version = "0.1", features = ["loud"] }\n',
      'src/lib.rs': 'pub fn sentence() -> String { format!("{}!", tiny_words::word()) }\n',
    })
    writeCrate(cargo, 'tiny-derive', {
      more: '[lib]\nproc-macro = true\n',
      'src/lib.rs':
        'use proc_macro::TokenStream;\n#[proc_macro_derive(Answer)]\npub fn answer(item: TokenStream) -> TokenStream {\n    let text = item.to_string();\n    let name = text.split_whitespace().skip_while(|word| *word != "struct").nth(1).unwrap().trim_end_matches(\';\').to_owned();\n    format!("impl {} {{ pub fn answer() -> i32 {{ 42 }} }}", name).parse().unwrap()\n}\n',
    })
    writeCrate(cargo, 'tiny-built', {
      'build.rs':
        'fn main() {\n    let out = std::env::var("OUT_DIR").unwrap();\n    std::fs::write(format!("{}/made.rs", out), "pub const MADE: i32 = 7;").unwrap();\n}\n',
      'src/lib.rs': 'include!(concat!(env!("OUT_DIR"), "/made.rs"));\n',
    })
    const dependencies = [
      crate('tiny-words', ['loud']),
      crate('tiny-sentence'),
      crate('tiny-derive'),
      crate('tiny-built'),
    ]
    expect(await rust.missing(dependencies, folder)).toEqual([])
    const source = `
use tiny_derive::Answer;
#[derive(Answer)]
pub struct Oracle;
pub fn speak() -> String { tiny_sentence::sentence() }
`
    const tests = `
#[macro_use]
extern crate tiny_words;
use talk::{speak, Oracle};
use tiny_derive::Answer;
#[derive(Answer)]
struct Mine;
#[test]
fn both_sides() {
    assert_eq!(speak(), format!("{}!", tiny_words::word()));
    assert_eq!(Oracle::answer() + tiny_built::MADE, Mine::answer() + 7);
    assert_eq!(shout!("a"), "A");
}
checks! {
    #[test]
    fn holds(x in [1, 2]) { assert!(x < 3); }
    #[test]
    fn breaks(x in [1, 2]) { assert_eq!(x, 1); }
}
`
    const report = await bench.run(source, tests, {
      module: 'talk',
      dependencies,
      vendor: folder,
    })
    expect(outcomesOf(report)).toEqual({
      both_sides: 'ok',
      holds: 'ok',
      breaks: expect.stringContaining('left: 2'),
    })
  })

  it('stay in the sandbox, whatever their build scripts and macros try', async () => {
    writeFileSync(join(folder, 'secret'), 'planted')
    vi.stubEnv('ASSAY_PLANTED', 'secret')
    const server = createServer((socket) => socket.destroy())
    let reached = 0
    server.on('connection', () => reached++)
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    const tries = `
pub fn tries() -> String {
    let mut found = Vec::new();
    for path in ["${folder}/secret", "/etc/shadow", "/root/.cargo/credentials.toml"] {
        if std::fs::read(path).is_ok() { found.push(path.to_owned()); }
    }
    if std::fs::write("${folder}/written", "x").is_ok() { found.push("write".to_owned()); }
    if std::env::var("ASSAY_PLANTED").is_ok() { found.push("environment".to_owned()); }
    if std::net::TcpStream::connect(("127.0.0.1", ${port})).is_ok() { found.push("network".to_owned()); }
    found.join(" ")
}
`
    const cargo = join(folder, 'cargo')
    writeCrate(cargo, 'bad-build', {
      'build.rs': `${tries}\nfn main() { println!("cargo:rustc-env=FOUND={}", tries()); }\n`,
      'src/lib.rs': 'pub const FOUND: &str = env!("FOUND");\n',
    })
    writeCrate(cargo, 'bad-macro', {
      more: '[lib]\nproc-macro = true\n',
      'src/lib.rs': `${tries.replace('pub fn', 'fn')}\n#[proc_macro]\npub fn found(_: proc_macro::TokenStream) -> proc_macro::TokenStream { format!("{:?}", tries()).parse().unwrap() }\n`,
    })
    const report = await bench.run(
      "pub fn found() -> (&'static str, &'static str) { (bad_build::FOUND, bad_macro::found!()) }",
      'use super::*;\n#[test] fn nothing() { assert_eq!(found(), ("", "")); assert_eq!(bad_macro::found!(), ""); }',
      { dependencies: [crate('bad-build'), crate('bad-macro')], vendor: folder },
    )
    server.close()
    expect(outcomesOf(report)).toEqual({ nothing: 'ok' })
    expect(reached).toBe(0)
    expect(readdirSync(folder)).not.toContain('written')
  })

  it('are refused by name where they cannot be had', async () => {
    vi.stubEnv('CARGO_HOME', join(folder, 'none'))
    writeCrate(join(folder, 'cargo'), 'tiny-words', { 'src/lib.rs': '' })
    const missing = await rust.missing([crate('tiny-words'), crate('tiny-verbs')], folder)
    expect(missing).toEqual([
      expect.stringMatching(/^the crate tiny-verbs is neither in .*cargo nor in cargo's cache/u),
    ])
    const [feature] = await rust.missing([crate('tiny-words', ['loud'])], folder)
    expect(feature).toMatch(/loud/u)
  })
})

/** The folders in which versions of cargo keep the index of crates.io. */
const INDEXES = ['index.crates.io-1949cf8c6b5b557f', 'index.crates.io-6f17d22bba15001f']

/** Writes the files that cargo keeps for a downloaded crate. */
function writeDownloaded(home: string, name: string, source: string): void {
  const from = mkdtempSync(join(folder, 'pack-'))
  writeCrate(from, name, { 'src/lib.rs': source })
  const packed = execFileSync(
    'tar',
    [
      '-C',
      from,
      '--transform',
      `s,^${name},${name}-0.1.3,`,
      '-czf',
      '-',
      `${name}/Cargo.toml`,
      `${name}/src`,
    ],
    { maxBuffer: 2 ** 24 },
  )
  const cksum = createHash('sha256').update(packed).digest('hex')
  const row = { name, vers: '0.1.3', deps: [], cksum, features: {}, yanked: false }
  const version = Buffer.from([3, 2, 0, 0, 0])
  const entry = Buffer.from(
    ['etag: x', '0.1.3', JSON.stringify(row)].map((text) => `${text}\0`).join(''),
  )
  for (const index of INDEXES) {
    const write = (path: string, bytes: string | Buffer): void => {
      mkdirSync(dirname(join(home, 'registry', path)), { recursive: true })
      writeFileSync(join(home, 'registry', path), bytes)
    }
    write(`cache/${index}/${name}-0.1.3.crate`, packed)
    write(
      `index/${index}/config.json`,
      '{"dl":"https://crates.invalid/dl","api":"https://crates.invalid"}',
    )
    write(
      `index/${index}/.cache/${name.slice(0, 2)}/${name.slice(2, 4)}/${name}`,
      Buffer.concat([version, entry]),
    )
  }
}

const minor = Number((await rust.inspect())[0]?.version?.split('.')[1] ?? 0)

// Versions of cargo before 1.70 keep the index as a git repository.
describe.skipIf(!isReady || minor < 70)('declared crates from the user’s registry', () => {
  it('are there without any vendored folder, and nothing else of cargo’s home is read', async () => {
    const home = join(folder, 'home')
    writeDownloaded(home, 'tiny-cached', 'pub fn cached() -> i32 { 5 }')
    for (const name of ['config.toml', 'credentials.toml', 'credentials'])
      writeFileSync(join(home, name), 'this is not a file that cargo could read')
    vi.stubEnv('CARGO_HOME', home)
    const before = readdirSync(home, { recursive: true }).length
    const dependencies = [crate('tiny-cached')]
    expect(await rust.missing(dependencies, null)).toEqual([])
    const report = await bench.run(
      'pub fn five() -> i32 { tiny_cached::cached() }',
      'use five::five;\n#[test] fn same() { assert_eq!(five(), tiny_cached::cached()); }',
      { module: 'five', dependencies },
    )
    expect(outcomesOf(report)).toEqual({ same: 'ok' })
    expect(readdirSync(home, { recursive: true })).toHaveLength(before)
    const [missing] = await rust.missing([crate('tiny-absent')], null)
    expect(missing).toMatch(/^the crate tiny-absent is neither in/u)
  })
})
