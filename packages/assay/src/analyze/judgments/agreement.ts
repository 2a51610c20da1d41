/** Computes the agreement of judges whose marks were joined with the runs, and writes the notes about it. */
import type { Grade, Trial } from '@assay/contract'
import { JudgedTrials, type JudgesReport, type ReportMetric } from '../../report/index.ts'
import { counted } from '../../text/index.ts'
import type { Arranged } from '../table/arrange.ts'

/** The seed of the resamples. It is fixed, so that the same files always give the same interval. */
const SEED = 1

export function agreementOf(
  grades: ReadonlyMap<number, Grade>,
  { plan }: Arranged,
): JudgesReport[] {
  if (grades.size === 0) return []
  const groups = new Map(
    plan.cells.map((cell) => [JSON.stringify([cell.suite.id, cell.case.id]), cell.case.group]),
  )
  const judged = new JudgedTrials((suite, one) => groups.get(JSON.stringify([suite, one])))
  for (const cell of plan.cells)
    for (let ordinal = cell.first; ordinal < cell.first + cell.trials; ordinal++) {
      const grade = grades.get(ordinal)
      if (grade === undefined) continue
      const trial: Pick<Trial, 'suite' | 'case' | 'grades' | 'cost'> = {
        suite: cell.suite.id,
        case: cell.case.id,
        grades: [grade],
        cost: { answerUsd: null, judgeUsd: null, spentUsd: 0 },
      }
      judged.add(ordinal, trial)
    }
  return judged.report(SEED)
}

const MOST_LISTED = 20

/**
 * Returns the notes of each suite. The first note is about all judges together. If there are more than two judges, a
 * note for each judge follows. Then there is a note for each criterion. With a single judge, there is only the first
 * note.
 */
export const agreementNotes = (judging: readonly JudgesReport[]): string[] =>
  judging.flatMap(({ suite, judges, agreement }) => {
    const means = judges.map(
      ({ judge, n, meanScore }) =>
        `${judge} ${meanScore === null ? '–' : figure(meanScore)} over ${counted(n, 'run')}`,
    )
    const of = `judges of ${suite}`
    if (agreement === null)
      return [`${of}: ${means.join(', ')}; with one judge there is no agreement to measure`]
    const { alpha, withOthers = [], criteria } = agreement
    const listed = <Item>(items: readonly Item[], line: (item: Item) => string): string[] => [
      ...items.slice(0, MOST_LISTED).map(line),
      ...(items.length > MOST_LISTED
        ? [`${of}: ${items.length - MOST_LISTED} more are in --format json`]
        : []),
    ]
    return [
      `${of}: mean marks ${means.join(', ')}; agreement of all: alpha ${shown(alpha)} (1 is full agreement, 0 what chance would bring)`,
      ...listed(
        judges.length > 2 ? withOthers : [],
        ({ judge, alpha: own }) =>
          `${of}: ${judge} with the mean of the others: alpha ${shown(own)}`,
      ),
      ...listed(
        criteria,
        ({ criterion, alpha: own }) => `${of}: criterion ${criterion}: alpha ${shown(own)}`,
      ),
    ]
  })

const figure = (value: number): string => value.toFixed(2).replace('-', '−')

function shown({ value, interval, n, reason }: ReportMetric): string {
  const over = `over ${counted(n, 'run')}`
  if (value === null) return `– ${over}: ${reason ?? 'it is not defined'}`
  const range =
    interval === undefined
      ? ` (no interval: ${reason ?? 'too few cases'})`
      : ` (${figure(interval.low)} to ${figure(interval.high ?? 1)})`
  return `${figure(value)}${range} ${over}`
}
