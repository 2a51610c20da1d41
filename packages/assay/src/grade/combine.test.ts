import fc from 'fast-check'
import path from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import type { Grade } from '@assay/contract'
import { gradedAnswer } from '../../test/grade-answer.ts'
import { suiteFolder } from '../../test/suite-folder.ts'
import { SuiteError } from '../documents/index.ts'
import { loadSuite } from '../suite/index.ts'
import { closeGraders, gradeAnswer, graders, needsSandbox } from './index.ts'

afterAll(closeGraders)

/** The case of a suite with these graders, as a run reads it. */
async function caseWith(list: readonly object[]) {
  const suite = { id: 's', cases: [{ id: 'a', prompt: 'p', graders: list }] }
  const folder = await suiteFolder({ 'suite.json': JSON.stringify(suite) })
  const { suite: read } = await loadSuite(path.join(folder, 'suite.json'), { graders })
  const [one] = read.cases
  if (one === undefined) throw new Error('no case')
  return one
}

async function grades(answer: string, ...list: object[]): Promise<Grade[]> {
  return await gradeAnswer(gradedAnswer(answer, { case: await caseWith(list) }), {
    timeoutMs: 10_000,
    signal: new AbortController().signal,
    random: () => 0.5,
    text: (text) => Promise.resolve(text),
  })
}

async function grade(answer: string, one: object): Promise<Grade> {
  const [first] = await grades(answer, one)
  if (first === undefined) throw new Error('no grade')
  return first
}

async function problem(one: object): Promise<string> {
  try {
    await caseWith([one])
  } catch (error) {
    if (error instanceof SuiteError) return error.problems.map(({ message }) => message).join('\n')
    throw error
  }
  return ''
}

const equals = (value: string, more: object = {}) => ({ type: 'equals', value, ...more })

describe('any and all', () => {
  it('pass if one member passes, and if every member does', async () => {
    const members = [equals('Paris'), { type: 'contains', value: 'capital' }]
    for (const [answer, any, all] of [
      ['Paris', true, false],
      ['the capital', true, false],
      ['Rome', false, false],
    ] as const) {
      expect(await grade(answer, { type: 'any', graders: members })).toMatchObject({
        passed: any,
        score: any ? 1 : 0,
      })
      expect(await grade(answer, { type: 'all', graders: members })).toMatchObject({
        passed: all,
        score: 0,
      })
    }
    const both = [
      { type: 'contains', value: 'Paris' },
      { type: 'contains', value: 'capital' },
    ]
    expect(await grade('the capital is Paris', { type: 'all', graders: both })).toMatchObject({
      passed: true,
      score: 1,
      reason: 'all 2 pass',
      details: [{ name: 'contains' }, { name: 'contains-2' }],
    })
  })

  it('agree with and, or and not for every combination of members', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ right: fc.boolean(), negate: fc.boolean() }), {
          minLength: 1,
          maxLength: 4,
        }),
        fc.boolean(),
        async (members, negate) => {
          const list = members.map((one) =>
            equals(one.right ? 'x' : 'y', one.negate ? { negate: true } : {}),
          )
          const verdicts = members.map((one) => one.right !== one.negate)
          const any = await grade('x', { type: 'any', graders: list, negate })
          const all = await grade('x', { type: 'all', graders: list, negate })
          expect(any.passed).toBe(verdicts.some(Boolean) !== negate)
          expect(all.passed).toBe(verdicts.every(Boolean) !== negate)
          expect(any.score).toBe(any.passed === true ? 1 : 0)
        },
      ),
      { numRuns: 40 },
    )
  })

  it('take the highest and the lowest score', async () => {
    const members = ['night', 'nacht'].map((value) => ({
      type: 'similarity',
      value,
      threshold: 0.1,
    }))
    const [any, all] = await grades(
      'nigt',
      { type: 'any', graders: members },
      { type: 'all', graders: members },
    )
    const scores = any?.details?.map(({ score }) => score ?? 0) ?? []
    expect(any?.score).toBe(Math.max(...scores))
    expect(all?.score).toBe(Math.min(...scores))
  })

  it('do not pass by negation where nothing could be compared', async () => {
    const unread = equals('spam', { transform: { path: '/label' } })
    for (const type of ['any', 'all'])
      expect(await grade('not JSON', { type, graders: [unread], negate: true })).toMatchObject({
        passed: false,
        score: 0,
      })
    // One member that certainly fails is enough for all to be certain.
    const certain = { type: 'all', graders: [unread, equals('x')], negate: true }
    expect(await grade('not JSON', certain)).toMatchObject({ passed: true })
  })

  it('can be nested, and tell what their members need', async () => {
    const run = { type: 'run', command: 'true' }
    const nested = { type: 'any', graders: [equals('x'), { type: 'all', graders: [run] }] }
    expect(needsSandbox(await caseWith([nested]))).toBe(true)
    expect(needsSandbox(await caseWith([{ type: 'any', graders: [equals('x')] }]))).toBe(false)
  })

  it('refuse members that are wrong, with their place', async () => {
    expect(await problem({ type: 'any', graders: [{ type: 'equal', value: 'x' }] })).toContain(
      'cases[0].graders[0].graders[0].type: expected one of the graders',
    )
    expect(await problem({ type: 'any', graders: [equals('x', { weight: 2 })] })).toContain(
      'graders[0].graders[0].weight: expected no weight, as the members give one grade together',
    )
    expect(await problem({ type: 'all', graders: [{ type: 'judge', rubric: 'x' }] })).toContain(
      'expected a grader other than judge',
    )
    expect(await problem({ type: 'all', graders: [] })).toContain('cases[0].graders[0].graders')
    expect(await problem({ type: 'all', graders: [{ type: 'equals', valeu: 'x' }] })).toContain(
      'did you mean value?',
    )
    let deep: object = equals('x')
    for (let i = 0; i < 8; i++) deep = { type: 'any', graders: [deep] }
    expect(await problem(deep)).toContain('combinations at most 5 deep')
  })
})

