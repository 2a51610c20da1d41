/** Several runs of one judge: their consensus, by hand-computed figures, and what happens if they disagree. */
import { describe, expect, it } from 'vitest'
import { gradedAnswer } from '../../../test/grade-answer.ts'
import type { Grade, Json, Message } from '@assay/contract'
import type { AskJudge, JudgeRequest } from '../grader.ts'
import { judge } from './judge.ts'
import { judgeOptions, runsOf } from './options.ts'
import { readReply } from './reply.ts'

interface Reply {
  readonly marks: Readonly<Record<string, readonly [mark: unknown, confidence?: number]>>
  readonly confidence?: number
  readonly strengths?: readonly string[]
  readonly weaknesses?: readonly string[]
}

const keyIn = (messages: readonly Message[]): string =>
  /"key": "([0-9a-f]+)"/.exec(messages.map(({ content }) => content).join())?.[1] ?? ''

/** Grades an answer with judges that give these replies in turn, and returns what was asked. */
async function graded(options: object, replies: Readonly<Record<string, readonly Reply[]>>) {
  const asked: { judge: string; request: JudgeRequest; key: string }[] = []
  const ask: AskJudge = async (name, messages, request) => {
    const reply = replies[name]?.[asked.filter((one) => one.judge === name).length]
    if (reply === undefined) throw new Error(`${name} was asked more often than expected`)
    const { marks, ...rest } = reply
    asked.push({ judge: name, request, key: keyIn(messages) })
    const criteria = Object.entries(marks).map(([id, [mark, confidence]]) => ({
      ...{ id, reason: 'so', mark },
      ...(confidence === undefined ? {} : { confidence }),
    }))
    const text = JSON.stringify({ key: keyIn(messages), criteria, ...rest })
    return { text, stop: 'end', usd: 0.01 }
  }
  const parsed = judgeOptions.parse({ judges: ['a'], rubric: RUBRIC, attempts: 1, ...options })
  const output = await judge.grade(gradedAnswer('right'), parsed, {
    signal: new AbortController().signal,
    timeoutMs: 1000,
    random: () => 0.5,
    sandbox: null,
    ask,
  })
  return { output, asked, byA: output.details?.[0] as Grade }
}

const RUBRIC = [
  { id: 'right', text: 'Right?', weight: 3 },
  { id: 'clear', text: 'Clear?', scale: [1, 5] },
]

const facts = ({ facts: given }: Grade) => given as Readonly<Record<string, Json>>

/** A reply whose score is (3 · right + (clear − 1) / 4) / 4. */
const said = (right: boolean, clear: number, confidence?: number): Reply => ({
  marks: { right: [right], clear: [clear] },
  ...(confidence === undefined ? {} : { confidence }),
})

describe('several runs of a judge', () => {
  it('make a consensus weighted by the confidence they state, as a whole and per criterion', async () => {
    const { output, byA, asked } = await graded(
      { runs: 3, disagreement: 1 },
      {
        a: [
          // Scores: (3·1 + 0.75)/4 = 0.9375, (3·1 + 0.5)/4 = 0.875, (3·0 + 0.25)/4 = 0.0625.
          { marks: { right: [true, 0.9], clear: [4, 0.8] }, confidence: 0.9 },
          { marks: { right: [true, 0.7], clear: [3, 0.2] }, confidence: 0.6 },
          { marks: { right: [false, 0.4], clear: [2, 0.5] }, confidence: 0.3 },
        ],
      },
    )
    // (0.9375·0.9 + 0.875·0.6 + 0.0625·0.3) / 1.8 = (0.84375 + 0.525 + 0.01875) / 1.8 = 1.3875 / 1.8
    expect(output.score).toBeCloseTo(0.7708333333333333, 12)
    expect(output.passed).toBe(true)
    const [right, clear, ...runs] = byA.details as Grade[]
    // (1·0.9 + 1·0.7 + 0·0.4) / 2 = 0.8; (0.75·0.8 + 0.5·0.2 + 0.25·0.5) / 1.5 = 0.825 / 1.5 = 0.55
    expect(right?.score).toBeCloseTo(0.8, 12)
    expect(clear?.score).toBeCloseTo(0.55, 12)
    expect(runs.map(({ name, score }) => [name, score])).toEqual([
      ['run 1', 0.9375],
      ['run 2', 0.875],
      ['run 3', 0.0625],
    ])
    expect(facts(byA)).toMatchObject({ runs: 3, plannedRuns: 3, requests: 3, confidence: 0.6 })
    expect(new Set(asked.map(({ key }) => key)).size).toBe(3)
    expect(asked.map(({ request }) => request.run)).toEqual([0, 1, 2])
    expect(output.reason).toContain('consensus of 3 runs: 0.938, 0.875, 0.063')
  })

  it('count as certain where they state no confidence, and the grade says so', async () => {
    const { output } = await graded(
      { runs: 2, disagreement: 1 },
      { a: [said(true, 5), said(true, 1, 0.5)] },
    )
    // (1·1 + 0.75·0.5) / 1.5
    expect(output.score).toBeCloseTo(1.375 / 1.5, 12)
    expect(output.reason).toContain('1 run states no confidence and counts as certain')
    const silent = await graded({ runs: 2, disagreement: 1 }, { a: [said(true, 5), said(true, 1)] })
    expect(silent.output.score).toBe(0.875)
    expect(silent.output.reason).toContain('no run states its confidence, so all count the same')
  })

  it('count the same where all of them state the confidence 0, and the grade says so', async () => {
    const { output } = await graded(
      { runs: 2, disagreement: 1 },
      { a: [said(true, 5, 0), said(true, 1, 0)] },
    )
    expect(output.score).toBe(0.875)
    expect(output.reason).toContain('every run states the confidence 0')
  })

  it('leave a criterion out of the runs by which it does not apply', async () => {
    const rubric = [
      { id: 'x', text: 'X?' },
      { id: 'maybe', text: 'Y?', mayNotApply: true },
    ]
    const run = (mark: boolean | null): Reply => ({ marks: { x: [true], maybe: [mark, 0.5] } })
    const { byA } = await graded({ runs: 3, rubric }, { a: [run(null), run(true), run(null)] })
    expect(byA.details?.[1]).toMatchObject({ name: 'maybe', score: 1 })
  })

  it('are as many as the judge is named, and other judges count as judges', async () => {
    const options = { judges: ['a', 'b', 'a', 'a'], disagreement: 1 }
    const a = [said(true, 5), said(true, 5), said(false, 1)]
    const { output, asked } = await graded(options, { a, b: [said(false, 1)] })
    expect(asked.map((one) => one.judge)).toEqual(['a', 'a', 'a', 'b'])
    expect(output.details?.map(({ name, score }) => [name, score])).toEqual([
      ['a', 2 / 3],
      ['b', 0],
    ])
    expect(output.score).toBeCloseTo(1 / 3, 12)
  })
})

