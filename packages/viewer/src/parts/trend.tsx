/**
 * Shows the trend of each subject on a suite: its pass rate over all runs, and the changes that the statistical gate
 * decided.
 */
import { useMemo, useState } from 'preact/hooks'
import type { Trend, TrendPoint, TrendSeries } from '../data/workbench-source.ts'
import { counted, moment, NONE, percent } from '../figures.ts'
import { compareHash, runHash } from '../pages/routes.ts'
import { drawTrend } from '../pictures/trend.ts'
import { Picture } from '../pictures/picture.tsx'
import { Name } from '../text/shown.tsx'
import { differences, shortCommit, verdictWord } from '../trend-words.ts'
import { SuiteChoice } from './suite-choice.tsx'
import { Scroll } from './tables/scroll.tsx'

interface TrendsProps {
  readonly trend: Trend
  readonly choose: (suite: string) => void
}

export function Trends({ trend, choose }: TrendsProps) {
  const [isWhole, showAll] = useState(false)
  const series = trend.series.filter(({ points }) => points.length > 1)
  const shown = isWhole ? series : series.slice(0, AT_FIRST)
  if (series.length === 0 && trend.suites.length < 2) return null
  return (
    <section aria-labelledby="trend">
      <h2 id="trend">Trend</h2>
      <SuiteChoice suites={trend.suites} suite={trend.suite} choose={choose} />
      {series.length === 0 ? (
        <p class="muted">No subject has two runs of this suite.</p>
      ) : (
        <p class="muted small">
          Dot: pass rate. Line: interval. A triangle marks a change from one run to the next that{' '}
          <code>assay compare --gate statistical</code> would report; anything else may be chance.
          The line is broken where the suite was edited.
        </p>
      )}
      {trend.pending > 0 && (
        <p class="muted" role="status">
          {counted(trend.pending, 'log or pair of runs', 'logs or pairs of runs')} still to be read
          or compared
        </p>
      )}
      <div class="pictures">
        {shown.map((one) => (
          <Series key={one.subject} series={one} />
        ))}
      </div>
      {series.length > shown.length && (
        <p>
          <button type="button" class="plain" onClick={() => showAll(true)}>
            show all {series.length} subjects
          </button>
        </p>
      )}
      {trend.others > 0 && (
        <p class="muted small">
          {counted(trend.others, 'subject')} of earlier runs {trend.others === 1 ? 'is' : 'are'} not
          shown.
        </p>
      )}
    </section>
  )
}

/** How many charts are shown at first. More would push the list of runs far down the page. */
const AT_FIRST = 2
const MOST_CHANGES = 3

function Series({ series: { subject, points, earlier } }: { readonly series: TrendSeries }) {
  const decided = points.flatMap((point, i) => {
    const before = points[i - 1]
    const verdict = point.change?.verdict
    return before !== undefined && (verdict === 'regression' || verdict === 'improvement')
      ? [{ before, point }]
      : []
  })
  const waiting = points.filter(({ change }, i) => i > 0 && change === null).length
  return (
    <div class="trend">
      <Picture
        title={<Name text={subject} most={200} />}
        note={[
          counted(points.length, 'run'),
          decided.length === 0 ? 'no decided change' : counted(decided.length, 'decided change'),
          ...(waiting > 0 ? [`${waiting} still to be compared`] : []),
        ].join(', ')}
        draw={useMemo(() => drawTrend(points), [points])}
      />
      <ul class="changes">
        {decided
          .slice(-MOST_CHANGES)
          .reverse()
          .map(({ before, point }) => (
            <Change before={before} point={point} />
          ))}
        {decided.length > MOST_CHANGES && (
          <li class="muted small">
            {counted(decided.length - MOST_CHANGES, 'earlier change')} in the table
          </li>
        )}
      </ul>
      <details>
        <summary>Data</summary>
        <TrendTable subject={subject} points={points} />
        {earlier > 0 && (
          <p class="muted small">{counted(earlier, 'earlier run')} left out of the trend.</p>
        )}
      </details>
    </div>
  )
}

interface ChangeProps {
  readonly before: TrendPoint
  readonly point: TrendPoint
}

function Change({ before, point }: ChangeProps) {
  const { change, run, figure } = point
  if (change === null) return null
  const { subject } = figure
  const sides = { a: before.run.key, as: subject, b: run.key, bs: subject }
  return (
    <li>
      <strong class={`verdict-${change.verdict}`}>
        <span aria-hidden="true">{change.verdict === 'regression' ? '▼ ' : '▲ '}</span>
        {verdictWord(point)}
      </strong>{' '}
      since{' '}
      <a href={runHash(run.key)}>{run.createdAt === null ? 'this run' : moment(run.createdAt)}</a>:{' '}
      <Name text={change.text} most={400} /> <Differs before={before} after={point} />
      <a href={compareHash(sides)}>compare</a>
    </li>
  )
}

function Differs({ before, after }: { readonly before: TrendPoint; readonly after: TrendPoint }) {
  const found = differences(before, after)
  return found.length === 0 ? null : (
    <span class="differs">
      <Name text={found.join(' · ')} most={600} />{' '}
    </span>
  )
}

interface TrendTableProps {
  readonly subject: string
  readonly points: readonly TrendPoint[]
}

function TrendTable({ subject, points }: TrendTableProps) {
  return (
    <Scroll label={`Trend of ${subject.slice(0, 60)}`}>
      <table>
        <caption class="unseen">
          Runs of <Name text={subject} />, newest first
        </caption>
        <thead>
          <tr>
            <th scope="col">run</th>
            <th scope="col" class="right">
              pass rate
            </th>
            <th scope="col" class="right">
              trials
            </th>
            <th scope="col">commit</th>
            <th scope="col">since the run before</th>
            <th scope="col">differs in</th>
          </tr>
        </thead>
        <tbody>
          {points
            .map((point, i) => ({ point, before: points[i - 1] ?? null }))
            .reverse()
            .map(({ point, before }) => (
              <Row point={point} before={before} />
            ))}
        </tbody>
      </table>
    </Scroll>
  )
}

function Row({
  point,
  before,
}: {
  readonly point: TrendPoint
  readonly before: TrendPoint | null
}) {
  const { run, figure } = point
  const { rate, low, high, c, n } = figure
  return (
    <tr>
      <th scope="row">
        <a href={runHash(run.key)}>{run.createdAt === null ? 'run' : moment(run.createdAt)}</a>
        <small>
          <Name text={run.folder} most={80} />
        </small>
      </th>
      <td class="right">
        <span class="figure">
          {rate === null ? NONE : percent(rate)}
          <small>
            {low !== null && high !== null && `${Math.round(low * 100)}–${Math.round(high * 100)}`}
          </small>
        </span>
      </td>
      <td class="right">
        {c}/{n}
      </td>
      <td>
        {run.commit === null ? NONE : <code title={run.commit}>{shortCommit(run.commit)}</code>}
      </td>
      <td title={point.change?.text}>
        {before === null
          ? 'first'
          : point.change === null
            ? 'not compared yet'
            : verdictWord(point)}
      </td>
      <td>{before !== null && <Differs before={before} after={point} />}</td>
    </tr>
  )
}
