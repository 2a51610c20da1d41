import {
  appendFileSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  fakeCase,
  fakeSubject,
  fakeSuite,
  saying,
  skippingClock,
  timeless,
} from '../../test/fakes.ts'
import { SubjectError, type Trial, type Usage } from '@assay/contract'
import { checkedLine } from '../log/checked-line.ts'
import { readTrials } from '../log/index.ts'
import { summarize } from '../report/index.ts'
import type { RunOptions } from './run-options.ts'
import { run } from './run.ts'

let folder: string

beforeEach(() => {
  folder = join(mkdtempSync(join(tmpdir(), 'assay-run-')), 'run')
})
afterEach(() => rmSync(join(folder, '..'), { recursive: true, force: true }))

const right = () => fakeSubject(() => saying('right'))

/** A subject that is right with probability p, drawn from the trial's own random stream. */
const coin = (id: string, p: number) =>
  fakeSubject(({ random }) => saying(random() < p ? 'right' : 'wrong', { ms: 5 }), {
    id,
    pool: id,
    source: 'simulated',
    config: { p },
  })

const go = (options: Partial<RunOptions> = {}) =>
  run({
    suites: [fakeSuite(5)],
    subjects: [right()],
    folder,
    trials: 3,
    clock: skippingClock(),
    ...options,
  })

async function trialsIn(path: string = folder): Promise<Trial[]> {
  const trials: Trial[] = []
  await readTrials(path, (trial) => trials.push(trial))
  return trials
}

const counts = { planned: 15, passed: 0, failed: 0, unscored: 0, errored: 0, cancelled: 0 }

