/**
 * Writes CSV with one row per class of a classification. A row has the figures of the class and its row of the
 * confusion matrix.
 */
import type { ReportMetric } from '../schema/metric-schema.ts'
import type { ClassificationReport } from '../schema/classification-schema.ts'
import { csvLine, type CsvCell } from './csv.ts'
import type { ReportFormat } from './format.ts'

const FIGURES = ['precision', 'recall', 'f1'] as const

const TITLES = [
  ...['suite', 'subject', 'grader', 'kind', 'class', 'expected', 'answered', 'correct', 'no_label'],
  ...FIGURES.flatMap((name) => [name, `${name}_low`, `${name}_high`]),
  'confused_with',
]

const bounds = ({ value, interval }: ReportMetric): CsvCell[] => [
  value,
  interval?.low,
  interval?.high,
]

const figures = (of: ClassificationReport['macro']): CsvCell[] =>
  FIGURES.flatMap((name) => bounds(of[name]))

function rowsOf(one: ClassificationReport): CsvCell[][] {
  const head = [one.suite, one.subject, one.grader]
  return [
    ...one.classes.map((row, i) => {
      const counts = one.confusion[i] ?? []
      const others = one.classes.flatMap(({ name }, j) =>
        i === j || (counts[j] ?? 0) === 0 ? [] : [`${name} ${counts[j]}`],
      )
      return [
        ...head,
        ...['class', row.name, row.expected, row.predicted, row.correct, counts.at(-1)],
        ...figures(row),
        others.join('; '),
      ]
    }),
    [...head, 'macro', null, one.trials, null, null, null, ...figures(one.macro), null],
    [...head, 'micro', null, one.trials, null, null, null, ...figures(one.micro), null],
  ]
}

export const classesCsv: ReportFormat = {
  name: 'classes',
  description: 'one row per class of a classification',
  write: async ({ report }, put) => {
    put(`${csvLine(TITLES)}\n`)
    for (const one of report.classification ?? [])
      for (const row of rowsOf(one)) put(`${csvLine(row)}\n`)
  },
}
