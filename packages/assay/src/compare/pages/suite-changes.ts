/**
 * Computes what changed on one suite between two runs, for each subject. It is the decision of `assay compare --gate
 * statistical` on that suite. A page that shows many runs in sequence uses it.
 */
import type { Report } from '../../report/index.ts'
import type { SuiteChange } from '../../report/view-data/index.ts'
import { faultsOf } from '../baseline.ts'
import { compareReports } from '../comparison.ts'
import { headlineOf, sentenceOf } from '../words.ts'

/** Returns the changes of the subjects that both runs have, by subject name. */
export function suiteChanges(
  baseline: Report,
  current: Report,
  suite: string,
): Record<string, SuiteChange> {
  const [before, after] = [onlySuite(baseline, suite), onlySuite(current, suite)]
  const hashOf = ({ provenance }: Report): string | undefined =>
    provenance.suites.find(({ id }) => id === suite)?.hash
  const faults = faultsOf(current)
  const isEdited = hashOf(baseline) !== hashOf(current)
  const { pairs } = compareReports(before, after, { gate: 'statistical', failOnRemoved: false })
  const changes: Record<string, SuiteChange> = {}
  for (const pair of pairs) {
    if (pair.baseline !== pair.current) continue
    const { cases, leftOut, parameters } = pair
    const [decided] = pair.metrics
    const common = { cases, leftOut, parameters, isEdited }
    if (decided === undefined || cases === 0)
      changes[pair.current] = {
        ...common,
        verdict: null,
        text: 'not compared: no case is scored in both runs',
      }
    else if (faults.length > 0)
      // The run is incomplete or invalid, so a gate on it cannot hold, whatever its figures are.
      changes[pair.current] = {
        ...common,
        verdict: null,
        text: `not compared: ${faults.join('; ')}`,
      }
    else {
      // If the same answers were graded again, the subject has not changed. So there is no verdict.
      const verdict = pair.regraded === undefined ? decided.verdict : null
      const text =
        pair.regraded === undefined ? sentenceOf(decided, false) : headlineOf(pair, decided)[1]
      changes[pair.current] = { ...common, verdict, text }
    }
  }
  return changes
}

function onlySuite(report: Report, suite: string): Report {
  const { provenance } = report
  return {
    ...report,
    subjects: report.subjects.filter((row) => row.suite === suite),
    provenance: {
      ...provenance,
      suites: provenance.suites.filter(({ id }) => id === suite),
    },
  }
}
