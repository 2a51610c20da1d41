/**
 * The judges of a run, made before anything is paid: a key that is missing or a name that nobody knows is
 * found out while it costs nothing.
 */
import { type Case, type Subject, type Suite, UsageError, plain } from '@assay/contract'
import { counted, dollars } from '../../text/index.ts'
import { checkJudges, estimateJudges, judgesIn } from '../../run/index.ts'
import { makeSubjects, type SubjectRequest } from '../../subject/index.ts'

/** Who the suites name as judges, as subjects that can be asked. */
export async function planJudges(
  suites: readonly Suite[],
  request: Omit<SubjectRequest, 'subjects'>,
): Promise<Subject[]> {
  let judges: Subject[] = []
  try {
    judges = await makeSubjects({ ...request, subjects: judgesIn(suites) })
    checkJudges(suites, judges)
    return judges
  } catch (error) {
    for (const judge of judges) await judge.close()
    throw error instanceof UsageError
      ? new UsageError(`judges: ${error.message}`, { cause: error })
      : error
  }
}

/** What judging will ask, for a plan that is only looked at. */
export function judgeLines(
  suites: readonly Suite[],
  judges: readonly Subject[],
  answersOf: (one: Case) => number,
): string[] {
  const estimates = estimateJudges(suites, judges, answersOf)
  return estimates.map(({ judge, requests, usd }) => {
    const cost = usd === null ? 'cost unknown' : `≤ ${dollars(usd)} if every reply is valid at once`
    return `judge ${plain(judge)}: ${counted(requests, 'request')}, ${cost}`
  })
}
