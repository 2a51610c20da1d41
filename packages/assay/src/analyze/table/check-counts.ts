/**
 * Checks the counts of a `report.json`. The report is shown as it is, and all its counts are printed. So they must be
 * consistent: the number of planned trials is the sum over all outcomes, and each total is the sum of its parts. If
 * they are not, Assay did not write the report, or it was changed later.
 */
import { UsageError, plain } from '@assay/contract'
import { counted } from '../../text/index.ts'
import type { Report } from '../../report/index.ts'

type Counts = Report['counts']
const OUTCOMES = ['passed', 'failed', 'unscored', 'errored', 'cancelled'] as const

export function checkCounts(file: string, { counts, subjects }: Report): void {
  const refuse = (what: string): never => {
    throw new UsageError(plain(`${file} is damaged: ${what}`))
  }
  if (subjects.length === 0) refuse('it has no subjects')
  for (const { suite, subject, counts: of, cases } of subjects) {
    const at = `subject "${subject}" of suite "${suite}"`
    for (const one of cases) {
      const { planned, passed, failed } = one.counts
      if (planned !== total(one.counts))
        refuse(
          `${at}: the counts of case "${one.case}" do not add up to its ${counted(planned, 'trial')}`,
        )
      if (one.c !== passed || one.n !== passed + failed)
        refuse(`${at}: case "${one.case}" has two different counts of passes or scored trials`)
    }
    if (!areSums(of, cases)) refuse(`${at}: its counts are not the sums of its cases`)
  }
  if (!areSums(counts, subjects)) refuse('its counts are not the sums of its subjects')
}

const total = (counts: Counts): number => OUTCOMES.reduce((sum, name) => sum + counts[name], 0)

const areSums = (whole: Counts, parts: readonly { readonly counts: Counts }[]): boolean =>
  ([...OUTCOMES, 'planned'] as const).every(
    (name) => whole[name] === parts.reduce((sum, { counts }) => sum + counts[name], 0),
  )
