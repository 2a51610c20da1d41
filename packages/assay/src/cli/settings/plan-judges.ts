/** Creates the judges of a run before any request costs money. So a missing key or an unknown name is found early. */
import { type Case, type Subject, type Suite, UsageError, plain } from '@assay/contract'
import { counted, dollars } from '../../text/index.ts'
import { checkJudges, estimateJudges, judgesIn } from '../../run/index.ts'
import { makeSubjects, type SubjectRequest } from '../../subject/index.ts'

/** Returns the judges that the suites name, as subjects. */
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

/** Returns the lines of a dry run about judges: the number of requests and their cost. */
export function judgeLines(
  suites: readonly Suite[],
  judges: readonly Subject[],
  answersOf: (one: Case) => number,
): string[] {
  const estimates = estimateJudges(suites, judges, answersOf)
  return estimates.map(({ judge, requests, mostRequests, usd }) => {
    const cost = usd === null ? 'cost unknown' : `≤ ${dollars(usd)} if every reply is valid at once`
    const more = mostRequests > requests ? `, up to ${mostRequests} if its runs disagree` : ''
    return `judge ${plain(judge)}: ${counted(requests, 'request')}${more}, ${cost}`
  })
}
