/**
 * The search for Python never starts a program from the folder in which Assay is started. For all
 * other programs that are started by name, sandbox/src/find-program.test.ts checks the same.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { isAbsolute, join } from 'node:path'
import { expect, it } from 'vitest'
import { askInterpreter, interpreters } from './host/interpreter.ts'

it('takes no interpreter from a relative or empty entry of PATH', () => {
  const all = interpreters('bin::./x:/opt/python/bin:..')
  expect(all.filter((one) => !isAbsolute(one))).toEqual([])
  expect(all).toContain('/opt/python/bin/python3')
})

it('asks away from the folder of the day, whose files a shim would heed', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'assay-shim-'))
  try {
    const shim = join(folder, 'python3')
    writeFileSync(shim, '#!/bin/sh\npwd >"${0%/*}/where"\n', { mode: 0o755 })
    expect(await askInterpreter(shim)).toBeNull()
    expect(readFileSync(join(folder, 'where'), 'utf8')).toBe('/\n')
  } finally {
    rmSync(folder, { recursive: true })
  }
})
