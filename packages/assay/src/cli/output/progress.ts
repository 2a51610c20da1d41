/**
 * Shows progress during a run. On a terminal, it draws one line per subject, at most ten times a second. Otherwise
 * it prints a plain line from time to time. With --json, it prints one event per line, for programs.
 */
import { wilson } from '@assay/metrics'
import { type Trial, plain, plainLines } from '@assay/contract'
import { count, counted, dollars, percent, seconds, cut, padEnd } from '../../text/index.ts'
import type { RunEvent } from '../../run/index.ts'
import { printedJson, warn, type Output } from './output.ts'

export interface Progress {
  event(event: RunEvent): void
  /** Returns a promise that the run awaits before it starts more trials. Null if there is no need to wait. */
  ready(): Promise<void> | null
  /** Removes the live lines and prints the messages that were held back. */
  close(): void
}

const REDRAW_MS = 100
const PLAIN_EVERY_MS = 10_000

/** The trials of a subject that an earlier session recorded and that are not run again. */
export interface Recorded {
  readonly done: number
  readonly scored: number
  readonly passed: number
  readonly errored: number
}

export const NONE_RECORDED: Recorded = { done: 0, scored: 0, passed: 0, errored: 0 }

interface Line {
  readonly subject: string
  readonly planned: number
  /** The counts of an earlier session. The counter and the pass rate include them. The speed does not. */
  readonly recorded: Recorded
  /** All counts below belong to this session only. */
  done: number
  scored: number
  passed: number
  errored: number
  usd: number
}

export interface ProgressPlan {
  /** For each subject, the number of planned trials and the trials that are already recorded. */
  readonly subjects: readonly {
    readonly id: string
    readonly planned: number
    readonly recorded: Recorded
  }[]
}

export function jsonProgress(output: Output): Progress {
  return {
    event: (event) => output.out(`${printedJson(event)}\n`),
    ready: output.ready,
    close: () => {},
  }
}

export function humanProgress(output: Output, plan: ProgressPlan, now: () => number): Progress {
  const lines = new Map<string, Line>(
    plan.subjects.map(({ id, planned, recorded }) => [
      id,
      { subject: id, planned, recorded, done: 0, scored: 0, passed: 0, errored: 0, usd: 0 },
    ]),
  )
  const width = Math.max(...plan.subjects.map(({ id }) => Math.min(24, plain(id).length)))
  const startedAt = now()
  let drawn = 0
  let finished = 0
  let lastPlain = startedAt
  let timer: NodeJS.Timeout | null = null

  const erase = (): void => {
    if (drawn > 0) output.err(`\u001b[${drawn}A\u001b[J`, 'draw')
    drawn = 0
  }
  const draw = (): void => {
    timer = null
    erase()
    const elapsed = now() - startedAt
    for (const line of lines.values()) {
      output.err(`${cut(statusLine(line, width, elapsed), output.width - 1)}\n`)
      drawn++
    }
  }
  const redraw = (): void => {
    if (output.isTerminal) timer ??= setTimeout(draw, REDRAW_MS)
  }
  const total = plan.subjects.reduce((sum, { planned }) => sum + planned, 0)

  const onTrial = (trial: Trial): void => {
    const line = lines.get(trial.subject)
    if (line === undefined) return
    line.done++
    finished++
    line.usd += trial.cost.spentUsd
    if (trial.outcome === 'errored') line.errored++
    if (trial.outcome === 'passed' || trial.outcome === 'failed') line.scored++
    if (trial.outcome === 'passed') line.passed++
    if (output.isTerminal) redraw()
    else if (now() - lastPlain >= PLAIN_EVERY_MS) {
      lastPlain = now()
      output.err(`${count(finished)} of ${counted(total, 'trial')} done\n`)
    }
  }

  return {
    event: (event) => {
      switch (event.type) {
        case 'trial':
          onTrial(event.trial)
          return
        case 'warning':
          erase()
          warn(output, event.text)
          return
        case 'note':
          erase()
          output.err(`${plainLines(event.text)}\n`)
          redraw()
          return
        case 'wait':
          erase()
          output.err(`${waitText(event, now())}\n`)
          redraw()
          return
        case 'give-up':
          erase()
          warn(output, `${event.text} (${counted(event.trials, 'trial')} errored)`)
          redraw()
          return
        case 'start':
          if (event.done > 0)
            output.err(
              `${count(event.done)} of ${counted(event.planned, 'trial')} ${event.done === 1 ? 'is' : 'are'} already recorded${event.done === event.planned ? ': nothing is left to run. Without --resume, a new run starts' : ''}\n`,
            )
          // The first answer may take a while, so the subjects are shown at once.
          redraw()
          return
        case 'end':
          return
        default:
          event satisfies never
      }
    },
    // This prints only a few lines, so there is no need to wait for the reader.
    ready: () => null,
    close: () => {
      if (timer !== null) clearTimeout(timer)
      erase()
    },
  }
}

/**
 * Returns a line about a wait for a provider. It names the provider, the reason, the end of the wait and the number
 * of waiting trials.
 */
function waitText(
  { provider, why, until, trials }: Extract<RunEvent, { type: 'wait' }>,
  now: number,
): string {
  const inMs = Math.max(0, Date.parse(until) - now)
  return `waiting for ${plain(provider)} until ${until} (${seconds(inMs)}), ${counted(trials, 'trial')} to do: ${plain(why)}`
}

function statusLine(line: Line, width: number, elapsedMs: number): string {
  const { planned, recorded, done, usd } = line
  const left = planned - recorded.done - done
  const scored = recorded.scored + line.scored
  const passed = recorded.passed + line.passed
  const errored = recorded.errored + line.errored
  const parts = [
    `${padEnd(cut(plain(line.subject), width), width)} ${count(recorded.done + done)}/${count(planned)}`,
  ]
  if (scored > 0) {
    // This interval is only a rough estimate. It ignores that trials of one case are correlated, so it is narrower
    // than the interval in the report.
    const { low, high } = wilson(scored, passed)
    parts.push(`${percent(passed / scored)} (${Math.round(low * 100)}–${Math.round(high * 100)})`)
  }
  if (usd > 0) parts.push(`${dollars(usd)}${recorded.done > 0 ? ' since the resume' : ''}`)
  if (errored > 0) parts.push(`${count(errored)} errored`)
  const perSecond = (done / Math.max(1, elapsedMs)) * 1000
  if (done > 0 && left > 0) {
    parts.push(`${perSecond >= 10 ? Math.round(perSecond) : perSecond.toFixed(1)}/s`)
    parts.push(`${seconds((left / perSecond) * 1000)} left`)
  }
  return parts.join('  ')
}
