/** Converts a metric to a form that JSON can represent: an infinite interval bound becomes null. */
import type { Metric } from '@assay/metrics'
import type { ReportMetric } from './metric-schema.ts'

export function reported({ interval, ...metric }: Metric): ReportMetric {
  if (interval === undefined) return metric
  const { high, ...rest } = interval
  return { ...metric, interval: { ...rest, high: Number.isFinite(high) ? high : null } }
}
