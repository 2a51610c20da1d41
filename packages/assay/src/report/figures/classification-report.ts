/**
 * Computes the figures of classifications from the grades of graders of type `label`. Every scored trial counts. An
 * answer that failed before it was graded, or that gives no label, counts against the expected class.
 */
import { classification, DEFAULT_LEVEL, type ClassifiedTrials } from '@assay/metrics'
import { isLabelGrade, type Grade, type Suite, type Trial } from '@assay/contract'
import type { Plan, Tally } from '../../log/index.ts'
import type { ClassificationReport } from '../schema/classification-schema.ts'
import { reported } from '../schema/to-metric.ts'

/**
 * The maximum number of classes. With more classes, a confusion matrix is too large to be useful, so no figures are
 * computed.
 */
const MOST_CLASSES = 200

/** The expected label of each label grader, by suite and case and then by the grader's name. */
export type ExpectedLabels = ReadonlyMap<string, ReadonlyMap<string, string>>

/** Adds the labels that the cases of a suite expect. */
export function addExpectedLabels(
  expected: Map<string, ReadonlyMap<string, string>>,
  { id, cases }: Suite,
): void {
  for (const one of cases) {
    if (!one.graders.some(isLabelGrade)) continue
    const own = one.graders.filter(isLabelGrade).flatMap(({ name, options }) => {
      const label = expectedIn(options)
      return label === null ? [] : [[name, label] as const]
    })
    if (own.length > 0) expected.set(keyOf(id, one.id), new Map(own))
  }
}

/** Collects the labels that answers give, trial by trial. If the log has several lines for a trial, the last one counts. */
export class LabelledTrials {
  readonly #expected: ExpectedLabels
  /**
   * The labels that each trial's answer gave, by the trial's ordinal (its position in the plan) and then by the
   * grader's name.
   */
  readonly #answered = new Map<number, ReadonlyMap<string, string>>()

  constructor(expected: ExpectedLabels) {
    this.#expected = expected
  }

  get isNeeded(): boolean {
    return this.#expected.size > 0
  }

  add(ordinal: number, { grades }: Pick<Trial, 'grades'>): void {
    const found = grades.filter(isLabelGrade).flatMap((grade) => {
      const label = predictedIn(grade)
      return label === null ? [] : [[grade.name, label] as const]
    })
    if (found.length > 0) this.#answered.set(ordinal, new Map(found))
    else this.#answered.delete(ordinal)
  }

  /** Returns one report for each suite, subject and grader, and a note for each that has too many classes. */
  report(
    { suites, subjects, cells }: Plan,
    tally: Tally,
  ): { readonly classification: ClassificationReport[]; readonly notes: string[] } {
    const rows = new Map<string, Row>()
    if (!this.isNeeded) return { classification: [], notes: [] }
    for (const { suite, case: one, subject, first, trials } of cells) {
      const unit = one.group === undefined ? `case ${one.id}` : `group ${one.group}`
      for (const [grader, expected] of this.#expected.get(keyOf(suite.id, one.id)) ?? []) {
        const key = JSON.stringify([suite.id, subject.id, grader])
        const row = rows.get(key) ?? rowOf(suite.id, subject.id, grader)
        rows.set(key, row)
        if (one.group !== undefined) row.areGroups = true
        const counts = new Map<string | null, number>()
        for (let ordinal = first; ordinal < first + trials; ordinal++) {
          if (!tally.isScored(ordinal)) continue
          const label = this.#answered.get(ordinal)?.get(grader) ?? null
          counts.set(label, (counts.get(label) ?? 0) + 1)
        }
        for (const [predicted, count] of counts)
          row.trials.push({ expected, predicted, count, unit })
      }
    }
    const order = (list: readonly { readonly id: string }[], id: string): number =>
      list.findIndex((one) => one.id === id)
    const sorted = [...rows.values()].sort(
      (a, b) =>
        order(suites, a.suite) - order(suites, b.suite) ||
        (a.grader < b.grader ? -1 : a.grader > b.grader ? 1 : 0) ||
        order(subjects, a.subject) - order(subjects, b.subject),
    )
    return {
      classification: sorted.filter(isSmall).map(figuresOf),
      notes: sorted
        .filter((row) => !isSmall(row))
        .map(
          ({ suite, subject, grader, trials }) =>
            `${grader} of ${suite}, ${subject}: ${classesIn(trials)} classes, of which no confusion matrix is made (at most ${MOST_CLASSES})`,
        ),
    }
  }
}

interface Row {
  readonly suite: string
  readonly subject: string
  readonly grader: string
  readonly trials: ClassifiedTrials[]
  areGroups: boolean
}

const rowOf = (suite: string, subject: string, grader: string): Row => ({
  ...{ suite, subject, grader, trials: [], areGroups: false },
})

const classesIn = (trials: readonly ClassifiedTrials[]): number =>
  new Set(trials.map(({ expected }) => expected)).size

const isSmall = ({ trials }: Row): boolean => classesIn(trials) <= MOST_CLASSES

function figuresOf({ suite, subject, grader, trials, areGroups }: Row): ClassificationReport {
  const found = classification(trials, { level: DEFAULT_LEVEL, areGroups })
  const averages = (of: typeof found.macro) => ({
    precision: reported(of.precision),
    recall: reported(of.recall),
    f1: reported(of.f1),
  })
  return {
    ...{ suite, subject, grader },
    trials: found.accuracy.n,
    classes: found.classes.map(({ name, expected, predicted, correct, ...figures }) => ({
      ...{ name, expected, predicted, correct },
      ...averages(figures),
    })),
    confusion: found.confusion.map((row) => [...row]),
    accuracy: reported(found.accuracy),
    macro: averages(found.macro),
    micro: averages(found.micro),
  }
}

const keyOf = (suite: string, one: string): string => JSON.stringify([suite, one])

/**
 * Returns the text at a key, or null. A log may come from another program, so any value may be missing or have any
 * type.
 */
function textAt(value: unknown, key: string): string | null {
  if (typeof value !== 'object' || value === null) return null
  const found = (value as Readonly<Record<string, unknown>>)[key]
  return typeof found === 'string' ? found : null
}

/** Returns the expected label of a label grader, spelled as in its list `labels`. */
function expectedIn(options: unknown): string | null {
  const expected = textAt(options, 'expected')?.trim() ?? null
  if (expected === null) return null
  const { labels, ignoreCase } = options as { labels?: unknown; ignoreCase?: unknown }
  const list = Array.isArray(labels) ? labels.filter((one) => typeof one === 'string') : []
  const same = (one: string): boolean =>
    one.trim() === expected ||
    (ignoreCase !== false && one.trim().toLowerCase() === expected.toLowerCase())
  return list.find(same)?.trim() ?? expected
}

const predictedIn = ({ facts }: Grade): string | null => textAt(facts, 'predicted')
