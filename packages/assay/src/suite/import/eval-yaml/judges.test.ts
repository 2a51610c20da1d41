import { describe, expect, it } from 'vitest'
import { evalYamlJudge, judgeOptionsFrom, modelsWithoutProvider } from './judges.ts'
import { judgeOptions } from '../../../grade/judge/options.ts'

const from = (given: object) => {
  const config = evalYamlJudge.parse({ prompt: 'Is it polite?', ...given })
  return { options: judgeOptions.parse(judgeOptionsFrom(config)), config }
}

describe('a prompt grader of the eval YAML', () => {
  it.each([
    ['binary', null, undefined, 0.5],
    ['scale_1_5', [1, 5], 4, 0.75],
    ['scale_1_10', [1, 10], 10, 1],
    ['scale_1_5', [1, 5], 0.6, 0.6],
  ])('with %s is a judge with the scale %o', (scoring, scale, threshold, share) => {
    const { options } = from({ scoring, ...(threshold === undefined ? {} : { threshold }) })
    expect(options.rubric).toEqual([
      { id: 'prompt', text: 'Is it polite?', weight: 1, scale, mayNotApply: false },
    ])
    expect(options.threshold).toBe(share)
  })

  it('keeps models that name their provider, and names the others', () => {
    expect(from({ model: 'openai/gpt-5-mini' }).options.judges).toEqual(['openai/gpt-5-mini'])
    const { options, config } = from({ model: 'gpt-5-mini' })
    expect(options.judges).toEqual([])
    expect(modelsWithoutProvider(config)).toEqual(['gpt-5-mini'])
  })

  it('as a panel is several judges, all of them or none', () => {
    const panel = { models: ['a/x', 'b/y'], aggregation: 'majority' }
    expect(from(panel).options).toMatchObject({ judges: ['a/x', 'b/y'], aggregate: 'majority' })
    expect(from({ judges: [{ model: 'a/x' }, 'y'] }).options.judges).toEqual([])
  })
})
