import { describe, expect, it } from 'vitest'
import { trialOf } from '../../../test/report-of.ts'
import type { Grade, Json } from '@assay/contract'
import type { SubjectRecord } from '../../log/index.ts'
import { JudgedTrials, judgeNotes, ownAnswers } from './judge-report.ts'

/** Makes a grade from the score of each judge. Null means that this judge was not asked. */
const graded = (scores: Readonly<Record<string, number | null>>): Grade => ({
  name: 'judge',
  type: 'judge',
  score: 0,
  passed: null,
  weight: 1,
  details: Object.entries(scores).flatMap(([name, score]) =>
    score === null
      ? []
      : [{ name, type: 'judge', score, passed: score >= 0.5, weight: 1, details: [] }],
  ),
})

const judged = (items: readonly Readonly<Record<string, number | null>>[]): JudgedTrials => {
  const trials = new JudgedTrials()
  for (const [ordinal, item] of items.entries())
    trials.add(ordinal, trialOf({ suite: 's', grades: [graded(item)] }))
  return trials
}

const subject = (id: string, config: Json): SubjectRecord => ({
  id,
  kind: 'model',
  source: 'live',
  config,
  hash: '',
})

describe('what judges agree on', () => {
  it('is full where they say the same, and none where one says the opposite', () => {
    const scores = [0, 0.25, 0.5, 1]
    const [same] = judged(scores.map((score) => ({ a: score, b: score }))).report(1)
    expect(same?.agreement?.alpha.value).toBe(1)
    expect(same?.agreement?.kappa[0]?.metric.value).toBe(1)
    const [opposite] = judged(scores.map((score) => ({ a: score, b: 1 - score }))).report(1)
    expect(opposite?.agreement?.alpha.value).toBeLessThan(0)
  })

  it('rests on the trials that two of them judged', () => {
    const [row] = judged([
      { a: 1, b: 1 },
      { a: 0, b: 0 },
      { a: 1, b: null },
    ]).report(1)
    expect(row?.judges).toEqual([
      { judge: 'a', n: 3, meanScore: 2 / 3, passed: 2 },
      { judge: 'b', n: 2, meanScore: 0.5, passed: 1 },
    ])
    expect(row?.agreement?.alpha.n).toBe(2)
    expect(row?.agreement?.kappa[0]?.metric.n).toBe(2)
  })

  it('is undefined, with the reason, where all marks are the same', () => {
    const [row] = judged([
      { a: 1, b: 1 },
      { a: 1, b: 1 },
    ]).report(1)
    expect(row?.agreement?.alpha).toMatchObject({ value: null, reason: /nothing to agree/ })
    expect(row?.agreement?.kappa[0]?.metric.value).toBeNull()
  })

  it('is no question for one judge, and does not depend on the order of lines', () => {
    expect(judged([{ a: 1 }]).report(1)[0]?.agreement).toBeNull()
    const items = [
      { a: 1, b: 0.5 },
      { a: 0, b: 0.25 },
      { a: 0.5, b: 1 },
    ]
    const backwards = new JudgedTrials()
    for (const [ordinal, item] of [...items.entries()].toReversed())
      backwards.add(ordinal, trialOf({ suite: 's', grades: [graded(item)] }))
    expect(backwards.report(1)).toEqual(judged(items).report(1))
  })

  it('counts the last line of a trial alone', () => {
    const trials = judged([{ a: 1, b: 0 }])
    trials.add(0, trialOf({ suite: 's', grades: [graded({ a: 0.5, b: 0.5 })] }))
    expect(trials.report(1)[0]?.judges[0]).toMatchObject({ n: 1, meanScore: 0.5 })
    trials.add(0, trialOf({ suite: 's', outcome: 'errored', grades: [] }))
    expect(trials.report(1)).toEqual([])
  })
})

describe('a judge of its own answers', () => {
  const model = { provider: 'openai', model: 'gpt-5', parameters: { temperature: 0 } }

  it.each([
    ['other parameters', { ...model, parameters: {} }, true],
    ['a deadline around it', { subject: model, timeoutMs: 1000 }, true],
    ['a recording of it', { run: 'runs/x', subject: 'openai/gpt-5', sha256: '' }, true],
    ['another model', { ...model, model: 'gpt-4o' }, false],
    ['a simulation', { pass: 0.5 }, false],
  ])('is recognised by the model: %s', (_, config, own) => {
    const found = ownAnswers([subject('judge', model)], [subject('s', config)])
    expect(found).toEqual(own ? [{ judge: 'judge', subject: 's' }] : [])
  })

  it('below chance has a proper minus', () => {
    const opposite = judged([0, 0.25, 0.75, 1].map((score) => ({ a: score, b: 1 - score })))
    const [note] = judgeNotes(opposite.report(1), [], 0)
    expect(note).toMatch(/alpha −0\.\d\d/)
    expect(note).not.toMatch(/-\d/)
  })

  it('is said', () => {
    expect(judgeNotes([], [{ judge: 'a', subject: 'a' }], 0.5)).toEqual([
      'judges cost $0.50, which is in no cost of a subject',
      'a judged its own answers: such marks tend to be too high',
    ])
  })
})
