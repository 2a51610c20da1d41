/** The rules for shortages, with a simulated machine that runs out of a resource when the test says so. */
import { describe, expect, it } from 'vitest'
import type { Short } from '../control-group/program-group.ts'
import { SandboxError } from '../sandbox.ts'
import { gradeFairly, type FairWork, type Soundness } from './grade-fairly.ts'

type Graded = Soundness | 'unready' | 'compiler'

interface Machine {
  /** The results of the gradings, in order. */
  readonly grades: readonly Graded[]
  /** The resource that runs out during each grading. */
  readonly short?: readonly (Short | null)[]
  /** Whether each run of the control program works. Default: all work. */
  readonly control?: readonly boolean[]
  readonly starved?: Short
  readonly exhausted?: boolean
}

async function graded({ grades, short = [], control = [], starved, exhausted }: Machine) {
  const done: string[] = []
  let turn = -1
  let controls = 0
  const work: FairWork<Graded> = {
    async grade() {
      turn++
      done.push('graded')
      const result = grades[turn]
      if (result === undefined) throw new Error('graded too often')
      if (result === 'unready') throw new SandboxError('not ready')
      return result
    },
    soundness: (result) =>
      result === 'unready' ? 'failed' : result === 'compiler' ? 'broken' : result,
    isBeforeCode: (result) => result === 'compiler',
    ...(starved === undefined ? {} : { starved: () => (turn === 0 ? starved : null) }),
    ...(exhausted === true ? { exhausted: (): Graded => 'failed' } : {}),
    async control() {
      done.push('control')
      return control[controls++] ?? true
    },
    watch: () => () => short[turn] ?? null,
    pause: () => Promise.resolve(),
  }
  const end = await gradeFairly(work).then(
    ({ result, again }) => ({ result, again: again !== undefined }),
    (error: unknown) => ({ error: (error as Error).name }),
  )
  return { ...end, done: done.join(' ') }
}

describe('a grading during a shortage that the answer did not cause', () => {
  it('is done once more, alone, and a right answer passes', async () => {
    const wanted = { result: 'fine', again: true, done: 'graded control graded' }
    for (const first of ['failed', 'broken', 'late'] as const) {
      expect(await graded({ grades: [first, 'fine'], short: ['processes'] })).toEqual(wanted)
      expect(await graded({ grades: [first, 'fine'], starved: 'memory' })).toEqual(wanted)
    }
    expect(await graded({ grades: ['unready', 'fine'], short: ['memory'] })).toEqual(wanted)
  })

  it('is an error if the compiler alone still finds too few processes, and a failure if it has enough', async () => {
    const grades = Array.from({ length: 6 }, () => 'compiler' as const)
    const done = 'graded control graded'
    const short = Array.from({ length: 6 }, () => 'processes' as const)
    expect(await graded({ grades, short })).toEqual({
      error: 'SandboxError',
      done: `${done} graded`,
    })
    expect(
      await graded({ grades: ['compiler', 'compiler', 'fine'], short: ['processes', 'processes'] }),
    ).toEqual({ result: 'fine', again: true, done: `${done} graded` })
    for (const second of ['memory', null] as const)
      expect(await graded({ grades, short: ['processes', second] })).toEqual({
        result: 'compiler',
        again: true,
        done,
      })
    // Code that ran may itself have used up the processes.
    expect(
      await graded({ grades: ['broken', 'broken'], short: ['processes', 'processes'] }),
    ).toEqual({ result: 'broken', again: true, done })
  })

  it('is seen by a control program too, where no counter tells', async () => {
    expect(await graded({ grades: ['broken', 'fine'], control: [false, true] })).toEqual({
      result: 'fine',
      again: true,
      done: 'graded control control graded',
    })
  })

  it('is an error where a program of ours does not run alone either', async () => {
    const control = [false, false, false, false]
    expect(await graded({ grades: ['failed'], short: ['processes'], control })).toEqual({
      error: 'SandboxError',
      done: 'graded control control control control',
    })
  })

  it('waits for the processes of an earlier grading to end', async () => {
    const control = [false, false, true]
    expect(await graded({ grades: ['failed', 'fine'], short: ['processes'], control })).toEqual({
      result: 'fine',
      again: true,
      done: 'graded control control control graded',
    })
  })
})

describe('an answer that is wrong or takes all there is', () => {
  it('has failed when it fails alone as well', async () => {
    for (const second of ['failed', 'broken', 'late'] as const)
      expect(
        await graded({ grades: ['broken', second], short: ['processes', 'processes'] }),
      ).toEqual({ result: second, again: true, done: 'graded control graded' })
  })

  it('has failed, and is not an error, when it leaves nothing to grade it with', async () => {
    const grades = ['broken', 'unready'] as const
    const short = ['processes', 'processes'] as const
    expect(await graded({ grades, short, exhausted: true })).toEqual({
      result: 'failed',
      again: true,
      done: 'graded control graded control',
    })
  })

  it('is graded once where the machine has enough', async () => {
    expect(await graded({ grades: ['fine'] })).toMatchObject({ result: 'fine', done: 'graded' })
    expect(await graded({ grades: ['failed'] })).toMatchObject({ result: 'failed', done: 'graded' })
    expect(await graded({ grades: ['broken'] })).toMatchObject({
      result: 'broken',
      again: false,
      done: 'graded control',
    })
    // If an answer passes, a shortage does not matter.
    expect(await graded({ grades: ['fine'], short: ['memory'] })).toMatchObject({ done: 'graded' })
  })

  it('is an error where the sandbox fails for another reason', async () => {
    expect(await graded({ grades: ['unready'] })).toEqual({ error: 'SandboxError', done: 'graded' })
  })
})