describe('a run', () => {
  it('records every planned trial once', async () => {
    const { tally, ended } = await go()
    expect(ended).toBe('complete')
    expect(tally.counts()).toEqual({ ...counts, passed: 15 })
    const identities = (await trialsIn()).map((trial) => `${trial.case}/${trial.index}`)
    expect(new Set(identities).size).toBe(15)
    expect(existsSync(join(folder, 'pending.jsonl'))).toBe(false)
  })

  it('writes a trivial trial with its checksums in at most 525 bytes', async () => {
    await go()
    const lines = readFileSync(join(folder, 'trials.jsonl'), 'utf8').trim().split('\n')
    for (const line of lines) expect(Buffer.byteLength(line)).toBeLessThanOrEqual(525)
  })

  it.each([
    ['wrong', saying('wrong'), 'wrong-answer'],
    ['empty', saying(' \n'), 'empty-answer'],
    ['truncated', saying('right', { stop: 'length' }), 'truncated'],
    ['filtered', saying('', { stop: 'filter' }), 'filtered'],
    ['refused', saying('I cannot', { stop: 'refusal' }), 'refused'],
    ['ended with an error', saying('right', { stop: 'exit', note: 'exit code 3' }), 'exit-code'],
    ['too slow', saying('', { stop: 'timeout' }), 'answer-timeout'],
  ])('fails an answer that is %s, which keeps its place in n', async (_, answer, code) => {
    const { tally } = await go({ subjects: [fakeSubject(() => answer)] })
    expect(tally.counts()).toEqual({ ...counts, failed: 15 })
    expect((await trialsIn())[0]).toMatchObject({ outcome: 'failed', score: 0, reason: { code } })
  })

  it('passes on what a subject remarks beside its answers, once', async () => {
    const warnings: string[] = []
    const subject = fakeSubject(() => saying('right', { note: 'temperature is ignored' }))
    await go({
      subjects: [subject],
      onEvent: (event) => {
        if (event.type === 'warning') warnings.push(event.text)
      },
    })
    expect(warnings).toEqual(['fake: temperature is ignored'])
  })

  it('leaves cases without graders unscored', async () => {
    const { tally } = await go({ suites: [fakeSuite([fakeCase('open', { graders: [] })])] })
    expect(tally.counts()).toMatchObject({ planned: 3, unscored: 3 })
    expect((await trialsIn())[0]).toMatchObject({ outcome: 'unscored', score: null })
  })

  it('asks again after passing failures, keeps every attempt and what it cost', async () => {
    let failures = 0
    const subject = fakeSubject(() => {
      if (failures++ < 2)
        throw new SubjectError('busy', {
          reason: 'provider-error',
          retry: true,
          status: 503,
          usd: 0.01,
        })
      return saying('right')
    })
    const clock = skippingClock()
    await go({ subjects: [subject], suites: [fakeSuite(1)], trials: 1, clock })
    const [trial] = await trialsIn()
    expect(subject.asked).toHaveLength(3)
    expect(trial?.attempts).toHaveLength(3)
    expect(trial?.attempts?.[0]).toMatchObject({ status: 503, error: 'busy', usd: 0.01 })
    expect(trial?.cost.answerUsd).toBeCloseTo(0.021, 12)
    expect(trial?.time.waitMs).toBeGreaterThan(0)
    expect(clock.slept).toBeGreaterThan(0)
    // The duration is end minus start, so it includes the wait.
    expect(trial?.time.durationMs).toBeGreaterThanOrEqual(trial?.time.waitMs ?? Infinity)
  })

  it('gives up after the allowed number of requests, and at once where asking again cannot help', async () => {
    const lost = (retry: boolean) =>
      fakeSubject(() => {
        throw new SubjectError('no', {
          reason: retry ? 'rate-limited' : 'request-refused',
          retry,
          status: 429,
        })
      })
    const patient = lost(true)
    await go({ subjects: [patient], maxErrors: 1 })
    expect(patient.asked).toHaveLength(15 * 6)
    rmSync(folder, { recursive: true })
    const hasty = lost(false)
    const { tally } = await go({ subjects: [hasty], maxErrors: 1 })
    expect(hasty.asked).toHaveLength(15)
    expect(tally.counts()).toEqual({ ...counts, errored: 15 })
    expect((await trialsIn())[0]).toMatchObject({
      outcome: 'errored',
      reason: { code: 'request-refused' },
    })
  })

  it('takes a subject’s own bug for an error of that trial, not of the run', async () => {
    const subject = fakeSubject(({ case: { id } }) => {
      if (id === 'c2') throw new TypeError('cannot read properties of undefined')
      return saying('right')
    })
    const { tally, ended } = await go({ subjects: [subject], maxErrors: 1 })
    expect(ended).toBe('complete')
    expect(tally.counts()).toEqual({ ...counts, passed: 12, errored: 3 })
  })

  it('stops asking when too many trials have errored', async () => {
    const subject = fakeSubject(
      () => {
        throw new SubjectError('bad key', { reason: 'request-refused', retry: false, status: 401 })
      },
      { concurrency: { start: 1, most: 1 } },
    )
    const { ended, tooManyErrors } = await go({
      subjects: [subject],
      suites: [fakeSuite(100)],
      maxErrors: 0.05,
    })
    expect(ended).toBe('failed')
    expect(tooManyErrors).toBe(true)
    expect(subject.asked.length).toBeLessThan(30)
  })

  it('is the same byte for byte at parallelism 1 and 16, but for times', async () => {
    const result = async (parallelism: number) => {
      const path = `${folder}-${parallelism}`
      const subjects = [coin('a', 0.3), coin('b', 0.8)]
      await run({
        suites: [fakeSuite(20)],
        subjects,
        folder: path,
        trials: 10,
        passK: [1, 5],
        seed: 7,
        parallelism,
      })
      const lines = (await trialsIn(path))
        .map((trial) => JSON.stringify({ ...trial, time: null }))
        .toSorted()
      return { lines, report: timeless(await summarize(path)) }
    }
    const [one, many] = [await result(1), await result(16)]
    expect(many.lines).toEqual(one.lines)
    expect(many.report).toBe(one.report)
  })

  it('never has more requests in flight than the parallelism', async () => {
    let active = 0
    let most = 0
    const subject = fakeSubject(async () => {
      most = Math.max(most, ++active)
      await new Promise((resolve) => setTimeout(resolve, 1))
      active--
      return saying('right')
    })
    await go({ subjects: [subject], trials: 10, parallelism: 3 })
    expect(most).toBe(3)
  })

  it('runs all cases once before it runs any a second time', async () => {
    const subject = fakeSubject(() => saying('right'), { concurrency: { start: 1, most: 1 } })
    await go({ subjects: [subject] })
    const indices = subject.asked.map(({ index }) => index)
    expect(indices).toEqual(indices.toSorted((a, b) => a - b))
    const rounds = [0, 5, 10].map((at) => subject.asked.slice(at, at + 5).map((ask) => ask.case.id))
    for (const round of rounds) expect(new Set(round).size).toBe(5)
    expect(rounds[0]).not.toEqual(rounds[1])
  })

  it('does not run what is not there', async () => {
    await expect(go({ suites: [fakeSuite(0)] })).rejects.toThrow('nothing to run')
    await expect(go({ suites: [fakeSuite(1), fakeSuite(2)] })).rejects.toThrow('two suites')
    await expect(go({ trials: 0 })).rejects.toThrow('trials must be')
    await expect(go({ trials: 1.5 })).rejects.toThrow('trials must be')
    await expect(go({ maxErrors: 2 })).rejects.toThrow('max-errors must be')
    await expect(go({ budgetUsd: -1 })).rejects.toThrow('budget must be')
    expect(existsSync(folder)).toBe(false)
  })
})

