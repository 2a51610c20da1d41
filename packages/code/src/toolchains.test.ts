/**
 * The toolchains that a run needs are checked before its first request to a model, also on a machine that has none of
 * them.
 */
import { expect, it, vi } from 'vitest'
import { UsageError, type Case, type Suite } from '@assay/contract'
import { rustWith } from './languages/rust/rust.ts'
import { prepareCode } from './toolchains.ts'

vi.mock('./languages.ts', async (original) => ({
  ...(await original<object>()),
  languageByName: () => rustWith('/nowhere/rustc'),
}))

it('a case with crates is refused with how to install Rust where Rust is missing', async () => {
  const one = {
    ...{ id: 'c', language: 'rust', graders: [{ type: 'code' }] },
    dependencies: [{ name: 'serde', version: null, features: [] }],
  } as unknown as Case
  const suite = { id: 's', path: 'suite.toml', cases: [one] } as unknown as Suite
  const refused = await prepareCode([suite]).catch((error: unknown) => error)
  expect(refused).toBeInstanceOf(UsageError)
  expect(String(refused)).toContain('rust: rustc is missing. install Rust')
})
