/** Selects cases of suites by tags and by ids. A case is selected if it has at least one of the tags. */
import { type Suite, UsageError } from '@assay/contract'
import { suiteHash } from '@assay/contract/hash'
import { nearest } from '../text/index.ts'
import { quote } from '../documents/index.ts'

export interface Selection {
  /** Only cases with at least one of these tags are selected. */
  readonly tags?: readonly string[]
  /** Only cases with these ids are selected. */
  readonly cases?: readonly string[]
}

/** Returns the suite with only the selected cases. Throws a `UsageError` if none is left or an id does not exist. */
export function selectCases(suite: Suite, selection: Selection): Suite {
  const [selected] = selectFromSuites([suite], selection)
  if (selected === undefined) throw new UsageError('the selection leaves no case')
  return selected
}

/**
 * Returns the suites with only the selected cases. Suites without a selected case are left out. Each id must exist in
 * at least one suite, and so must each tag.
 */
export function selectFromSuites(suites: readonly Suite[], selection: Selection): Suite[] {
  const tags = selection.tags ?? []
  const ids = selection.cases ?? []
  const all = suites.flatMap(({ cases }) => cases)
  const known = new Set(all.map(({ id }) => id))
  const missing = ids.filter((id) => !known.has(id))
  if (missing.length > 0)
    throw new UsageError(missing.map((id) => noSuch('case', id, known)).join('\n'))
  // A tag that no case has is a mistake, also next to tags that exist: fewer cases than wanted would run.
  const knownTags = new Set(all.flatMap((each) => each.tags))
  const strange = tags.filter((tag) => !knownTags.has(tag))
  if (strange.length > 0)
    throw new UsageError(strange.map((tag) => noSuch('tag', tag, knownTags)).join('\n'))

  const wantedIds = new Set(ids)
  const wantedTags = new Set(tags)
  const selected = suites.flatMap((suite) => {
    const cases = suite.cases.filter(
      (each) =>
        (ids.length === 0 || wantedIds.has(each.id)) &&
        (tags.length === 0 || each.tags.some((tag) => wantedTags.has(tag))),
    )
    if (cases.length === 0) return []
    return cases.length === suite.cases.length
      ? [suite]
      : [{ ...suite, cases, hash: suiteHash(cases) }]
  })
  if (selected.length > 0) return selected
  throw new UsageError('no case has both one of these ids and one of these tags')
}

const MOST_LISTED = 10

function noSuch(what: string, name: string, known: ReadonlySet<string>): string {
  const near = nearest(name, known)
  if (near !== null) return `there is no ${what} ${quote(name)}; did you mean ${quote(near)}?`
  if (known.size === 0) return `there is no ${what} ${quote(name)}: no case has a ${what}`
  const some = [...known].slice(0, MOST_LISTED).map(quote).join(', ')
  const choice =
    known.size > MOST_LISTED ? `one of ${known.size}, such as ${some}` : `one of these: ${some}`
  return `there is no ${what} ${quote(name)}; choose ${known.size === 1 ? some : choice}`
}
