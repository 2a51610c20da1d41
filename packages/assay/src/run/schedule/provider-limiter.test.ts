import { SubjectError } from '@assay/contract'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { backoffMs, RETRY_POLICY } from './backoff.ts'
import { Budget, type Reservation } from './budget.ts'
import { Semaphore } from './semaphore.ts'
import { Pool, type PoolWait, type PoolWatch } from './provider-limiter.ts'

const failure = (change: Partial<ConstructorParameters<typeof SubjectError>[1]> = {}) =>
  new SubjectError('busy', { reason: 'rate-limited', retry: true, ...change })

/** A refusal because of the rate limit. The trial retries at once. */
const refuse = (pool: Pool, sentAt: number, now: number, retryAfterMs: number | null): void =>
  pool.failed(failure({ retryAfterMs }), sentAt, now, 0)

describe('a pool', () => {
  const afterEach = async (pool: Pool, answers: number): Promise<number[]> => {
    const limits: number[] = []
    for (let i = 0; i < answers; i++) {
      await pool.enter()
      pool.succeeded()
      pool.leave()
      limits.push(pool.limit)
    }
    return limits
  }

  it('doubles with each clean round until the provider refuses, up to its most', async () => {
    const pool = new Pool('p', { start: 2, most: 16 })
    // Two answers are a round with limit 2, the next four a round with limit 4, the next eight a round with limit 8.
    expect(await afterEach(pool, 2)).toEqual([3, 4])
    expect((await afterEach(pool, 4)).at(-1)).toBe(8)
    expect((await afterEach(pool, 9)).slice(-2)).toEqual([16, 16])
  })

  it('grows by one for each clean round once the provider has refused', async () => {
    const pool = new Pool('p', { start: 4, most: 4 })
    refuse(pool, 0, 1, null)
    expect(await afterEach(pool, 6)).toEqual([2, 3, 3, 3, 4, 4])
  })

  it('halves once for the requests that were refused together, and once more for later ones', () => {
    const pool = new Pool('p', { start: 16, most: 16 })
    refuse(pool, 100, 200, null)
    refuse(pool, 110, 205, null)
    refuse(pool, 120, 210, null)
    expect(pool.limit).toBe(8)
    refuse(pool, 300, 400, null)
    expect(pool.limit).toBe(4)
    for (let i = 5; i < 15; i++) refuse(pool, i * 100, i * 100 + 1, null)
    expect(pool.limit).toBe(1)
  })

  it('halves where this machine has no socket left', () => {
    const pool = new Pool('p', { start: 5000, most: 5000 })
    const cause = Object.assign(new Error('connect EMFILE'), { code: 'EMFILE' })
    pool.failed(failure({ reason: 'provider-error', cause }), 100, 200, 0)
    expect(pool.limit).toBe(2500)
  })

  it('holds back for as long as the provider asks', () => {
    const pool = new Pool('p', { start: 4, most: 4 })
    refuse(pool, 0, 1000, 5000)
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
    pool.take()
    pool.rest()
    expect(pool.isOpen()).toBe(true)
    pool.take()
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
    refuse(pool, 0, 1, null)
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

/** A pool, and the waits and give-ups that it reports. */
function watched(maxWaitMs = 600_000) {
  const waits: PoolWait[] = []
  const gaveUp: SubjectError[] = []
  const watch: PoolWatch = {
    maxWaitMs,
    waits: (_, wait) => waits.push(wait),
    gaveUp: (_, error) => gaveUp.push(error),
  }
  return { watch, waits, gaveUp }
}

describe('a pool whose provider asks to wait', () => {
  it('reports the wait once, and not those under five seconds', () => {
    const { watch, waits } = watched()
    const pool = new Pool('p', { start: 4, most: 4 }, watch)
    refuse(pool, 0, 1000, 4999)
    expect(waits).toEqual([])
    refuse(pool, 0, 1000, 60_000)
    refuse(pool, 0, 1001, 60_000)
    expect(waits).toEqual([{ why: 'busy', until: 61_000 }])
    // A longer wait is reported again.
    refuse(pool, 0, 2000, 90_000)
    expect(waits).toHaveLength(2)
  })

  it('reports it also where another failure than a rate limit asks for it', () => {
    const { watch, waits } = watched()
    const pool = new Pool('p', { start: 4, most: 4 }, watch)
    pool.failed(failure({ reason: 'provider-error', retryAfterMs: 30_000 }), 0, 1000, null)
    expect(waits).toEqual([{ why: 'busy', until: 31_000 }])
    expect([pool.limit, pool.holdMs(1000)]).toEqual([4, 30_000])
  })

  it('is given up where that is longer than allowed, and lets those go who queue', async () => {
    const { watch, gaveUp } = watched(600_000)
    const pool = new Pool('p', { start: 1, most: 1 }, watch)
    await pool.enter()
    const queued = pool.enter()
    refuse(pool, 0, 0, 600_000)
    expect(pool.givenUp).toBeNull()
    refuse(pool, 0, 1, 600_000)
    await queued
    expect(pool.over.aborted).toBe(true)
    expect(gaveUp).toEqual([pool.givenUp])
    expect(pool.givenUp).toMatchObject({ reason: 'rate-limited', retry: false })
    expect(pool.givenUp?.message).toContain('longer than the 10 min of --max-wait')
  })

  it('takes what the provider asked for, not the jitter of single trials', () => {
    const { watch, waits } = watched(600_000)
    const pool = new Pool('p', { start: 4, most: 4 }, watch)
    pool.failed(failure({ retryAfterMs: 600_000 }), 0, 0, 610_000)
    pool.failed(failure({ retryAfterMs: 599_990 }), 0, 10, 615_000)
    expect([pool.givenUp, waits]).toEqual([null, [{ why: 'busy', until: 600_000 }]])
  })

  it('reports nothing any more once it is given up', () => {
    const { watch, waits, gaveUp } = watched(1000)
    const pool = new Pool('p', { start: 4, most: 4 }, watch)
    refuse(pool, 0, 0, 60_000)
    refuse(pool, 0, 0, 90_000)
    expect([waits.length, gaveUp.length]).toEqual([0, 1])
  })

  it('counts from the first refusal without an answer since', () => {
    const { watch } = watched(600_000)
    const pool = new Pool('p', { start: 4, most: 4 }, watch)
    for (let at = 0; at <= 540_000; at += 60_000) refuse(pool, at, at, 60_000)
    expect(pool.givenUp).toBeNull()
    pool.succeeded()
    for (let at = 600_000; at <= 1_140_000; at += 60_000) refuse(pool, at, at, 60_000)
    expect(pool.givenUp).toBeNull()
    refuse(pool, 1_200_000, 1_200_000, 60_000)
    expect(pool.givenUp).not.toBeNull()
  })
})

describe('a pool whose provider has not answered yet', () => {
  const limits = { start: 8, most: 8, probes: true }

  it('takes one trial, also between its attempts, until the first answer', async () => {
    const pool = new Pool('p', limits)
    pool.take()
    expect(pool.isOpen()).toBe(false)
    const judge = pool.enter()
    let entered = false
    void judge.then(() => (entered = true))
    pool.rest()
    await Promise.resolve()
    expect([pool.isOpen(), entered]).toEqual([false, false])
    pool.resume()
    await pool.enter()
    pool.succeeded()
    await judge
    expect(pool.isOpen()).toBe(true)
  })

  it.each(['provider-error', 'bad-reply', 'rate-limited'] as const)(
    'is given up where that trial ends with %s',
    (reason) => {
      const { watch, gaveUp } = watched()
      const pool = new Pool('p', limits, watch)
      pool.take()
      pool.failed(failure({ reason }), 0, 1, 100)
      expect(gaveUp).toEqual([])
      pool.failed(failure({ reason }), 0, 1, null)
      expect(gaveUp).toMatchObject([{ reason, message: 'p has not answered once: busy' }])
    },
  )

  it('is not given up for one trial that took too long', () => {
    const pool = new Pool('p', limits)
    pool.failed(failure({ reason: 'provider-timeout' }), 0, 1, null)
    expect([pool.givenUp, pool.isOpen()]).toEqual([null, true])
    pool.failed(failure({ reason: 'provider-timeout' }), 0, 1, null)
    expect(pool.givenUp).not.toBeNull()
  })

  it('is there where it refuses the request itself', () => {
    const pool = new Pool('p', limits)
    pool.take()
    pool.failed(failure({ reason: 'request-refused', retry: false }), 0, 1, null)
    expect([pool.givenUp, pool.isOpen()]).toEqual([null, true])
  })
})

describe('a budget', () => {
  const taken = (budget: Budget, estimate: number | null): Reservation => {
    const reservation = budget.reserve('s', estimate)
    if (reservation === null) throw new Error('the budget does not allow it')
    return reservation
  }

  it('counts what is in flight at its estimate', () => {
    const budget = new Budget(1, 0.5)
    const first = taken(budget, 0.3)
    expect(first.usd).toBe(0.3)
    expect(budget.reserve('s', 0.3)).toBeNull()
    budget.settle(first, { spentUsd: 0.1 })
    expect(budget.spent).toBeCloseTo(0.6)
    expect(taken(budget, 0.3).usd).toBe(0.3)
  })

  it('runs three of ten answers for $0.09 with --budget 0.30, whatever was estimated', () => {
    const budget = new Budget(0.3, 0)
    let answers = 0
    for (;;) {
      const reservation = budget.reserve('s', 0.5)
      if (reservation === null) break
      budget.settle(reservation, { spentUsd: 0.09, isAnswer: true })
      answers++
    }
    expect(answers).toBe(3)
    expect(budget.state).toEqual({
      limitUsd: 0.3,
      spentUsd: 0.27,
      reservedUsd: 0,
      expectedUsd: 0.09,
      subject: 's',
    })
  })

  it('expects of a larger case more than of a smaller one', () => {
    const budget = new Budget(10, 0)
    budget.settle(taken(budget, 0.5), { spentUsd: 0.1, isAnswer: true })
    expect(taken(budget, 1).usd).toBeCloseTo(0.2)
    expect(taken(budget, 0.25).usd).toBeCloseTo(0.05)
  })

  it('is passed at most by what was in flight', () => {
    fc.assert(
      fc.property(
        fc.double({ min: 0.01, max: 5, noNaN: true }),
        fc.array(
          fc.record({
            estimate: fc.double({ min: 0.001, max: 2, noNaN: true }),
            cost: fc.double({ min: 0, max: 2, noNaN: true }),
          }),
          { maxLength: 60 },
        ),
        fc.integer({ min: 1, max: 8 }),
        (limit, answers, places) => {
          const budget = new Budget(limit, 0)
          const flying: { reservation: Reservation; cost: number }[] = []
          let mostInFlight = 0
          const land = (): void => {
            const inFlight = flying.reduce((sum, { cost }) => sum + cost, 0)
            mostInFlight = Math.max(mostInFlight, inFlight)
            const first = flying.shift()
            if (first === undefined) return
            budget.settle(first.reservation, { spentUsd: first.cost, isAnswer: true })
          }
          for (const { estimate, cost } of answers) {
            while (flying.length >= places) land()
            const reservation = budget.reserve('s', estimate)
            if (reservation === null) land()
            else flying.push({ reservation, cost })
          }
          while (flying.length > 0) land()
          expect(budget.spent).toBeLessThanOrEqual(limit + mostInFlight + 1e-6)
        },
      ),
    )
  })

  it('counts what nobody knows the cost of as what was reserved, or more where more is known', () => {
    const budget = new Budget(1, 0)
    budget.settle(taken(budget, 0.3), { spentUsd: 0.1, unknownCosts: 1 })
    expect(budget.spent).toBeCloseTo(0.3)
    budget.settle(taken(budget, 0.1), { spentUsd: 0.2, unknownCosts: 1 })
    expect(budget.spent).toBeCloseTo(0.5)
    budget.settle(taken(budget, 0.2), { spentUsd: 0.1, unknownCosts: 2 })
    expect(budget.spent).toBeCloseTo(0.9)
  })

  it('counts a trial that was stopped at what the provider reported, where that is anything', () => {
    const budget = new Budget(1, 0)
    const stopped = { unknownCosts: 1, isStopped: true, isAnswer: true }
    budget.settle(taken(budget, 0.3), { ...stopped, spentUsd: 0.02 })
    expect(budget.spent).toBeCloseTo(0.02)
    budget.settle(taken(budget, 0.3), { ...stopped, spentUsd: 0 })
    expect(budget.spent).toBeCloseTo(0.32)
  })

  it('learns nothing from what was refused', () => {
    const budget = new Budget(1, 0)
    budget.settle(taken(budget, 0.3), { spentUsd: 0 })
    expect(taken(budget, 0.3).usd).toBe(0.3)
  })

  it('takes the mean of what was paid where no estimate can be given', () => {
    const budget = new Budget(1, 0)
    budget.settle(taken(budget, null), { spentUsd: 0.6, isAnswer: true })
    expect(budget.reserve('s', null)).toBeNull()
    expect(new Budget(null, 0).reserve('s', 1e9)?.usd).toBe(1e9)
  })

  it('allows nothing where nothing is left', () => {
    expect(new Budget(0, 0).reserve('s', 0.1)).toBeNull()
    expect(new Budget(0.3, 0.3).reserve('s', 0.1)).toBeNull()
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
