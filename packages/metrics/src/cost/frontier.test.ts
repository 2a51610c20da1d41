import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { binomialDraw } from '../resample/binomial-draw.ts'
import { random } from '../resample/random.ts'
import { type CaseCost } from './cost-of-pass-ratio.ts'
import { frontier, frontierHeldOut } from './frontier.ts'

const x = (n: number, c: number, cost: number): CaseCost => ({ n, c, cost })

describe('frontier', () => {
  it('takes the least cost of pass per case and the mean over solved cases', () => {
    const cheap = [x(2, 1, 2), x(2, 0, 2), x(2, 0, 1)]
    const dear = [x(2, 2, 8), x(2, 1, 8), x(2, 0, 8)]
    expect(frontier([cheap, dear])).toEqual({
      value: 5,
      cases: 3,
      solved: 2,
      solvedShare: 2 / 3,
      choices: [0, 1, null],
    })
  })

  it('is null when nobody solved anything, and not Infinity', () => {
    expect(frontier([[x(3, 0, 1)]])).toEqual({
      value: null,
      cases: 1,
      solved: 0,
      solvedShare: 0,
      choices: [null],
    })
  })

  it('names the first of equals', () => {
    expect(frontier([[x(2, 1, 3)], [x(4, 2, 6)]]).choices).toEqual([0])
    expect(frontier([[x(2, 1, 0)], [x(4, 2, 0)]]).value).toBe(0)
  })

  it('never solves less, nor costs more per case solved before, when a subject joins', () => {
    const suite = fc.array(fc.record({ n: fc.constant(4), c: fc.nat(4), cost: fc.nat(20) }), {
      minLength: 6,
      maxLength: 6,
    })
    fc.assert(
      fc.property(fc.array(suite, { minLength: 1, maxLength: 4 }), suite, (subjects, joining) => {
        const [before, after] = [frontier(subjects), frontier([...subjects, joining])]
        expect(after.solved).toBeGreaterThanOrEqual(before.solved)
        if (after.solved === before.solved && before.value !== null)
          expect(after.value).toBeLessThanOrEqual(before.value)
      }),
    )
  })

  it.each([
    [[], 'subjects must not be empty'],
    [[[]], 'subjects[0] must not be empty'],
    [[[x(1, 1, 1)], []], 'subjects[0] and subjects[1] must have the same length'],
    [[[x(1, 1, 1)], [x(1, 2, 1)]], 'c must be'],
  ])('refuses %j', (subjects, message) => {
    expect(() => frontier(subjects)).toThrow(message)
  })
})

describe('frontierHeldOut', () => {
  it('is not drawn down by choosing the luckiest of equal subjects, as the frontier is', () => {
    // Eight equal subjects. Every trial costs 1 and passes with probability 1/2, so a pass costs 2.
    const draw = random(15)
    const half = () =>
      Array.from({ length: 8 }, () =>
        Array.from({ length: 400 }, () => x(6, binomialDraw(draw, 6, 0.5), 6)),
      )
    const [select, estimate] = [half(), half()]
    const hindsight = frontier(select)
    const honest = frontierHeldOut(select, estimate)
    expect(hindsight.value).toBeLessThan(1.4)
    expect(honest.costOfPass.interval?.low).toBeLessThan(2)
    expect(honest.costOfPass.interval?.high).toBeGreaterThan(2)
    expect(honest.choices).toEqual(hindsight.choices)
    expect(honest.costOfPass.n).toBe(honest.solved)
  })

  it('prices the chosen subject with the other trials only', () => {
    const select = [
      [x(2, 1, 2), x(2, 0, 5)],
      [x(2, 1, 4), x(2, 0, 5)],
    ]
    const estimate = [
      [x(2, 1, 7), x(2, 2, 1)],
      [x(2, 2, 1), x(2, 2, 1)],
    ]
    expect(frontierHeldOut(select, estimate)).toMatchObject({
      costOfPass: { value: 7, n: 1 },
      cases: 2,
      solved: 1,
      solvedShare: 0.5,
      choices: [0, null],
    })
  })

  it('has no value when nothing was chosen', () => {
    const none = [[x(2, 0, 2)]]
    expect(frontierHeldOut(none, [[x(2, 1, 2)]]).costOfPass).toEqual({
      value: null,
      reason: 'no case was solved in the selecting trials',
      n: 0,
    })
  })

  it('refuses halves of different shape', () => {
    const [one, two] = [[[x(1, 1, 1)]], [[x(1, 1, 1), x(1, 1, 1)]]]
    expect(() => frontierHeldOut(one, two)).toThrow('cases of select and cases of estimate')
    expect(() => frontierHeldOut(one, [...one, ...one])).toThrow('select and estimate must have')
    expect(() => frontierHeldOut(one, one, 2)).toThrow('level must be')
  })
})
