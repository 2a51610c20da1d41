/**
 * Finds differences between two runs that a reader must know before comparing their figures. For example, the figures
 * of a simulated subject and of a live one look alike but mean different things. The same is true for runs with
 * different scoring, and for a run that was not finished. Different parameters are not a problem, because they are
 * often the purpose of the comparison.
 */
import { plain } from '@assay/contract'
import { asJson, canonicalJson } from '@assay/contract/hash'
import { counted } from '../text/index.ts'
import type { Report } from '../report/index.ts'
import { isEdited } from './baseline.ts'
import { renamedSuite } from './match-cases.ts'
import type { SubjectPair } from './pair-subjects.ts'

export interface ParameterChange {
  /** The path of the parameter in the subject's configuration, such as `temperature` or `options.pass`. */
  readonly name: string
  /** The value in the baseline as JSON. Null if the baseline does not have the parameter. */
  readonly baseline: string | null
  readonly current: string | null
}

type Side = 'baseline' | 'current run'

/** The maximum length of a value. A longer value, such as a prompt, is cut, because it would fill the screen. */
const MOST_SHOWN = 60

export function parametersThatDiffer(
  baseline: Report,
  current: Report,
  pair: SubjectPair,
): readonly ParameterChange[] {
  const before = flat(configOf(baseline, pair.baseline))
  const after = flat(configOf(current, pair.current))
  const names = [...new Set([...before.keys(), ...after.keys()])].sort((a, b) => (a < b ? -1 : 1))
  return names
    .filter((name) => !isSame(before.get(name), after.get(name)))
    .map((name) => ({
      name: plain(name),
      baseline: shown(before.get(name)),
      current: shown(after.get(name)),
    }))
}

/** Whether both values are absent, or both are the same JSON value. */
const isSame = (a: unknown, b: unknown): boolean =>
  (a === undefined) === (b === undefined) && canonicalJson(asJson(a)) === canonicalJson(asJson(b))

const configOf = (report: Report, subject: string): unknown =>
  report.provenance.subjects.find(({ id }) => id === subject)?.config

const shown = (value: unknown): string | null => {
  if (value === undefined) return null
  const safe = plain(JSON.stringify(value))
  return safe.length > MOST_SHOWN ? `${safe.slice(0, MOST_SHOWN)}…` : safe
}

/**
 * Returns all parameters of a configuration, keyed by path. An object that is nested deeper than a few levels is kept
 * as one value.
 */
function flat(value: unknown, path = '', depth = 0): Map<string, unknown> {
  if (value === undefined) return new Map()
  if (value === null || typeof value !== 'object' || Array.isArray(value) || depth > 3)
    return new Map([[path, value]])
  const leaves = new Map<string, unknown>()
  for (const [key, entry] of Object.entries(value))
    for (const [name, leaf] of flat(entry, path === '' ? key : `${path}.${key}`, depth + 1))
      leaves.set(name, leaf)
  return leaves
}

/** Returns the differences between two runs that a reader must know, one sentence each. */
export function differencesBetween(
  baseline: Report,
  current: Report,
  pairs: readonly SubjectPair[],
): string[] {
  return [
    ...edited('baseline', baseline),
    ...edited('current run', current),
    ...pairs.flatMap((pair) => sourcesDiffer(baseline, current, pair)),
    ...suitesDiffer(baseline, current),
    ...(isSame(baseline.provenance.scoring, current.provenance.scoring)
      ? []
      : ['the two sides were scored by different weights or versions of the scoring']),
    ...toolchainsDiffer(baseline, current),
    ...unfinished('baseline', baseline),
    ...unfinished('current run', current),
  ]
}

function edited(side: Side, report: Report): string[] {
  if (!isEdited(report)) return []
  return [`EDITED: the record of the ${side} was changed, and accepted as it was`]
}

function sourcesDiffer(baseline: Report, current: Report, pair: SubjectPair): string[] {
  const from = sourcesOf(baseline, pair.baseline)
  const to = sourcesOf(current, pair.current)
  if (from === to) return []
  return [`the baseline’s answers are ${from}, the current run’s are ${to}`]
}

const sourcesOf = (report: Report, subject: string): string =>
  [...new Set(report.subjects.filter((row) => row.subject === subject).map(({ source }) => source))]
    .sort()
    .join(' and ')

function suitesDiffer(baseline: Report, current: Report): string[] {
  const renamed = renamedSuite(baseline, current)
  if (renamed !== null)
    return [
      `different suites: "${plain(renamed[0])}" in the baseline, "${plain(renamed[1])}" in the current run; cases are matched by their names`,
    ]
  const graders = new Map(baseline.provenance.suites.map((one) => [one.id, one.gradersHash]))
  return current.provenance.suites
    .filter(({ id, gradersHash }) => graders.has(id) && graders.get(id) !== gradersHash)
    .map(({ id }) => `the graders of suite "${plain(id)}" changed between the two`)
}

function toolchainsDiffer(baseline: Report, current: Report): string[] {
  const before = baseline.provenance.toolchains
  const after = current.provenance.toolchains
  return Object.keys(before)
    .filter((name) => Object.hasOwn(after, name) && before[name] !== after[name])
    .sort()
    .map(
      (name) =>
        `code was checked by different versions of ${plain(name)}: ${plain(before[name] ?? '')} and ${plain(after[name] ?? '')}`,
    )
}

function unfinished(side: Side, { counts, provenance: { log } }: Report): string[] {
  const lost = [
    ...(counts.cancelled > 0 ? [`${counted(counts.cancelled, 'trial')} not run`] : []),
    ...(counts.errored > 0 ? [`${counted(counts.errored, 'trial')} errored`] : []),
  ]
  return [
    ...(log.damaged > 0
      ? [
          `${counted(log.damaged, 'line')} of the log of the ${side} ${log.damaged === 1 ? 'is' : 'are'} damaged and left out`,
        ]
      : []),
    ...(lost.length > 0
      ? [`the ${side} is incomplete: ${lost.join(', ')} of ${counted(counts.planned, 'trial')}`]
      : []),
  ]
}
