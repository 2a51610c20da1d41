/**
 * The suites as they were when the run was started, and the facts about them that figures need. The suites of a large
 * run take more memory than its figures. So a brief report reads them one after another and keeps none of them.
 */
import type { Json, Suite } from '@assay/contract'
import { hashOf } from '@assay/contract/hash'
import type { Blobs, SuiteRecord } from '../log/index.ts'
import type { CaseLabels } from './figures/case-report.ts'
import { addExpectedLabels, type ExpectedLabels } from './figures/classification-report.ts'

/** The facts about suites that figures need. */
export interface SuiteFacts {
  /** A hash of the graders of all cases, by the id of the suite. */
  readonly gradersHashes: ReadonlyMap<string, string>
  /** Returns the tags and the metadata of a case. */
  readonly labelsOf: (suite: string, one: string) => CaseLabels
  readonly expected: ExpectedLabels
}

export interface SuitesAsRun {
  readonly facts: SuiteFacts
  /**
   * The suites. They are read from the run folder if they were not kept in memory. A suite is missing if its text is
   * not in the folder.
   */
  readonly suites: readonly Suite[]
}

export function suiteFacts(suites: Iterable<Suite>): SuiteFacts {
  const gradersHashes = new Map<string, string>()
  const labels = new Map<string, CaseLabels>()
  const expected = new Map<string, ReadonlyMap<string, string>>()
  for (const suite of suites) {
    gradersHashes.set(suite.id, gradersHash(suite))
    addLabels(labels, suite)
    addExpectedLabels(expected, suite)
  }
  return {
    gradersHashes,
    labelsOf: (suite, one) => (labels.size === 0 ? {} : (labels.get(keyOf(suite, one)) ?? {})),
    expected,
  }
}

/**
 * Returns the suites whose texts are in the run folder. `known` is the facts about them, if the caller already has
 * these.
 */
export function suitesAsRun(
  records: readonly SuiteRecord[],
  blobs: Blobs,
  { keeps, known }: { readonly keeps: boolean; readonly known: SuiteFacts | null },
): SuitesAsRun {
  let kept: readonly Suite[] | null = keeps ? [...suitesIn(records, blobs)] : null
  return {
    facts: known ?? suiteFacts(kept ?? suitesIn(records, blobs)),
    get suites() {
      return (kept ??= [...suitesIn(records, blobs)])
    },
  }
}

/** Reads each suite only when it is asked for. So the suite before it can be freed from memory. */
function* suitesIn(records: readonly SuiteRecord[], blobs: Blobs): Generator<Suite, void> {
  for (const { text } of records) {
    let suite: Suite
    try {
      suite = JSON.parse(blobs.readSync(text)) as Suite
    } catch {
      continue
    }
    yield suite
  }
}

const gradersHash = ({ cases }: Suite): string =>
  hashOf(cases.map(({ id, graders }) => [id, graders]) as unknown as Json)

function addLabels(labels: Map<string, CaseLabels>, { id, cases }: Suite): void {
  for (const { id: one, tags, metadata = {} } of cases) {
    const hasMetadata = Object.keys(metadata).length > 0
    if (tags.length > 0 || hasMetadata)
      labels.set(keyOf(id, one), {
        ...(tags.length === 0 ? {} : { tags: [...tags] }),
        ...(hasMetadata ? { metadata: { ...metadata } } : {}),
      })
  }
}

const keyOf = (suite: string, one: string): string => JSON.stringify([suite, one])
