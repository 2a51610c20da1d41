import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fakeSource, fakeTrial } from '../../../test/fake-source.ts'
import { richDiff, richTrajectory } from '../../../test/rich-trajectory.ts'
import type { Text } from '@assay/contract'
import { changeNotes, gistOf, linesOf, offset } from './step-words.ts'
import { isMissing, readDiff, readTrajectory } from './read-trajectory.ts'
import { viewActs } from './view-trajectory.ts'

const { text } = fakeSource([])
const recorded = (trajectory: Text, diff: Text = trajectory) =>
  fakeTrial({ suite: 's', case: 'c', subject: 'x', index: 0, trajectory, diff })

describe('a record', () => {
  it('comes back as it was written', () => {
    const usage = { input: 1, cacheRead: 2, cacheWrite: 3, output: 4, reasoning: 5 }
    const trajectory = richTrajectory({
      usage: JSON.parse(`{"__proto__":${JSON.stringify(usage)}}`),
    })
    const trial = recorded(JSON.stringify(trajectory), JSON.stringify(richDiff()))
    expect(readTrajectory(trial, text)).toEqual(trajectory)
    expect(readDiff(trial, text)).toEqual(richDiff())
  })

  it('that is torn, gone or of another version says so', () => {
    const why = (record: Text): unknown => readTrajectory(recorded(record), text)
    expect(why('{"version":1,"steps":[')).toEqual({ missing: 'its record cannot be read' })
    expect(why('{"version":1}')).toEqual({ missing: 'its record cannot be read' })
    expect(why({ blob: 'gone', bytes: 9 })).toEqual({
      missing: 'its text is no longer in the run folder',
    })
    expect(why('{"version":2,"steps":[]}')).toEqual({
      missing: 'its record is of a version that this Assay does not know',
    })
    expect(why({ blob: 'huge', bytes: 1e9 })).toEqual({
      missing: 'it is too large to be read here',
    })
  })

  it('keeps a step that is not understood as an unknown event', () => {
    const read = readTrajectory(recorded('{"version":1,"steps":[{"kind":"dance","at":7},3]}'), text)
    if (read === null || isMissing(read)) throw new Error('not read')
    expect(read.steps).toEqual([
      { kind: 'other', at: 7, turn: 0, type: 'dance', raw: '{"kind":"dance","at":7}' },
      { kind: 'other', at: 0, turn: 0, type: '', raw: '3' },
    ])
  })

  it('can be anything, and is read and shown without fail', () => {
    const kinds = fc.constantFrom('message', 'tool-call', 'skill', 'error', 'other', 'file-change')
    const step = fc
      .record({ kind: kinds }, { requiredKeys: [] })
      .chain((some) =>
        fc
          .dictionary(
            fc.constantFrom('text', 'args', 'result', 'at', 'usage', 'path'),
            fc.jsonValue(),
          )
          .map((fields) => ({ ...fields, ...some })),
      )
    const record = fc.record({
      version: fc.constant(1),
      steps: fc.array(fc.oneof(step, fc.jsonValue())),
      changes: fc.array(fc.jsonValue()),
      usage: fc.jsonValue(),
    })
    fc.assert(
      fc.property(record, (value) => {
        const acts = viewActs(recorded(JSON.stringify(value)), text)
        expect(acts.trajectory).toHaveProperty('steps.length', value.steps.length)
        expect(acts.diff).toHaveProperty('changes')
      }),
    )
  })

  it('nested too deeply to be written again is shown as that', () => {
    const deep = `${'['.repeat(20_000)}${']'.repeat(20_000)}`
    const steps = `{"kind":"tool-call","name":"x","args":${deep},"result":${deep}}`
    const acts = viewActs(recorded(`{"version":1,"steps":[${steps}]}`), text)
    expect(JSON.stringify(acts.trajectory)).toMatch(/nested too deeply|cannot be read/)
  })
})

describe('in a few words', () => {
  it('a call is told by the argument that tells most', () => {
    expect(gistOf({ description: 'Run it', command: 'npm  test\n' })).toBe('npm test')
    expect(gistOf({ command: ['bash', '-lc', 'ls'] })).toBe('bash -lc ls')
    expect(gistOf({ todos: [{ id: 1 }] })).toBe('{"todos":[{"id":1}]}')
    expect(gistOf({ first: 1, second: 'words' })).toBe('words')
    expect([gistOf(null), gistOf({}), gistOf('x'), gistOf([1])]).toEqual(['', '', 'x', '[1]'])
    expect(gistOf({ command: 'y'.repeat(5000) })).toHaveLength(201)
  })

  it('times are short', () => {
    expect([0, 12_340, 59_999, 125_000].map(offset)).toEqual(['+0.0s', '+12.3s', '+1:00', '+2:05'])
  })

  it('a change tells its lines, its mode and what cannot be shown', () => {
    const told = richDiff().changes.map(({ path, patch = '', ...change }) => [
      path,
      Object.values(linesOf(patch)),
      changeNotes({ path, patch, ...change }),
    ])
    expect(told).toEqual([
      ['NOTES.md', [3, 0], []],
      ['logo.png', [0, 0], ['binary, 4 bytes']],
      ['old.txt', [0, 1], []],
      ['run.sh', [0, 0], ['was a file, is an executable file']],
      ['src/add.ts', [1, 1], []],
    ])
    const added = { path: 'f', change: 'added' } as const
    expect(changeNotes({ ...added, mode: '120000', text: 'a.ts' })).toEqual(['link to a.ts'])
    expect(changeNotes({ ...added, mode: '100755', text: '' })).toEqual(['executable', 'empty'])
    expect(changeNotes({ path: 'b', change: 'deleted', modeBefore: '100644' })).toEqual([
      'no lines to show: binary, empty or too large',
    ])
  })
})
