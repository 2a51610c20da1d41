/**
 * Says how an agent's trial ended: by itself, at a limit, too late or with an error. Then its work until then is the
 * answer. If the agent could not start or lost its provider, there is no answer, and these functions throw or return
 * the error.
 */
import { BudgetUsedUp, SubjectError, type WorkspaceEnd } from '@assay/contract'
import { noted } from '../../command/not-started.ts'
import type { LostEnd } from '../agent-kind.ts'
import { REACHED, starvedBy } from '../over-limit.ts'
import { STOPS, type Stopped } from '../stopped.ts'
import type { AgentRun } from './agent-run.ts'
import type { AgentTrial } from './agent-trial.ts'
import { MOST_BYTES } from './start-program.ts'

/** The exit code with which a user's own command reports that it lost its provider (EX_TEMPFAIL of sysexits.h). */
const PROVIDER_LOST = 75
const NO_MONEY = 'the budget of the run is used up'

/**
 * Returns how the agent lost its provider. Returns null if it did not. If the stream has no end event, the reader
 * decides whether the agent was waiting for its provider.
 */
export function lostBy(trial: AgentTrial, { how, code, stderr }: WorkspaceEnd): LostEnd | null {
  const told = trial.builder.ended
  if (trial.seenBy !== null) return trial.seenBy.lost
  if (told !== null) return told.how === 'lost' ? told : null
  const isOpen = how === 'timeout' || (how === 'ended' && code !== 0)
  const lost = isOpen ? (trial.reader.lost?.(stderr) ?? null) : null
  if (lost !== null || !trial.driven.isCommand || how !== 'ended' || code !== PROVIDER_LOST)
    return lost
  const why = noted(`exit code ${PROVIDER_LOST}`, stderr)
  return { how: 'lost', why, reason: 'provider-error' }
}

/** Returns why the agent stopped after a start of its program. Throws if the trial has no answer. */
export function stoppedBy(trial: AgentTrial, end: WorkspaceEnd, lost: LostEnd | null): Stopped {
  const { driven, builder, gate } = trial
  const { isCommand } = driven
  const told = builder.ended
  const differs = gate?.replayed?.differs ?? null
  if (differs !== null)
    throw new SubjectError(trial.redact(`${driven.id}: ${differs}`), {
      reason: 'no-answer',
      retry: false,
    })
  if (trial.overLimit !== null) return { stop: 'limit', note: trial.overLimit }
  if (gate?.isOutOfBudget === true) throw new BudgetUsedUp(NO_MONEY, trial.figures.atLeastUsd)
  if (end.starved !== undefined) builder.odd(starvedBy(end.starved))
  if (end.reached !== undefined)
    return { stop: 'limit', note: noted(REACHED[end.reached], end.stderr) }
  if (lost !== null) throw lostProvider(trial, lost)
  if (end.how === 'timeout') return late(trial, end.stderr)
  if (end.how === 'too-much')
    return { stop: 'limit', note: `printed more than ${MOST_BYTES} bytes and was stopped` }
  if (end.code !== 0) {
    const how = end.code === null ? `was ended by ${String(end.signal)}` : `exit code ${end.code}`
    const said = noted(how, end.stderr)
    // An agent that has printed no event has not asked a model yet. So it counts as not started, and not as failed.
    const isBefore = isCommand ? isMissing(driven, end) : told === null
    const hasAsked = gate?.hasAsked === true
    if (isBefore && !builder.isTold && !hasAsked) throw neverStarted(trial, how, end.stderr)
    if (isCommand || told === null) return { stop: 'exit', note: said }
  }
  if (told === null) return { stop: 'end' }
  // The agent says that it lost its provider, but the gateway saw an answer. So this is the agent's own failure.
  return told.how === 'lost' ? { stop: 'exit', note: told.why } : STOPS[told.how](told)
}

export const late = ({ timeoutMs }: AgentTrial, stderr: string): Stopped => ({
  stop: 'timeout',
  note: noted(`did not end within ${timeoutMs / 1000} s`, stderr),
})

/** Returns the error for a trial without an answer. It includes the usage so far, because that must be paid for. */
function lostProvider(trial: AgentTrial, { why, reason }: LostEnd): SubjectError {
  const { usage, usd, atLeastUsd: spentUsd } = trial.figures
  return new SubjectError(trial.redact(`${trial.driven.id} lost its provider: ${why}`), {
    reason,
    // If there is a gateway, no retry is needed here, because the gateway has already retried the request.
    retry: reason !== 'request-refused' && trial.gate === null,
    usage,
    usd,
    spentUsd,
  })
}

export function neverStarted(trial: AgentTrial, how: string, stderr: string): SubjectError {
  const said = noted(how, stderr.trim() === '' ? trial.stream.join('\n') : stderr)
  return new SubjectError(trial.redact(`${trial.driven.id} could not be started: ${said}`), {
    reason: 'not-started',
    retry: false,
  })
}

/**
 * Returns the error with which a stopped trial rejects. If the agent has already caused costs, the error contains
 * them. Otherwise it is the signal's reason.
 */
export function stoppedWithRun({ driven, signal, figures }: AgentTrial): unknown {
  const { usage, usd, atLeastUsd: spentUsd } = figures
  if (spentUsd === 0) return signal.reason
  return new SubjectError(`${driven.id} was stopped with the run`, {
    reason: 'not-started',
    retry: false,
    usage,
    usd,
    spentUsd,
    cause: signal.reason,
  })
}

/**
 * Whether the program is missing. In a workspace, the sandbox uses the exit codes 126 and 127 for that. A program that
 * runs as a plain process may use them for something else.
 */
const isMissing = ({ isDirect = false }: AgentRun, { code }: WorkspaceEnd): boolean =>
  !isDirect && (code === 126 || code === 127)
