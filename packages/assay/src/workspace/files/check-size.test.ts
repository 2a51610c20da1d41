import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { checkSize } from './check-size.ts'

it('refuses a start that is too large to be copied for every trial, however empty its files are', () => {
  const folder = mkdtempSync(join(tmpdir(), 'size-'))
  try {
    writeFileSync(join(folder, 'small'), 'x')
    expect(() => checkSize(folder)).not.toThrow()
    writeFileSync(join(folder, 'sparse'), '')
    truncateSync(join(folder, 'sparse'), 10 * 1024 ** 3)
    expect(() => checkSize(folder)).toThrow(/files of 10.0 GB.*at most 4.0 GB.*largest is sparse/)
  } finally {
    rmSync(folder, { recursive: true })
  }
})
