import path from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { suiteFolder } from '../../test/suite-folder.ts'
import { closeGraders, graders } from '../grade/index.ts'
import { loadSuite } from '../suite/index.ts'
import { proveSuite, type CaseProof } from './prove.ts'

afterAll(closeGraders)

/** Proves one case with these graders and answers. */
async function proofOf(
  given: { reference?: string; faulty?: readonly string[]; graders: readonly object[] },
  scoring: object = {},
  files: Record<string, string> = {},
): Promise<CaseProof | undefined> {
  const suite = { id: 's', scoring, cases: [{ id: 'a', prompt: 'p', ...given }] }
  const folder = await suiteFolder({ ...files, 'suite.json': JSON.stringify(suite) })
  const loaded = await loadSuite(path.join(folder, 'suite.json'), { graders, allowModules: true })
  const [proof] = await proveSuite(loaded.suite, {
    sandbox: null,
    gradeTimeoutMs: 2000,
    signal: new AbortController().signal,
  })
  return proof
}

const held = (proof: CaseProof | undefined): unknown[] | undefined =>
  proof?.answers.map(({ answer, holds }) => [answer, holds])

describe('the proof of a suite', () => {
  it('finds graders that tell the golden answer from the bad ones', async () => {
    const proof = await proofOf({
      reference: '```txt a.txt\nsum: 42\n```',
      faulty: ['sum: 42', '```txt a.txt\nsum: 43\n```'],
      graders: [
        { type: 'file-contains', path: '*.txt', value: 'sum' },
        { type: 'numeric', value: 42 },
      ],
    })
    expect(held(proof)).toEqual([
      ['reference', true],
      [1, true],
      [2, true],
    ])
    expect(proof?.lacks).toEqual([])
  })

  it('finds a golden answer that fails and a bad one that passes', async () => {
    const proof = await proofOf({
      reference: 'no number',
      faulty: ['it is 42'],
      graders: [{ type: 'numeric', value: 42 }],
    })
    expect(held(proof)).toEqual([
      ['reference', false],
      [1, false],
    ])
  })

  it('is content with a golden answer that passes without a full score', async () => {
    const proof = await proofOf({
      reference: 'kittens',
      faulty: ['dogs'],
      graders: [{ type: 'similarity', value: 'kitten', threshold: 0.8 }],
    })
    expect(held(proof)).toEqual([
      ['reference', true],
      [1, true],
    ])
  })

  it('takes the suite’s own answers to have cost nothing', async () => {
    const proof = await proofOf({
      reference: 'x',
      faulty: ['y'],
      graders: [
        { type: 'equals', value: 'x' },
        { type: 'token-budget', max: 10 },
        { type: 'cost-budget', max: 0 },
        { type: 'time-budget', max: '1s' },
      ],
    })
    expect(held(proof)).toEqual([
      ['reference', true],
      [1, true],
    ])
  })

  it('leaves judges out, and says so where nothing else grades', async () => {
    const judge = { type: 'judge', judges: ['openai/gpt-5'], rubric: ['It is good.'] }
    const answers = { reference: 'x', faulty: ['y'] }
    const both = await proofOf({ ...answers, graders: [judge, { type: 'equals', value: 'x' }] })
    expect(held(both)).toEqual([
      ['reference', true],
      [1, true],
    ])
    expect(await proofOf({ ...answers, graders: [judge] })).toMatchObject({
      answers: [],
      lacks: ['grader'],
    })
  })

  it('does not take a grader that fails for one that tells', async () => {
    const proof = await proofOf(
      { reference: 'x', faulty: ['y'], graders: [{ type: 'custom', file: 'g.ts' }] },
      {},
      { 'g.ts': `export default { grade() { throw new Error('broken') } }` },
    )
    expect(held(proof)).toEqual([
      ['reference', false],
      [1, false],
    ])
    expect(proof?.answers[0]?.reason).toContain('custom: failed, and again on the same answer')
  })
})
