/** Says where the results of other programs came from, and writes the notes that are printed with their report. */
import { createHash } from 'node:crypto'
import { SCORING, type FileReading, type Provenance, type TierOrder } from '../report/index.ts'
import { counted } from '../text/index.ts'
import { VERSION } from '../version.ts'
import { OWN_TRIALS } from './formats/assay-trials.ts'
import type { Arranged } from './table/arrange.ts'
import type { Mapping } from './table/column-map.ts'
import type { ReadFile, Results } from './read-results.ts'

export const idOf = (files: readonly ReadFile[]): string =>
  `analyzed-${createHash('sha256')
    .update(files.map(({ sha256 }) => sha256).join('\n'))
    .digest('hex')
    .slice(0, 12)}`

export function provenanceOf(
  files: readonly ReadFile[],
  { plan, replaced }: Arranged,
  { threshold }: Mapping,
): Provenance {
  const format = [...new Set(files.map(({ kind }) => kind))].join(', ')
  const path = files.map((file) => file.path).join(', ')
  return {
    tool: {
      version: VERSION,
      node: process.version,
      platform: `${process.platform}-${process.arch}`,
    },
    seed: null,
    suites: plan.suites.map(({ id }) => ({
      id,
      name: id,
      path,
      format,
      hash: '',
      gradersHash: null,
      threshold: threshold ?? null,
    })),
    subjects: plan.subjects.map(({ id, source }) => ({
      id,
      kind: 'analyzed',
      source,
      config: null,
      hash: '',
    })),
    timeoutMs: null,
    gradeTimeoutMs: null,
    budgetUsd: null,
    prices: null,
    sandbox: null,
    toolchains: {},
    scoring: SCORING,
    revisions: 0,
    stopped: null,
    origin: originOf(files),
    log: { torn: false, damaged: 0, replaced, foreign: 0 },
  }
}

/**
 * Returns a text with the names of the files and their hashes. For files that Assay did not write, it says that Assay
 * did not run the trials.
 */
function originOf(files: readonly ReadFile[]): string {
  const named = (some: readonly ReadFile[]): string =>
    some.map(({ path, sha256 }) => `${path} (sha256 ${sha256})`).join(', ')
  const own = files.filter(isOwn)
  const others = files.filter((file) => !isOwn(file))
  if (others.length === 0) return named(own)
  const foreign = `${named(others)}, which Assay did not run`
  return own.length === 0 ? foreign : `${foreign}, and from ${named(own)}`
}

const isOwn = ({ kind, map }: ReadFile): boolean =>
  kind === OWN_TRIALS || (map !== null && map.source !== null)

export function notesOf(
  { table, files }: Results,
  { plan, replaced }: Arranged,
  tiers: readonly TierOrder[],
): string[] {
  const isGuessed = files.some(({ map }) => map !== null && map.isIndexGuessed)
  const notes = files.flatMap((file) => file.notes.map((note) => `${file.path}: ${note}`))
  if (!table.has('score')) notes.push('there are no scores: a pass counts 1 and a failure 0')
  if (replaced > 0)
    notes.push(
      `${counted(replaced, 'row')} replaced by later ones of the same trial${isGuessed ? '; --index none keeps all of them' : ''}`,
    )
  const known = new Set(plan.subjects.map(({ id }) => id))
  for (const { baseline } of tiers)
    if (!known.has(baseline)) notes.push(`the baseline ${baseline} has no rows`)
  return notes
}

/** Returns how a file was read, in the form that `report.json` stores. */
export const readingOf = ({
  path,
  kind,
  rows,
  map,
  judgments,
  setAside,
}: ReadFile): FileReading => ({
  path,
  kind,
  rows,
  columns: ((map ?? judgments)?.chosen ?? []).map(({ role, columns, why, isGuess }) => ({
    role,
    columns: [...columns],
    guessed: isGuess,
    why,
  })),
  unused: [...((map ?? judgments)?.unused ?? [])],
  setAside: setAside.map((one) => ({ ...one, first: [...one.first] })),
})
