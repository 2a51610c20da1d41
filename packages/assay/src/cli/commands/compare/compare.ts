/** `assay compare`: reports whether results got worse, and how certain this is. */
import { existsSync } from 'node:fs'
import { dirname } from 'node:path'
import { plain, UsageError } from '@assay/contract'
import {
  BASELINE_FILE,
  boundGates,
  compareReports,
  concerns,
  DEFAULTS,
  renderMarkdown,
  renderText,
  viewComparison,
  type Comparison,
  type Gate,
  type ComparisonFormat,
  type MetricName,
} from '../../../compare/index.ts'
import {
  checkGateNames,
  checkReportPath,
  namesIn,
  putPage,
  writePieces,
  type BoundGate,
} from '../../../report/index.ts'
import { checkOwnFile } from '../../../log/index.ts'
import { checkWrittenHere } from '../../../trust/root.ts'
import { runAnnouncer } from '../../output/announce-run.ts'
import { printedJson, warn, type Output } from '../../output/output.ts'
import { gateArguments, gatesInFile } from '../../settings/gates-asked.ts'
import { readSide } from '../../settings/read-side.ts'

export interface CompareFlags {
  readonly baseline?: string
  readonly current?: string
  readonly pair?: readonly string[]
  readonly threshold?: number
  readonly failOnRegression?: boolean
  readonly failOnRemoved?: boolean
  readonly format?: ComparisonFormat
  /** The paths of files to write, as pages (.html) or Markdown (.md). */
  readonly report?: readonly string[]
  readonly gate?: 'statistical'
  readonly gates?: string
  readonly failUnder?: readonly string[]
  readonly failOver?: readonly string[]
  readonly metric?: MetricName
  readonly margin?: number
  readonly alpha?: number
  readonly target?: 'fixed' | 'population'
  readonly strict?: boolean
  readonly allowPartial?: boolean
  readonly acceptEdited?: boolean
  readonly by?: readonly string[]
}

export async function compareCommand(flags: CompareFlags, output: Output): Promise<number> {
  checkNumbers(flags)
  const files = (flags.report ?? []).map(reportFile)
  const gates = await gatesOf(flags)
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
    by: flags.by ?? [],
  })
  checkGates(gates ?? [], comparison)
  checkGateNames(boundsOf(gates ?? []), namesIn(current.report))
  print(comparison, flags.format ?? 'text', output)
  for (const { path, write } of files) {
    await writePieces(path, (put) => write(comparison, put))
    output.err(`wrote ${plain(path)}\n`)
  }
  return comparison.outcome.code
}

/**
 * Returns the gates of the gates file and of flags such as `--fail-under`. Null if there are none. If only flags give
 * gates, the gate of `--gate` is added. A gates file is complete, so `--gate` adds nothing to it.
 */
async function gatesOf(flags: CompareFlags): Promise<readonly Gate[] | null> {
  const bounds = gateArguments(flags)
  if (flags.gates === undefined && bounds.length === 0) return null
  const fromFile = await gatesInFile(flags)
  const change: Gate[] =
    flags.gate === undefined || flags.gates !== undefined
      ? []
      : [
          {
            metric: flags.metric ?? DEFAULTS.metric,
            subject: null,
            rule: { kind: 'change', margin: flags.margin ?? null },
          },
        ]
  return [...change, ...fromFile, ...bounds]
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

type WriteComparison = (comparison: Comparison, put: (text: string) => void) => void

/** Chooses the format by the extension of the file. Throws if there is no such format, before anything is read. */
function reportFile(path: string): { readonly path: string; readonly write: WriteComparison } {
  checkReportPath(path)
  checkWrittenHere(dirname(path))
  if (/\.html?$/i.test(path))
    return {
      path,
      write: (comparison, put) => putPage({ comparison: viewComparison(comparison) }, put),
    }
  if (/\.(?:md|markdown)$/i.test(path))
    return { path, write: (comparison, put) => put(renderMarkdown(comparison)) }
  throw new UsageError(`--report ${path}: expected a name that ends in .html or .md`)
}

function checkNumbers(flags: CompareFlags): void {
  const { threshold, margin, alpha, gate, gates, strict, failUnder, failOver } = flags
  if (threshold !== undefined && !(threshold >= 0 && threshold <= 1))
    throw new UsageError(`--threshold ${threshold}: expected points from 0 to 1`)
  if (margin !== undefined && !(margin >= 0 && margin <= 10))
    throw new UsageError(`--margin ${margin}: expected a number from 0, such as 0.05`)
  if (alpha !== undefined && !(alpha >= 1e-6 && alpha <= 0.5))
    throw new UsageError(`--alpha ${alpha}: expected a chance of a false alarm such as 0.05`)
  const bounds = [failUnder, failOver].some((list) => list !== undefined)
  if (strict === true && gate === undefined && gates === undefined && !bounds)
    throw new UsageError('--strict is about gates: add --gate statistical or --gates FILE')
}

/**
 * Returns the gates that limit a figure of the current run alone, without their subjects. A gate may name its subject
 * as the baseline does, so `checkGates` checks the subjects instead.
 */
const boundsOf = (gates: readonly Gate[]): BoundGate[] =>
  boundGates(
    gates.filter(({ rule }) => rule.kind !== 'change').map((gate) => ({ ...gate, subject: null })),
    null,
  )

/** Throws if a gate names a subject that is not compared. Such a gate would always pass. */
function checkGates(gates: readonly Gate[], { pairs }: Comparison): void {
  for (const gate of gates)
    if (pairs.length > 0 && !pairs.some((pair) => concerns(gate, pair)))
      throw new UsageError(
        `a gate names the subject "${gate.subject ?? ''}", which is not among those compared: ${pairs.map(({ current }) => `"${current}"`).join(', ')}`,
      )
}
