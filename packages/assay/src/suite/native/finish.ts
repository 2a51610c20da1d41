/** The last step of every suite reader. It computes hashes and adds the warnings that need the whole suite. */
import type { Case, Suite } from '@assay/contract'
import { isUngradable } from './code-grading.ts'
import { caseHash, suiteHash } from '@assay/contract/hash'
import type { Notes, Warning } from '../../documents/index.ts'
import type { CaseContent } from './case-content.ts'

export interface LoadedSuite {
  readonly suite: Suite
  readonly warnings: readonly Warning[]
}

/** Returns a case with only an id and a prompt. The readers add the other fields. */
export function bareCase(id: string, turns: readonly string[]): CaseContent {
  return {
    id,
    name: id,
    description: '',
    turns,
    language: null,
    tests: null,
    calls: [],
    entryPoint: null,
    module: null,
    continuation: false,
    stop: [],
    expectations: null,
    reference: null,
    faulty: [],
    files: {},
    tags: [],
    graders: [],
    threshold: null,
    trials: null,
    timeoutMs: null,
    maxTokens: null,
    dependencies: [],
    lint: null,
    format: null,
    edition: null,
    includeIgnored: false,
    allowUnsafe: false,
    workspace: null,
    limits: null,
  }
}

export function sealCase(content: CaseContent): Case {
  return { ...content, hash: caseHash(content) }
}

/** Returns the finished suite. If problems were noted, throws them instead. */
export function finish(suite: Omit<Suite, 'hash'>, notes: Notes): LoadedSuite {
  notes.done()
  const all = suite.cases.length
  const ungraded = suite.cases.filter(({ graders }) => graders.length === 0)
  const foreign = ungraded.filter(isUngradable)
  if (foreign.length > 0) {
    const names = [...new Set(foreign.map(({ language }) => language ?? 'no language'))].join(', ')
    notes.warn(
      all === 1
        ? `the only case is code that cannot be graded here (${names}): it stays unscored`
        : `${foreign.length} of ${all} cases ${foreign.length === 1 ? 'is' : 'are'} code that cannot be graded here (${names}): ${foreign.length === 1 ? 'it stays' : 'they stay'} unscored`,
    )
  } else if (ungraded.length === all)
    notes.warn(
      all === 1
        ? 'the only case has no grader: it stays unscored'
        : `no case has a grader: all ${all} cases stay unscored`,
    )
  return { suite: { ...suite, hash: suiteHash(suite.cases) }, warnings: notes.warnings() }
}

/**
 * Returns an id in a form for comparison. Ids that differ only in white space look the same to people, so they count
 * as equal.
 */
export const comparableId = (id: string): string =>
  id.replaceAll(/[\s\u200b\u2060\ufeff]+/gu, ' ').trim()

/** Notes a problem for duplicate ids, and for ids that differ only in white space. */
export function checkIds(
  ids: Iterable<readonly [index: number, id: unknown]>,
  key: (index: number) => (string | number)[],
  notes: Notes,
): void {
  const first = new Map<string, { readonly index: number; readonly id: string }>()
  for (const [index, id] of ids) {
    if (typeof id !== 'string') continue
    const comparable = comparableId(id)
    const earlier = first.get(comparable)
    if (earlier === undefined) first.set(comparable, { index, id })
    else
      notes.problem(key(index), {
        expected:
          earlier.id === id
            ? `an id that no other case has (case ${earlier.index + 1} has it too)`
            : `an id that differs from that of case ${earlier.index + 1} in more than white space`,
      })
  }
}