describe('a transform', () => {
  it.each([
    [{ pattern: 'answer: (\\w+)' }, 'my answer: Paris.', true],
    [{ pattern: 'answer: (\\w+)' }, 'answer: Rome, no, answer: Paris', false],
    [{ pattern: 'answer: (\\w+)', match: 'last' }, 'answer: Rome, no, answer: Paris', true],
    [{ pattern: 'P\\w+' }, 'it is Paris', true],
    [{ pattern: 'ANSWER: (?<city>\\w+)', flags: 'i', group: 'city' }, 'answer: Paris', true],
    [{ pattern: '(a)|(Paris)', group: 2 }, 'a Paris', false],
    [{ path: '/city/name' }, '{"city": {"name": "Paris"}}', true],
    [{ path: '/city' }, '```json\n{"city": "Paris"}\n```', true],
    [{ path: '/city' }, '{"town": "Paris"}', false],
    [{ path: '/city' }, 'Paris', false],
    [[{ path: '/text' }, { pattern: '(\\w+)$' }], '{"text": "it is Paris"}', true],
  ])('%j of %j makes it pass: %s', async (transform, answer, passes) => {
    expect(await grade(answer, equals('Paris', { transform }))).toMatchObject({ passed: passes })
  })

  it('gives values of JSON that are not text as JSON', async () => {
    const transform = { path: '/n' }
    expect(await grade('{"n": 42}', { type: 'numeric', value: 42, transform })).toMatchObject({
      passed: true,
    })
    expect(
      await grade('{"n": [1, {"a": null}]}', {
        ...{ type: 'json', path: '/1/a', equals: null },
        transform,
      }),
    ).toMatchObject({ passed: true })
  })

  it('fails an answer that lacks the part, also if the grader is negated', async () => {
    for (const transform of [{ pattern: 'answer: (.*)' }, { path: '/x' }])
      for (const negate of [false, true]) {
        const one = await grade('', equals('Paris', { transform, negate }))
        expect(one).toMatchObject({ passed: false, score: 0 })
        expect(one.reason).toMatch(/^the transform finds nothing: /)
      }
  })

  it('of a combination is that of all its members', async () => {
    const one = {
      type: 'any',
      transform: { path: '/label' },
      graders: [equals('spam'), equals('junk')],
    }
    expect(await grade('{"label": "junk"}', one)).toMatchObject({ passed: true })
    expect(await grade('junk', one)).toMatchObject({ passed: false })
  })

  it('ends at the deadline, whatever the pattern', async () => {
    const slow = equals('x', { transform: { pattern: '(a+)+$' } })
    const graded = gradedAnswer(`${'a'.repeat(40)}!`, { case: await caseWith([slow]) })
    await expect(
      gradeAnswer(graded, {
        timeoutMs: 200,
        signal: new AbortController().signal,
        random: () => 0.5,
        text: (text) => Promise.resolve(text),
      }),
    ).rejects.toThrow(/equals: did not end within/)
  })

  it('is refused if it is wrong, or if the grader does not read the text', async () => {
    expect(await problem(equals('x', { transform: { pattern: '(' } }))).toContain(
      'transform.pattern: expected a regular expression (Unterminated group), found "("',
    )
    expect(await problem(equals('x', { transform: [{ pattern: 'a', group: 1 }] }))).toContain(
      'transform[0].group: expected a group of the pattern: 0 to 0, found 1',
    )
    expect(await problem(equals('x', { transform: { patern: 'a' } }))).toContain('transform')
    expect(
      await problem({ type: 'file-exists', path: 'x', transform: { pattern: 'a' } }),
    ).toContain('file-exists does not grade the text of the answer')
  })

  it('is part of the case: another one is another case, and none leaves the hash as it was', async () => {
    const [none, some] = [
      await caseWith([equals('x')]),
      await caseWith([equals('x', { transform: { pattern: 'a' } })]),
    ]
    expect(none.graders[0]).not.toHaveProperty('transform')
    expect(some.hash).not.toBe(none.hash)
  })
})
