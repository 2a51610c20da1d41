/** Rust: cargo build, test and clippy, with a target folder for each sample: its own is the usual one. */
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

/** Tests that are a module already stay what they are, under a name that the sample has not taken. */
const asModule = (tests: string): string => {
  const inner = /^\s*(?:#\[cfg\(test\)\]\s*)?mod\s+\w+\s*\{([\s\S]*)\}\s*$/.exec(tests)?.[1]
  return inner === undefined
    ? `#[cfg(test)]\nmod hidden_tests {\nuse super::*;\n${tests}\n}\n`
    : `#[cfg(test)]\nmod hidden_tests {${inner}}\n`
}
