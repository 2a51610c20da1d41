import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { copyTree } from './copy.ts'

it('leaves paths out with all below them', () => {
  const folder = mkdtempSync(join(tmpdir(), 'assay-copy-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  mkdirSync(join(folder, 'from/.assay/runs'), { recursive: true })
  mkdirSync(join(folder, 'from/a'))
  for (const file of ['.assay/runs/x', 'a/suite.toml', 'a/b.txt', 'suite.toml'])
    writeFileSync(join(folder, 'from', file), file)
  const without = ['.assay', 'suite.toml']
  copyTree(join(folder, 'from'), join(folder, 'to'), { owner: null, without })
  const copied = readdirSync(join(folder, 'to'), { recursive: true, encoding: 'utf8' })
  expect(new Set(copied)).toEqual(new Set(['a', 'a/b.txt', 'a/suite.toml']))
})
