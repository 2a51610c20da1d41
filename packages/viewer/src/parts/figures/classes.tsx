/** Shows the figures of classifications: precision, recall and F1 of each class, and the confusion matrix. */
import {
  classificationNotes,
  classificationTitle,
  FIGURE_TITLES,
  figureRows,
  hasNoLabel,
  NO_LABEL,
} from 'assay/view-data'
import type { ViewReport } from '../../data/source.ts'
import { PlainTable } from '../plain-table.tsx'
import { Name } from '../../text/shown.tsx'
import { Scroll } from '../tables/scroll.tsx'

type Classification = NonNullable<ViewReport['classification']>[number]

export function Classes({
  report,
  suite,
}: {
  readonly report: ViewReport
  readonly suite: string
}) {
  const shown = (report.classification ?? []).filter((one) => one.suite === suite)
  if (shown.length === 0) return null
  return (
    <section aria-labelledby="classes">
      <h2 id="classes">Classes</h2>
      {shown.map((one) => (
        <OneClassification key={JSON.stringify([one.subject, one.grader])} one={one} />
      ))}
    </section>
  )
}

function OneClassification({ one }: { readonly one: Classification }) {
  const title = classificationTitle(one, false)
  return (
    <>
      <h3>
        <Name text={title} most={160} />
      </h3>
      <PlainTable
        label={`Figures of ${title}`}
        titles={['class', ...FIGURE_TITLES]}
        rows={figureRows(one).map(({ name, cells }) => [name, ...cells])}
      />
      <Matrix one={one} title={title} />
      {classificationNotes(one).map((note) => (
        <p class="muted small">
          <Name text={note} most={600} />
        </p>
      ))}
    </>
  )
}

function Matrix({ one, title }: { readonly one: Classification; readonly title: string }) {
  const columns = one.classes.length + (hasNoLabel(one) ? 1 : 0)
  return (
    <Scroll label={`Confusion matrix of ${title}`}>
      <table>
        <thead>
          <tr>
            <th scope="col">expected \ answered</th>
            {one.classes.map(({ name }) => (
              <th scope="col" class="right">
                <Name text={name} most={60} />
              </th>
            ))}
            {hasNoLabel(one) && (
              <th scope="col" class="right">
                {NO_LABEL}
              </th>
            )}
          </tr>
        </thead>
        <tbody>
          {one.confusion.map((row, i) => (
            <tr>
              <th scope="row">
                <Name text={one.classes[i]?.name ?? ''} most={60} />
              </th>
              {row.slice(0, columns).map((cell, j) => (
                <td class="right">{i === j ? <strong>{cell}</strong> : cell}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </Scroll>
  )
}
