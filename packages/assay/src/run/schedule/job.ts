/** What a run works with. */
import type { Case, Subject, Suite, Text } from '@assay/contract'
import type { Cell, Redact, RunFolder, Plan, Tally } from '../../log/index.ts'
import type { Sandbox } from '@assay/sandbox'
import type { AnswerCache } from '../resume/answer-cache.ts'
import type { RetryPolicy } from './backoff.ts'
import type { Budget } from './budget.ts'
import type { Clock } from './clock.ts'
import type { RunEvent } from './events.ts'
import type { Pending } from '../resume/pending.ts'
import type { WorkspaceStore } from '../../workspace/index.ts'

/** A provider that the run waited for, or gave up. */
export interface Wait {
  readonly provider: string
  readonly why: string
  readonly until: string
  readonly trials: number
  readonly gaveUp?: true
}

export interface Job {
  readonly plan: Plan<Suite, Subject>
  readonly tally: Tally
  readonly folder: RunFolder
  /** Whom graders may ask. */
  readonly judges: readonly Subject[]
  /** What a judge is sent holds no secret but its own. */
  readonly redactFor: (judge: Subject) => Redact
  /** By ordinal: answers that are there and not graded, of an earlier session or of an earlier run. */
  readonly pending: Map<number, Pending>
  /** By ordinal: what was paid for answers that cannot be graded as they were, and are asked for again. */
  readonly askedAgain: ReadonlyMap<number, number>
  readonly readKept: (text: Text) => Promise<string>
  /** Only what is kept is graded; nobody is asked for an answer. */
  readonly regrading: boolean
  readonly seed: number
  /** Requests at once for each provider, where the user said it. */
  readonly parallelism: number | null
  /** A provider that asks to wait longer is given up. */
  readonly maxWaitMs: number
  /** Puts a wait into the record. */
  readonly keepWait: (wait: Wait) => void
  /** Gets what was spent on a trial that is stopped and has no line in the log. */
  readonly spentOnStopped: (usd: number) => void
  /** Cases that cannot be graded here, each with what is missing: their trials are errored without being asked. */
  readonly lacks: ReadonlyMap<Case, string>
  readonly budget: Budget
  /** For a judge's reply. */
  readonly timeoutMs: number
  /** For a subject's answer to a case. */
  readonly timeoutOf: (suite: Suite, one: Case, worksInWorkspace: boolean) => number
  readonly gradeTimeoutMs: number
  /** Where untrusted code runs; null where no case needs it. */
  readonly sandbox: Sandbox | null
  /** Graders that are programs of the suite are sandboxed, whatever a case says. */
  readonly sandboxGraders: boolean
  /** Where agents work; null where nobody acts and no case has a workspace. */
  readonly workspaces: WorkspaceStore | null
  /** Dispatch stops when more trials than this have errored. */
  readonly mostErrors: number
  /** Errored trials of an earlier session are left as they are. */
  readonly keepErrors: boolean
  readonly cache: AnswerCache | null
  readonly clock: Clock
  readonly policy: RetryPolicy
  /** Aborts to stop: no new trials, and `graceMs` for those under way. */
  readonly signal: AbortSignal
  readonly graceMs: number
  readonly onEvent: (event: RunEvent) => void
  /** As in `RunOptions`. */
  readonly ready: () => Promise<void> | null
}

export type RunCell = Cell<Suite, Subject>
