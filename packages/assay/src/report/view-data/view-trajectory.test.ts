import { describe, expect, test } from 'vitest'
import { fakeSource, fakeTrials } from '../../../test/fake-source.ts'
import { richDiff, richSteps, richTrajectory } from '../../../test/rich-trajectory.ts'
import { makeViewData, VIEW_LIMITS } from './make-view-data.ts'
import { scriptBytes } from '../formats/script-json.ts'
import { viewDiff, viewTrajectory } from './view-trajectory.ts'

describe('what an agent did, for a page', () => {
  test('is counted whole, and its calls have their gist', () => {
    const { steps, gap, ...rest } = viewTrajectory(richTrajectory())
    expect(rest).toMatchObject({ toolCalls: 3, failedCalls: 1, turns: 3, usdFrom: 'reported' })
    expect(rest.usage.map(({ model }) => model)).toEqual(['model-large', 'model-small'])
    expect(gap).toBeNull()
    expect(steps.map(({ kind }) => kind)).toEqual(richSteps.map(({ kind }) => kind))
    expect(steps[4]).toMatchObject({ name: 'Bash', gist: 'npm test', failed: true, ms: 3400 })
  })

  test('has the requests to the model between its steps, and claims are marked and not counted', () => {
    const usage = { input: 100, cacheRead: 0, cacheWrite: 0, output: 10, reasoning: 0 }
    const request = { at: 1000, model: 'm', status: 200, usage, usd: 0.02, ms: 250.4 }
    const refused = { status: 429, usage: null, usd: null, error: 'too fast', attempts: 3 }
    const view = viewTrajectory(
      richTrajectory({
        steps: richSteps.map((step) =>
          step.kind === 'skill' || (step.kind === 'tool-call' && step.id === 'call-1')
            ? { ...step, evidence: 'claimed' as const }
            : step,
        ),
        requests: [{ ...request, at: 7200, ...refused }, request],
      }),
    )
    expect(view).toMatchObject({ toolCalls: 2, failedCalls: 0 })
    const requests = view.steps.flatMap((step, i) => (step.kind === 'request' ? [[i, step]] : []))
    expect(requests).toEqual([
      [
        2,
        {
          at: 1000,
          turn: 0,
          usage,
          usd: 0.02,
          kind: 'request',
          gist: 'm: 100 in, 10 out',
          ms: 250,
        },
      ],
      [
        expect.any(Number),
        {
          ...{ at: 7200, turn: 1, kind: 'request', ms: 250, failed: true },
          gist: 'm: sent 3 times; status 429, too fast',
        },
      ],
    ])
    expect(view.steps.filter((step) => 'claimed' in step).map(({ kind }) => kind)).toEqual([
      'skill',
      'tool-call',
    ])
  })

  test('loses steps in the middle and ends of texts where there is too much, and says so', () => {
    const step = { kind: 'reasoning', at: 1, turn: 0, text: 'y'.repeat(9000) } as const
    const few = viewTrajectory(richTrajectory({ steps: [step] }))
    expect(few.steps[0]).toMatchObject({ text: { text: 'y'.repeat(4000), more: 5000 } })
    const many = Array.from({ length: 5000 }, (_, at) => ({ ...step, at }))
    const { steps, gap } = viewTrajectory(richTrajectory({ steps: many }))
    expect(gap).toEqual({ after: 1500, steps: 3000 })
    expect([steps[1499]?.at, steps[1500]?.at]).toEqual([1499, 4500])
    expect(scriptBytes(steps)).toBeLessThan(500_000)
  })

  test('is limited in what it changed', () => {
    const change = {
      path: 'f',
      change: 'added',
      mode: '100644',
      patch: '+z\n'.repeat(20_000),
    } as const
    const diff = viewDiff(richDiff({ changes: Array.from({ length: 400 }, () => change) }))
    expect(diff.changesLeftOut).toBe(100)
    expect(diff.unkept).toBeUndefined()
    const odd = Array.from({ length: 30 }, (_, i) => `pipe-${i}`)
    const { unkept } = viewDiff(richDiff({ unkept: odd, oddities: odd }))
    expect(unkept).toEqual({ count: 30, oddities: odd.slice(0, 20) })
    expect(diff.changes[0]?.lines).toEqual({ added: 20_000, removed: 0 })
    expect(scriptBytes(diff)).toBeLessThan(200_000)
  })

  test('is kept of the failed trials first, in any order of recording, and the rest is counted', async () => {
    const trials = fakeTrials({
      subjects: ['a'],
      cases: ['one', 'two', 'three'],
      trials: 16,
      change: () => ({
        trajectory: JSON.stringify(richTrajectory()),
        diff: JSON.stringify(richDiff()),
      }),
    })
    const limits = { ...VIEW_LIMITS, actBytes: 14_000 }
    const source = fakeSource(trials)
    const data = await makeViewData(source, limits)
    const turned = fakeSource(trials.toReversed()).trials
    expect(await makeViewData({ ...source, trials: turned }, limits)).toEqual(data)
    const acted = data.trials.filter((one) => 'steps' in (one.trajectory ?? {}))
    expect(acted.length).toBeGreaterThan(2)
    expect(new Set(acted.map(({ outcome }) => outcome))).toEqual(new Set(['failed']))
    expect(data.leftOut).toMatchObject({ trials: 0, acts: 48 - acted.length })
    expect(data.notes.at(-1)).toContain(`${48 - acted.length} more trials is not in this file`)
    const bare = data.trials.find(({ outcome }) => outcome === 'passed')
    expect(bare).toMatchObject({ trajectory: { missing: 'this file has no room for it' } })
  })
})

test('has empty folders and permissions, which no file shows, within limits', () => {
  const many = Array.from({ length: 301 }, (_, i) => ({ path: `d${i}`, change: 'added' as const }))
  const { others } = viewDiff({
    ...{ version: 1, changes: [], folders: many },
    permissions: { 'key.pem': '600' },
  })
  expect(others?.folders).toHaveLength(300)
  expect(others?.permissions).toContainEqual({ path: 'key.pem', bits: '600' })
  expect(others?.leftOut).toBe(1)
  expect(viewDiff({ version: 1, changes: [], folders: [], permissions: {} }).others).toBeUndefined()
})
