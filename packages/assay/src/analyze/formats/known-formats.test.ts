import type { Trial } from '@assay/contract'
import { afterAll, describe, expect, it } from 'vitest'
import { resultFolder, rowsOf } from '../../../test/result-rows.ts'
import { trialLine, trialsHeader } from '../../log/trial-lines.ts'

const { read, remove } = resultFolder()
afterAll(remove)

describe('known formats', () => {
  it('trial results: errors are errored, skipped ones not run, ungraded ones unscored', async () => {
    const record = (fields: object): string =>
      JSON.stringify({
        type: 'trial-result',
        evalName: 'skill',
        variant: 'v',
        stimulus: 'st',
        model: 'm',
        trialIndex: 0,
        totalTrials: 5,
        status: 'success',
        durationMs: 100,
        gradeResult: {
          name: 'all',
          score: 0.5,
          passed: false,
          details: [{ name: 'g', score: 0, passed: false }],
        },
        ...fields,
      })
    const results = await read(
      [
        record({}),
        record({ trialIndex: 1, status: 'error', gradeResult: null }),
        record({ trialIndex: 2, status: 'skipped' }),
        record({ trialIndex: 3, gradeResult: null }),
        '{"type":"summary"}',
      ].join('\n'),
    )
    const one = { suite: 'skill', case: 'st', subject: 'm+v', answerMs: 100 }
    expect(rowsOf(results)).toEqual([
      { ...one, index: 0, verdict: 'failed', score: 0.5 },
      { ...one, index: 1, verdict: 'errored' },
      { ...one, index: 2, verdict: 'none', score: 0.5 },
      { ...one, index: 3, verdict: 'unscored' },
    ])
    expect(results.table.gradesAt(0)).toMatchObject([{ name: 'g', passed: false }])
    expect(results.files[0]?.notes).toEqual(['1 record of other types left out'])
  })

  it('HumanEval results: the file’s name is the subject, and the checker’s words the reason', async () => {
    const results = await read(
      [
        { task_id: 'HumanEval/0', completion: 'x', passed: true, result: 'passed' },
        { task_id: 'HumanEval/0', completion: 'x', passed: false, result: 'timed out' },
        { task_id: 'HumanEval/1', completion: 'x', passed: false, result: 'failed: no' },
      ]
        .map((line) => JSON.stringify(line))
        .join('\n'),
      {},
      'model-a.jsonl',
    )
    expect(rowsOf(results).map(({ subject, verdict }) => [subject, verdict])).toEqual([
      ['model-a', 'passed'],
      ['model-a', 'failed'],
      ['model-a', 'failed'],
    ])
    expect([0, 1, 2].map((row) => results.table.reasonAt(row)?.code)).toEqual([
      undefined,
      'code-timeout',
      'tests-failed',
    ])
  })

  it('eval-set reports: scores are computed from what compiler, tests and linter said', async () => {
    const result = (fields: object): object => ({
      case_id: 'c',
      model: 'm',
      provider: 'p',
      generated_code: '',
      compilation: { success: true, errors: [], warnings: [], duration_ms: 1 },
      test_execution: { passed: 7, failed: 3, ignored: 0, duration_ms: 1, failures: [] },
      clippy: { warnings: [], warning_count: 2 },
      timing: { llm_request_ms: 900, compilation_ms: 50, test_execution_ms: 7, total_ms: 957 },
      token_usage: {
        prompt_tokens: 10,
        completion_tokens: 20,
        total_tokens: 30,
        estimated_cost_usd: 0.25,
      },
      attempt: 1,
      run_id: 'r',
      ...fields,
    })
    const results = await read(
      JSON.stringify({
        id: 'r',
        eval_set: { id: 'basics', name: 'Basics', case_count: 1 },
        results: [
          result({}),
          result({ attempt: 2, test_execution: { passed: 3, failed: 0 }, clippy: null }),
          result({
            attempt: 3,
            compilation: { success: false, errors: ['E0'] },
            test_execution: null,
          }),
          result({ attempt: 4, test_execution: null }),
          result({ provider: 'other' }),
        ],
      }),
      {},
      'report.json',
    )
    expect(rowsOf(results)[0]).toEqual({
      suite: 'basics',
      case: 'c',
      subject: 'p/m',
      index: 1,
      verdict: 'failed',
      score: expect.closeTo(0.83, 12) as number,
      compiled: 1,
      tests: 0.7,
      lint: 0.8,
      answerMs: 900,
      gradeMs: 57,
      input: 10,
      output: 20,
      answerUsd: 0.25,
    })
    const near = (score: number): number => expect.closeTo(score, 12) as number
    expect(rowsOf(results).map(({ verdict, score }) => [verdict, score])).toEqual([
      ['failed', near(0.83)],
      ['passed', 1],
      ['failed', 0],
      ['failed', near(0.48)],
      ['failed', near(0.83)],
    ])
    expect(results.table.reasonAt(2)).toEqual({ code: 'not-compiled', text: 'E0' })
    expect(results.files[0]?.notes).toEqual([
      '1 result without findings of a linter: scored as clean code',
    ])
    expect(results.table.subjects).toEqual([['p/m'], ['other/m']])
  })

  it('Assay’s own trials', async () => {
    const trial = {
      suite: 's',
      case: 'c',
      subject: 'm',
      index: 0,
      caseHash: 'h',
      outcome: 'failed',
      reason: { code: 'tests-failed', text: 'no' },
      score: 0.5,
      implRate: null,
      grades: [
        {
          name: 'code',
          type: 'code',
          score: 0.5,
          passed: false,
          weight: 1,
          details: [
            { name: 'compile', type: 'compile', score: 1, passed: true, weight: 0.4 },
            { name: 'tests', type: 'tests', score: 0, passed: false, weight: 0.5 },
            { name: 'lint', type: 'lint', score: 1, passed: null, weight: 0.1 },
          ],
        },
      ],
      answer: null,
      usage: { input: 1, cacheRead: 0, cacheWrite: 0, output: 2, reasoning: 0 },
      cost: { answerUsd: 0.5, judgeUsd: null, spentUsd: 0.5 },
      time: { startedAt: '2026-01-01T00:00:00Z', answerMs: 5, waitMs: 0, gradeMs: 7 },
      source: 'live',
    }
    const header = '{"assay":"trials","version":1,"run":"id"}'
    const results = await read(`${header}\n${JSON.stringify(trial)}\n`)
    expect(rowsOf(results)).toEqual([
      expect.objectContaining({ verdict: 'failed', compiled: 1, tests: 0, lint: 1, gradeMs: 7 }),
    ])
    expect(results.table.reasonAt(0)?.code).toBe('tests-failed')
    const refused = {
      ...trial,
      outcome: 'passed',
      grades: [
        {
          ...trial.grades[0],
          passed: true,
          facts: { compiled: false, passed: 0, failed: 0, warnings: 0, shouldCompile: false },
          details: trial.grades[0]?.details.map((part) => ({ ...part, score: 1 })),
        },
      ],
    }
    expect(rowsOf(await read(`${header}\n${JSON.stringify(refused)}\n`))).toEqual([
      expect.objectContaining({ verdict: 'passed', compiled: 0, tests: 0 }),
    ])
    await expect(read('{"assay":"trials","version":3}\n')).rejects.toThrow(/version 3/)
    const checked = [trialsHeader('id'), trialLine(trial as Trial)]
    expect(rowsOf(await read(`${checked.join('\n')}\n`))).toHaveLength(1)
    const damaged = checked.join('\n').replace('"score":0.5', '"score":0.6')
    await expect(read(`${damaged}\n`)).rejects.toThrow(/:2: the line is damaged/)
  })
})
