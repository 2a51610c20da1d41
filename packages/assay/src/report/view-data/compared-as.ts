/** Says how tiers are compared: paired by case, or as independent groups. */
import { counted } from '../../text/index.ts'
import type { TierMetric } from '../schema/report.ts'

/**
 * Returns a phrase such as `between independent groups of cases`. If tiers are compared in different ways, the notes
 * below the table say how each tier is compared.
 */
export function comparedAs(metrics: readonly TierMetric[]): string {
  const all = metrics.flatMap(({ differences }) =>
    differences.flatMap((one) => one?.compared ?? []),
  )
  const kinds = new Set(all.map(({ as }) => as))
  if (kinds.has('independent'))
    return kinds.size === 1
      ? 'between independent groups of cases'
      : 'paired by case, or between independent groups as noted below'
  const [first] = all
  const isSame = all.every(({ onlyA, onlyB }) => onlyA === 0 && onlyB === 0)
  if (first === undefined) return 'paired by case'
  return isSame
    ? `paired by case over ${counted(first.shared, 'shared case')}`
    : 'paired by case over shared cases'
}
