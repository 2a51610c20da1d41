import { describe, expect, it } from 'vitest'
import { Cores } from './cores.ts'

describe('cores', () => {
  it('are given out evenly', () => {
    const cores = new Cores(3)
    expect([null, null, null, null].map((last) => cores.take(last))).toEqual([0, 1, 2, 0])
    cores.free(1)
    expect(cores.take(null)).toBe(1)
  })

  it('are kept where another one would be no better', () => {
    const cores = new Cores(2)
    expect(cores.take(1)).toBe(1)
    expect(cores.take(1)).toBe(0)
    expect(cores.take(1)).toBe(1)
  })
})
