/**
 * True values that the simulations of coverage assume. The first set was used to choose methods. The second set comes
 * from a generator with its own seed. No method and no constant may be chosen or changed because of a cell of the second
 * set: if one misses, the method is corrected in general or the miss is reported.
 */
import { random, type Random } from '../../src/resample/random.ts'
import { inverseIncompleteBeta } from '../../src/special/incomplete-beta.ts'

/** A distribution of pass rates: equally likely values. */
export interface RateTruth {
  readonly name: string
  readonly rates: readonly number[]
}

const COUNT = 1000
const beta = (a: number, b: number, count: number): number[] =>
  Array.from({ length: count }, (_, i) => inverseIncompleteBeta((i + 0.5) / count, a, b))
const same = (rate: number, count: number): number[] => Array.from({ length: count }, () => rate)

export const FIRST: readonly RateTruth[] = [
  { name: 'Beta(.5, .5)', rates: beta(0.5, 0.5, COUNT) },
  { name: 'Beta(6, .3)', rates: beta(6, 0.3, COUNT) },
  { name: 'Beta(20, 5)', rates: beta(20, 5, COUNT) },
  { name: '.2 or .95', rates: [...same(0.2, 500), ...same(0.95, 500)] },
  { name: 'a tenth never, the rest always', rates: [...same(0, 100), ...same(1, 900)] },
  { name: '.02 or .9', rates: [...same(0.02, 600), ...same(0.9, 400)] },
]

/** The seed of the second set. It is used for nothing else. */
const SECOND_SEED = 20_261_117
const SECOND_COUNT = 10

/** A number between `least` and `most` whose logarithm is uniform. */
export const logUniform = (draw: Random, least: number, most: number): number =>
  least * (most / least) ** draw()

/** Mixtures of one to three parts. A part is a beta distribution or a single rate, which may be 0 or 1. */
function mixture(draw: Random, index: number): RateTruth {
  const parts = 1 + Math.floor(draw() * 3)
  const weights = Array.from({ length: parts }, () => 0.1 + draw())
  const total = weights.reduce((sum, weight) => sum + weight, 0)
  const rates = weights.flatMap((weight) => {
    const count = Math.max(1, Math.round((COUNT * weight) / total))
    const kind = draw()
    if (kind < 0.6) return beta(logUniform(draw, 0.15, 20), logUniform(draw, 0.15, 20), count)
    if (kind < 0.85) return same(draw(), count)
    return same(draw() < 0.5 ? 0 : 1, count)
  })
  // A population without any variation in the outcome has nothing to estimate.
  const mean = rates.reduce((sum, rate) => sum + rate, 0) / rates.length
  return mean < 0.02 || mean > 0.98
    ? mixture(draw, index)
    : { name: `generated ${index + 1}`, rates }
}

export const SECOND: readonly RateTruth[] = Array.from({ length: SECOND_COUNT }, (_, i) =>
  mixture(random(SECOND_SEED, i), i),
)

/** One case in about 20 makes up the mean: it always passes and the others almost never do, or the reverse. */
export function oneCarries(set: 'first' | 'second'): readonly RateTruth[] {
  const made = (name: string, share: number, carrier: number, others: number): RateTruth => ({
    name,
    rates: [
      ...same(carrier, Math.round(share * COUNT)),
      ...same(others, Math.round((1 - share) * COUNT)),
    ],
  })
  if (set === 'first')
    return [
      made('one in 20 always, rest never', 0.05, 1, 0),
      made('one in 20 at .1, rest always', 0.05, 0.1, 1),
    ]
  const draw = random(SECOND_SEED, 1000)
  return Array.from({ length: 4 }, (_, i) => {
    const share = 0.04 + 0.03 * draw()
    const [carrier, others] = [0.7 + 0.3 * draw(), 0.03 * draw()]
    return i % 2 === 0
      ? made(`generated carrier ${i + 1}`, share, carrier, others)
      : made(`generated carrier ${i + 1}`, share, 1 - carrier, 1 - others)
  })
}

/** A change that a share of the cases carries: their rate goes from `before` to `after`, and the others stay. */
export interface FewCarry {
  readonly name: string
  readonly share: number
  readonly before: number
  readonly after: number
}

export function fewCarry(set: 'first' | 'second'): readonly FewCarry[] {
  const made = (share: number, before: number, after: number): FewCarry => ({
    name: `${(100 * share).toFixed(0)} % of cases from ${before.toFixed(2)} to ${after.toFixed(2)}`,
    ...{ share, before, after },
  })
  if (set === 'first')
    return [
      [0, 0.2],
      [0, 1],
      [1, 0.5],
      [1, 0],
      [0.9, 0.1],
      [0.5, 0.9],
    ].flatMap(([before = 0, after = 0]) => [0.03, 0.05, 0.1].map((x) => made(x, before, after)))
  const draw = random(SECOND_SEED, 4000)
  return Array.from({ length: 12 }, () => {
    const before = draw()
    // A third of the subjects never or always passes the cases.
    const rate = before < 1 / 6 ? 0 : before > 5 / 6 ? 1 : draw()
    return made(0.02 + 0.1 * draw(), rate, draw())
  })
}

/** All cases have the same rate, close to 1. */
export function nearCeiling(set: 'first' | 'second'): readonly RateTruth[] {
  if (set === 'first')
    return [0.95, 0.98, 0.99].map((rate) => ({ name: `all ${rate}`, rates: [rate] }))
  const draw = random(SECOND_SEED, 2000)
  return Array.from({ length: 4 }, () => {
    const rate = 1 - logUniform(draw, 0.003, 0.08)
    return { name: `all ${rate.toFixed(4)}`, rates: [rate] }
  })
}

/** A draw of parameters for set, figure and index. The two sets never share a stream. */
export const stream = (set: 'first' | 'second', ...path: readonly number[]): Random =>
  set === 'first' ? random(1, ...path) : random(SECOND_SEED, 3000, ...path)

/** Draws from the standard normal distribution. */
export const normal = (draw: Random): number =>
  Math.sqrt(-2 * Math.log(1 - draw())) * Math.cos(2 * Math.PI * draw())

/** One of the rates. */
export const rateOf = ({ rates }: RateTruth, draw: Random): number =>
  rates[Math.floor(draw() * rates.length)] as number

export const meanOf = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length
