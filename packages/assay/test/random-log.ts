/** Makes damaged logs, as crashes, disks and editors leave them, for tests of the readers. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Trial } from '@assay/contract'
import { trialLine, trialsHeader, type LogVersion } from '../src/log/trial-lines.ts'

type Random = () => number

const below = (draw: Random, n: number): number => Math.floor(draw() * n)

function changed(trial: Trial, draw: Random): Trial {
  const score = below(draw, 5) / 4
  const outcome = (['passed', 'failed', 'errored', 'unscored'] as const)[below(draw, 4)] ?? 'passed'
  const usd = draw() < 0.3 ? null : below(draw, 1e6) / 1e9
  const text = `${'long reason '.repeat(below(draw, 50))}${below(draw, 9)} é \ud800`
  const { reason: _reason, ...rest } = trial
  return {
    ...rest,
    outcome,
    score: outcome === 'errored' ? null : score,
    ...(outcome === 'passed' ? {} : { reason: { code: 'wrong-answer', text } }),
    cost: { answerUsd: usd, judgeUsd: null, spentUsd: usd ?? 0 },
    time: { ...trial.time, answerMs: below(draw, 1e6) / 10, waitMs: below(draw, 3) },
    grades: trial.grades.map((grade) => ({ ...grade, score, passed: score > 0.5 })),
    ...(draw() < 0.1 ? { caseHash: 'another' } : {}),
    ...(draw() < 0.1 ? { sandbox: `sandbox-${below(draw, 3)}` } : {}),
    ...(draw() < 0.1 ? { source: 'cache' as const } : {}),
  }
}

/**
 * Writes a changed log to a run folder: lines are replaced, foreign, damaged, blank, cut off, or written by an
 * editor.
 */
export function writeRandomLog(folder: string, trials: readonly Trial[], draw: Random): void {
  const version: LogVersion = draw() < 0.25 ? 1 : 2
  const lines = trials
    .flatMap((trial) => Array.from({ length: below(draw, 4) }, () => changed(trial, draw)))
    .map((trial) => ({ at: draw(), line: trialLine(trial, version) }))
    .sort((a, b) => a.at - b.at)
    .map(({ line }) => strange(line, draw))
  const end = draw() < 0.3 ? trialLine(trials[0] as Trial, version).slice(0, -20) : ''
  const header = draw() < 0.1 ? [] : [trialsHeader('random', version)]
  // A log without its first line can only be read if it has version 2.
  const first = version === 1 ? [trialsHeader('random', 1)] : header
  writeFileSync(
    join(folder, 'trials.jsonl'),
    [...first, ...lines].map((one) => `${one}\n`).join('') + end,
  )
}

function strange(line: string, draw: Random): string {
  const kind = draw()
  if (kind < 0.8) return line
  if (kind < 0.84) return `${line}\r`
  if (kind < 0.88) return `${line}\n`
  if (kind < 0.92) return JSON.stringify(JSON.parse(line), null, 1).replaceAll('\n', ' ')
  const at = below(draw, line.length)
  return `${line.slice(0, at)}${String.fromCodePoint(33 + below(draw, 90))}${line.slice(at + 1)}`
}

/** Flips one bit of a file. */
export function flipBit(path: string, at: number, bit: number): void {
  const bytes = readFileSync(path)
  bytes[at] = (bytes[at] as number) ^ (1 << bit)
  writeFileSync(path, bytes)
}
