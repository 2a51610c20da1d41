/**
 * An impossible cost or token count (negative, not finite, not a number) is ignored, does not lower any sum, and is
 * reported on the trial.
 *
 * The tests also cover: the streams of Claude Code, Codex, Gemini CLI and Assay's own events
 * (subject/agent/*-reader.ts, assay-events.ts, spent.ts); the JSON output of a command, with and without a
 * workspace (envelope.ts, command-kind.ts); replies of providers (wire.ts, exchange.ts); price files (price-file.ts
 * refuses such a price before the run); failed requests and several turns (ask.ts, converse.ts); judges
 * (judging.ts); the answer cache, pending answers and recorded trials that are resumed, replayed or graded again
 * (answer-cache.ts, pending.ts, log/trial-lines.ts). `assay analyze` and `assay compare` refuse such a number and
 * name its place (row-target.ts, check-report.ts).
 */
import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { readStream } from '../../../test/agent-stream.ts'
import { fakeCase, fakeSubject, fakeSuite, saying, skippingClock } from '../../../test/fakes.ts'
import { SubjectError, type Answer, type Trial, type Usage } from '@assay/contract'
import { readTrials } from '../../log/index.ts'
import { claude } from '../../subject/agent/claude/claude.ts'
import { codex } from '../../subject/agent/codex/codex.ts'
import { gemini } from '../../subject/agent/gemini/gemini.ts'
import { readPriceFile } from '../../subject/model/price-file.ts'
import { isPending } from '../resume/pending.ts'
import { run } from '../run.ts'

let folder: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'assay-amounts-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

/** Values that a program may report instead of a valid number. Undefined means that the field is absent. */
const impossible = fc.constantFrom<unknown>(
  -1,
  -0.4,
  -1e-9,
  -1e300,
  1e300,
  Infinity,
  -Infinity,
  NaN,
  '5',
  '-5',
  true,
  {},
  [],
)
const possible = fc.double({ min: 0, max: 1000, noNaN: true })
const COST = 'a cost is no sum of money that can be, and does not count'
const USAGE = 'a count of tokens is not a number that can be, and does not count'
const SETTINGS = { model: 'm', args: [], mcpServers: {} }

/** JSON has no infinity, but a number as large as 1e999 is parsed as infinity. */
const asJson = (value: unknown): string =>
  JSON.stringify(value, (_, one: unknown) =>
    one === Infinity ? 'INF' : one === -Infinity ? '-INF' : one,
  )
    .replaceAll('"INF"', '1e999')
    .replaceAll('"-INF"', '-1e999')

describe('what Claude Code says that a model cost', () => {
  const read = (costs: readonly unknown[]) =>
    readStream(claude, SETTINGS, [
      {
        lines: [
          asJson({
            type: 'result',
            subtype: 'success',
            result: 'done',
            modelUsage: Object.fromEntries(
              costs.map((costUSD, i) => [`m${i}`, { inputTokens: 0, outputTokens: 0, costUSD }]),
            ),
          }),
        ],
        notes: [],
      },
    ]).builder

  it('does not count where it is negative', () => {
    const builder = read([1, -0.4])
    expect(builder.atLeastUsd).toBe(1)
    expect(builder.usd === null || builder.usd >= 1).toBe(true)
    expect(builder.build('claude').oddities).toEqual([COST])
  })

  it('never lowers the sum of the others', () => {
    fc.assert(
      fc.property(fc.array(possible), fc.array(impossible), (sound, unsound) => {
        const sum = sound.reduce((a, b) => a + b, 0)
        const builder = read([...sound, ...unsound])
        expect(builder.atLeastUsd).toBeGreaterThanOrEqual(sum * (1 - 1e-12))
        if (builder.usd !== null) expect(builder.usd).toBeGreaterThanOrEqual(sum * (1 - 1e-12))
        const said = unsound.filter((one) => !Number.isNaN(one)).length
        expect(builder.build('claude').oddities.some((one) => one.startsWith(COST))).toBe(said > 0)
      }),
    )
  })
})

describe('counts of tokens in a stream', () => {
  const used = {
    claude: (count: unknown) => ({
      type: 'assistant',
      message: { id: 'a', model: 'm', content: 'hi', usage: { output_tokens: count } },
    }),
    codex: (count: unknown) => ({ type: 'turn.completed', usage: { output_tokens: count } }),
    gemini: (count: unknown) => ({
      type: 'result',
      status: 'success',
      stats: { models: { m: { output_tokens: count } } },
    }),
  }

  it.each([
    ['claude', claude],
    ['codex', codex],
    ['gemini', gemini],
  ] as const)('of %s that cannot be do not count, which is said', (name, kind) => {
    fc.assert(
      fc.property(impossible, (count) => {
        fc.pre(!Number.isNaN(count))
        const lines = [asJson(used[name](count))]
        const { builder } = readStream(kind, SETTINGS, [{ lines, notes: [] }])
        expect(builder.usage?.output ?? 0).toBe(0)
        expect(builder.build(name).oddities.some((one) => one.startsWith(USAGE))).toBe(true)
      }),
    )
  })
})

