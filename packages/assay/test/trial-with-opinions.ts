/** A trial that a judge judged in two runs, by a requirement and a category. */
import type { Grade, Json, Trial } from '@assay/contract'

const part = (name: string, type: string, score: number, more: Partial<Grade> = {}): Grade => ({
  ...{ name, type, score, passed: null, weight: 1 },
  ...more,
})

const criteria = (facts: Json): Grade[] => [
  part('R1', 'criterion', 0.5, { reason: '3: half', facts }),
  part('code-quality', 'criterion', 1, { facts: { category: true }, reason: '5: fine', weight: 2 }),
]

export const opinions: Grade = part('judge', 'judge', 0.75, {
  passed: true,
  reason: 'judged 0.75 by a',
  facts: { threshold: 0.5 },
  details: [
    part('a', 'judge', 0.75, {
      facts: { runs: 2, confidence: 0.6 },
      details: [
        ...criteria({ confidence: 0.4 }),
        ...['run 1', 'run 2'].map((name, i) =>
          part(name, 'judge-run', 0.75, {
            facts: { strengths: ['short'], weaknesses: [`weak ${i}`], explored: ['calls Bash'] },
            details: criteria({ confidence: 0.4 }),
          }),
        ),
      ],
    }),
  ],
})

export const trialWithOpinions = (change: Partial<Trial> = {}): Trial => ({
  ...{ suite: 's', case: 'c/1', subject: 'openai/x', index: 1, caseHash: 'h', outcome: 'passed' },
  ...{ score: 0.75, implRate: 0.75, grades: [opinions], answer: 'x', usage: null, source: 'live' },
  cost: { answerUsd: null, judgeUsd: null, spentUsd: 0 },
  time: { startedAt: '2026-01-01T00:00:00.000Z', answerMs: 1, waitMs: 0, gradeMs: 1 },
  ...change,
})
