import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { deleteRun } from './delete-run.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'assay-delete-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

it('deletes a run, also one whose record is damaged', () => {
  writeFileSync(join(folder, 'run.json'), '{\n  "assay": "run",\n  "versi')
  deleteRun(folder)
  expect(existsSync(folder)).toBe(false)
})

it.each(['{"name":"my project"}', '', '[]', '{"x":{"assay":"run"}}'])(
  'does not delete the folder of another program, whose run.json is %j',
  (text) => {
    writeFileSync(join(folder, 'run.json'), text)
    expect(() => deleteRun(folder)).toThrow(/has a run.json that Assay did not write/)
    expect(existsSync(folder)).toBe(true)
  },
)
