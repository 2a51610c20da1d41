import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { expectClose, golden } from '../../test/golden.ts'
import { random } from '../resample/random.ts'
import { logChoose } from '../special/log-gamma.ts'
import { betaConfidenceSequence } from './beta-confidence-sequence.ts'
import { discordantEValue, logDiscordantEValue } from './discordant-e-value.ts'
import { logMixtureLikelihoodRatio } from './mixture-likelihood.ts'

/**
 * The exact chance that a run of `trials` trials with pass rate p ever stops, computed over all
 * combinations of n trials and c passes.
 */
function everStops(p: number, trials: number, stops: (n: number, c: number) => boolean): number {
  let alive = Float64Array.of(1)
  let stopped = 0
  for (let n = 1; n <= trials; n++) {
    const next = new Float64Array(n + 1)
    for (const [c, mass] of alive.entries()) {
      next[c] = (next[c] ?? 0) + mass * (1 - p)
      next[c + 1] = (next[c + 1] ?? 0) + mass * p
    }
    for (const [c, mass] of next.entries())
      if (mass > 0 && stops(n, c)) {
        stopped += mass
        next[c] = 0
      }
    alive = next
  }
  return stopped
}

/** The share of simulated runs of 200 pairs in which the e-value ever reaches 20. */
function alarms(p: number, seed: number): number {
  let count = 0
  for (let run = 0; run < 1000; run++) {
    const draw = random(seed, run)
    let wins = 0
    for (let n = 1; n <= 200; n++) {
      if (draw() < p) wins++
      if (logDiscordantEValue(wins, n - wins) >= Math.log(20)) {
        count++
        break
      }
    }
  }
  return count / 1000
}

describe('logMixtureLikelihoodRatio', () => {
  it('agrees with mpmath up to a billion trials', () => {
    interface Vector {
      n: number
      c: number
      p0: number
      a: number
      b: number
      log: number
    }
    for (const { n, c, p0, a, b, log } of golden<Vector>('mixture-likelihood')) {
      const value = logMixtureLikelihoodRatio(n, c, p0, { a, b })
      const about = `${c} of ${n} against ${p0}, Beta(${a}, ${b}): ${value}, ${log}`
      // The two parts of the logarithm have opposite signs, so a small result can lose digits.
      expect(Math.abs(value - log), about).toBeLessThanOrEqual(2e-13 * Math.max(1, Math.abs(log)))
    }
  })

  it('is a martingale of mean 1 under p0: no look gains anything on average', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 60 }),
        fc.double({ min: 0.01, max: 0.99, noNaN: true }),
        fc.double({ min: 0.1, max: 5, noNaN: true }),
        fc.double({ min: 0.1, max: 5, noNaN: true }),
        (n, p0, a, b) => {
          let mean = 0
          for (let c = 0; c <= n; c++)
            mean += Math.exp(
              logChoose(n, c) +
                c * Math.log(p0) +
                (n - c) * Math.log1p(-p0) +
                logMixtureLikelihoodRatio(n, c, p0, { a, b }),
            )
          expect(mean).toBeCloseTo(1, 10)
        },
      ),
    )
  })

  it('says nothing before the first trial', () => {
    expect(logMixtureLikelihoodRatio(0, 0, 0.3)).toBe(0)
  })

  it.each([
    [-1, 0, 0.5, { a: 1, b: 1 }, 'n must be'],
    [0, 1, 0.5, { a: 1, b: 1 }, 'c must be'],
    [3, 4, 0.5, { a: 1, b: 1 }, 'c must be'],
    [3, 1, 0, { a: 1, b: 1 }, 'p0 must be'],
    [3, 1, 1, { a: 1, b: 1 }, 'p0 must be'],
    [3, 1, Number.NaN, { a: 1, b: 1 }, 'p0 must be'],
    [3, 1, 0.5, { a: 0, b: 1 }, 'prior.a must be'],
    [3, 1, 0.5, { a: 1, b: Infinity }, 'prior.b must be'],
  ])('refuses n = %s, c = %s, p0 = %s, %j', (n, c, p0, prior, message) => {
    expect(() => logMixtureLikelihoodRatio(n, c, p0, prior)).toThrow(message)
  })
})

