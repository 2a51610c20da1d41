/**
 * Cargo on the host must not read files that other users control: settings and a
 * workspace in folders above the temporary folder, and crates in vendor/cargo whose names are not valid UTF-8. Links
 * in vendor/cargo are tested in vendor.test.ts. In the sandbox, cargo sees no folder of the machine above its
 * own.
 */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { resolve } from './dependencies.ts'
import { inspectRust } from './toolchain.ts'

const { toolchain } = await inspectRust()

describe.skipIf(toolchain === null)('crates that are resolved on the host', () => {
  let folder = ''
  beforeEach(() => {
    folder = realpathSync(mkdtempSync(join(tmpdir(), 'assay-crates-')))
  })
  afterEach(() => rmSync(folder, { recursive: true }))

  const resolved = (name: string, vendor: string | null): Promise<string> => {
    if (toolchain === null) throw new Error('there is no Rust')
    const wanted = { name, version: '1', features: [] }
    return resolve(toolchain, [wanted], vendor, join(folder, 'own')).then(({ lock }) => lock)
  }
  /** Makes a suite's folder `vendor` with one crate. */
  const vendorOf = (name: string): string => {
    const vendor = join(folder, 'suite/vendor')
    const crate = join(vendor, 'cargo', name)
    mkdirSync(join(crate, 'src'), { recursive: true })
    writeFileSync(join(crate, 'Cargo.toml'), `[package]\nname = "${name}"\nversion = "1.0.0"\n`)
    writeFileSync(join(crate, 'src/lib.rs'), '')
    writeFileSync(join(crate, '.cargo-checksum.json'), '{"files":{},"package":null}')
    return vendor
  }

  it.each(['.cargo/config.toml', 'Cargo.toml'])('heed no %s of a folder above', async (name) => {
    const vendor = vendorOf('one')
    mkdirSync(join(folder, '.cargo'))
    writeFileSync(join(folder, name), 'of another user')
    expect(await resolved('one', vendor)).toContain('name = "one"')
  })

  it('have no name that is not valid UTF-8', async () => {
    const vendor = vendorOf('one')
    const name = Buffer.concat([Buffer.from(join(vendor, 'cargo/x')), Buffer.from([0xff])])
    mkdirSync(join(folder, 'private'))
    symlinkSync(join(folder, 'private'), name)
    await expect(resolved('one', vendor)).rejects.toThrow(/not valid UTF-8/)
  })
})
