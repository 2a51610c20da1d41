import { afterAll, describe, expect, it, vi } from 'vitest'
import { fakeCase } from '../../test/fakes.ts'
import { gradedAnswer, gradedWorkspace } from '../../test/grade-answer.ts'
import type { GraderConfig } from '@assay/contract'
import { gradeAnswer, GraderFailure, type GradingOptions } from './grade.ts'
import { GraderTimeout, type Grader, type GraderContext, type GraderOutput } from './grader.ts'
import { closeThreads } from './worker/threads.ts'

afterAll(closeThreads)

const config = (given: Partial<GraderConfig>): GraderConfig => ({
  type: 'equals',
  name: 'equals',
  weight: 1,
  required: false,
  negate: false,
  options: { value: '42', trim: true, ignoreCase: false },
  ...given,
})

const options: GradingOptions = {
  timeoutMs: 10_000,
  signal: new AbortController().signal,
  random: () => 0.5,
  text: (text) => Promise.resolve(text),
}

const grade = (answer: string, graders: GraderConfig[], more: Partial<GradingOptions> = {}) =>
  gradeAnswer(gradedAnswer(answer, { case: fakeCase('c', { graders }) }), { ...options, ...more })

/** A `find` option that returns a test grader for every type. */
const custom = (judge: (context: GraderContext) => GraderOutput | Promise<GraderOutput>) => ({
  find: (type: string): Grader => ({
    type,
    summary: '',
    options: undefined as unknown as Grader['options'],
    grade: (_graded, _options, context) => judge(context),
  }),
})

describe('gradeAnswer', () => {
  it('does not count the setup of a case as time of a grader that reads its files', async () => {
    const setUp = new Promise<void>((resolve) => void setTimeout(resolve, 300))
    const files = gradedWorkspace({ 'a.txt': 'x' })
    const workspace = {
      ...files,
      ready: () => setUp,
      list: () => setUp.then(() => files.list()),
    }
    const graders = [config({ type: 'file-exists', options: { path: 'a.txt' } })]
    const graded = gradedAnswer('', { case: fakeCase('c', { graders }), workspace })
    expect(await gradeAnswer(graded, { ...options, timeoutMs: 100 })).toMatchObject([
      { passed: true },
    ])
  })

  it('makes one grade of each grader, in order', async () => {
    const matches = { pattern: '4', flags: '' }
    expect(
      await grade('42', [
        config({ name: 'exact', weight: 2, required: true }),
        config({ type: 'matches', name: 'four', options: matches }),
      ]),
    ).toEqual([
      {
        name: 'exact',
        type: 'equals',
        score: 1,
        passed: true,
        weight: 2,
        required: true,
        reason: 'is "42"',
      },
      {
        name: 'four',
        type: 'matches',
        score: 1,
        passed: true,
        weight: 1,
        reason: '"4" matches /4/ at line 1, column 1',
      },
    ])
    expect(await grade('42', [])).toEqual([])
  })

  it('turns a negated judgement round, but not what it does not decide', async () => {
    const [negated] = await grade('42', [config({ negate: true })])
    expect(negated).toMatchObject({ score: 0, passed: false, reason: 'negated: is "42"' })
    const part = custom(() => ({ score: 0.25, passed: null }))
    expect(await grade('', [config({ negate: true })], part)).toMatchObject([
      { score: 0.75, passed: null },
    ])
    const only = custom(() => ({ score: null, passed: false }))
    expect(await grade('', [config({ negate: true })], only)).toMatchObject([
      { score: null, passed: true },
    ])
  })

  it('keeps evidence as the record wants it, and facts as they are', async () => {
    const blob = { blob: 'ab', bytes: 9 }
    const [one] = await grade('', [config({})], {
      ...custom(() => ({ score: 1, passed: true, evidence: 'long', facts: { a: [1] } })),
      text: (text) => Promise.resolve(text === 'long' ? blob : text),
    })
    expect(one).toMatchObject({ evidence: blob, facts: { a: [1] } })
  })

  it('reports an endless pattern as a timeout under the grader’s name', async () => {
    const hard = config({
      type: 'matches',
      name: 'hard',
      options: { pattern: '(a+)+$', flags: '' },
    })
    const error = await grade(`${'a'.repeat(100)}!`, [hard], { timeoutMs: 100 }).catch(
      (e: unknown) => e,
    )
    expect(error).toBeInstanceOf(GraderTimeout)
    expect(error).toMatchObject({ message: 'hard: did not end within 0.1 s' })
  })

  it('does not turn a timeout round for a negated grader', async () => {
    const slow = custom(() => new Promise(() => {}))
    await expect(
      grade('', [config({ negate: true })], { ...slow, timeoutMs: 20 }),
    ).rejects.toBeInstanceOf(GraderTimeout)
  })

  it('tells a grader that takes too long to stop', async () => {
    const stopped = vi.fn<() => void>()
    const slow = custom(({ signal }) => {
      signal.addEventListener('abort', stopped)
      return new Promise(() => {})
    })
    await expect(grade('', [config({})], { ...slow, timeoutMs: 20 })).rejects.toThrow(
      'equals: did not end within 0.02 s',
    )
    expect(stopped).toHaveBeenCalledOnce()
  })

  it('stops with the run’s reason when the run stops', async () => {
    const reason = new Error('stopping')
    const controller = new AbortController()
    const stopped = vi.fn<() => void>()
    const slow = custom(({ signal }) => {
      signal.addEventListener('abort', stopped)
      return new Promise(() => {})
    })
    const graded = grade('', [config({})], { ...slow, signal: controller.signal })
    controller.abort(reason)
    await expect(graded).rejects.toBe(reason)
    expect(stopped).toHaveBeenCalledOnce()
    await expect(grade('', [config({})], { signal: controller.signal })).rejects.toBe(reason)
  })

  it.each([
    [
      'throws',
      () => {
        throw new TypeError('oops')
      },
      'judge-1: oops',
    ],
    ['rejects', () => Promise.reject(new Error('no verdict')), 'judge-1: no verdict'],
    [
      'scores above 1',
      () => ({ score: 2, passed: true }),
      'judge-1: its score must be from 0 to 1',
    ],
    ['scores NaN', () => ({ score: Number.NaN, passed: true }), 'judge-1: its score must be'],
    ['returns nothing', () => undefined as unknown as GraderOutput, 'judge-1: '],
    [
      'decides maybe',
      () => ({ score: 1, passed: 'maybe' as unknown as boolean }),
      'judge-1: its verdict',
    ],
  ])('names the grader that %s as a failure', async (_, judge, message) => {
    const error = await grade('', [config({ name: 'judge-1' })], custom(judge)).catch(
      (e: unknown) => e,
    )
    expect(error).toBeInstanceOf(GraderFailure)
    expect(error).toMatchObject({ grader: 'judge-1', message: expect.stringContaining(message) })
  })

  it('does not turn round what could not be compared', async () => {
    const negated = [config({ negate: true })]
    const unknown = custom(() => ({ score: 0, passed: false, final: true, reason: 'too long' }))
    expect(await grade('', negated, unknown)).toMatchObject([
      { score: 0, passed: false, reason: 'too long' },
    ])
    const known = custom(() => ({ score: 0, passed: false, reason: 'unlike' }))
    expect(await grade('', negated, known)).toMatchObject([{ score: 1, passed: true }])
  })

  it('names a type that does not exist as a failure', async () => {
    await expect(grade('', [config({ type: 'nope' })])).rejects.toThrow('there is no grader "nope"')
  })
})
