/** The table of subjects, with the interval below each figure. */
import { letterOfMean, letterText, MEDIAN_NOTE } from 'assay/view-data'
import { useMemo } from 'preact/hooks'
import type { ViewCell, ViewReport, ViewSubject } from '../data/source.ts'
import { costPerPass, count, counted, dollars, fixed, NONE, percent, time } from '../figures.ts'
import { intervalText } from '../interval-text.ts'
import { Name } from '../text/shown.tsx'
import { visible } from '../text/visible.ts'
import { Against } from './against.tsx'
import { DataTable, type Column } from './data-table.tsx'

type Metric = ViewSubject['passRate']

interface SubjectsProps {
  readonly report: ViewReport
  readonly rows: readonly ViewSubject[]
  readonly cells: readonly ViewCell[]
}

export function Subjects({ report, rows, cells }: SubjectsProps) {
  const columns = useMemo(() => subjectColumns(rows, report), [rows, report])
  const interval = intervalText(rows)
  return (
    <section aria-labelledby="subjects">
      <h2 id="subjects">Subjects</h2>
      <p class="muted">
        <Name text={rows[0]?.suite ?? ''} /> · {shapeOf(rows, cells)}
      </p>
      <DataTable
        caption="Subjects"
        columns={columns}
        rows={rows}
        rowKey={({ subject }) => subject}
      />
      {interval !== null && (
        <p class="muted small">
          Below a figure: {interval}.
          <span class="no-print"> Point at a figure for what it rests on.</span>
        </p>
      )}
      {rows.some((row) => letterOfMean(row, report.provenance.scoring) !== null) && (
        <p class="muted small">{MEDIAN_NOTE}</p>
      )}
      <Against report={report} suite={rows[0]?.suite ?? ''} />
    </section>
  )
}

/** Describes the size of a suite: `20 cases · 2 subjects · 6 trials each`. */
function shapeOf(rows: readonly ViewSubject[], cells: readonly ViewCell[]): string {
  const planned = cells.map(({ outcomes }) => outcomes.length)
  const least = planned.reduce((a, b) => Math.min(a, b), Infinity)
  const most = planned.reduce((a, b) => Math.max(a, b), 0)
  return [
    // Two counts of the cases are available. `cells` lacks the cases that were left out of the report, and
    // `passRate.n` lacks the cases without a scored trial. So the larger count is closer to the truth.
    counted(
      Math.max(
        new Set(cells.map((one) => one.case)).size,
        ...rows.map(({ passRate }) => passRate.n),
      ),
      'case',
    ),
    counted(rows.length, 'subject'),
    ...(most === 0
      ? []
      : [`${least === most ? '' : `${least} to `}${counted(most, 'trial')} each`]),
  ].join(' · ')
}