describe('a budget', () => {
  it('stops the run before it is passed, counting what is in flight', async () => {
    const subject = fakeSubject(() => saying('right', { usd: 0.1 }), { estimateUsd: () => 0.1 })
    const { ended, tally } = await go({ subjects: [subject], budgetUsd: 0.75 })
    expect(ended).toBe('budget')
    expect(tally.spentUsd).toBeLessThanOrEqual(0.75)
    expect(tally.counts()).toEqual({ ...counts, passed: 7, cancelled: 8 })
  })

  it('goes on where answers turn out cheaper than their estimate', async () => {
    const subject = fakeSubject(() => saying('right', { usd: 0.01 }), { estimateUsd: () => 0.3 })
    const { ended } = await go({ subjects: [subject], budgetUsd: 0.5 })
    expect(ended).toBe('complete')
  })

  it('holds where nobody knows what trials cost: they count at their estimate, which is said once', async () => {
    const subject = fakeSubject(() => saying('right', { usd: null, spentUsd: 0.02 }), {
      estimateUsd: () => 0.1,
    })
    const warnings: string[] = []
    const onEvent: RunOptions['onEvent'] = (event) => {
      if (event.type === 'warning') warnings.push(event.text)
    }
    const { ended, tally } = await go({ subjects: [subject], budgetUsd: 0.75, onEvent })
    expect(ended).toBe('budget')
    expect(tally.counts()).toEqual({ ...counts, passed: 7, cancelled: 8 })
    expect(warnings).toEqual([expect.stringContaining('what some trials cost is not known')])
    // The record contains only the amount that is known to be spent.
    expect(tally.spentUsd).toBeCloseTo(0.14)
    expect((await trialsIn())[0]?.cost).toMatchObject({ answerUsd: null, spentUsd: 0.02 })
  })

  it('counts what failed trials used, and nothing for those that were refused', async () => {
    const failing = (usage: Usage | null) =>
      fakeSubject(
        () => {
          throw new SubjectError('lost', { reason: 'provider-error', retry: false, usage })
        },
        { estimateUsd: () => 0.1 },
      )
    const usage = { input: 1, cacheRead: 0, cacheWrite: 0, output: 1, reasoning: 0 }
    const used = await go({ subjects: [failing(usage)], budgetUsd: 0.75, maxErrors: 1 })
    expect(used.ended).toBe('budget')
    rmSync(folder, { recursive: true })
    const refused = await go({ subjects: [failing(null)], budgetUsd: 0.75, maxErrors: 1 })
    expect(refused.ended).toBe('complete')
  })

  it('says nothing of unknown costs where there is none', async () => {
    const warnings: string[] = []
    const onEvent: RunOptions['onEvent'] = (event) => {
      if (event.type === 'warning') warnings.push(event.text)
    }
    await go({ subjects: [fakeSubject(() => saying('right', { usd: null }))], onEvent })
    expect(warnings).toEqual([])
  })

  it('needs limits.usd of a case on which a subject acts', async () => {
    const subject = fakeSubject(() => saying('right'), { kind: 'agent', estimateUsd: () => null })
    await expect(go({ subjects: [subject], budgetUsd: 1 })).rejects.toThrow(
      /what fake may spend on case c0 of \S+ is not known. Give that case limits.usd/,
    )
  })

  it('cannot be held without prices, and says so before anything is spent', async () => {
    const subject = fakeSubject(() => saying('right'), { estimateUsd: () => null })
    await expect(go({ subjects: [subject], budgetUsd: 1 })).rejects.toThrow(
      'the price of fake is not known',
    )
    expect(subject.asked).toHaveLength(0)
  })
})