describe('discordantEValue', () => {
  it('agrees with exact rationals', () => {
    interface Vector {
      wins: number
      losses: number
      e: number | null
      log: number
    }
    for (const { wins, losses, e, log } of golden<Vector>('discordant-e-value')) {
      const about = `${wins}:${losses}`
      expect(Math.abs(logDiscordantEValue(wins, losses) - log), about).toBeLessThanOrEqual(
        1e-14 * Math.max(1, Math.abs(log)),
      )
      const tolerance = wins + losses <= 64 ? 4e-15 : 3e-14 * Math.max(1, log)
      if (e !== null) expectClose(discordantEValue(wins, losses), e, tolerance, about)
    }
  })

  it('is exactly 1 where nothing was learnt: no pair, or a single one', () => {
    expect(discordantEValue(0, 0)).toBe(1)
    expect(discordantEValue(1, 0)).toBe(1)
    expect(discordantEValue(0, 1)).toBe(1)
    expect(logDiscordantEValue(0, 1)).toBe(0)
  })

  it('goes on smoothly where the product of factors ends', () => {
    // One more win multiplies the e-value by (2W + 1)/(W + L + 1), both below and above 64 pairs,
    // where the formula changes.
    for (const [wins, losses] of [
      [40, 24],
      [64, 0],
      [3, 61],
    ] as const)
      expectClose(
        discordantEValue(wins + 1, losses) / discordantEValue(wins, losses),
        (2 * wins + 1) / (wins + losses + 1),
        1e-12,
      )
  })

  it('keeps its logarithm where it is beyond a double', () => {
    expect(discordantEValue(3000, 0)).toBe(Infinity)
    expect(logDiscordantEValue(3000, 0)).toBeGreaterThan(2000)
  })

  it('does not ask which of the two is the first', () => {
    fc.assert(
      fc.property(fc.nat(5000), fc.nat(5000), (wins, losses) => {
        expect(logDiscordantEValue(wins, losses)).toBeCloseTo(logDiscordantEValue(losses, wins), 10)
      }),
    )
  })

  it('ever exceeds 20 in at most 5 % of runs without a difference (Ville), exactly over 400 pairs', () => {
    const size = everStops(0.5, 400, (n, wins) => discordantEValue(wins, n - wins) >= 20)
    expect(size).toBeLessThan(0.05)
    expect(size).toBeGreaterThan(0.01)
  })

  it('raises false alarms as rarely in simulation, and sees a difference', () => {
    expect(alarms(0.5, 61)).toBeLessThan(0.05)
    expect(alarms(0.7, 62)).toBeGreaterThan(0.95)
  })

  it('refuses what is not a count', () => {
    expect(() => discordantEValue(-1, 0)).toThrow('wins must be')
    expect(() => discordantEValue(0, 0.5)).toThrow('losses must be')
  })
})

describe('betaConfidenceSequence', () => {
  it('agrees with bisection in 60 digits up to 10^10 trials', () => {
    interface Vector {
      n: number
      c: number
      level: number
      a: number
      b: number
      low: number
      high: number
      failHigh: number
    }
    for (const v of golden<Vector>('confidence-sequence')) {
      const { low, high } = betaConfidenceSequence(v.n, v.c, v.level, { a: v.a, b: v.b })
      const about = `${v.c} of ${v.n} at ${v.level}`
      expectClose(low, v.low, 3e-13, `low of ${about}`)
      expectClose(high, v.high, 3e-13, `high of ${about}`)
      expect(Math.abs(1 - high - v.failHigh), about).toBeLessThanOrEqual(1e-15 + 3e-13 * v.failHigh)
    }
  })

  it('is the set of rates that the mixture likelihood ratio does not reject', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 300 }), fc.nat(300), (n, k) => {
        const c = Math.min(k, n)
        const { low, high } = betaConfidenceSequence(n, c)
        const limit = Math.log(20)
        if (low > 0) expect(logMixtureLikelihoodRatio(n, c, low)).toBeCloseTo(limit, 8)
        if (high < 1) expect(logMixtureLikelihoodRatio(n, c, high)).toBeCloseTo(limit, 8)
        expect(low).toBeLessThanOrEqual(c / n)
        expect(high).toBeGreaterThanOrEqual(c / n)
      }),
    )
  })

  it('reaches down to 0 where the lower end is below the smallest double', () => {
    const { low, high } = betaConfidenceSequence(2, 1, 0.95, { a: 1e-300, b: 1e-300 })
    expect(low).toBeLessThan(1e-140)
    expect(high).toBe(1)
    expect(betaConfidenceSequence(9, 1, 1 - 1e-15, { a: 1e-307, b: 40 }).low).toBe(0)
  })

  it('mirrors when passes and failures change places', () => {
    const [a, b] = [betaConfidenceSequence(40, 7), betaConfidenceSequence(40, 33)]
    expect(a.low).toBeCloseTo(1 - b.high, 14)
    expect(a.high).toBeCloseTo(1 - b.low, 14)
  })

  it.each([0.05, 0.3, 0.5, 0.95])(
    'misses a true rate of %s in at most 5 % of runs at any time, exactly over 300 trials',
    (p) => {
      const missed = everStops(p, 300, (n, c) => {
        const { low, high } = betaConfidenceSequence(n, c)
        return p < low || p > high
      })
      expect(missed).toBeLessThan(0.05)
      expect(missed).toBeGreaterThan(0.005)
    },
  )

  it('holds the true rate throughout in simulation (500 trials, watched after each)', () => {
    let missed = 0
    const runs = 400
    for (let run = 0; run < runs; run++) {
      const draw = random(63, run)
      let c = 0
      for (let n = 1; n <= 500; n++) {
        if (draw() < 0.8) c++
        const { low, high } = betaConfidenceSequence(n, c)
        if (low > 0.8 || high < 0.8) {
          missed++
          break
        }
      }
    }
    expect(missed / runs).toBeLessThan(0.05)
  })

  it('refuses what is not a count or a level', () => {
    expect(() => betaConfidenceSequence(3, 4)).toThrow('c must be')
    expect(() => betaConfidenceSequence(3, 1, 1)).toThrow('level must be')
    expect(() => betaConfidenceSequence(3, 1, 0.9, { a: -1, b: 1 })).toThrow('prior.a must be')
  })
})
