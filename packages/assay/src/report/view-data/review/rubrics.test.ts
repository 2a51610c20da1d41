import { describe, expect, it } from 'vitest'
import type { GraderConfig, Json } from '@assay/contract'
import { equalsGrader } from '../../../../test/fakes.ts'
import { rubricsOf } from './rubrics.ts'

const cut = (text: string) => (text.length > 20 ? { text: text.slice(0, 20), more: 1 } : text)

const grader = (type: string, options: unknown): GraderConfig => ({
  ...equalsGrader(''),
  type,
  name: `the ${type}`,
  options: options as Json,
})
const judge = grader('judge', {
  judges: ['gpt'],
  rubric: [
    { id: 'c1', text: 'Is it polite?', weight: 1, scale: null, mayNotApply: false },
    { id: 'c2', text: 'x'.repeat(30), weight: 2, scale: [1, 5], mayNotApply: true },
  ],
  instructions: 'Be strict.',
  threshold: 0.5,
})
const rubric = {
  name: 'the judge',
  judges: ['gpt'],
  criteria: [
    { id: 'c1', text: 'Is it polite?', weight: 1, scale: null },
    { id: 'c2', text: { text: 'x'.repeat(20), more: 1 }, weight: 2, scale: [1, 5] },
  ],
  instructions: 'Be strict.',
  threshold: 0.5,
}

describe('rubricsOf', () => {
  it('finds the rubrics of judges, also of those in combinations', () => {
    expect(rubricsOf({ graders: [equalsGrader('x'), judge] }, cut)).toEqual([rubric])
    expect(rubricsOf({ graders: [grader('any', { graders: [judge] })] }, cut)).toEqual([rubric])
    expect(rubricsOf({ graders: [equalsGrader('x')] }, cut)).toEqual([])
  })

  it('takes any options and any list of graders', () => {
    for (const options of [null, 1, [], { rubric: [null, 3, 'x'], judges: [7], threshold: 'a' }])
      expect(rubricsOf({ graders: [grader('judge', options)] }, cut)).toHaveLength(1)
    for (const graders of [null, {}, [null], [grader('any', null)]])
      expect(rubricsOf({ graders: graders as unknown as GraderConfig[] }, cut)).toEqual([])
  })
})
