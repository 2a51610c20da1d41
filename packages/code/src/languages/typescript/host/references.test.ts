import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { isSandboxReady, openBench, outcomes, type Bench } from '../../../../test/try-typescript.ts'

const isReady = await isSandboxReady()

const TESTS = `import { expect, test } from 'vitest'
import { add } from './solution'
test('adds', () => expect(add(1, 2)).toBe(3))
test('adds later', async () => expect(await Promise.all([add(1, 1)])).toEqual([2]))`
const ADD = 'export const add = (a: number, b: number): number => a + b'

describe.skipIf(!isReady)('references', () => {
  let bench: Bench
  beforeAll(async () => {
    bench = await openBench()
  })
  afterAll(() => bench.close())

  const reference = async (code: string): Promise<[isUsed: boolean, passes: boolean]> => {
    const report = await bench.run(code, TESTS, { isReference: true })
    const isPassed = Object.values(outcomes(report)).every((outcome) => outcome === 'passed')
    return [report.isUsed === true, isPassed]
  }

  it('share a process as long as each passes and leaves nothing behind', async () => {
    expect(await reference(ADD)).toEqual([false, true])
    expect(await reference(`${ADD} // another`)).toEqual([true, true])
    // Changes that the next reference would see.
    expect(await reference(`(Array.prototype as any).first = 1\n${ADD}`)).toEqual([true, true])
    expect(await reference(`(globalThis as any).left = 1\n${ADD}`)).toEqual([false, true])
    expect(await reference(`Math.max = () => 7\n${ADD}`)).toEqual([false, true])
    expect(await reference(`setInterval(() => {}, 10)\n${ADD}`)).toEqual([false, true])
    expect(await reference(`process.on('exit', () => {})\n${ADD}`)).toEqual([false, true])
    expect(await reference(ADD)).toEqual([false, true])
    // One that fails or ends the process.
    expect(await reference(ADD.replace('a + b', 'a - b'))).toEqual([true, false])
    expect(await reference(`${ADD}\nprocess.exit(0)`)).toEqual([false, false])
    expect(await reference(ADD)).toEqual([false, true])
  })

  it('never share the process of an answer', async () => {
    expect(await reference(ADD)).toEqual([expect.any(Boolean), true])
    const seen = `export const add = (): unknown => Object.keys(globalThis).includes('left')`
    await reference(`(globalThis as any).left = 1\n${ADD}`)
    const report = await bench.run(
      seen,
      `import { test, expect } from 'vitest'
       import { add } from './solution'
       test('sees nothing', () => expect(add()).toBe(false))`,
    )
    expect(report.isUsed).toBeUndefined()
    expect(outcomes(report)).toEqual({ 'sees nothing': 'passed' })
  })
})
