/**
 * Figures of a classification: the confusion matrix, and precision, recall and F1 of each class and over all classes.
 *
 * An answer that names no class is a false negative of the expected class but not a false positive
 * of any class. So a subject cannot improve its recall or F1 by naming no class. It only avoids
 * lowering the precision of a wrong class.
 *
 * Precision, recall and accuracy are shares, so `ratio-interval.ts` computes their intervals.
 *
 * The interval of F1 is computed from a share too. Of the trials in which a class was expected or answered, J = TP/(TP
 * + FP + FN) is the share in which it was both. TP, FP and FN are the numbers of true positives, false positives and
 * false negatives. F1 equals 2J/(1 + J) and increases with J, so the bounds of J give the bounds of F1.
 *
 * A macro average is the mean over classes. Its interval combines the distances from the figure of each class to its
 * bounds (MOVER, Zou and Donner 2008). The figures of two classes are correlated, because a confusion of the two lowers
 * both. A correlation that cannot be computed counts as 1, and a negative one as 0. So the interval is too wide rather
 * than too short.
 *
 * Source: van Rijsbergen 1979 (F measure); Sokolova and Lapalme 2009 (macro and micro averages).
 */
import { checkGroup, checkInteger, checkLevel } from '../domain.ts'
import { fsum } from '../fsum.ts'
import { ratioEstimate, type RatioUnit } from '../interval/ratio-interval.ts'
import { DEFAULT_LEVEL, type Interval, type Metric } from '../metric.ts'

/**
 * A number of trials of one unit (a case, or a group of cases) with the same expected class and the
 * same answered class.
 */
export interface ClassifiedTrials {
  readonly expected: string
  /** Null if the answer names no class. */
  readonly predicted: string | null
  readonly count: number
  /**
   * The name of the case or of the group of cases. Trials of one unit are not independent of each
   * other.
   */
  readonly unit: string
}

export interface ClassFigures {
  readonly name: string
  /**
   * `expected` is the number of trials in which the class was expected, `predicted` the number in
   * which it was answered, and `correct` the number in which both are true.
   */
  readonly expected: number
  readonly predicted: number
  readonly correct: number
  readonly precision: Metric
  readonly recall: Metric
  readonly f1: Metric
}

export interface AverageFigures {
  readonly precision: Metric
  readonly recall: Metric
  readonly f1: Metric
}

export interface Classification {
  /** All classes that were expected or answered, sorted by name. */
  readonly classes: readonly ClassFigures[]
  /**
   * `confusion[i][j]` is the number of trials that expect class i and answer class j. The last
   * column is for answers without a class.
   */
  readonly confusion: readonly (readonly number[])[]
  readonly accuracy: Metric
  readonly macro: AverageFigures
  readonly micro: AverageFigures
}

export interface ClassificationOptions {
  readonly level?: number
  /** Whether units are groups of cases. They are cases by default. */
  readonly areGroups?: boolean
}

/**
 * Defines a share: `isSize` says which trials count in the denominator, and `isHit` says which of
 * these also count in the numerator.
 */
interface Share {
  readonly isSize: (one: ClassifiedTrials) => boolean
  readonly isHit: (one: ClassifiedTrials) => boolean
}

/**
 * Computes all figures of a classification.
 *
 * @example
 * classification([{ expected: 'a', predicted: 'a', count: 1, unit: '1' }]).accuracy.value // 1
 */
export function classification(
  trials: readonly ClassifiedTrials[],
  { level = DEFAULT_LEVEL, areGroups = false }: ClassificationOptions = {},
): Classification {
  checkLevel(level)
  for (const { count, unit } of trials) {
    checkInteger('count', count, 0)
    checkGroup(unit)
  }
  const units = [...Map.groupBy(trials, ({ unit }) => unit).values()]
  const names = [
    ...new Set(
      trials.flatMap(({ expected, predicted }) =>
        predicted === null ? [expected] : [expected, predicted],
      ),
    ),
  ].sort()
  const share = ({ isSize, isHit }: Share, empty: string): Estimated => {
    const parts = units.map((unit): RatioUnit => {
      let size = 0
      let hits = 0
      for (const one of unit)
        if (isSize(one)) {
          size += one.count
          if (isHit(one)) hits += one.count
        }
      return { size, hits }
    })
    return { metric: ratioEstimate(parts, level, empty, areGroups), parts }
  }
  const isCorrect = (one: ClassifiedTrials): boolean => one.predicted === one.expected
  const found = names.map((name) => {
    const isExpected = (one: ClassifiedTrials): boolean => one.expected === name
    const isPredicted = (one: ClassifiedTrials): boolean => one.predicted === name
    const jaccard = share(
      { isSize: (one) => isExpected(one) || isPredicted(one), isHit: isCorrect },
      'the class was neither expected nor answered',
    )
    return {
      name,
      precision: share({ isSize: isPredicted, isHit: isCorrect }, 'the class was never answered'),
      recall: share({ isSize: isExpected, isHit: isCorrect }, 'the class was never expected'),
      f1: toF1(jaccard),
    }
  })
  const nothing = 'no trial was scored'
  const all = share({ isSize: () => true, isHit: isCorrect }, nothing)
  const average = (pick: (one: (typeof found)[number]) => Estimated, what: string): Metric =>
    macroAverage(
      found.map((one) => ({ name: one.name, ...pick(one) })),
      { level, what, nothing, n: all.metric.n, units: units.length, areGroups },
    )
  const isSilent = trials.some((one) => one.count > 0 && !isNamed(one))
  // The micro averages count the errors of all classes together. A wrong answer then counts twice:
  // as a false positive of one class and as a false negative of another. An answer without a class
  // counts once, as a false negative.
  const pooled = share({ isSize: () => true, isHit: isCorrect }, nothing).parts.map(
    ({ size, hits }, i): RatioUnit => {
      const named = fsum((units[i] ?? []).filter(isNamed).map(({ count }) => count))
      return { hits, size: hits + (named - hits) + (size - hits) }
    },
  )
  const microJaccard = ratioEstimate(pooled, level, nothing, areGroups)
  return {
    classes: found.map(({ name, precision, recall, f1 }) => ({
      name,
      expected: recall.metric.n,
      predicted: precision.metric.n,
      correct: fsum(recall.parts.map(({ hits }) => hits)),
      precision: precision.metric,
      recall: recall.metric,
      f1: f1.metric,
    })),
    confusion: confusionOf(trials, names),
    accuracy: all.metric,
    macro: {
      precision: average(({ precision }) => precision, 'answered'),
      recall: average(({ recall }) => recall, 'expected'),
      f1: average(({ f1 }) => f1, 'expected or answered'),
    },
    micro: {
      precision: share({ isSize: isNamed, isHit: isCorrect }, 'no answer names a class').metric,
      recall: all.metric,
      // If every answer names a class, micro precision, recall and F1 all equal the accuracy.
      f1: isSilent ? toF1({ metric: microJaccard, parts: pooled }).metric : all.metric,
    },
  }
}

