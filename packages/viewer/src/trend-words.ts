/** What the trend says of two runs that follow each other. */
import type { SuiteChange, TrendPoint } from './data/workbench-source.ts'
import { counted } from './figures.ts'

export const shortCommit = (commit: string): string => commit.slice(0, 10)

export const VERDICTS: Readonly<Record<NonNullable<SuiteChange['verdict']>, string>> = {
  regression: 'worse',
  improvement: 'better',
  noRegression: 'not worse',
  inconclusive: 'not decided',
}

/** The verdict in a word or two. */
export function verdictWord({ change }: TrendPoint): string {
  if (change === null) return ''
  return change.verdict === null ? change.text : VERDICTS[change.verdict]
}

/** Says what else differs between a run and the one before it: the commit, the suite, the settings of the subject. */
export function differences(before: TrendPoint, after: TrendPoint): string[] {
  const { change } = after
  const [from, to] = [before.run.commit, after.run.commit]
  const isEdited = before.figure.suiteHash !== after.figure.suiteHash
  return [
    ...(from === to
      ? []
      : [
          `commit ${from === null ? 'unknown' : shortCommit(from)} → ${to === null ? 'unknown' : shortCommit(to)}`,
        ]),
    ...(isEdited
      ? [
          `suite edited (${before.figure.suiteHash.slice(0, 8)} → ${after.figure.suiteHash.slice(0, 8)})${joined(change)}`,
        ]
      : []),
    ...(change?.parameters ?? []).map(
      ({ name, baseline, current }) => `${name} ${baseline ?? 'none'} → ${current ?? 'none'}`,
    ),
    ...(before.figure.subjectHash !== after.figure.subjectHash &&
    change !== null &&
    change.parameters.length === 0
      ? ['settings of the subject changed']
      : []),
  ]
}

/** Runs of two versions of a suite are compared on the cases that both have. */
function joined(change: SuiteChange | null): string {
  if (change === null || change.verdict === null) return ''
  return `: compared on the ${counted(change.cases, 'case')} that both versions have${change.leftOut > 0 ? `, without ${counted(change.leftOut, 'other')}` : ''}`
}
