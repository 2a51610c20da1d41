/** The words and tables for classifications, shared by all formats that people read. */
import type { ClassificationReport } from '../schema/classification-schema.ts'
import { counted, share } from '../../text/index.ts'

/** The title of the column for answers without a label. */
export const NO_LABEL = '(none)'

export const classificationTitle = (
  { suite, subject, grader }: Pick<ClassificationReport, 'suite' | 'subject' | 'grader'>,
  areSeveralSuites: boolean,
): string => `${grader}${areSeveralSuites ? ` of ${suite}` : ''}, ${subject}`

export interface FigureRow {
  readonly name: string
  /** `class` for the row of a class. `average` for the rows of averages below it. */
  readonly kind: 'class' | 'average'
  readonly cells: readonly string[]
}

export const FIGURE_TITLES = ['expected', 'answered', 'precision', 'recall', 'F1'] as const

/** Returns the rows with precision, recall and F1: one for each class, then the averages. */
export function figureRows({
  classes,
  macro,
  micro,
  trials,
}: ClassificationReport): readonly FigureRow[] {
  const rates = ({ precision, recall, f1 }: ClassificationReport['macro']): string[] =>
    [precision, recall, f1].map(share)
  return [
    ...classes.map((one): FigureRow => ({
      name: one.name,
      kind: 'class',
      cells: [String(one.expected), String(one.predicted), ...rates(one)],
    })),
    { name: 'macro average', kind: 'average', cells: ['', '', ...rates(macro)] },
    { name: 'micro average', kind: 'average', cells: [String(trials), '', ...rates(micro)] },
  ]
}

/** Whether any answer gives no label. If all answers give one, the matrix has no column for missing labels. */
export const hasNoLabel = ({ confusion }: ClassificationReport): boolean =>
  confusion.some((row) => (row.at(-1) ?? 0) > 0)

/** Returns notes that say what was counted and why figures are missing. */
export function classificationNotes(one: ClassificationReport): string[] {
  const silent = one.confusion.reduce((sum, row) => sum + (row.at(-1) ?? 0), 0)
  const missing = [
    ...new Set(
      [one.macro.precision, one.macro.recall, one.macro.f1].flatMap(({ value, reason }) =>
        value === null && reason !== undefined ? [reason] : [],
      ),
    ),
  ]
  const { groups } = one.accuracy
  return [
    `Accuracy ${share(one.accuracy)} of ${counted(one.trials, 'scored trial')}${groups === undefined ? '' : ` in ${counted(groups, 'group')}`}.`,
    ...(silent === 0
      ? []
      : [
          `${counted(silent, 'answer gives', 'answers give')} no label and ${silent === 1 ? 'counts' : 'count'} against the expected class.`,
        ]),
    ...missing.map((reason) => `A macro average is missing, as ${reason}.`),
  ]
}
