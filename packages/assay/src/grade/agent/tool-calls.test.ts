import fc from 'fast-check'
import { afterAll, describe, expect, it } from 'vitest'
import { fakeCall, fakeTrajectory } from '../../../test/fakes.ts'
import { judged, refusal } from '../../../test/grade-answer.ts'
import type { Json } from '@assay/contract'
import { closeGraders, GraderTimeout } from '../index.ts'
import type { ToolCall } from './step-lines.ts'

afterAll(closeGraders)

const calls: readonly ToolCall[] = [
  fakeCall('Read', { args: { file_path: 'src/a.ts' }, result: 'export const a = 1' }),
  fakeCall('Edit', { args: { file_path: 'src/a.ts', edits: [{ old: '1', new: '2' }] } }),
  fakeCall('Bash', { args: { command: 'npm test' }, result: '3 failed', failed: true }),
  fakeCall('Bash', { args: { command: 'npm test' }, result: '0 failed', turn: 1 }),
  fakeCall('mcp__docs__search', { args: 'plain words', result: null, turn: 1 }),
]

const judge = async (options: object, steps: readonly ToolCall[] = calls) =>
  await judged('tool-calls', options, '', { trajectory: fakeTrajectory(steps) })
const passes = async (options: object) => (await judge(options)).passed

