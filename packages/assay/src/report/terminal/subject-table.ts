/** Prints the tables of subjects: the results of each subject on a suite, and the components of its code score. */
import type { Colors } from 'picocolors/types.js'
import { plain } from '@assay/contract'
import { costPerPass, percent, seconds, share, cut, table, wrap } from '../../text/index.ts'
import type { Report, SubjectReport } from '../schema/report.ts'

export function subjectTable(
  rows: readonly SubjectReport[],
  titles: readonly string[],
  report: Report,
  width: number,
  colors: Colors,
): string[] {
  const ks = report.passK.filter((k) => k > 1)
  // A column for a k is left out if no subject has enough trials for that k.
  const known = ks.filter((k) =>
    rows.some(({ passAtK }) => passAtK.some((one) => one.k === k && one.metric.value !== null)),
  )
  const wide = ks.length * 2 * 14 + 60 <= width ? ks : (known.length > 0 ? known : ks).slice(-1)
  const columns = [
    { title: 'subject', align: 'left' },
    { title: 'passed', align: 'right' },
    { title: 'pass rate', align: 'right' },
    ...wide.flatMap((k) => [
      { title: `pass@${k}`, align: 'right' } as const,
      { title: `pass^${k}`, align: 'right' } as const,
    ]),
    { title: '$/pass', align: 'right' },
  ] as const
  // A single case or group has no interval for cases like these. Then the interval for exactly these cases is shown.
  const isFixedOnly =
    rows.every(({ passRate }) => passRate.interval === undefined) &&
    rows.some((row) => row.fixed.passRate.interval !== undefined)
  const cells = rows.map((row, i) => [
    titles[i]?.startsWith('#') === true ? `${titles[i]} ${plain(row.subject)}` : plain(row.subject),
    `${row.counts.passed}/${row.counts.passed + row.counts.failed}`,
    share(isFixedOnly ? row.fixed.passRate : row.passRate),
    ...wide.flatMap((k) => [
      share(row.passAtK.find((one) => one.k === k)?.metric ?? row.passRate),
      share(row.passHatK.find((one) => one.k === k)?.metric ?? row.passRate),
    ]),
    costPerPass(row.cost.perPass),
  ])
  const [head, ...body] = table(columns, cells, width)
  return [
    colors.dim(head ?? ''),
    ...body,
    ...(isFixedOnly
      ? wrap(
          'In brackets: 95 % interval for exactly these cases, tried again. There is none for cases like these.',
          width,
        ).map((line) => colors.dim(line))
      : []),
    ...(rows.some(({ passRate }) => passRate.interval !== undefined)
      ? wrap(`In brackets: 95 % interval for cases like these.${fixedRates(rows)}`, width).map(
          (line) => colors.dim(line),
        )
      : []),
    ...cutNames(rows, titles, body, width, colors),
    ...(wide.length < ks.length ? [colors.dim('Only one k fits here; --details shows all.')] : []),
  ]
}

const MOST_FIXED = 3

/**
 * Lists the intervals of pass rates for exactly these cases, and says why they are narrower than those in the table.
 */
function fixedRates(rows: readonly SubjectReport[]): string {
  const known = rows.flatMap(({ subject, passRate, fixed: { passRate: fixedRate } }) => {
    const [wide, narrow] = [passRate.interval, fixedRate.interval]
    if (wide === undefined || narrow === undefined) return []
    if (narrow.low - wide.low < SAME && (wide.high ?? 1) - (narrow.high ?? 1) < SAME) return []
    const range = `${Math.round(narrow.low * 100)}–${Math.round((narrow.high ?? 1) * 100)}`
    return [rows.length === 1 ? range : `${plain(subject)} ${range}`]
  })
  if (known.length === 0) return ''
  const more = known.length - MOST_FIXED
  return ` For exactly these cases, tried again, it is narrower, as it leaves out how cases differ: ${known.slice(0, MOST_FIXED).join(', ')}${more > 0 ? ` (${more} more in report.json)` : ''}.`
}

const SAME = 0.005

/** Returns a table with the components of the code score, or no lines if no subject was graded as code. */
export function codeTable(rows: readonly SubjectReport[], width: number, colors: Colors): string[] {
  const coded = rows.filter((row) => row.code !== null)
  if (coded.length === 0) return []
  const [head, ...body] = table(
    [
      { title: 'code', align: 'left' },
      { title: 'score', align: 'right' },
      { title: 'compiles', align: 'right' },
      { title: 'tests pass', align: 'right' },
      { title: 'lint', align: 'right' },
      { title: 'answer', align: 'right' },
      { title: 'grading', align: 'right' },
    ],
    coded.map(({ subject, code, meanScore, latency }) => [
      plain(subject),
      fixed((code?.meanScore ?? meanScore).value),
      percentOf(code?.compilationRate.value),
      percentOf(code?.testPassRate.value),
      fixed(code?.lintScore.value),
      timeOf(code?.meanAnswerMs ?? latency.meanMs),
      timeOf(code?.meanGradeMs),
    ]),
    width,
  )
  return ['', colors.dim(head ?? ''), ...body]
}

const fixed = (value: number | null | undefined): string => value?.toFixed(2) ?? '–'

const timeOf = (ms: number | null | undefined): string =>
  ms === null || ms === undefined ? '–' : seconds(ms)

const percentOf = (value: number | null | undefined): string =>
  value === null || value === undefined ? '–' : percent(value)

/** Returns the full names of subjects that the table shows by number because their names did not fit. */
function cutNames(
  rows: readonly SubjectReport[],
  titles: readonly string[],
  body: readonly string[],
  width: number,
  colors: Colors,
): string[] {
  return rows.flatMap(({ subject }, i) => {
    const title = titles[i] ?? ''
    const isShown = !title.startsWith('#') || body[i]?.includes(plain(subject)) === true
    return isShown ? [] : [colors.dim(cut(`${title} ${plain(subject)}`, width))]
  })
}
