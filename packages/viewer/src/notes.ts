/** What the tables do not say and a reader must know, in the words of the terminal's report. */
import type { Head, ViewReport } from './data/source.ts'
import { count, counted, dollars, percent } from './figures.ts'

export function notesOf({ report, leftOut }: Head): string[] {
  const notes = [...report.notes]
  // What judges cost is real, whoever answered.
  const pretended =
    report.subjects.every(({ source }) => source === 'simulated') &&
    (report.provenance.judges ?? []).length === 0
  if (report.spentUsd > 0)
    notes.push(`spent ${dollars(report.spentUsd)}${pretended ? ' of simulated money' : ''}`)
  const { replaced } = report.provenance.log
  if (replaced > 0) notes.push(`${counted(replaced, 'recorded trial')} replaced by a later one`)
  notes.push(...sensitivity(report), ...fewerCases(report), ...integrity(report))
  const unknown = report.subjects.reduce((sum, { cost }) => sum + cost.unknown, 0)
  if (unknown > 0) notes.push(`no $/pass: the price of ${counted(unknown, 'answer')} is unknown`)
  if (leftOut.cases > 0)
    notes.push(
      `${counted(leftOut.cases, 'case')} with the best pass rates are in the figures, but not in the grid and the table of cases: this file has no room for them`,
    )
  if (leftOut.trials > 0)
    notes.push(
      `the texts of ${count(leftOut.trials)} trials are not in this file; failed and errored ones were kept first`,
    )
  return notes
}

/** What the errored trials could have changed. */
const sensitivity = ({ subjects }: ViewReport): string[] =>
  subjects
    .filter(({ counts }) => counts.errored > 0 && counts.passed + counts.failed > 0)
    .map(
      ({ subject, counts, sensitivity: { erroredFail, erroredPass } }) =>
        `${subject}: with its ${counted(counts.errored, 'errored trial')} as failures the pass rate is ${percent(erroredFail ?? 0)}, as passes ${percent(erroredPass ?? 0)}`,
    )

/** A figure that does not rest on all scored cases says so. */
function fewerCases({ subjects }: ViewReport): string[] {
  const said = subjects.flatMap(({ passRate, passAtK }) =>
    passAtK
      .filter(({ metric }) => metric.n < passRate.n)
      .map(
        ({ k, metric }) =>
          `pass@${k}, pass^${k}: over ${metric.n} of ${counted(passRate.n, 'case')}, those with ${k} scored trials or more`,
      ),
  )
  return [...new Set(said)]
}

/** How far the tests were from the code. */
function integrity({ subjects, sandboxes }: ViewReport): string[] {
  const total = (level: 'values' | 'inventory'): number =>
    subjects.reduce((sum, { code }) => sum + (code?.integrity[level] ?? 0), 0)
  const [values, inventory] = [total('values'), total('inventory')]
  if (values + inventory === 0) return []
  const said = [
    ...(values > 0 ? [`${counted(values, 'trial')} with the tests apart (values)`] : []),
    ...(inventory > 0 ? [`${counted(inventory, 'trial')} with them beside (inventory)`] : []),
  ]
  return [`code tested in ${sandboxes.join(', ')}: ${said.join(', ')}`]
}
