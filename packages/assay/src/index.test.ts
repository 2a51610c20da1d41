import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { loadSuite } from './index.ts'

const folder = mkdtempSync(join(tmpdir(), 'assay-index-'))
afterAll(() => rmSync(folder, { recursive: true }))

describe('the integrity of a case that is code', () => {
  const hashed = async (integrity: string): Promise<string | undefined> => {
    const path = join(folder, 's.yaml')
    const grader = `{type: code, integrity: ${integrity}}`
    const lines = ['id: a', 'prompt: p', 'language: py', 'tests: t', `graders: [${grader}]`]
    writeFileSync(path, `name: s\ncases:\n  - ${lines.join('\n    ')}\n`)
    return (await loadSuite(path)).suite.cases[0]?.hash
  }

  it('has today’s or the first name, and the hash that it had before the names changed', async () => {
    for (const name of ['isolated', 'values'])
      expect(await hashed(name)).toBe('bcd4cfd769bc392de85d779a533db3dc')
    for (const name of ['in-process', 'inventory'])
      expect(await hashed(name)).toBe('e31e0722f57331190d531e488438b0a2')
    expect(await hashed('auto')).toBe('6ea827b3752035576bcaf6efc20cad85')
  })

  it('is refused under another name, with today’s names', async () => {
    await expect(hashed('isolate')).rejects.toThrow(
      'graders[0].integrity: expected one of auto, isolated, in-process, found "isolate"; did you mean isolated?',
    )
  })
})