describe('a run', () => {
  const go = async (answers: readonly (Answer | SubjectError)[], turns = ['?']) => {
    const path = mkdtempSync(join(folder, 'run-'))
    let asked = 0
    const { tally } = await run({
      suites: [fakeSuite([fakeCase('c', { turns })])],
      subjects: [
        fakeSubject(() => {
          const answer = answers[asked++ % answers.length] as Answer | SubjectError
          if (answer instanceof SubjectError) throw answer
          return answer
        }),
      ],
      folder: path,
      trials: answers.length,
      clock: skippingClock(),
      parallelism: 1,
      maxErrors: 1,
    })
    const trials: Trial[] = []
    const read = await readTrials(path, (trial) => trials.push(trial))
    expect(read).toMatchObject({ damaged: 0, torn: false })
    return { tally, trials }
  }
  const odd = (value: unknown): Partial<Answer> => ({ usd: value as number })

  it('counts every sound cost, whatever is said beside it', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.oneof(possible, impossible), { minLength: 1, maxLength: 6 }),
        fc.constantFrom('answer', 'spent', 'error'),
        async (costs, how) => {
          const answers = costs.map((cost) =>
            how === 'answer'
              ? saying('right', odd(cost))
              : how === 'spent'
                ? saying('right', { usd: null, spentUsd: cost as number })
                : new SubjectError('no', {
                    reason: 'provider-error',
                    retry: false,
                    usd: cost as number,
                  }),
          )
          const { tally, trials } = await go(answers)
          const isSound = (cost: unknown) => typeof cost === 'number' && cost >= 0 && cost <= 1e6
          const sound = costs.filter(isSound) as number[]
          expect(tally.spentUsd).toBeCloseTo(
            sound.reduce((a, b) => a + b, 0),
            6,
          )
          for (const { cost } of trials) {
            expect(cost.spentUsd).toBeGreaterThanOrEqual(0)
            if (cost.answerUsd !== null) expect(isSound(cost.answerUsd)).toBe(true)
          }
          const said = trials.filter(
            ({ remarks, reason }) => remarks?.includes(COST) ?? reason?.text.includes(COST),
          )
          expect(said).toHaveLength(costs.length - sound.length)
        },
      ),
      { numRuns: 40 },
    )
  })

  it('does not count tokens that cannot be, which the trial says', async () => {
    const usage: Usage = { input: -5, cacheRead: 0, cacheWrite: 0, output: 1, reasoning: 0 }
    const { trials } = await go([saying('right', { usage })])
    expect(trials).toMatchObject([{ outcome: 'passed', usage: null, remarks: [USAGE] }])
  })

  it('keeps what the other turns cost where one says nonsense', async () => {
    const { tally, trials } = await go(
      [saying('one', { usd: 0.5 }), saying('right', { usd: -3 })],
      ['first', 'second'],
    )
    expect(tally.spentUsd).toBeCloseTo(1, 9)
    for (const trial of trials)
      expect(trial).toMatchObject({ cost: { answerUsd: null, spentUsd: 0.5 }, remarks: [COST] })
  })
})

describe('what was recorded', () => {
  const trial = {
    suite: 's',
    case: 'c',
    subject: 'x',
    index: 0,
    caseHash: 'h',
    outcome: 'passed',
    score: 1,
    implRate: null,
    grades: [],
    answer: 'a',
    usage: null,
    cost: { answerUsd: 1, judgeUsd: null, spentUsd: 1 },
    time: { startedAt: '', answerMs: 1, waitMs: 0, gradeMs: 0 },
    source: 'live',
  }

  it('is damage where an amount cannot be', async () => {
    writeFileSync(join(folder, 'trials.jsonl'), '{"assay":"trials","version":1,"run":"r"}\n')
    const changes = [
      { cost: { ...trial.cost, spentUsd: -1 } },
      { cost: { ...trial.cost, answerUsd: '1' } },
      { cost: { ...trial.cost, judgeUsd: 1e300 } },
      { usage: { input: '7', cacheRead: 0, cacheWrite: 0, output: 1, reasoning: 0 } },
      {},
    ]
    for (const change of changes)
      appendFileSync(join(folder, 'trials.jsonl'), `${JSON.stringify({ ...trial, ...change })}\n`)
    let sound = 0
    const read = await readTrials(folder, () => sound++)
    expect([sound, read.damaged]).toEqual([1, 4])
  })

  it('is asked again where a pending answer has such an amount', () => {
    const { suite, case: id, subject, index, caseHash } = trial
    const answer = { text: 'x', stop: 'end', usage: null, usd: null }
    const pending = { suite, case: id, subject, index, caseHash, answer, attempts: [] }
    expect(isPending({ ...pending, answerUsd: null, spentUsd: 0 })).toBe(true)
    expect(isPending({ ...pending, answerUsd: 1, spentUsd: 1 })).toBe(true)
    for (const usd of [-1, '1', null, undefined])
      expect(isPending({ ...pending, answerUsd: 1, spentUsd: usd })).toBe(false)
    expect(isPending({ ...pending, answerUsd: -1, spentUsd: 1 })).toBe(false)
  })
})

describe('a price file', () => {
  it.each(['-1.0', '1e300', 'inf', '-inf', 'nan', '"3"', 'true'])(
    'is refused with a price of %s',
    async (price) => {
      const path = join(folder, 'prices.toml')
      writeFileSync(path, `[models."a/b"]\ninput = ${price}\noutput = 1.0\n`)
      await expect(readPriceFile(path)).rejects.toThrow(/input must be US dollars/)
    },
  )
})