function subjectColumns(
  rows: readonly ViewSubject[],
  { passK, provenance: { scoring } }: ViewReport,
): Column<ViewSubject>[] {
  const ks = passK.filter((k) => k > 1)
  const has = (value: (row: ViewSubject) => unknown): boolean =>
    rows.some((row) => (value(row) ?? null) !== null)
  return [
    {
      title: 'subject',
      value: ({ subject }) => subject,
      cell: ({ subject, source }) => (
        <>
          <Name text={subject} />
          {source !== 'live' && <span class="tag">{source}</span>}
        </>
      ),
    },
    {
      title: 'passed',
      help: 'trials passed, of those passed or failed',
      align: 'right',
      value: ({ counts }) => counts.passed,
      cell: ({ counts }) => (
        <Figure
          value={`${count(counts.passed)}/${count(counts.passed + counts.failed)}`}
          below={counts.errored > 0 ? `${count(counts.errored)} errored` : ''}
        />
      ),
    },
    share('pass rate', 'how often a trial passes, mean over cases', (row) => row.passRate),
    {
      title: 'these cases',
      help: 'interval of the pass rate for exactly these cases, tried again; never wider, as it leaves out how cases differ',
      align: 'right',
      value: (row) => row.fixed.passRate.interval?.low ?? null,
      cell: (row) => (
        <Figure
          value=""
          below={rangeOf(row.fixed.passRate, (at) => String(Math.round(at * 100)))}
          title={restsOn(row.fixed.passRate)}
        />
      ),
    },
    ...ks.flatMap((k) => [
      share(
        `pass@${k}`,
        `chance that at least one of ${k} trials passes`,
        (row) => row.passAtK.find((one) => one.k === k)?.metric,
      ),
      share(
        `pass^${k}`,
        `chance that all of ${k} trials pass`,
        (row) => row.passHatK.find((one) => one.k === k)?.metric,
      ),
    ]),
    {
      title: 'score',
      help: 'mean score, mean over cases',
      align: 'right',
      value: ({ meanScore }) => meanScore.value,
      cell: ({ meanScore }) => (
        <Figure
          value={fixed(meanScore.value)}
          below={rangeOf(meanScore, (end) => end.toFixed(2))}
          title={restsOn(meanScore)}
        />
      ),
    },
    {
      title: '$/pass',
      help: 'total cost over total passes: what a success costs if you retry until you have one',
      align: 'right',
      value: ({ cost: { perPass } }) => (perPass.infinite === true ? Infinity : perPass.value),
      cell: ({ cost: { perPass } }) => (
        <Figure
          value={costPerPass(perPass)}
          below={rangeOf(perPass, (usd) => dollars(usd).slice(1))}
          title={restsOn(perPass)}
        />
      ),
    },
    {
      title: 'total cost',
      help: 'cost of all scored trials',
      align: 'right',
      value: ({ cost }) => cost.totalUsd,
      cell: ({ cost }) => (
        <Figure
          value={cost.totalUsd === null ? NONE : dollars(cost.totalUsd)}
          below={cost.perTrialUsd === null ? '' : `${dollars(cost.perTrialUsd)} a trial`}
        />
      ),
    },
    {
      title: 'median time',
      help: 'median time to answer, without waiting for rate limits; below it the 95th percentile',
      align: 'right',
      value: ({ latency }) => latency.medianMs,
      cell: ({ latency }) => (
        <Figure
          value={time(latency.medianMs)}
          below={latency.p95Ms === null ? '' : `p95 ${time(latency.p95Ms)}`}
        />
      ),
    },
    ...(has(({ code }) => code)
      ? [
          share(
            'compiles',
            'share of scored trials that compile',
            (row) => row.code?.compilationRate,
          ),
          share(
            'tests pass',
            'mean over cases of the share of tests passed',
            (row) => row.code?.testPassRate,
          ),
          share(
            'lint',
            'mean lint score of the trials that compile',
            (row) => row.code?.lintScore,
            fixed,
          ),
        ]
      : []),
    ...(has(({ grade }) => grade)
      ? [
          {
            title: 'grade',
            help: 'letter of the median composite of passing and implementation rate',
            align: 'right',
            value: ({ composite }: ViewSubject) => composite?.value ?? null,
            cell: (row: ViewSubject) => {
              const { grade, composite, statistics } = row
              const ofMean = letterOfMean(row, scoring)
              const median = `median composite ${statistics?.composite?.median?.toFixed(3) ?? NONE}`
              return (
                <Figure
                  value={letterText(grade)}
                  below={
                    ofMean === null
                      ? median
                      : `${median}; mean ${composite?.value?.toFixed(3) ?? NONE} would be ${visible(ofMean)}`
                  }
                  title={gradeChances(grade)}
                />
              )
            },
          } as const,
        ]
      : []),
  ]
}

/** Returns a column of shares with their intervals. */
function share(
  title: string,
  help: string,
  metricOf: (row: ViewSubject) => Metric | undefined,
  write: (value: number) => string = percent,
): Column<ViewSubject> {
  return {
    title,
    help,
    align: 'right',
    value: (row) => metricOf(row)?.value ?? null,
    cell: (row) => {
      const metric = metricOf(row)
      const value = metric?.value ?? null
      const end = (at: number): string =>
        write === percent ? String(Math.round(at * 100)) : write(at)
      return (
        <Figure
          value={value === null ? NONE : write(value)}
          below={metric === undefined ? '' : rangeOf(metric, end)}
          title={metric === undefined ? '' : restsOn(metric)}
        />
      )
    },
  }
}

const rangeOf = ({ value, interval }: Metric, write: (end: number) => string): string =>
  value === null || interval === undefined
    ? ''
    : `${write(interval.low)}–${interval.high === null ? '∞' : write(interval.high)}`

/** Returns the tooltip of a figure: the number of cases, the method of the interval, and why a figure is missing. */
function restsOn({ n, interval, reason, value }: Metric): string {
  const parts = [
    `over ${counted(n, 'case')}`,
    ...(interval === undefined
      ? []
      : [`${Math.round(interval.level * 100)} % interval by ${interval.method}`]),
    ...(value === null && reason !== undefined ? [visible(reason)] : []),
  ]
  return parts.join('; ')
}

const gradeChances = (grade: ViewSubject['grade']): string =>
  (grade?.probabilities ?? [])
    .filter(({ probability }) => probability >= 0.005)
    .map((one) => `${visible(one.grade)}: ${percent(one.probability)}`)
    .join(', ')

interface FigureProps {
  readonly value: string
  readonly below: string
  readonly title?: string
}

function Figure({ value, below, title }: FigureProps) {
  return (
    <span class="figure" title={title === '' ? undefined : title}>
      {value}
      <small>{below}</small>
    </span>
  )
}
