import { describe, expect, it } from 'vitest'
import { countGroups, groupNames, groupsSentence } from './case-groups.ts'

const cases = (...groups: readonly (string | undefined)[]) =>
  groups.map((group, i) => ({ id: `c${i}`, group }))

describe('the groups of cases', () => {
  it('are nothing to tell if no two cases share one', () => {
    for (const list of [cases(), cases(undefined, undefined), cases('a', 'b', undefined)]) {
      expect(groupNames(list)).toBeUndefined()
      expect(countGroups(list)).toBeNull()
      expect(groupsSentence(list)).toBeNull()
    }
  })

  it('count a case without a group as a group, whatever it is called', () => {
    const mixed = [
      { id: 'x', group: 'a' },
      { id: 'y', group: 'a' },
      { id: 'a', group: undefined },
    ]
    expect(new Set(groupNames(mixed)).size).toBe(2)
    expect(countGroups(mixed)).toEqual({ count: 2, grouped: 2, alone: 1 })
  })

  it('are told with their number, and that they are few', () => {
    expect(groupsSentence(cases('a', 'a', 'b', undefined))).toBe(
      '4 cases in only 3 groups, of which 1 is a case without a group: intervals and tests for cases like these count groups, not cases, so intervals are wide',
    )
    const many = cases(...Array.from({ length: 30 }, (_, i) => `g${i % 12}`))
    expect(groupsSentence(many)).toBe(
      '30 cases in 12 groups: intervals and tests for cases like these count groups, not cases',
    )
    expect(groupsSentence(cases('a', 'a'))).toBe(
      '2 cases in 1 group: one group says nothing about others, so there is no interval',
    )
  })
})
