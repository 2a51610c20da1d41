/**
 * Checks that several runs are parts of one run: they have the same plan and used the same versions of models and
 * tools. A merged run has one record. If the parts had different plans or tools, the merged figures would be wrong.
 */
import { isDeepStrictEqual } from 'node:util'
import { plain, UsageError } from '@assay/contract'
import {
  isLocked,
  lastRevision,
  readRecord,
  type ReadOptions,
  type Revision,
  type RunRecord,
  type Shard,
  type SubjectRecord,
  type SuiteRecord,
} from '../log/index.ts'

export interface Part {
  readonly folder: string
  readonly record: RunRecord
  readonly shard: Shard
}

/**
 * Reads the records of the parts, the earliest run first. Throws a `UsageError` that lists everything that does not fit
 * together.
 */
export function readParts(folders: readonly string[], options: ReadOptions): Part[] {
  const faults: string[] = []
  const parts: Part[] = []
  for (const folder of folders) {
    const record = readRecord(folder, options)
    const { shard } = record
    if (isLocked(folder)) faults.push(`${folder} is still running`)
    if (shard === undefined)
      faults.push(
        record.merged === undefined
          ? `${folder} is a whole run: it was started without --shard`
          : `${folder} is merged already`,
      )
    else if (shard.index > shard.of)
      faults.push(`${folder} says that it is part ${shard.index} of ${shard.of}`)
    else parts.push({ folder, record, shard })
  }
  const [first, ...others] = parts
  if (first !== undefined) faults.push(...others.flatMap((part) => misfits(part, first)))
  const byId = new Map<string, string>()
  for (const { folder, record } of parts) {
    const same = byId.get(record.id)
    if (same !== undefined) faults.push(`${folder} is the same run as ${same}`)
    byId.set(record.id, folder)
  }
  if (faults.length > 0)
    throw new UsageError(
      `these are not parts of one run:\n${faults.map((fault) => `  - ${plain(fault)}`).join('\n')}\nNothing was merged`,
    )
  return parts.sort(
    ({ record: a }, { record: b }) =>
      Date.parse(a.createdAt) - Date.parse(b.createdAt) || (a.id < b.id ? -1 : 1),
  )
}

/** Returns the reasons why a part does not fit together with the first part. */
function misfits({ folder, record, shard }: Part, first: Part): string[] {
  if (shard.of !== first.shard.of)
    return [
      `${folder} is part ${shard.index} of ${shard.of}, but ${first.folder} is part ${first.shard.index} of ${first.shard.of}`,
    ]
  const [mine, theirs] = [lastRevision(record), lastRevision(first.record)]
  const found = [
    ...differing('suite', mine.suites, theirs.suites, suiteFacts),
    ...differing('subject', mine.subjects, theirs.subjects, subjectFacts),
    ...differing('judge', mine.judges ?? [], theirs.judges ?? [], subjectFacts),
    ...differences(runFacts(record), runFacts(first.record)),
    ...differences(planFacts(mine), planFacts(theirs)),
  ]
  return found.map((one) => `${folder} does not fit ${first.folder}: ${one}`)
}

interface Named {
  readonly id: string
}

/** Returns the suites, subjects or judges that only one of two plans has, or that differ between them. */
function differing<T extends Named>(
  kind: string,
  mine: readonly T[],
  theirs: readonly T[],
  factsIn: (one: T) => unknown,
): string[] {
  const found: string[] = []
  for (const one of mine) {
    const other = theirs.find(({ id }) => id === one.id)
    if (other === undefined) found.push(`it has another ${kind}, ${one.id}`)
    else if (!isDeepStrictEqual(factsIn(one), factsIn(other)))
      found.push(`its ${kind} ${one.id} is different`)
  }
  for (const { id } of theirs)
    if (!mine.some((one) => one.id === id)) found.push(`it lacks the ${kind} ${id}`)
  const order = (all: readonly T[]): string => JSON.stringify(all.map(({ id }) => id))
  if (found.length === 0 && order(mine) !== order(theirs))
    found.push(`its ${kind}s are in another order`)
  return found
}

type Facts = Readonly<Record<string, unknown>>

/**
 * Returns the facts by which suites are compared. The path is left out, because the same suite may have another path on
 * another machine.
 */
const suiteFacts = ({ path: _path, text: _text, ...facts }: SuiteRecord): Facts => facts

/** Returns the facts by which subjects are compared. The settings are left out, because the hash covers them. */
const subjectFacts = ({ config: _config, ...facts }: SubjectRecord): Facts => facts

const runFacts = ({ tool, seed, version, regrades }: RunRecord): Facts => ({
  'version of Assay': tool.version,
  'version of Node': tool.node,
  platform: tool.platform,
  'format version': version,
  seed,
  regrades,
})

/**
 * Returns all other facts of a plan that must be equal, because the merged run has only one record. It leaves out what
 * may differ between parts of one run: budgets and parallelism, which apply to each part alone, and facts about the
 * machine and the user.
 */
const planFacts = ({
  at: _at,
  suites: _suites,
  subjects: _subjects,
  judges: _judges,
  budgetUsd: _budget,
  parallelism: _parallelism,
  request: _request,
  unmasked: _unmasked,
  access: _access,
  consent: _consent,
  ...facts
}: Revision): Facts => facts

const differences = (mine: Facts, theirs: Facts): string[] =>
  [...new Set([...Object.keys(mine), ...Object.keys(theirs)])].flatMap((name) =>
    isDeepStrictEqual(mine[name], theirs[name])
      ? []
      : [`its ${name} is ${shown(mine[name])}, not ${shown(theirs[name])}`],
  )

const shown = (value: unknown): string => {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? 'not set')
  return text.length > 120 ? `${text.slice(0, 120)}…` : text
}
