/**
 * Sources on which a type checker never ends or uses all memory. They take minutes, so they are among the long tests.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { failures, isSandboxReady, openBench, type Bench } from '../../../../test/try-typescript.ts'

const isReady = await isSandboxReady()

describe.skipIf(!isReady)('bombs for the type checker', () => {
  let bench: Bench
  beforeAll(async () => {
    bench = await openBench()
  })
  afterAll(() => bench.close())

  it.each([
    ['nested arrays below the guard', `export const a = ${'['.repeat(100)}${']'.repeat(100)}`],
    [
      'a union that multiplies',
      `type D = '0' | '1' | '2' | '3' | '4' | '5' | '6' | '7' | '8' | '9'\ntype N = \`\${D}\${D}\${D}\${D}\${D}\`\nexport const n: N = '12345'`,
    ],
    [
      'a recursive tuple',
      `type Build<N extends number, A extends unknown[] = []> = A['length'] extends N ? A : Build<N, [...A, 0]>\ntype Add<A extends number, B extends number> = [...Build<A>, ...Build<B>]['length']\nexport const n: Add<999, 998> = 1997`,
    ],
    [
      'a conditional type that doubles',
      `type T<N, A = N> = N extends [infer H, ...infer R] ? T<R, [A, A]> | [T<R, [A, H]>, T<R, [H, A]>] : A\nexport const n = null as unknown as T<[0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24]>`,
    ],
    [
      '30,000 functions',
      Array.from({ length: 8000 }, (_, i) => `export const f${i} = (x: number) => x`).join('\n'),
    ],
    ['a long chain of operators', `export const n = ${Array(30_000).fill('1').join('+')}`],
    [
      'a ladder of conditions',
      `export const n = (x: number) => ${Array.from({ length: 8000 }, (_, i) => `x === ${i} ? ${i} : `).join('')}0`,
    ],
  ])('%s: an answer comes, and the next sample is checked', async (_, code) => {
    const report = await bench.run(code, null, { lint: true })
    if (!report.compiled) expect(report.errors[0]?.message).toMatch(/\w{3}/)
    const next = await bench.run(
      'export const f = (n: number): number => n',
      `import { f } from './solution'; require('assert').equal(f(1), 1)`,
    )
    expect(failures(next)).toEqual({})
  })
})
