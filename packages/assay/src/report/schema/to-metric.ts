/** A metric as JSON can hold it: an end without bound is null. */
import type { Metric } from '@assay/metrics'
import type { ReportMetric } from './metric-schema.ts'

export function reported({ interval, ...metric }: Metric): ReportMetric {
  if (interval === undefined) return metric
  const { high, ...rest } = interval
  return { ...metric, interval: { ...rest, high: Number.isFinite(high) ? high : null } }
}
