/** Says what a pass costs with each subject, and which of several equally good subjects is the cheapest. */
import { dollars } from '../../text/index.ts'
import type { SubjectReport } from '../schema/report.ts'
import { listed, type NameFormat } from './figure-words.ts'

export function costOf(rows: readonly SubjectReport[], name: NameFormat): string {
  const unknown = rows.filter(({ cost }) => cost.perTrialUsd === null)
  const known = rows.filter(({ cost }) => cost.perTrialUsd !== null)
  if (known.length === 0) return 'What a pass costs is unknown, as prices are.'
  const isOne = rows.length === 1
  const isPair = rows.length === 2
  const passing = known.filter(({ cost }) => cost.perPass.value !== null)
  const never = known.filter(({ cost }) => cost.perPass.value === null)
  if (
    never.length === 0 &&
    passing.every(({ cost }) => cost.perPass.value === 0) &&
    unknown.length === 0
  )
    return 'The answers cost nothing.'
  if (isPair && passing.length === 2)
    return `A pass costs ${passing.map(({ cost }) => dollars(cost.perPass.value ?? 0)).join(' against ')}.`
  const costs = passing.map(({ subject, cost }) => {
    const usd = dollars(cost.perPass.value ?? 0)
    return isOne ? usd : `${usd} with ${name(subject)}`
  })
  return [
    ...(costs.length > 0 ? [`A pass costs ${listed(costs)}.`] : []),
    ...(never.length > 0
      ? [
          `${listed(never.map(({ subject, cost }) => `${name(subject)} never passed, at ${dollars(cost.perTrialUsd ?? 0)} a trial`))}.`,
        ]
      : []),
    ...(unknown.length > 0
      ? [
          `What a pass costs with ${listed(unknown.map(({ subject }) => name(subject)))} is unknown.`,
        ]
      : []),
  ].join(' ')
}

/** Names the cheapest of several equally good subjects. Empty if costs are unknown or the same. */
export function cheaper(rows: readonly SubjectReport[], name: NameFormat): string {
  const costs = rows.map(({ subject, cost }) => ({ subject, usd: cost.perPass.value }))
  if (costs.some(({ usd }) => usd === null)) return ''
  const sorted = costs.toSorted((a, b) => (a.usd ?? 0) - (b.usd ?? 0))
  const [least, next] = sorted
  if (least === undefined || next === undefined || (least.usd ?? 0) >= (next.usd ?? 0) * 0.995)
    return ''
  return `${name(least.subject)} is the cheaper one.`.replace(
    'cheaper one',
    rows.length > 2 ? 'cheapest' : 'cheaper one',
  )
}
