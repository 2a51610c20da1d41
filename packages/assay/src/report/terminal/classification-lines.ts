/** Prints the confusion matrix and the figures of each class. */
import type { Colors } from 'picocolors/types.js'
import { plain } from '@assay/contract'
import { cut, displayWidth, table, wrap, type Column } from '../../text/index.ts'
import type { Report } from '../schema/report.ts'
import type { ClassificationReport } from '../schema/classification-schema.ts'
import {
  classificationNotes,
  classificationTitle,
  FIGURE_TITLES,
  figureRows,
  hasNoLabel,
  NO_LABEL,
} from '../words/classification-words.ts'

const MOST_NAME = 24
/** The maximum number of classes. With more classes, the terminal shows only the averages. */
const MOST_ROWS = 30

/** Returns the confusion matrix and the figures of each class as tables. Empty if the report has no classification. */
export function classificationLines(
  { classification = [], subjects }: Report,
  width: number,
  colors: Colors,
): string[] {
  const areSeveral = new Set(subjects.map(({ suite }) => suite)).size > 1
  return classification.flatMap((one) => [
    colors.bold(cut(plain(classificationTitle(one, areSeveral)), width)),
    ...figureTable(one, width, colors),
    ...matrix(one, width, colors),
    ...classificationNotes(one)
      .flatMap((note) => wrap(plain(note), width))
      .map((line) => colors.dim(line)),
    '',
  ])
}

const nameOf = (name: string): string => cut(plain(name), MOST_NAME)

function figureTable(one: ClassificationReport, width: number, colors: Colors): string[] {
  const isLong = one.classes.length > MOST_ROWS
  const rows = figureRows(one).filter(({ kind }) => !isLong || kind === 'average')
  const columns: Column[] = [
    { title: 'class', align: 'left' },
    ...FIGURE_TITLES.map((title): Column => ({ title, align: 'right' })),
  ]
  const cells = rows.map((row) => [nameOf(row.name), ...row.cells])
  const all = table(columns, cells, width)
  // If the table is too wide, the two columns of counts are left out first, because the matrix shows the counts too.
  const [head, ...body] = all.every((line) => displayWidth(line) <= width)
    ? all
    : table(
        columns.filter((_, i) => i === 0 || i > 2),
        cells.map((row) => row.filter((_, i) => i === 0 || i > 2)),
        width,
      )
  return [
    colors.dim(head ?? ''),
    ...body,
    ...(isLong
      ? [colors.dim(`${one.classes.length} classes: report.json and the page have each`)]
      : []),
  ]
}

function matrix(one: ClassificationReport, width: number, colors: Colors): string[] {
  if (one.classes.length > MOST_ROWS) return []
  const names = one.classes.map(({ name }) => nameOf(name))
  const titles = [...names, ...(hasNoLabel(one) ? [NO_LABEL] : [])]
  const lines = table(
    [
      { title: 'expected \\ answered', align: 'left' },
      ...titles.map((title): Column => ({ title, align: 'right' })),
    ],
    one.confusion.map((row, i) => [names[i] ?? '', ...row.slice(0, titles.length).map(String)]),
    width,
  )
  if (lines.some((line) => displayWidth(line) > width))
    return [
      ...wrap(
        'The confusion matrix is too wide for this terminal: Markdown, the page and report.json have it.',
        width,
      ).map((line) => colors.dim(line)),
    ]
  const [head, ...body] = lines
  return ['', colors.dim(head ?? ''), ...body]
}