describe('tool-calls', () => {
  it('scores the share of its checks, and passes with all of them', async () => {
    const options = { expected: ['Read', 'Write'], disallowed: ['Bash', 'WebFetch'] }
    expect(await judge(options)).toEqual({
      score: 0.5,
      passed: false,
      reason: '2 of 4 checks do not hold: did not call Write; call 3 is Bash',
      evidence: expect.stringMatching(
        /^1\. calls Read \{"file_path":"src\/a\.ts"\}, "export const a = 1"\n/,
      ) as string,
      facts: { calls: 5 },
    })
    expect(await judge({ expected: ['Read'], disallowed: ['WebFetch'] })).toEqual({
      score: 1,
      passed: true,
      reason: 'all 2 checks hold: called Read; did not call WebFetch',
      facts: { calls: 5 },
    })
  })

  it('takes names with stars, in one piece, and several names for one tool', async () => {
    expect(await passes({ expected: ['mcp__*'] })).toBe(true)
    expect(await passes({ expected: ['mcp__*__fetch'] })).toBe(false)
    expect(await passes({ expected: ['bash'] })).toBe(false)
    expect(await passes({ expected: [{ name: ['shell', 'Bash', 'run_*'] }] })).toBe(true)
    const odd = fakeCall('server/tool')
    expect((await judge({ expected: ['server*'] }, [odd])).passed).toBe(true)
  })

  it.each<[object, boolean]>([
    [{ command: 'npm test' }, true],
    [{ command: 'npm' }, false],
    [{ command: { contains: 'npm' } }, true],
    [{ command: { contains: ['npm', 'run'] } }, false],
    [{ command: { matches: '^NPM', flags: 'i' } }, true],
    [{ command: { equals: 'npm test' } }, true],
    [{ cmd: { contains: 'npm' } }, false],
    [{ '': { contains: '"command"' } }, true],
    [{ '/command': 'npm test' }, true],
    [{ constructor: { contains: 'function' } }, false],
  ])('looks at arguments: %o is %s', async (args, expected) => {
    expect(await passes({ expected: [{ name: 'Bash', args }] })).toBe(expected)
  })

  it('reaches into arguments by a JSON Pointer, whatever they are', async () => {
    const edit = (args: object) => passes({ expected: [{ name: 'Edit', args }] })
    expect(await edit({ '/edits/0/new': '2' })).toBe(true)
    expect(await edit({ '/edits': { equals: [{ new: '2', old: '1' }] } })).toBe(true)
    expect(await edit({ '/edits/1/new': { matches: '^' } })).toBe(false)
    expect(await passes({ expected: [{ name: 'mcp__*', args: { '': 'plain words' } }] })).toBe(true)
  })

  it('looks at the result and at failure, of one and the same call', async () => {
    const bash = (more: object) => passes({ expected: [{ name: 'Bash', ...more }] })
    expect(await bash({ result: { contains: '0 failed' } })).toBe(true)
    expect(await bash({ result: { contains: '0 failed' }, failed: true })).toBe(false)
    expect(await bash({ result: { matches: '^[1-9]' }, failed: true })).toBe(true)
    expect(await passes({ disallowed: [{ name: 'Bash', failed: true }] })).toBe(false)
    expect(await passes({ expected: [{ name: 'mcp__*', result: { matches: '^' } }] })).toBe(false)
  })

  it('holds calls to an order, with others between them', async () => {
    expect(await judge({ sequence: ['Read', 'Bash', 'Bash'] })).toMatchObject({
      passed: true,
      reason: 'called 3 tools in order',
    })
    expect(await judge({ sequence: ['Bash', 'Edit'] })).toMatchObject({
      score: 0,
      reason: 'did not call Edit after Bash',
    })
    expect(await passes({ sequence: ['Bash', 'Bash', 'Bash'] })).toBe(false)
  })

  it('finds an order exactly where the calls have one', async () => {
    const names = fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 8 })
    await fc.assert(
      fc.asyncProperty(
        names,
        fc.array(fc.constantFrom('a', 'b', 'c'), { minLength: 1, maxLength: 5 }),
        async (made, sequence) => {
          const expected = new RegExp(sequence.join('.*')).test(made.join(''))
          const found = await judge(
            { sequence },
            made.map((name) => fakeCall(name)),
          )
          expect(found.passed).toBe(expected)
        },
      ),
      { numRuns: 60 },
    )
  })

  it('counts calls by name', async () => {
    expect(await judge({ counts: { Bash: { max: 1 }, '*': { min: 2 } } })).toMatchObject({
      score: 0.5,
      passed: false,
      reason: '1 of 2 checks do not hold: called Bash 2 times, expected at most 1',
    })
    expect(await passes({ counts: { Bash: { min: 2, max: 2 }, Write: { max: 0 } } })).toBe(true)
  })

  it('looks at one of the user’s turns alone', async () => {
    expect(await judge({ disallowed: ['Read', 'Edit'], turn: 2 })).toMatchObject({
      passed: true,
      facts: { calls: 2 },
    })
    expect((await judge({ expected: ['Read'], turn: 2 })).reason).toBe(
      'did not call Read (in turn 2)',
    )
  })

  it('says where a stream broke off', async () => {
    const trajectory = fakeTrajectory(calls, { complete: false })
    expect(
      (await judged('tool-calls', { disallowed: ['Write'] }, '', { trajectory })).reason,
    ).toContain('its stream broke off')
  })

  it('does not take it for shown that nothing forbidden is in what could not be kept', async () => {
    const trajectory = fakeTrajectory(calls, { lossy: true })
    const graded = async (type: string, options: object) =>
      (await judged(type, options, '', { trajectory })).passed
    expect(await graded('tool-calls', { disallowed: ['Write'] })).toBe(false)
    expect(await graded('tool-calls', { counts: { Write: { max: 3 } } })).toBe(false)
    expect(await graded('tool-calls', { expected: ['Read'] })).toBe(true)
    expect(await graded('skill-invocation', { disallowed: ['x'] })).toBe(false)
    expect(await graded('tool-call-count', { max: 1000 })).toBe(false)
    expect(await graded('tool-call-count', { min: 1 })).toBe(true)
    expect(await graded('turn-count', { max: 1000 })).toBe(false)
    expect(await graded('error-count', { max: 0 })).toBe(false)
  })

  it('ends a catastrophic pattern at its deadline', async () => {
    const trajectory = fakeTrajectory([fakeCall('Bash', { result: 'a'.repeat(40) })])
    const options = { expected: [{ name: 'Bash', result: { matches: '(a+)+b' } }] }
    const work = judged('tool-calls', options, '', { trajectory }, { timeoutMs: 100 })
    await expect(work).rejects.toThrow(GraderTimeout)
  })

  it('is not upset by what agents send, and keeps it short and plain', async () => {
    let deep: Json = 'x'
    for (let i = 0; i < 5000; i++) deep = [deep]
    const cruel = `\u001b[2J\u202e${'😀\n'.repeat(5000)}`
    const steps = [
      fakeCall(cruel, { args: deep, result: cruel }),
      fakeCall('', { args: { [cruel]: cruel } }),
    ]
    const { reason = '', evidence = '' } = await judge(
      {
        expected: [
          'x',
          { name: cruel.slice(0, 400), args: { [cruel.slice(0, 400)]: cruel.slice(0, 9000) } },
        ],
        disallowed: ['*'],
        sequence: [cruel.slice(0, 400), 'y'],
      },
      steps,
    )
    expect(reason.length).toBeLessThan(500)
    expect(evidence.length).toBeLessThan(1500)
    // oxlint-disable-next-line no-control-regex
    expect(reason).not.toMatch(/[\u0000-\u001f\u202e]/)
    // oxlint-disable-next-line no-control-regex
    expect(evidence).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u202e]/)
  })

  it('refuses options that can never be right', () => {
    const options = (given: object) => refusal('tool-calls', given)
    expect(options({})).toContain('one of the options expected, disallowed, sequence and counts')
    expect(options({ counts: {} })).toContain(
      'one of the options expected, disallowed, sequence and counts',
    )
    expect(options({ counts: { Bash: {} } })).toContain('min or max')
    expect(options({ counts: { Bash: { min: 2, max: 1 } } })).toContain('not above max')
    expect(options({ expected: [] })).not.toBe('')
    expect(options({ expected: [{ nam: 'x' }] })).not.toBe('')
    expect(options({ expected: [{ name: 'x', args: { a: {} } }] })).not.toBe('')
    expect(options({ expected: [{ name: 'x', args: { '/~2': 'a' } }] })).not.toBe('')
    expect(options({ expected: [{ name: 'x', result: { matches: '(' } }] })).not.toBe('')
    expect(options({ expected: ['x'], turn: 0 })).not.toBe('')
  })
})

describe('skill-invocation', () => {
  const trajectory = fakeTrajectory([
    { kind: 'skill', name: 'pdf:forms' },
    { kind: 'skill', name: 'pdf:forms' },
    { kind: 'message', role: 'assistant', text: 'I use the skill xlsx.' },
  ])
  const skills = (options: object) => judged('skill-invocation', options, '', { trajectory })

  it('goes by what was used, not by what was said', async () => {
    expect(await skills({ expected: ['pdf:*'], disallowed: ['docx'] })).toEqual({
      score: 1,
      passed: true,
      reason: 'all 2 checks hold: used the skill pdf:*; did not use the skill docx',
      facts: { skills: ['pdf:forms'] },
    })
    expect(await skills({ expected: ['xlsx', 'pdf:forms'] })).toMatchObject({
      score: 0.5,
      passed: false,
      reason: '1 of 2 checks do not hold: did not use the skill xlsx',
    })
    expect((await skills({ disallowed: ['pdf*'] })).passed).toBe(false)
  })

  it('refuses to look for nothing', () => {
    expect(refusal('skill-invocation', {})).toContain('one of the options expected and disallowed')
  })
})
