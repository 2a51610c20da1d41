/**
 * Simulated coverage of the intervals of a classification: 95 % intervals contain the true figure at least 93 % of the
 * time, for balanced and rare classes, several trials of a case, groups, and answers without a class.
 */
import { describe, expect, it } from 'vitest'
import type { Metric } from '../metric.ts'
import { random } from '../resample/random.ts'
import { type Classification, classification, type ClassifiedTrials } from './classification.ts'

const RUNS = 1500
const LEAST = 0.93

interface World {
  /** The shares of the classes. */
  readonly classes: readonly number[]
  /** The chance that a case is easy, and the chance of a right answer to easy and to hard ones. */
  readonly easy: number
  readonly right: readonly [easy: number, hard: number]
  readonly silent: number
  readonly units: number
  /** Cases of a unit, which are all easy or all hard, and trials of each. */
  readonly cases: number
  readonly trials: number
}

const plain: World = {
  classes: [0.5, 0.5],
  easy: 0.6,
  right: [0.95, 0.6],
  silent: 0,
  units: 50,
  cases: 1,
  trials: 1,
}

const WORLDS: Readonly<Record<string, World>> = {
  'two classes, 50 cases': plain,
  'two classes, 200 cases, good': { ...plain, units: 200, right: [1, 0.9] },
  'a rare class': { ...plain, classes: [0.1, 0.9], units: 100 },
  'five classes': { ...plain, classes: [0.4, 0.3, 0.15, 0.1, 0.05], units: 200 },
  'silent answers': { ...plain, silent: 0.15, units: 80 },
  'five trials of a case': { ...plain, units: 30, trials: 5 },
  'five trials, three classes, silent': {
    ...plain,
    classes: [0.5, 0.3, 0.2],
    units: 60,
    trials: 5,
    silent: 0.05,
  },
  'groups of four': { ...plain, units: 25, cases: 4 },
  'groups of six with two trials': { ...plain, units: 40, cases: 6, trials: 2 },
}

const labels = ['a', 'b', 'c', 'd', 'e']

function drawn(world: World, draw: () => number): ClassifiedTrials[] {
  const list: ClassifiedTrials[] = []
  const oneOf = (): string => {
    let at = draw()
    const found = world.classes.findIndex((share) => (at -= share) < 0)
    return labels[found === -1 ? 0 : found] as string
  }
  for (let u = 0; u < world.units; u++) {
    const right = world.right[draw() < world.easy ? 0 : 1]
    for (let c = 0; c < world.cases; c++) {
      const expected = oneOf()
      const others = labels.slice(0, world.classes.length).filter((name) => name !== expected)
      for (let k = 0; k < world.trials; k++) {
        const wrong = others[Math.floor(draw() * others.length)] as string
        const said = draw() < right ? expected : wrong
        const predicted = draw() < world.silent ? null : said
        list.push({ expected, predicted, count: 1, unit: String(u) })
      }
    }
  }
  return list
}

/** The figures of a population, from its shares: every cell of the confusion matrix is known. */
function truth({ classes, easy, right, silent }: World): Record<string, number> {
  const p = (1 - silent) * (easy * right[0] + (1 - easy) * right[1])
  const w = (1 - silent) * (easy * (1 - right[0]) + (1 - easy) * (1 - right[1]))
  const k = classes.length
  const said = classes.map((share) => share * p + ((1 - share) * w) / (k - 1))
  const precision = classes.map((share, i) => (share * p) / (said[i] as number))
  const f1 = classes.map((share, i) => (2 * share * p) / (share + (said[i] as number)))
  const mean = (list: readonly number[]): number => list.reduce((sum, x) => sum + x, 0) / k
  return {
    accuracy: p,
    precision: precision[0] as number,
    recall: p,
    f1: f1[0] as number,
    'macro precision': mean(precision),
    'macro recall': p,
    'macro f1': mean(f1),
    'micro precision': p / (1 - silent),
    'micro f1': (2 * p) / (2 - silent),
  }
}

const figuresOf = ({
  classes,
  accuracy,
  macro,
  micro,
}: Classification): Record<string, Metric | undefined> => ({
  accuracy,
  precision: classes[0]?.precision,
  recall: classes[0]?.recall,
  f1: classes[0]?.f1,
  'macro precision': macro.precision,
  'macro recall': macro.recall,
  'macro f1': macro.f1,
  'micro precision': micro.precision,
  'micro f1': micro.f1,
})

describe('intervals of a classification cover the truth', () => {
  it.each(Object.entries(WORLDS))('%s', (name, world) => {
    const exact = truth(world)
    const covered: Record<string, number> = {}
    const of: Record<string, number> = {}
    for (let run = 0; run < RUNS; run++) {
      const trials = drawn(world, random(11, name.length, run))
      // A sample in which a class is missing has other figures than the population.
      if (new Set(trials.map(({ expected }) => expected)).size < world.classes.length) continue
      for (const [key, metric] of Object.entries(figuresOf(classification(trials)))) {
        if (metric?.interval === undefined) continue
        const { low, high } = metric.interval
        of[key] = (of[key] ?? 0) + 1
        const value = exact[key] as number
        if (low <= value + 1e-12 && high >= value - 1e-12) covered[key] = (covered[key] ?? 0) + 1
      }
    }
    const shares = Object.entries(of).map(([key, n]) => [key, (covered[key] ?? 0) / n] as const)
    if (process.env['ASSAY_SHOW'] !== undefined)
      console.log(name, shares.map(([key, x]) => `${key} ${x.toFixed(3)}`).join(', '))
    expect(shares.filter(([, share]) => share < LEAST)).toEqual([])
  })
})