describe('stopping', () => {
  it('lets trials under way end, starts no others, and leaves the rest to a resume', async () => {
    const stop = new AbortController()
    const subject = fakeSubject(async () => {
      if (subject.asked.length === 4) stop.abort()
      await new Promise((resolve) => setTimeout(resolve, 5))
      return saying('right')
    })
    const clock = { ...skippingClock(), sleep: () => new Promise<void>(() => {}) }
    const { ended, tally } = await go({ subjects: [subject], signal: stop.signal, clock })
    expect(ended).toBe('interrupted')
    expect(tally.counts()).toEqual({ ...counts, passed: 4, cancelled: 11 })

    const again = right()
    const resumed = await go({ subjects: [again], resume: true })
    expect(resumed.ended).toBe('complete')
    expect(again.asked).toHaveLength(11)
    expect(resumed.tally.counts()).toEqual({ ...counts, passed: 15 })
  })

  it('cancels what is still under way after the grace time', async () => {
    const stop = new AbortController()
    const subject = fakeSubject(async ({ signal }) => {
      stop.abort()
      return new Promise((_, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason as Error))
      })
    })
    const { ended, tally } = await go({ subjects: [subject], signal: stop.signal })
    expect(ended).toBe('interrupted')
    expect(tally.counts()).toEqual({ ...counts, cancelled: 15 })
  })
})

describe('resuming', () => {
  it('runs errored trials again, and the last line counts', async () => {
    let down = true
    const subject = () =>
      fakeSubject(({ case: { id } }) => {
        if (down && id === 'c1')
          throw new SubjectError('down', { reason: 'provider-error', retry: false })
        return saying('right')
      })
    await go({ subjects: [subject()], maxErrors: 1 })
    down = false
    const kept = await go({ subjects: [subject()], maxErrors: 1, resume: true, keepErrors: true })
    expect(kept.tally.counts().errored).toBe(3)
    const second = subject()
    const { tally } = await go({ subjects: [second], resume: true })
    expect(second.asked).toHaveLength(3)
    expect(tally.counts()).toEqual({ ...counts, passed: 15 })
    expect(tally.replaced).toBe(3)
    expect((await summarize(folder)).provenance.log.replaced).toBe(3)
  })

  it('grades an answer that had arrived instead of asking for it again', async () => {
    await go({ suites: [fakeSuite(1)], trials: 1 })
    const [trial] = await trialsIn()
    const {
      answer: _a,
      grades: _g,
      outcome: _o,
      score: _s,
      usage,
      cost,
      time,
      ...identity
    } = trial as Trial
    rmSync(join(folder, 'trials.jsonl'))
    appendFileSync(
      join(folder, 'pending.jsonl'),
      `${checkedLine(
        {
          ...identity,
          answer: { text: 'right', stop: 'end', usage, usd: 0.5 },
          attempts: [],
          startedAt: time.startedAt,
          answerMs: 7,
          waitMs: 0,
          answerUsd: 0.5,
          spentUsd: cost.spentUsd,
        },
        2,
      )}\n{"torn`,
    )
    const subject = right()
    const { tally } = await go({
      suites: [fakeSuite(1)],
      trials: 1,
      subjects: [subject],
      resume: true,
    })
    expect(subject.asked).toHaveLength(0)
    expect(tally.counts().passed).toBe(1)
    expect((await trialsIn())[0]).toMatchObject({ answer: 'right', cost: { answerUsd: 0.5 } })
  })

  it('extends the plan by trials, cases and subjects, and keeps every revision', async () => {
    await go()
    const [old, fresh] = [
      right(),
      fakeSubject(() => saying('right'), { id: 'other', pool: 'other' }),
    ]
    const { tally, record } = await go({
      suites: [fakeSuite(6)],
      subjects: [old, fresh],
      trials: 4,
      resume: true,
    })
    expect(tally.counts()).toMatchObject({ planned: 48, passed: 48 })
    expect(old.asked).toHaveLength(24 - 15)
    expect(fresh.asked).toHaveLength(24)
    expect(record.revisions).toHaveLength(2)
  })

  it('refuses a smaller plan with a list of what is missing', async () => {
    await go()
    await expect(go({ suites: [fakeSuite(4)], resume: true })).rejects.toThrow(/case suite c4/)
    await expect(go({ trials: 2, resume: true })).rejects.toThrow(/3 were planned, now 2/)
    const other = fakeSubject(() => saying('right'), { id: 'other' })
    await expect(go({ subjects: [other], resume: true })).rejects.toThrow(/subject fake/)
  })

  it('refuses changed cases and subjects, and with leave runs the changed cases again', async () => {
    await go()
    const changed = fakeSuite([fakeCase('c0', { hash: 'new' }), ...fakeSuite(5).cases.slice(1)])
    await expect(go({ suites: [changed], resume: true })).rejects.toThrow(/case suite c0/)
    const other = fakeSubject(() => saying('right'), { config: { fake: 2 } })
    await expect(go({ subjects: [other], resume: true })).rejects.toThrow(
      /subject fake: its parameters/,
    )
    const subject = right()
    const { tally } = await go({
      suites: [changed],
      subjects: [subject],
      resume: true,
      allowChanged: true,
    })
    expect(subject.asked).toHaveLength(3)
    expect(tally.counts()).toEqual({ ...counts, passed: 15 })
  })

  it('says when the last line was torn, and runs that trial again', async () => {
    await go()
    const path = join(folder, 'trials.jsonl')
    const text = readFileSync(path, 'utf8')
    rmSync(path)
    appendFileSync(path, text.slice(0, -20))
    const warnings: string[] = []
    const subject = right()
    await go({
      subjects: [subject],
      resume: true,
      onEvent: (event) => {
        if (event.type === 'warning') warnings.push(event.text)
      },
    })
    expect(subject.asked).toHaveLength(1)
    expect(warnings.join()).toContain('cut short')
  })

  it('refuses a folder in use, a folder that is not a run, and a full one without resume', async () => {
    await expect(go({ resume: true })).rejects.toThrow('is not a run folder')
    await go()
    await expect(go()).rejects.toThrow('is not empty')
  })
})

