/** Describes in words how two consecutive runs of the trend differ. */
import type { SuiteChange, TrendPoint } from './data/workbench-source.ts'
import { counted } from './figures.ts'

export const shortCommit = (commit: string): string => commit.slice(0, 10)

export const VERDICTS: Readonly<Record<NonNullable<SuiteChange['verdict']>, string>> = {
  regression: 'worse',
  improvement: 'better',
  noRegression: 'not worse',
  inconclusive: 'not decided',
}

/** Returns the verdict in one or two words. */
export function verdictWord({ change }: TrendPoint): string {
  if (change === null) return ''
  return change.verdict === null ? change.text : VERDICTS[change.verdict]
}

/**
 * Returns what else differs between a run and the previous one: the commit, the suite, the settings of the subject.
 */
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

/**
 * Says on how many cases two runs were compared. If the suite was edited between them, only the cases that both
 * versions have are compared.
 */
function joined(change: SuiteChange | null): string {
  if (change === null || change.verdict === null) return ''
  return `: compared on the ${counted(change.cases, 'case')} that both versions have${change.leftOut > 0 ? `, without ${counted(change.leftOut, 'other')}` : ''}`
}