const isNamed = ({ predicted }: ClassifiedTrials): boolean => predicted !== null

/** A figure that is computed from a share, and what each unit contributes to this share. */
interface Estimated {
  readonly metric: Metric
  readonly parts: readonly RatioUnit[]
  /** The derivative of the figure with respect to the share. */
  readonly slope?: number
}

const f1Of = (jaccard: number): number => (2 * jaccard) / (1 + jaccard)

/** Converts the share J = TP/(TP + FP + FN) and its bounds into F1 and its bounds. */
function toF1({ metric, parts }: Estimated): Estimated {
  const { value, interval, se } = metric
  if (value === null) return { metric, parts }
  const slope = 2 / (1 + value) ** 2
  return {
    parts,
    slope,
    metric: {
      ...metric,
      value: f1Of(value),
      ...(se === undefined ? {} : { se: se * slope }),
      ...(interval === undefined
        ? {}
        : { interval: { ...interval, low: f1Of(interval.low), high: f1Of(interval.high) } }),
    },
  }
}

interface MacroOptions {
  readonly level: number
  readonly what: string
  readonly nothing: string
  readonly n: number
  readonly units: number
  readonly areGroups: boolean
}

/** Returns the mean over classes, with an interval that combines the intervals of the classes. */
function macroAverage(
  classes: readonly (Estimated & { readonly name: string })[],
  { level, what, nothing, n, units, areGroups }: MacroOptions,
): Metric {
  if (classes.length === 0) return { value: null, reason: nothing, n: 0 }
  const missing = classes.find(({ metric }) => metric.value === null)
  if (missing !== undefined)
    return { value: null, reason: `the class ${missing.name} was never ${what}`, n }
  const grouped = areGroups ? { groups: units } : {}
  const value = fsum(classes.map(({ metric }) => metric.value as number)) / classes.length
  const open = classes.find(({ metric }) => metric.interval === undefined)
  if (open !== undefined)
    return { value, n, ...grouped, reason: `the class ${open.name} has no interval` }
  const influences = classes.map(influenceOf)
  const reach = (side: 'low' | 'high'): number => {
    const far = classes.map(({ metric }) =>
      Math.abs((metric.interval as Interval)[side] - (metric.value as number)),
    )
    const squares = far.flatMap((a, i) =>
      far.map((b, j) => a * b * correlation(influences[i] ?? [], influences[j] ?? [])),
    )
    return Math.sqrt(fsum(squares)) / classes.length
  }
  return {
    value,
    n,
    ...grouped,
    interval: {
      low: Math.max(0, value - reach('low')),
      high: Math.min(1, value + reach('high')),
      level,
      method: 'intervals of classes joined (MOVER)',
      target: 'population',
    },
  }
}

/**
 * Returns how much each unit moves the figure of a class, up to a constant factor. The correlation of two classes is
 * computed from these numbers.
 */
function influenceOf({ parts }: Estimated): readonly number[] {
  const size = fsum(parts.map((one) => one.size))
  const ratio = fsum(parts.map((one) => one.hits)) / size
  return parts.map((one) => one.hits - ratio * one.size)
}

/**
 * Returns the correlation of two figures from the influences of the units. It is 1 if one of the
 * figures shows no spread, and it is never negative.
 */
function correlation(a: readonly number[], b: readonly number[]): number {
  if (a === b) return 1
  const [aa, bb, ab] = [dot(a, a), dot(b, b), dot(a, b)]
  return aa === 0 || bb === 0 ? 1 : Math.min(1, Math.max(0, ab / Math.sqrt(aa * bb)))
}

const dot = (a: readonly number[], b: readonly number[]): number =>
  fsum(a.map((x, i) => x * (b[i] as number)))

function confusionOf(
  trials: readonly ClassifiedTrials[],
  names: readonly string[],
): readonly (readonly number[])[] {
  const at = new Map(names.map((name, i) => [name, i]))
  const table = names.map(() => Array.from({ length: names.length + 1 }, () => 0))
  for (const { expected, predicted, count } of trials) {
    const row = table[at.get(expected) as number] as number[]
    const column = predicted === null ? names.length : (at.get(predicted) as number)
    row[column] = (row[column] as number) + count
  }
  return table
}
