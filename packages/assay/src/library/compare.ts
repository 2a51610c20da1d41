/** Functions with which a program compares runs and decides gates, as `assay compare` and `--fail-under` do. */
import { statSync } from 'node:fs'
import { UsageError } from '@assay/contract'
import {
  boundGates,
  compareReports,
  DEFAULTS,
  isBaseline,
  openBaseline,
  readGateArgument,
  readGates,
  type CompareOptions,
  type Comparison,
} from '../compare/index.ts'
import {
  checkGateNames,
  namesIn,
  readReportFile,
  summarize,
  withGates,
  type Report,
} from '../report/index.ts'
import { readNamed } from '../log/index.ts'

export interface CompareRequest extends Partial<
  Omit<CompareOptions, 'baseline' | 'current' | 'gates'>
> {
  /** The path of a file with gates, as for --gates. */
  readonly gates?: string
  /** Gates in the form that --fail-under and --fail-over take. */
  readonly failUnder?: readonly string[]
  readonly failOver?: readonly string[]
}

/**
 * Compares two runs. Each is a report, a run folder, a report.json or a baseline. `outcome.code` is the exit code that
 * `assay compare` would have.
 *
 * @example
 * const { outcome, regressions } = await compare('runs/before', 'runs/after', { gate: 'statistical' })
 */
export async function compare(
  baseline: string | Report,
  current: string | Report,
  { gates: file, failUnder = [], failOver = [], ...options }: CompareRequest = {},
): Promise<Comparison> {
  const bounds = gatesFrom(failUnder, failOver)
  const gates = [...(file === undefined ? [] : await readGates(file)), ...bounds]
  const sides = [await readReport(baseline), await readReport(current)] as const
  const comparison = compareReports(...sides, {
    baseline: { name: nameOf(baseline, 'baseline'), subject: null },
    current: { name: nameOf(current, 'current'), subject: null },
    pairs: [],
    threshold: DEFAULTS.threshold,
    alpha: DEFAULTS.alpha,
    target: DEFAULTS.target,
    metric: DEFAULTS.metric,
    margin: null,
    gate: gates.length === 0 ? null : 'statistical',
    strict: false,
    failOnRegression: false,
    failOnRemoved: null,
    allowPartial: false,
    by: [],
    ...options,
    gates: gates.length === 0 ? null : gates,
  })
  checkGateNames(boundGates(gates, file ?? null), namesIn(sides[1]))
  return comparison
}

export interface GateRequest {
  readonly gates?: string
  readonly failUnder?: readonly string[]
  readonly failOver?: readonly string[]
  /** Whether a gate fails if it cannot be decided. */
  readonly strict?: boolean
  readonly requirePass?: boolean
}

/** A report whose gates were decided. */
export type GatedReport = Report & { readonly gates: NonNullable<Report['gates']> }

/**
 * Decides the gates of a single run. Returns the report with `gates`. Its `outcome.code` is 0 if all gates hold.
 *
 * @example
 * const { gates } = await gate('runs/first', { failUnder: ['passRate=0.8'] })
 */
export async function gate(run: string | Report, request: GateRequest): Promise<GatedReport> {
  const {
    gates: file,
    failUnder = [],
    failOver = [],
    strict = false,
    requirePass = false,
  } = request
  const gates = [
    ...boundGates(file === undefined ? [] : await readGates(file), file ?? null),
    ...boundGates(gatesFrom(failUnder, failOver), null),
  ]
  const report = await readReport(run)
  checkGateNames(gates, namesIn(report))
  const gated = withGates(report, { gates, strict, requirePass }, faultsOf(report))
  if (gated.gates === undefined)
    throw new UsageError('gate: nothing to decide; give failUnder, failOver, gates or requirePass')
  return { ...gated, gates: gated.gates }
}

/** Returns the reasons why a run is not a success because it measured less than it planned. */
const faultsOf = ({ counts }: Report): string[] =>
  counts.passed + counts.failed === 0
    ? ['nothing was scored']
    : counts.cancelled > 0
      ? [`${counts.cancelled} of ${counts.planned} trials did not run`]
      : []

const gatesFrom = (failUnder: readonly string[], failOver: readonly string[]) => [
  ...failUnder.map((text) => readGateArgument('--fail-under', text)),
  ...failOver.map((text) => readGateArgument('--fail-over', text)),
]

const nameOf = (side: string | Report, fallback: string): string =>
  typeof side === 'string' ? side : fallback

async function readReport(side: string | Report): Promise<Report> {
  if (typeof side !== 'string') return side
  if (statSync(side, { throwIfNoEntry: false })?.isDirectory() === true)
    return await summarize(side)
  const value: unknown = JSON.parse(readNamed(side))
  return isBaseline(value) ? openBaseline(side, value) : readReportFile(side)
}
