/** Prints the table of cases and the list of flaky cases. */
import type { Colors } from 'picocolors/types.js'
import { plain } from '@assay/contract'
import { counted, cut, displayWidth, GAP, table } from '../../text/index.ts'
import type { CaseReport, SubjectReport } from '../schema/report.ts'

/** If there are more cases than this, only the worst ones are listed. */
const CASES_SHOWN = 20
const WORST_SHOWN = 10
const FLAKY_SHOWN = 5
/** The width reserved for the names of the cases in the table of cases, in characters. */
const CASE_COLUMN = 24
/** The minimum width of a column title. A title that is cut to less cannot be recognized. */
const NARROWEST_TITLE = 12
/** The width reserved for the subject's name in a line about flaky cases, in characters. */
const SUBJECT_COLUMN = 32

/**
 * Returns the column titles for the subjects in the table of cases. The titles are the names, cut to fit. If the names
 * do not fit, or if two of them become the same when cut, the titles are numbers. Then the table of subjects shows each
 * number next to its name.
 */
export function subjectTitles(rows: readonly SubjectReport[], width: number): readonly string[] {
  const room = Math.floor((width - CASE_COLUMN) / rows.length) - GAP
  const titles = rows.map(({ subject }) => cut(plain(subject), Math.max(1, room)))
  const tells = room >= NARROWEST_TITLE && new Set(titles).size === titles.length
  return tells ? titles : rows.map((_, i) => `#${i + 1}`)
}

export function caseTable(
  rows: readonly SubjectReport[],
  titles: readonly string[],
  width: number,
  colors: Colors,
): string[] {
  const [first] = rows
  if (first === undefined) return []
  const all = first.cases.length
  const few = all <= CASES_SHOWN
  const shown = (few ? [...first.cases.keys()] : worst(rows, all)).map((i) =>
    rows.map((row) => row.cases[i] as CaseReport),
  )
  const heading = few ? 'case' : `worst ${shown.length} of ${all} cases`
  const cells = shown.map((one) => one.map(caseCell))
  const widest = [...titles, ...cells.flat()].reduce(
    (w, cell) => Math.max(w, displayWidth(cell)),
    0,
  )
  const atOnce = Math.max(1, Math.floor((width - CASE_COLUMN) / (widest + GAP)))
  const lines: string[] = []
  // Subjects that do not fit into the width are shown in another table below.
  for (let from = 0; from < rows.length; from += atOnce) {
    const columns = titles
      .slice(from, from + atOnce)
      .map((title) => ({ title, align: 'right' }) as const)
    const [head, ...body] = table(
      [{ title: heading, align: 'left' }, ...columns],
      shown.map((one, i) =>
        [plain(one[0]?.case ?? '')].concat((cells[i] ?? []).slice(from, from + atOnce)),
      ),
      width,
    )
    if (from > 0) lines.push('')
    lines.push(colors.dim(head ?? ''), ...body)
  }
  return lines
}

/**
 * Returns the positions of the cases with the lowest pass rates. Cases with equal rates stay in the order of the suite.
 */
function worst(rows: readonly SubjectReport[], cases: number): number[] {
  const rates = Float64Array.from({ length: cases }, (_, i) => rate(rows, i))
  return Array.from(rates.keys())
    .sort((a, b) => (rates[a] as number) - (rates[b] as number))
    .slice(0, WORST_SHOWN)
}

/**
 * Returns the pass rate of a case over all subjects, used for sorting. If no trial was scored, it returns −1 if any
 * trial errored, so that the case comes first. Otherwise it returns 2, so that the case comes last.
 */
function rate(rows: readonly SubjectReport[], i: number): number {
  let n = 0
  let c = 0
  let errored = 0
  for (const { cases } of rows) {
    const cell = cases[i] as CaseReport
    n += cell.n
    c += cell.c
    errored += cell.counts.errored
  }
  if (n === 0) return errored > 0 ? -1 : 2
  return c / n
}

function caseCell({ n, c, flaky, counts }: CaseReport): string {
  if (n > 0) return `${flaky ? '~ ' : ''}${c}/${n}`
  if (counts.errored > 0) return 'errored'
  return counts.unscored > 0 ? 'unscored' : '–'
}

export function flakyLines(
  rows: readonly SubjectReport[],
  width: number,
  colors: Colors,
): string[] {
  const lines: string[] = []
  for (const { subject, cases } of rows) {
    const flaky = cases
      .filter((one) => one.flaky)
      .toSorted((a, b) => (b.flakinessPercent ?? 0) - (a.flakinessPercent ?? 0))
    if (flaky.length === 0) continue
    const head = `${counted(flaky.length, 'flaky case')} of ${cut(plain(subject), SUBJECT_COLUMN)}`
    const named = flaky.map(({ case: id, c, n }) => `${plain(id)} ${c}/${n}`)
    lines.push(cut(`${head}: ${asManyAsFit(named, width - displayWidth(head) - 2)}`, width))
  }
  return lines.length === 0
    ? []
    : ['', colors.dim('~ passed some trials and failed others'), ...lines]
}

/** Joins as many names as fit into the width, at least one, and says how many more there are. */
function asManyAsFit(names: readonly string[], width: number): string {
  for (let n = Math.min(names.length, FLAKY_SHOWN); n > 1; n--) {
    const line = firstOf(names, n)
    if (displayWidth(line) <= width) return line
  }
  return firstOf(names, 1)
}

const firstOf = (names: readonly string[], n: number): string =>
  names.slice(0, n).join(', ') + (names.length > n ? `, ${names.length - n} more` : '')
