import { describe, expect, it } from 'vitest'
import { type Suite, UsageError } from '@assay/contract'
import { bareCase, sealCase } from './native/finish.ts'
import { suiteHash } from '@assay/contract/hash'
import { selectCases, selectFromSuites } from './select.ts'

function suite(id: string, cases: Record<string, string[]>): Suite {
  const sealed = Object.entries(cases).map(([name, tags]) =>
    sealCase({ ...bareCase(name, [name]), tags }),
  )
  const rest = { name: id, description: '', path: id, format: 'assay', threshold: null }
  return { id, ...rest, cases: sealed, hash: suiteHash(sealed) }
}

const SUITE = suite('s', { sorting: ['fast', 'easy'], parsing: ['hard'], fuzzing: [] })
const ids = (selected: Suite): string[] => selected.cases.map(({ id }) => id)

describe('selecting cases', () => {
  it('takes all without a selection, and the suite is then the same', () => {
    expect(selectCases(SUITE, {})).toBe(SUITE)
  })

  it('takes cases with any of the tags, exactly written', () => {
    expect(ids(selectCases(SUITE, { tags: ['hard', 'fast'] }))).toEqual(['sorting', 'parsing'])
    expect(() => selectCases(SUITE, { tags: ['fas'] })).toThrow('did you mean "fast"?')
    // Fewer cases than wanted would run without a word.
    expect(() => selectCases(SUITE, { tags: ['hard', 'zzz'] })).toThrow('there is no tag "zzz"')
  })

  it('takes cases by id, in the order of the suite', () => {
    const selected = selectCases(SUITE, { cases: ['fuzzing', 'sorting'] })
    expect(ids(selected)).toEqual(['sorting', 'fuzzing'])
    expect(selected.hash).not.toBe(SUITE.hash)
  })

  it('names the nearest id where there is none', () => {
    expect(() => selectCases(SUITE, { cases: ['sortin', 'zzz'] })).toThrow(
      new UsageError(
        'there is no case "sortin"; did you mean "sorting"?\n' +
          'there is no case "zzz"; choose one of these: "sorting", "parsing", "fuzzing"',
      ),
    )
  })

  it('says when ids and tags exclude each other', () => {
    expect(() => selectCases(SUITE, { cases: ['parsing'], tags: ['fast'] })).toThrow(
      'no case has both one of these ids and one of these tags',
    )
  })

  it('looks for an id in all suites and drops those that are left without cases', () => {
    const other = suite('t', { planning: ['fast'] })
    expect(selectFromSuites([SUITE, other], { cases: ['planning'] }).map(({ id }) => id)).toEqual([
      't',
    ])
    expect(selectFromSuites([SUITE, other], { tags: ['fast'] })).toHaveLength(2)
  })
})
