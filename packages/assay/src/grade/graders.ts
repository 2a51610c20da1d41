/** The list of all graders. To add one, write a file with a `Grader` and add it here. */
import { completed } from './agent/completed.ts'
import { diffContains } from './agent/diff-contains.ts'
import { diffEmpty } from './agent/diff-empty.ts'
import { diffSize } from './agent/diff-size.ts'
import { errorCount } from './agent/error-count.ts'
import { filesTouched } from './agent/files-touched.ts'
import { skillInvocation } from './agent/skill-invocation.ts'
import { toolCallCount } from './agent/tool-call-count.ts'
import { toolCallsGrader } from './agent/tool-calls.ts'
import { turnCount } from './agent/turn-count.ts'
import { all, any } from './combine.ts'
import { code } from './code.ts'
import { contains } from './text/contains.ts'
import { costBudget } from './budget/cost-budget.ts'
import { custom } from './command/custom.ts'
import { equals } from './text/equals.ts'
import { fileContains } from './files/file-contains.ts'
import { fileExists } from './files/file-exists.ts'
import { fileMatches } from './files/file-matches.ts'
import type { Grader } from './grader.ts'
import { functionGrader } from './function/function.ts'
import { json } from './text/json.ts'
import { judge } from './judge/judge.ts'
import { label } from './text/label.ts'
import { matches } from './text/matches.ts'
import { numeric } from './text/numeric.ts'
import { program } from './command/program.ts'
import { run } from './command/run.ts'
import { similarity } from './text/similarity.ts'
import { tests } from './tests/tests.ts'
import { timeBudget } from './budget/time-budget.ts'
import { tokenBudget } from './budget/token-budget.ts'

export const graders: readonly Grader[] = [
  equals,
  contains,
  matches,
  similarity,
  numeric,
  json,
  label,
  any,
  all,
  code,
  run,
  tests,
  fileExists,
  fileContains,
  fileMatches,
  toolCallsGrader,
  skillInvocation,
  completed,
  diffContains,
  diffEmpty,
  diffSize,
  filesTouched,
  turnCount,
  toolCallCount,
  errorCount,
  tokenBudget,
  costBudget,
  timeBudget,
  judge,
  custom,
  program,
]

// The function grader is not in the list of graders that users see, because only a suite that is a program can have
// one.
const byType = new Map([...graders, functionGrader].map((grader) => [grader.type, grader]))

export const graderByType = (type: string): Grader | undefined => byType.get(type)

/** A grader's configuration, which may have members, or a grade, which may have details. */
interface Typed {
  readonly type: string
  readonly options?: unknown
  readonly details?: readonly Typed[]
}

interface Graded {
  readonly graders: readonly Typed[]
}

/** Whether the list contains a grader for which `isWanted` is true. Members of combinations are searched too. */
const hasGrader = (list: readonly Typed[], isWanted: (grader: Grader) => boolean): boolean =>
  list.some(({ type, options, details }) => {
    const grader = graderByType(type)
    if (grader?.combines !== true) return grader !== undefined && isWanted(grader)
    const members = details ?? (options as { graders?: readonly Typed[] } | null)?.graders ?? []
    return hasGrader(members, isWanted)
  })

/** Whether a grader of the case starts a command in the sandbox. Such a command may start further processes. */
export const startsCommand = ({ graders: list }: Graded): boolean =>
  hasGrader(list, (one) => one.needsSandbox === true && one.runsTests !== true)

/** Whether any of the graders in a case, or in a trial's grades, runs code from the answer. */
export const needsSandbox = ({ graders: list }: Graded): boolean =>
  hasGrader(list, (one) => one.needsSandbox === true)
