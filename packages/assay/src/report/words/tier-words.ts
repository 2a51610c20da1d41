/**
 * Describes the figures across tiers in words, with the interpretation that the metrics-formulas specification gives
 * them.
 */
import { dollars } from '../../text/index.ts'
import type { ReportTiers } from '../schema/report.ts'

const READINGS = {
  sensitive: 'prompt sensitive',
  insensitive: 'prompt insensitive',
  undecided: 'not decided whether prompt sensitive or insensitive',
} as const

/** Returns one line for each figure. Names are not escaped. */
export function acrossTiers(
  tiers: ReportTiers,
  costOf: (subject: string) => number | null,
): string[] {
  const { sensitivity, order } = tiers
  if (order.length < 2) return []
  const costs = order.map((subject) => ({ subject, usd: costOf(subject) }))
  const known = costs.filter((one): one is { subject: string; usd: number } => one.usd !== null)
  const sorted = known.toSorted((a, b) => a.usd - b.usd)
  const [least, most] = [sorted[0], sorted.at(-1)]
  const named =
    least === undefined || most === undefined || known.length < order.length
      ? ''
      : `: ${most.subject} ${dollars(most.usd)}, ${least.subject} ${dollars(least.usd)}`
  return [
    ...(tiers.pass_rate_variance === null
      ? []
      : [
          `variance of median pass rates ${number(tiers.pass_rate_variance)} (low: consistent across tiers, prompt insensitive; high: varies by tier, prompt sensitive)`,
        ]),
    ...(sensitivity == null ? [] : [`${READINGS[sensitivity.reading]}: ${sensitivity.why}`]),
    ...(tiers.composite_variance == null
      ? []
      : [`variance of median composites ${number(tiers.composite_variance)}`]),
    ...(tiers.cost_variance === null
      ? []
      : [`variance of median costs ${number(tiers.cost_variance)} $²`]),
    ...(tiers.cost_delta === null
      ? []
      : [
          `cost delta ${dollars(tiers.cost_delta)}, the most less the least expensive tier${named}`,
        ]),
  ]
}

/** Formats a number with three significant digits and real minus signs, also in the exponent. */
const number = (value: number): string => String(Number(value.toPrecision(3))).replaceAll('-', '−')
