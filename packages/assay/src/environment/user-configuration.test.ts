import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { indexKey, readUserKey } from './user-configuration.ts'

let home: string

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'assay-config-'))
})

afterEach(() => rmSync(home, { recursive: true }))

describe('the key for indexes', () => {
  it('is made once, from a key that only the user can read', () => {
    const env = { XDG_CONFIG_HOME: home }
    const first = indexKey(env)
    expect(first).toHaveLength(32)
    expect(indexKey(env)).toEqual(first)
    expect(statSync(join(home, 'assay', 'consent-key')).mode & 0o777).toBe(0o600)
    // The derived key differs from the user's key, so that an index signature cannot be used as consent.
    expect(Buffer.from(first ?? []).toString('hex')).not.toBe(readUserKey(env))
  })

  it('is another one for another user', () => {
    const other = { XDG_CONFIG_HOME: join(home, 'other') }
    expect(indexKey({ XDG_CONFIG_HOME: home })).not.toEqual(indexKey(other))
  })

  it('is made anew if the file is damaged', () => {
    const env = { XDG_CONFIG_HOME: home }
    const file = join(home, 'assay', 'consent-key')
    indexKey(env)
    writeFileSync(file, 'no key')
    expect(indexKey(env)).toHaveLength(32)
    expect(readFileSync(file, 'utf8')).toMatch(/^[\da-f]{64}\n$/u)
  })

  it('is missing where the configuration cannot be written', () => {
    const file = join(home, 'file')
    writeFileSync(file, '')
    expect(indexKey({ XDG_CONFIG_HOME: file })).toBeNull()
  })
})