describe('the answer cache', () => {
  it('asks again for an answer that is damaged, and keeps one without a checksum', async () => {
    const cache = join(folder, '..', 'damaged-cache')
    const one = { suites: [fakeSuite(1)], trials: 1, cache }
    await go({ ...one, subjects: [right()] })
    const name = readdirSync(cache, { recursive: true, encoding: 'utf8' }).find((path) =>
      path.endsWith('.json'),
    )
    const path = join(cache, name ?? '')
    const text = readFileSync(path, 'utf8')
    const askedWith = async (kept: string, n: number): Promise<number> => {
      writeFileSync(path, kept)
      const subject = right()
      await go({ ...one, subjects: [subject], folder: `${folder}-damaged-${n}` })
      return subject.asked.length
    }
    expect(await askedWith(text.replace('"right"', '"wrong"'), 1)).toBe(1)
    expect(await askedWith(text.replace(/,"crc":"[^"]*"/, ''), 2)).toBe(0)
  })

  it('gives each trial its own answer again, at no cost but with its true price', async () => {
    const cache = join(folder, '..', 'cache')
    let n = 0
    const counting = () =>
      fakeSubject(() => saying(n++ % 2 === 0 ? 'right' : 'wrong', { usd: 0.5 }))
    const first = await go({ subjects: [counting()], cache })
    const answers = (await trialsIn()).map(
      ({ case: id, index, answer }) => `${id}/${index}: ${answer as string}`,
    )
    const path = `${folder}-2`
    const subject = counting()
    const second = await go({ subjects: [subject], cache, folder: path })
    expect(subject.asked).toHaveLength(0)
    const trials = await trialsIn(path)
    expect(
      trials.map(({ case: id, index, answer }) => `${id}/${index}: ${answer as string}`).toSorted(),
    ).toEqual(answers.toSorted())
    expect(trials[0]).toMatchObject({ source: 'cache', cost: { answerUsd: 0.5, spentUsd: 0 } })
    expect(second.tally.spentUsd).toBe(0)
    expect(first.tally.spentUsd).toBe(7.5)
  })

  it('takes no answer through a link', async () => {
    const cache = join(folder, '..', 'linked-cache')
    await go({ subjects: [fakeSubject(() => saying('right'))], cache })
    for (const name of readdirSync(cache, { recursive: true, encoding: 'utf8' })) {
      const path = join(cache, name)
      if (!name.endsWith('.json')) continue
      renameSync(path, `${path}.moved`)
      symlinkSync(`${path}.moved`, path)
    }
    const subject = fakeSubject(() => saying('right'))
    await go({ subjects: [subject], cache, folder: `${folder}-3` })
    expect(subject.asked).toHaveLength(15)
  })
})
