import { describe, expect, it } from 'vitest'
import { computeSkillScore, countUnscored } from './skill-score.ts'
import { computeStimulusScore, type StimulusScore } from './stimulus-score.ts'

const grade = (score: number, passed: boolean) => ({ grade: { name: 'g', score, passed }, passed })

/** A stimulus with the given score on every trial and the given verdicts. */
const stimulus = (name: string, score: number, verdicts: string): StimulusScore =>
  computeStimulusScore(
    name,
    Array.from(verdicts, (verdict) => grade(score, verdict === 'T')),
    true,
  )

describe('computeStimulusScore', () => {
  it('averages the trials, keeps each trial’s graders and marks flakiness', () => {
    const details = [
      { name: 'exact', score: 1, passed: true },
      { name: 'style', score: 0.5, passed: true },
    ]
    const score = computeStimulusScore(
      'greets',
      [
        { grade: { name: 'all', score: 0.75, passed: true, details }, passed: true },
        grade(0.25, false),
      ],
      true,
    )
    expect(score).toEqual({
      stimulusName: 'greets',
      trialResults: [details, [{ name: 'g', score: 0.25, passed: false }]],
      aggregateScore: 0.5,
      multiTrial: { perTrialPassRate: 0.5, passAtK: 1, passToTheK: 0.25, k: 2 },
      unscored: false,
      flaky: true,
      flakinessPercent: 50,
    })
  })

  it('without graders is unscored: zero everywhere and never flaky', () => {
    expect(computeStimulusScore('open', [grade(1, true), grade(0, false)], false)).toEqual({
      stimulusName: 'open',
      trialResults: [[], []],
      aggregateScore: 0,
      multiTrial: { perTrialPassRate: 0, passAtK: 0, passToTheK: 0, k: 2 },
      unscored: true,
      flaky: false,
      flakinessPercent: 0,
    })
  })

  it('refuses graded stimuli without trials, and scores outside [0, 1]', () => {
    expect(() => computeStimulusScore('none', [], true)).toThrow('trialGrades must not be empty')
    expect(() => computeStimulusScore('high', [grade(1.5, true)], true)).toThrow(
      'score of g must be',
    )
    expect(() => computeStimulusScore('nan', [grade(Number.NaN, true)], true)).toThrow(RangeError)
  })
})

describe('computeSkillScore', () => {
  it('takes the mean of the stimuli’s own metrics', () => {
    const stimuli = [stimulus('a', 0.9, 'TTFTT'), stimulus('b', 0.5, 'FFFFF')]
    const skill = computeSkillScore('skill', stimuli, 0.8)
    expect(skill.overallScore).toBeCloseTo(0.7, 15)
    expect(skill.overallMultiTrial.perTrialPassRate).toBe(0.4)
    expect(skill.overallMultiTrial.passAtK).toBe(0.5)
    expect(skill.overallMultiTrial.passToTheK).toBeCloseTo(0.16384, 15)
    expect(skill.passed).toBe(false)
    expect(skill.stimulusScores).toEqual(stimuli)
  })

  it('does not pool trials: a stimulus with many trials weighs no more, and k is the smallest', () => {
    const skill = computeSkillScore(
      's',
      [stimulus('few', 1, 'TT'), stimulus('many', 0, 'FFFFFFFF')],
      0,
    )
    expect(skill.overallMultiTrial.perTrialPassRate).toBe(0.5)
    expect(skill.overallScore).toBe(0.5)
    expect(skill.overallMultiTrial.k).toBe(2)
  })

  it('leaves unscored stimuli out of every mean and counts them', () => {
    const stimuli = [stimulus('a', 0.8, 'TT'), computeStimulusScore('open', [], false)]
    const skill = computeSkillScore('s', stimuli, 0.8)
    expect(skill.overallScore).toBe(0.8)
    expect(skill.overallMultiTrial).toEqual({
      perTrialPassRate: 1,
      passAtK: 1,
      passToTheK: 1,
      k: 2,
    })
    expect(skill.passed).toBe(true)
    expect(countUnscored(skill.stimulusScores)).toBe(1)
  })

  it('of nothing but unscored stimuli is 0 and not passed, even at threshold 0', () => {
    const skill = computeSkillScore('s', [computeStimulusScore('open', [], false)], 0)
    expect(skill.overallScore).toBe(0)
    expect(skill.overallMultiTrial).toEqual({
      perTrialPassRate: 0,
      passAtK: 0,
      passToTheK: 0,
      k: 0,
    })
    expect(skill.passed).toBe(false)
  })

  it('reaches a threshold in decimal: three times 0.7 passes 0.7', () => {
    const stimuli = ['a', 'b', 'c'].map((name) => stimulus(name, 0.7, 'T'))
    expect(computeSkillScore('s', stimuli, 0.7).passed).toBe(true)
    expect(computeSkillScore('s', stimuli, 0.7001).passed).toBe(false)
  })

  it('refuses an impossible threshold', () => {
    expect(() => computeSkillScore('s', [], 1.5)).toThrow('threshold must be')
  })
})
