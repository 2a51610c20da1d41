import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { isSandboxReady, openBench, outcomes, type Bench } from '../../../../test/try-typescript.ts'
import { writePrograms } from './bundle.ts'

const isReady = await isSandboxReady()

describe('the bundled programs', () => {
  it('are one file each, of ASCII, that loads no module', () => {
    const folder = mkdtempSync(join(tmpdir(), 'assay-bundle-'))
    const names = ['tester', 'solution', 'in-process'] as const
    try {
      expect(writePrograms(folder, names, null)).toBe(true)
      for (const name of names) {
        const code = readFileSync(join(folder, name, 'code.js'), 'utf8')
        expect(code).not.toMatch(/[^\0-\x7f]|\brequire\(|^import /m)
        expect(readFileSync(join(folder, name, 'code.compiled')).length).toBeGreaterThan(
          code.length,
        )
      }
    } finally {
      rmSync(folder, { recursive: true })
    }
  })

  describe.skipIf(!isReady)('in the process of a solution', () => {
    let bench: Bench
    beforeAll(async () => {
      bench = await openBench()
    })
    afterAll(() => bench.close())

    it('use the functions of Node as they were before the solution was loaded', async () => {
      const report = await bench.run(
        `import fs from 'node:fs'
         import util from 'node:util'
         fs.writeSync = () => { throw new Error('replaced') }
         fs.readSync = fs.writeSync
         Object.assign(util, { types: null })
         Object.is = () => true
         Array.prototype.every = (() => true) as never
         Array.prototype.some = () => true
         export const add = (a: number, b: number): number => a + b`,
        `import { expect, test } from 'vitest'
         import { add } from './solution'
         test('adds', () => expect([add(1, 2)]).toEqual([3]))
         test('is told apart', () => expect(add(1, 2)).toBe(4))
         test('is compared', () => expect(new Map([[add(1, 2), 3]])).toEqual(new Map([[3, 4]])))`,
        { integrity: 'in-process' },
      )
      expect(outcomes(report)).toEqual({
        adds: 'passed',
        'is told apart': 'expected 4, got 3',
        'is compared': expect.stringMatching(/^expected Map/),
      })
    })
  })
})
