/** Returns a phrase that says what the intervals on the page refer to. Null if there are no intervals. */
import type { ViewSubject } from './data/source.ts'

export function intervalText(rows: readonly ViewSubject[]): string | null {
  const interval = rows.find(({ passRate }) => passRate.interval !== undefined)?.passRate.interval
  if (interval === undefined) return null
  const whose = interval.target === 'population' ? 'cases like these' : 'exactly these cases'
  return `${Math.round(interval.level * 100)} % interval for ${whose}`
}
