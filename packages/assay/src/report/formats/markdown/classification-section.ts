/** Formats classifications in Markdown: the figures of each class and the confusion matrix. */
import { code, markdownTable } from '../../../text/index.ts'
import type { Report } from '../../schema/report.ts'
import {
  classificationNotes,
  classificationTitle,
  FIGURE_TITLES,
  figureRows,
  hasNoLabel,
  NO_LABEL,
} from '../../words/classification-words.ts'

const MOST_SHOWN = 10
const MOST_CLASSES = 30

/** Returns the section about classifications, or no lines if the report has none. */
export function classificationSection({ classification = [], subjects }: Report): string[] {
  const areSeveral = new Set(subjects.map(({ suite }) => suite)).size > 1
  const shown = classification.slice(0, MOST_SHOWN)
  const rest = classification.length - shown.length
  return [
    ...shown.flatMap((one, i) => {
      const isLong = one.classes.length > MOST_CLASSES
      const rows = figureRows(one).filter(({ kind }) => !isLong || kind === 'average')
      const names = one.classes.map(({ name }) => code(name, 60))
      const titles = [...names, ...(hasNoLabel(one) ? [NO_LABEL] : [])]
      return [
        ...(i === 0 ? [] : ['']),
        `### Classes: ${code(classificationTitle(one, areSeveral), 160)}`,
        '',
        ...markdownTable(
          [{ title: 'class' }, ...FIGURE_TITLES.map((title) => ({ title, right: true }))],
          rows.map(({ name, kind, cells }) => [kind === 'class' ? code(name, 60) : name, ...cells]),
        ),
        '',
        ...(isLong
          ? [`- ${one.classes.length} classes; report.json has each, and the confusion matrix`]
          : [
              ...markdownTable(
                [
                  { title: 'expected \\ answered' },
                  ...titles.map((title) => ({ title, right: true })),
                ],
                one.confusion.map((row, at) => [
                  names[at] ?? '',
                  ...row.slice(0, titles.length).map(String),
                ]),
              ),
              '',
            ]),
        ...classificationNotes(one).map((note) => `- ${note}`),
      ]
    }),
    ...(rest > 0 ? ['', `- and ${rest} more classifications; report.json has all`] : []),
  ]
}
