/** The Rust pipeline: cargo build, test and clippy. Each sample has its own target folder, as is usual. */
import type { Naive } from './pipeline.ts'

const MANIFEST = `[package]
name = "solution"
version = "0.0.0"
edition = "2021"
`

export const rust: Naive = {
  language: 'rust',
  pipelines: [
    {
      name: 'cargo build + cargo test + cargo clippy',
      commands: ['cargo build', 'cargo test', 'cargo clippy'],
      target: 3,
    },
  ],
  prepare() {},
  commands({ code, case: { tests, files } }) {
    const env = { CARGO_NET_OFFLINE: 'true', CARGO_TARGET_DIR: undefined }
    return {
      files: {
        'Cargo.toml': MANIFEST,
        'src/lib.rs': `${code}\n${asModule(tests ?? '')}`,
        ...files,
      },
      compile: [{ name: 'cargo build', argv: ['cargo', 'build'], env }],
      test: { name: 'cargo test', argv: ['cargo', 'test'], env },
      lint: [{ name: 'cargo clippy', argv: ['cargo', 'clippy'], env }],
    }
  },
}

/**
 * Puts the tests into a module of a name that the sample does not use. Tests that already are a module are only
 * renamed.
 */
const asModule = (tests: string): string => {
  const inner = /^\s*(?:#\[cfg\(test\)\]\s*)?mod\s+\w+\s*\{([\s\S]*)\}\s*$/.exec(tests)?.[1]
  return inner === undefined
    ? `#[cfg(test)]\nmod hidden_tests {\nuse super::*;\n${tests}\n}\n`
    : `#[cfg(test)]\nmod hidden_tests {${inner}}\n`
}