describe('runs that disagree', () => {
  it('are followed by further ones until they agree', async () => {
    const a = [said(true, 5), said(false, 5), said(true, 5), said(true, 5), said(true, 5)]
    // The first two differ by 0.75. With n more that agree with the first: 2/3, 3/6 and 4/10 of 0.75.
    const { byA, asked, output } = await graded({ runs: 2, maxRuns: 8, disagreement: 0.35 }, { a })
    expect(asked).toHaveLength(5)
    expect(facts(byA)).toMatchObject({ runs: 5, plannedRuns: 2, bound: 0.35 })
    expect(facts(byA)['difference']).toBeCloseTo(0.3, 12)
    expect(facts(byA)['disagree']).toBeUndefined()
    expect(output.reason).toContain(
      'asked 3 times more, as its first 2 runs differ by 0.75 on average, more than 0.35',
    )
    // One of five runs says 0.25, the others 1.
    expect(output.score).toBeCloseTo(0.85, 12)
  })

  it('end at the most runs, and the grade says that they still disagree', async () => {
    const a = Array.from({ length: 9 }, (_, i) => said(i % 2 === 0, 5))
    const { byA, asked, output } = await graded({ runs: 2 }, { a })
    expect(asked).toHaveLength(4)
    expect(facts(byA)).toMatchObject({ runs: 4, maxRuns: 4, disagree: true })
    expect(output.reason).toContain(
      'its runs still disagree, by 0.5 on average, and 4 are the most',
    )
  })

  it('are not followed by others at the bound itself, nor after a single run', async () => {
    const a = [said(true, 5), said(true, 1)]
    expect((await graded({ runs: 2, disagreement: 0.25 }, { a })).asked).toHaveLength(2)
    expect((await graded({ maxRuns: 9 }, { a })).asked).toHaveLength(1)
  })

  it('have two more at most unless the options say otherwise', () => {
    const planOf = (given: object) => {
      const [plan] = runsOf(judgeOptions.parse({ rubric: ['x'], judges: ['a'], ...given }))
      return [plan?.planned, plan?.most, plan?.disagreement]
    }
    expect(planOf({})).toEqual([1, 1, 0.2])
    expect(planOf({ runs: 3 })).toEqual([3, 5, 0.2])
    expect(planOf({ runs: 2, judges: ['a', 'a'] })).toEqual([4, 6, 0.2])
    expect(planOf({ judges: ['a', 'a', 'a'], maxRuns: 2 })).toEqual([3, 3, 0.2])
  })
})

describe('what a judge says beside its marks', () => {
  const rubric = judgeOptions.parse({ rubric: ['x'] }).rubric
  const reply = (more: object, criterion: object = {}) =>
    readReply(
      JSON.stringify({ key: 'k', criteria: [{ id: 'c1', mark: true, ...criterion }], ...more }),
      'k',
      rubric,
    )

  it.each([1.2, -0.1, '0.9', true])('is not a valid reply with the confidence %o', (confidence) => {
    expect(reply({ confidence })).toHaveProperty('fault', expect.stringContaining('confidence'))
    expect(reply({}, { confidence })).toHaveProperty(
      'fault',
      expect.stringContaining('the confidence for c1'),
    )
  })

  it('is kept and shown: strengths, weaknesses, reasons', async () => {
    expect(reply({ strengths: 'many' })).toHaveProperty('fault')
    expect(reply({ weaknesses: [1] })).toHaveProperty('fault')
    expect(reply({ strengths: [' ', 'short'], confidence: null })).toMatchObject({
      strengths: ['short'],
      weaknesses: [],
      confidence: null,
    })
    const { byA } = await graded(
      {},
      { a: [{ ...said(true, 5, 0.75), strengths: ['short', 'clear'], weaknesses: ['no tests'] }] },
    )
    expect(byA.reason).toBe('confidence 0.75. strengths: short; clear. weaknesses: no tests')
    expect(facts(byA)).toMatchObject({ strengths: ['short', 'clear'], weaknesses: ['no tests'] })
  })
})
