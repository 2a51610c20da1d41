/** `assay compare`: reports whether results got worse, and how certain that is. */
import { existsSync } from 'node:fs'
import { UsageError } from '@assay/contract'
import {
  BASELINE_FILE,
  compareReports,
  concerns,
  DEFAULTS,
  readGates,
  renderMarkdown,
  renderText,
  type Comparison,
  type Gate,
  type ComparisonFormat,
  type MetricName,
} from '../../compare/index.ts'
import { checkOwnFile } from '../../log/index.ts'
import { runAnnouncer } from '../output/announce-run.ts'
import { printedJson, warn, type Output } from '../output/output.ts'
import { readSide } from '../settings/read-side.ts'

export interface CompareFlags {
  readonly baseline?: string
  readonly current?: string
  readonly pair?: readonly string[]
  readonly threshold?: number
  readonly failOnRegression?: boolean
  readonly failOnRemoved?: boolean
  readonly format?: ComparisonFormat
  readonly gate?: 'statistical'
  readonly gates?: string
  readonly metric?: MetricName
  readonly margin?: number
  readonly alpha?: number
  readonly target?: 'fixed' | 'population'
  readonly strict?: boolean
  readonly allowPartial?: boolean
  readonly acceptEdited?: boolean
}

export async function compareCommand(flags: CompareFlags, output: Output): Promise<number> {
  checkNumbers(flags)
  const gates = flags.gates === undefined ? null : await readGates(flags.gates)
  if (flags.baseline === undefined && !existsSync(BASELINE_FILE))
    throw new UsageError(
      `there is no ${BASELINE_FILE} here: make one with assay bless RUN, or name what to compare with by --baseline`,
    )
  if (flags.baseline === undefined) checkOwnFile(BASELINE_FILE)
  const announce = runAnnouncer(output)
  const baseline = await readSide(flags.baseline ?? BASELINE_FILE, announce, flags)
  const current = await readSide(flags.current ?? 'latest', announce, flags)
  const comparison = compareReports(baseline.report, current.report, {
    baseline,
    current,
    pairs: flags.pair ?? [],
    threshold: flags.threshold ?? DEFAULTS.threshold,
    alpha: flags.alpha ?? DEFAULTS.alpha,
    target: flags.target ?? DEFAULTS.target,
    metric: flags.metric ?? DEFAULTS.metric,
    margin: flags.margin ?? null,
    gate: flags.gate ?? (gates === null ? null : 'statistical'),
    gates,
    strict: flags.strict ?? false,
    failOnRegression: flags.failOnRegression ?? false,
    failOnRemoved: flags.failOnRemoved ?? null,
    allowPartial: flags.allowPartial ?? false,
  })
  checkGates(gates ?? [], comparison)
  print(comparison, flags.format ?? 'text', output)
  return comparison.outcome.code
}

function print(comparison: Comparison, format: ComparisonFormat, output: Output): void {
  const { out, width, colors } = output
  switch (format) {
    case 'json':
      out(`${printedJson(comparison, 2)}\n`)
      break
    case 'markdown':
      out(renderMarkdown(comparison))
      break
    case 'text':
      out(renderText(comparison, { width, colors }))
      break
  }
  for (const warning of comparison.warnings) warn(output, warning)
}

function checkNumbers({ threshold, margin, alpha, gate, gates, strict }: CompareFlags): void {
  if (threshold !== undefined && !(threshold >= 0 && threshold <= 1))
    throw new UsageError(`--threshold ${threshold}: expected points from 0 to 1`)
  if (margin !== undefined && !(margin >= 0 && margin <= 10))
    throw new UsageError(`--margin ${margin}: expected a number from 0, such as 0.05`)
  if (alpha !== undefined && !(alpha >= 1e-6 && alpha <= 0.5))
    throw new UsageError(`--alpha ${alpha}: expected a chance of a false alarm such as 0.05`)
  if (strict === true && gate === undefined && gates === undefined)
    throw new UsageError('--strict is about gates: add --gate statistical or --gates FILE')
}

/** Throws if a gate names a subject that is not compared: such a gate would always pass. */
function checkGates(gates: readonly Gate[], { pairs }: Comparison): void {
  for (const gate of gates)
    if (pairs.length > 0 && !pairs.some((pair) => concerns(gate, pair)))
      throw new UsageError(
        `a gate names the subject "${gate.subject ?? ''}", which is not among those compared: ${pairs.map(({ current }) => `"${current}"`).join(', ')}`,
      )
}
