import { describe, expect, it } from 'vitest'
import { backoffMs, RETRY_POLICY } from './backoff.ts'
import { Budget } from './budget.ts'
import { Semaphore } from './semaphore.ts'
import { Pool } from './provider-limiter.ts'

describe('a pool', () => {
  it('grows by one for each clean round, up to its most', async () => {
    const pool = new Pool('p', { start: 2, most: 4 })
    const limits: number[] = []
    for (let i = 0; i < 9; i++) {
      await pool.enter()
      pool.succeeded()
      pool.leave()
      limits.push(pool.limit)
    }
    expect(limits).toEqual([2, 3, 3, 3, 4, 4, 4, 4, 4])
  })

  it('halves once for the requests that were refused together, and once more for later ones', () => {
    const pool = new Pool('p', { start: 16, most: 16 })
    pool.refused(100, 200, null)
    pool.refused(110, 205, null)
    pool.refused(120, 210, null)
    expect(pool.limit).toBe(8)
    pool.refused(300, 400, null)
    expect(pool.limit).toBe(4)
    for (let i = 5; i < 15; i++) pool.refused(i * 100, i * 100 + 1, null)
    expect(pool.limit).toBe(1)
  })

  it('holds back for as long as the provider asks', () => {
    const pool = new Pool('p', { start: 4, most: 4 })
    pool.refused(0, 1000, 5000)
    expect(pool.holdMs(2000)).toBe(4000)
    expect(pool.holdMs(7000)).toBe(0)
  })

  it('makes those wait who come when it is full, and lets them in in order', async () => {
    const pool = new Pool('p', { start: 1, most: 1 })
    const order: string[] = []
    await pool.enter()
    expect(pool.isOpen()).toBe(false)
    const waiting = ['a', 'b'].map(async (name) => {
      await pool.enter()
      order.push(name)
      pool.leave()
    })
    expect(order).toEqual([])
    pool.leave()
    await Promise.all(waiting)
    expect(order).toEqual(['a', 'b'])
    expect(pool.active).toBe(0)
    expect(pool.isOpen()).toBe(true)
  })

  it('takes no new trials while as many as its limit are between two attempts', () => {
    const pool = new Pool('p', { start: 2, most: 2 })
    pool.rest()
    expect(pool.isOpen()).toBe(true)
    pool.rest()
    expect(pool.isOpen()).toBe(false)
    pool.resume()
    expect(pool.isOpen()).toBe(true)
  })

  it('lets places run out after a cut instead of handing them on', async () => {
    const pool = new Pool('p', { start: 4, most: 4 })
    for (let i = 0; i < 4; i++) await pool.enter()
    let entered = 0
    const late = pool.enter().then(() => entered++)
    pool.refused(0, 1, null)
    pool.leave()
    pool.leave()
    await Promise.resolve()
    expect(entered).toBe(0)
    pool.leave()
    await late
    expect(entered).toBe(1)
    expect(pool.active).toBe(2)
  })
})

describe('back-off', () => {
  it('draws up to a bound that doubles, and ends at the most', () => {
    const at = (failed: number) => backoffMs(RETRY_POLICY, failed, null, () => 1)
    expect([1, 2, 3, 7, 20].map(at)).toEqual([1000, 2000, 4000, 60_000, 60_000])
    expect(backoffMs(RETRY_POLICY, 3, null, () => 0)).toBe(0)
  })

  it('never comes before the provider asked, and spreads those who were told the same', () => {
    expect(backoffMs(RETRY_POLICY, 1, 5000, () => 0)).toBe(5000)
    expect(backoffMs(RETRY_POLICY, 1, 5000, () => 1)).toBe(5250)
  })
})

describe('a budget', () => {
  it('counts what is in flight at its estimate', () => {
    const budget = new Budget(1, 0.5)
    expect(budget.reserve(0.3)).toBe(0.3)
    expect(budget.reserve(0.3)).toBe(false)
    budget.settle(0.3, 0.1)
    expect(budget.spent).toBeCloseTo(0.6)
    expect(budget.reserve(0.3)).toBe(0.3)
  })

  it('counts what nobody knows the cost of as what was reserved, or more where more is known', () => {
    const budget = new Budget(1, 0)
    budget.settle(Number(budget.reserve(0.3)), 0.1, 1)
    expect(budget.spent).toBeCloseTo(0.3)
    budget.settle(Number(budget.reserve(0.1)), 0.2, 1)
    expect(budget.spent).toBeCloseTo(0.5)
    budget.settle(Number(budget.reserve(0.2)), 0.1, 2)
    expect(budget.spent).toBeCloseTo(0.9)
    expect(budget.reserve(0.2)).toBe(false)
  })

  it('takes the mean of what was paid where no estimate can be given', () => {
    const budget = new Budget(1, 0)
    expect(budget.reserve(null)).toBe(0)
    budget.settle(0, 0.6)
    expect(budget.reserve(null)).toBe(false)
    expect(new Budget(null, 0).reserve(1e9)).toBe(1e9)
  })
})

it('places are given out in order', async () => {
  const places = new Semaphore(1)
  await places.enter()
  const order: number[] = []
  const all = [1, 2, 3].map(async (n) => {
    await places.enter()
    order.push(n)
    places.leave()
  })
  places.leave()
  await Promise.all(all)
  expect(order).toEqual([1, 2, 3])
})
