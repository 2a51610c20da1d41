/**
 * Reads streams that were recorded from the real agent programs with invented content, and returns what the readers
 * make of them.
 */
import { readFileSync } from 'node:fs'
import type { Step } from '@assay/contract'
import type { AgentKind, AgentSettings, LostEnd } from '../src/subject/agent/agent-kind.ts'
import { TrajectoryBuilder } from '../src/subject/agent/trajectory/trajectory-builder.ts'

/** The output of one start of the program. */
export interface RecordedTurn {
  readonly lines: readonly string[]
  readonly notes: readonly string[]
}

export interface ReadStream {
  readonly builder: TrajectoryBuilder
  /** What the reader reports after the last line of the last turn, if the program printed this on stderr. */
  readonly lost: LostEnd | null
}

export const recordedLines = (name: string): string[] =>
  readFileSync(new URL(`agent-streams/${name}.jsonl`, import.meta.url), 'utf8')
    .split('\n')
    .slice(0, -1)

export const recordedTurn = (name: string): RecordedTurn => ({
  lines: recordedLines(name),
  notes: recordedLines(`${name}-notes`),
})

/**
 * Returns what the reader of an agent makes of its streams. There is one stream for each turn of the user.
 */
export function readStream(
  kind: AgentKind,
  settings: AgentSettings,
  turns: readonly RecordedTurn[],
  stderr = '',
): ReadStream {
  let clock = 0
  let lost: LostEnd | null = null
  const builder = new TrajectoryBuilder({
    now: () => clock++,
    price: (_, usage) => usage.output / 1000,
    folder: '/workspace',
  })
  const reader = kind.reader(builder, settings)
  for (const [turn, { lines, notes }] of turns.entries()) {
    builder.beginTurn(turn, `prompt ${turn}`)
    for (const line of lines) reader.line(line)
    for (const line of notes) reader.note?.(line)
    lost = reader.lost?.(stderr) ?? null
    reader.turnEnded()
  }
  return { builder, lost }
}

/** Describes a step in a few words. */
export function inShort(step: Step): string {
  switch (step.kind) {
    case 'tool-call':
      return `${step.name}${step.failed ? ' failed' : step.result === null ? ' without result' : ''}`
    case 'file-change':
      return `${step.change} ${step.path}`
    case 'message':
      return `${step.role}: ${step.text}`
    case 'skill':
      return `skill ${step.name}`
    default:
      return step.kind
  }
}
