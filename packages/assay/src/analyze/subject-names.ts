/**
 * Makes the names of subjects and finds out which subjects are tiers. Several columns can form a subject's name, such
 * as a model and a tier. A column with the same value for every subject is left out of the name, unless the user asked
 * for it. Tiers of different models are different experiments, so each model has its own baseline.
 */
import { UsageError } from '@assay/contract'
import { nearest, natural } from '../text/index.ts'
import type { TierOrder } from '../report/index.ts'

const BETWEEN = ' / '

/** Returns one name per subject, made from its parts. `keepAll` also keeps the parts that all subjects share. */
export function subjectNames(subjects: readonly (readonly string[])[], keepAll: boolean): string[] {
  const [first = []] = subjects
  const isEven = subjects.every((parts) => parts.length === first.length)
  const varies = first.map((part, i) => subjects.some((parts) => parts[i] !== part))
  const isKept = (i: number): boolean =>
    keepAll ||
    !isEven ||
    varies[i] === true ||
    (i === first.length - 1 && varies.every((one) => !one))
  return subjects.map((parts) => parts.filter((_, i) => isKept(i)).join(BETWEEN))
}

export interface TierWish {
  readonly tiers?: readonly string[]
  readonly baseline?: string
}

const TIER_NAME = /^t\d+$/i

/**
 * Returns the tiers as one list per model. No list if the subjects are not tiers. Subjects are tiers if the user says
 * so, if a column called `tier` names them, or if all of them are called T0, T1 and so on. By default, the tiers are
 * sorted by name, and the first tier is the baseline.
 */
export function findTiers(
  subjects: readonly (readonly string[])[],
  names: readonly string[],
  tierPart: number | null,
  { tiers, baseline }: TierWish,
): TierOrder[] {
  const isAsked = tiers !== undefined || baseline !== undefined
  const areNamed = names.every((name) => TIER_NAME.test(name))
  if (!isAsked && tierPart === null && !areNamed) return []
  if (!isAsked && subjects.length < 2) return []
  const known = subjects.map((parts, i) => ({
    name: names[i] as string,
    tier: tierPart === null ? (names[i] as string) : (parts[tierPart] ?? (names[i] as string)),
    of: tierPart === null ? '' : JSON.stringify(parts.toSpliced(tierPart, 1)),
  }))
  for (const wanted of [...(tiers ?? []), ...(baseline === undefined ? [] : [baseline])])
    if (!known.some(({ tier, name }) => tier === wanted || name === wanted))
      throw unknownTier(
        wanted,
        known.map(({ tier }) => tier),
      )
  const groups = Map.groupBy(known, ({ of }) => of)
  return [...groups.values()].flatMap((group): TierOrder[] => {
    const place = ({ tier, name }: (typeof group)[number]): number =>
      tiers?.findIndex((wanted) => wanted === tier || wanted === name) ?? 0
    const order = group
      .filter((one) => place(one) !== -1)
      .sort((a, b) => place(a) - place(b) || natural(a.tier, b.tier))
    const from =
      baseline === undefined
        ? order[0]
        : order.find(({ tier, name }) => tier === baseline || name === baseline)
    return from === undefined ? [] : [{ order: order.map(({ name }) => name), baseline: from.name }]
  })
}

function unknownTier(wanted: string, tiers: readonly string[]): UsageError {
  const near = nearest(wanted, tiers)
  return new UsageError(
    `no subject is called "${wanted}"; ${near === null ? `there are ${[...new Set(tiers)].slice(0, 20).join(', ')}` : `did you mean "${near}"?`}`,
  )
}
