import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { hashInputs, INPUTS, isUpToDate } from './built-programs.ts'

describe('the programs of a build are used', () => {
  let folder: string
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'assay-built-'))
    for (const name of ['src', 'dist']) mkdirSync(join(folder, name))
    for (const name of ['a.ts', 'b.ts']) writeFileSync(join(folder, 'src', name), name)
    const inputs = hashInputs(folder, ['src/a.ts', 'src/b.ts'])
    writeFileSync(join(folder, INPUTS), JSON.stringify(inputs))
  })
  afterEach(() => rmSync(folder, { recursive: true }))

  it('as long as their sources are the same', () => {
    expect(isUpToDate(folder)).toBe(true)
    // Only the content counts.
    writeFileSync(join(folder, 'src/a.ts'), 'a.ts')
    expect(isUpToDate(folder)).toBe(true)
  })

  it('not if a source was changed or removed', () => {
    writeFileSync(join(folder, 'src/b.ts'), 'changed')
    expect(isUpToDate(folder)).toBe(false)
    rmSync(join(folder, 'src/b.ts'))
    expect(isUpToDate(folder)).toBe(false)
  })

  it('not without a whole build', () => {
    rmSync(join(folder, INPUTS))
    expect(isUpToDate(folder)).toBe(false)
  })
})
