import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Trial } from '@assay/contract'
import { opinions, trialWithOpinions } from '../../../test/trial-with-opinions.ts'
import { judgmentOf } from './judgment.ts'
import { writeJudgments } from './write-judgments.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'assay-judgment-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

describe('a judgment', () => {
  it('has the scores, the summary and what the judge did, in the format of the tiered experiments', () => {
    expect(judgmentOf(trialWithOpinions())).toMatchObject({
      timestamp: '2026-01-01T00:00:00.000Z',
      judge_model: 'a',
      requirements: { R1: { id: 'R1', score: 0.5, confidence: 0.4, notes: '3: half' } },
      categories: { code_quality: { name: 'code_quality', score: 1, weight: 2, confidence: null } },
      summary: {
        weighted_score: 0.75,
        passed: true,
        letter_grade: 'C',
        overall_confidence: 0.6,
        strengths: ['short'],
        weaknesses: ['weak 0', 'weak 1'],
      },
      exploratory_testing: { commands_run: ['calls Bash', 'calls Bash'] },
    })
  })

  it('is none where no judge gave a verdict', () => {
    expect(judgmentOf(trialWithOpinions({ grades: [], implRate: 0 }))).toBeNull()
  })

  it('passes by its threshold where other graders decided', () => {
    const advice = { ...opinions, passed: null, facts: { threshold: 0.8 } }
    expect(judgmentOf(trialWithOpinions({ grades: [advice] }))?.summary.passed).toBe(false)
  })

  it('is written for each judged trial', async () => {
    const trials = [
      trialWithOpinions(),
      trialWithOpinions({ index: 0 }),
      trialWithOpinions({ grades: [], implRate: null }),
    ]
    const source = { trials: async (each: (trial: Trial) => void) => trials.forEach(each) }
    const out = join(folder, 'out')
    expect(await writeJudgments(source, out)).toEqual({ written: 2, without: 1 })
    const first = join(out, 's', 'c%2F1', 'openai%2Fx', 'run_1', 'judgment.json')
    expect(JSON.parse(readFileSync(first, 'utf8'))).toMatchObject({ assay: { index: 0 } })
    await expect(writeJudgments(source, out)).rejects.toThrow(/not empty/)
  })
})
