import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { readdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SubjectError, type Identity, type Trial } from '@assay/contract'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { fakeCase, fakeSubject, fakeSuite, saying, skippingClock } from '../../test/fakes.ts'
import { checkedLine } from '../log/checked-line.ts'
import { Lock } from '../log/lock/lock.ts'
import { Plan, readRecord, readTrials } from '../log/index.ts'
import { inOrder } from '../report/formats/in-order.ts'
import { readRun, RUN_SPECIFIC_PATHS, summarize, withoutRunSpecific } from '../report/index.ts'
import { run, type RunOptions } from '../run/index.ts'
import type { Part } from './check-parts.ts'
import { collectTexts, type StoredText } from './choose-lines.ts'
import { mergeParts } from './merge-parts.ts'

let folder: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'assay-merge-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const at = (name: string): string => join(folder, name)

/** Answers long enough to be stored as a blob, and right with probability p, drawn from the trial's own stream. */
const coin = (id: string, p: number) =>
  fakeSubject(
    ({ random, index }) => {
      const text = random() < p ? 'right' : 'wrong'
      if (id === 'frail' && index === 2)
        throw new SubjectError('no answer', { reason: 'provider-error', retry: false })
      return saying(index === 1 ? `${text}${' '.repeat(5000)}` : text)
    },
    { id, pool: id, source: 'simulated', config: { id, p } },
  )

const suites = () => [
  fakeSuite(5, { id: 'one' }),
  fakeSuite([fakeCase('many', { trials: 9 }), fakeCase('once', { trials: 1 })], { id: 'two' }),
]

const go = (name: string, change: Partial<RunOptions> = {}) =>
  run({
    suites: suites(),
    subjects: [coin('sure', 0.9), coin('frail', 0.4)],
    folder: at(name),
    defaults: { trials: 4 },
    passK: [1, 3],
    maxErrors: 1,
    clock: skippingClock(),
    ...change,
  })

const parts = async (of: number, change: Partial<RunOptions> = {}): Promise<string[]> => {
  const folders: string[] = []
  for (let index = 1; index <= of; index++) {
    await go(`part${index}of${of}`, { shard: { index, of }, ...change })
    folders.push(at(`part${index}of${of}`))
  }
  return folders
}

const identities = async (path: string): Promise<string[]> => {
  const found: string[] = []
  await readTrials(path, ({ suite, case: id, subject, index }) =>
    found.push(JSON.stringify([suite, id, subject, index])),
  )
  return found.sort()
}

describe('merging parts', () => {
  it('gives the report of a single run with 1, 2, 3 and 8 parts', async () => {
    await go('whole')
    const whole = await summarize(at('whole'))
    expect(whole.counts).toMatchObject({ planned: 64, cancelled: 0 })
    expect(whole.counts.errored).toBeGreaterThan(0)
    expect(whole.counts.failed).toBeGreaterThan(0)
    for (const of of [1, 2, 3, 8]) {
      const folders = await parts(of)
      const merged = await mergeParts({ parts: folders.reverse(), folder: at(`merged${of}`) })
      expect(merged).toMatchObject({ ended: 'complete', missing: [], twice: 0, ungraded: 0 })
      expect(withoutRunSpecific(await summarize(merged.folder))).toEqual(withoutRunSpecific(whole))
      expect(await identities(merged.folder)).toEqual(await identities(at('whole')))
      expect(readRecord(merged.folder).merged).toHaveLength(of)
    }
    // The comparison means nothing if it leaves out what a report is about.
    expect(Object.keys(withoutRunSpecific(whole) as object)).toEqual(Object.keys(whole))
    expect(
      RUN_SPECIFIC_PATHS.filter(
        (path) =>
          !/Ms|\.id|At|path|folder|merged|latency|waiting|grading|duration|_seconds/.test(path),
      ),
    ).toEqual([])
  })

  it('keeps texts that are stored as blobs', async () => {
    const folders = await parts(2)
    const { folder: merged } = await mergeParts({ parts: folders, folder: at('merged') })
    const { trials, text } = await readRun(merged)
    const lengths: (number | undefined)[] = []
    await trials(({ index, answer }) => {
      if (index === 1 && answer !== null) lengths.push(text(answer)?.length)
    })
    expect(lengths.length).toBeGreaterThan(5)
    expect(new Set(lengths)).toEqual(new Set([5005]))
  })

  it('shows each part with its own denominator, and lists its trials in order', async () => {
    const [first = ''] = await parts(3)
    const source = await readRun(first)
    const { counts, provenance, notes, subjects } = source.report
    expect(provenance.shard).toEqual({ index: 1, of: 3 })
    expect(counts.cancelled).toBe(0)
    expect(counts.planned).toBeLessThan(64)
    expect(counts.planned).toBe((await identities(first)).length)
    expect(
      subjects.flatMap(({ cases }) => cases).reduce((sum, one) => sum + one.counts.planned, 0),
    ).toBe(counts.planned)
    expect(notes.join()).toContain('part 1 of 3')
    const lines: string[] = []
    await inOrder(
      source,
      (trial) => JSON.stringify(idOf(trial)),
      (line) => lines.push(line),
    )
    expect([...lines].sort()).toEqual(await identities(first))
  })

  it('keeps trials in their part when cases, subjects and trials are added', () => {
    const subjects = [coin('sure', 1), coin('frail', 1)]
    const of = (plan: Plan): Set<string> => {
      const all = new Set<string>()
      for (let ordinal = 0; ordinal < plan.planned; ordinal++) {
        const { suite, case: one, subject } = plan.cellAt(ordinal)
        all.add(JSON.stringify([suite.id, one.id, subject.id, plan.indexAt(ordinal)]))
      }
      return all
    }
    const small = of(new Plan([fakeSuite(5)], subjects.slice(0, 1), 3, { index: 2, of: 4 }))
    const large = of(new Plan([fakeSuite(9)], subjects, 7, { index: 2, of: 4 }))
    const others = of(new Plan([fakeSuite(9)], subjects, 7, { index: 3, of: 4 }))
    expect(small.size).toBeGreaterThan(0)
    expect([...small].filter((one) => !large.has(one))).toEqual([])
    expect([...small].filter((one) => others.has(one))).toEqual([])
  })

  it('splits a plan into parts of about the same size', () => {
    const sizes = [1, 2, 3, 4, 5, 6, 7, 8].map(
      (index) => new Plan([fakeSuite(100)], [coin('a', 1)], 80, { index, of: 8 }).planned,
    )
    expect(sizes.reduce((sum, size) => sum + size)).toBe(8000)
    // Of 8,000 trials in 8 parts, the standard deviation of a part is about 30.
    for (const size of sizes) expect(Math.abs(size - 1000)).toBeLessThan(150)
  })

  it('resumes a part as the part it is', async () => {
    const stop = new AbortController()
    let begun = 0
    const slow = fakeSubject(
      async () => {
        if (++begun === 3) stop.abort()
        return saying('right')
      },
      { id: 'sure', pool: 'sure', config: { p: 1 } },
    )
    const options = { subjects: [slow], parallelism: 1, graceMs: 0 }
    const first = await go('part1', { ...options, shard: { index: 1, of: 2 }, signal: stop.signal })
    expect(first.ended).toBe('interrupted')
    await expect(
      go('part1', { ...options, resume: true, shard: { index: 2, of: 2 } }),
    ).rejects.toThrow('was started as part 1 of 2 and cannot go on as part 2 of 2')
    const second = await go('part1', { ...options, resume: true })
    expect(second.ended).toBe('complete')
    const { counts } = await summarize(at('part1'))
    expect(counts).toMatchObject({ cancelled: 0, passed: counts.planned })
    expect(begun).toBeLessThanOrEqual(counts.planned + 1)
  })

  it('lists missing parts and trials, and the merged run can be completed', async () => {
    const [one = '', , three = ''] = await parts(3)
    const merged = await mergeParts({ parts: [one, three], folder: at('merged') })
    expect(merged.ended).toBe('interrupted')
    expect(merged.missing).toMatchObject([{ index: 2, of: 3, folders: [] }])
    const report = await summarize(merged.folder)
    expect(report.counts.cancelled).toBe(merged.missing[0]?.missing)
    expect(merged.missingTrials).toHaveLength(Math.min(20, report.counts.cancelled))
    await go('whole')
    await go('merged', { resume: true, keepErrors: true })
    expect(withoutRunSpecific(await summarize(merged.folder))).toEqual(
      withoutRunSpecific(await summarize(at('whole'))),
    )
  })

  it('compares and counts trials of a part that was run twice, and takes the earlier run', async () => {
    const [one = '', two = ''] = await parts(2, { subjects: [coin('sure', 1)] })
    const again = at('again')
    // The same subject by its settings, which now answers wrong.
    await go('again', {
      shard: { index: 1, of: 2 },
      subjects: [{ ...coin('sure', 0), config: { id: 'sure', p: 1 } }],
      clock: skippingClock(),
    })
    const planned = (await identities(one)).length
    for (const order of [
      [again, one, two],
      [two, one, again],
    ]) {
      const merged = await mergeParts({ parts: order, folder: at(`merged-${order[0] === two}`) })
      expect(merged).toMatchObject({ ended: 'complete', twice: planned, differing: planned })
      const { counts, provenance, spentUsd } = await summarize(merged.folder)
      expect(counts.failed).toBe(0)
      expect(provenance.log.replaced).toBe(planned)
      expect(spentUsd).toBeCloseTo(0.001 * (counts.planned + planned))
    }
  })

  it('takes the other run of a part where the earlier one errored', async () => {
    const [one = '', two = ''] = await parts(2)
    const again = at('again')
    const fixed = fakeSubject(() => saying('right'), {
      id: 'frail',
      pool: 'frail',
      source: 'simulated',
      config: { id: 'frail', p: 0.4 },
    })
    await go('again', { shard: { index: 1, of: 2 }, subjects: [coin('sure', 0.9), fixed] })
    const errored = (await summarize(one)).counts.errored
    expect(errored).toBeGreaterThan(0)
    const merged = await mergeParts({ parts: [one, two, again], folder: at('merged') })
    expect((await summarize(merged.folder)).counts.errored).toBe(
      (await summarize(two)).counts.errored,
    )
  })

  it('carries over answers that are paid for and not graded yet', async () => {
    const subject = fakeSubject(() => saying('right'), { id: 'sure', pool: 'sure', source: 'live' })
    await go('part1', { subjects: [subject], shard: { index: 1, of: 2 } })
    await go('part2', { subjects: [subject], shard: { index: 2, of: 2 } })
    const lines = readFileSync(at('part2/trials.jsonl'), 'utf8').trim().split('\n')
    // As after a crash between the answer and its grade: the last trial has no line, but its answer is kept.
    const {
      suite,
      case: id,
      subject: by,
      index,
      caseHash,
    } = JSON.parse(lines.at(-1) ?? '') as Trial
    writeFileSync(at('part2/trials.jsonl'), `${lines.slice(0, -1).join('\n')}\n`)
    const pending = {
      ...{ suite, case: id, subject: by, index, caseHash, answer: saying('right'), attempts: [] },
      startedAt: '2026-01-01T00:00:00.000Z',
      ...{ answerMs: 1, waitMs: 0, answerUsd: 0.001, spentUsd: 0.001, source: 'live' },
    }
    appendFileSync(at('part2/pending.jsonl'), `${checkedLine(pending, 2)}\n`)
    const merged = await mergeParts({ parts: [at('part1'), at('part2')], folder: at('merged') })
    expect(merged).toMatchObject({ ungraded: 1, missing: [{ index: 2, missing: 1 }] })
    let asked = 0
    const counted = { ...subject, answer: async () => (asked++, saying('right')) }
    const { ended } = await go('merged', { subjects: [counted], resume: true })
    expect({ asked, ended }).toEqual({ asked: 0, ended: 'complete' })
  })
})

const idOf = ({ suite, case: id, subject, index }: Identity) => [suite, id, subject, index]

it('takes no fact of a grade for a stored text, and finds a file of any name', () => {
  const blob = (letter: string) => ({ blob: letter.repeat(64), bytes: 1 })
  const trial = {
    answer: blob('a'),
    files: { facts: blob('b'), weight: blob('c') },
    grades: [
      { weight: 1, facts: { given: blob('d') }, details: [{ weight: 1, evidence: blob('e') }] },
    ],
  }
  const texts = new Map<string, StoredText>()
  collectTexts(trial, {} as Part, texts)
  expect([...texts.keys()].map((hash) => hash[0]).sort()).toEqual(['a', 'b', 'c', 'e'])
})

describe('refused and left unmerged', () => {
  /** The error that merging throws. It must leave no folder. */
  const refusal = async (names: readonly string[]): Promise<string> => {
    const error: unknown = await mergeParts({ parts: names, folder: at('merged') }).catch(
      (thrown: unknown) => thrown,
    )
    return existsSync(at('merged')) || !(error instanceof Error) ? 'merged' : error.message
  }

  it.each<[string, Partial<RunOptions>, string]>([
    ['another suite', { suites: [fakeSuite(5, { id: 'other' })] }, 'it has another suite, other'],
    [
      'a changed case',
      { suites: [fakeSuite(6, { id: 'one' }), ...suites().slice(1)] },
      'its suite one is different',
    ],
    ['more trials', { defaults: { trials: 5 } }, 'its suite one is different'],
    ['another subject', { subjects: [coin('sure', 0.9)] }, 'it lacks the subject frail'],
    [
      'changed parameters',
      { subjects: [coin('sure', 0.8), coin('frail', 0.4)] },
      'its subject sure is different',
    ],
    [
      'subjects in another order',
      { subjects: [coin('frail', 0.4), coin('sure', 0.9)] },
      'its subjects are in another order',
    ],
    ['another seed', { seed: 7 }, 'its seed is 7, not 1'],
    ['another k', { passK: [1, 2] }, 'its passK is [1,2], not [1,3]'],
    ['another timeout', { timeoutMs: 5 }, 'its timeoutMs is 5, not 120000'],
    ['other prices', { prices: 'mine' }, 'its prices is mine, not none'],
    ['another number of parts', { shard: { index: 2, of: 3 } }, 'is part 2 of 3, but'],
  ])('a part with %s', async (_, change, text) => {
    await go('a', { shard: { index: 1, of: 2 } })
    await go('b', { shard: { index: 2, of: 2 }, ...change })
    expect(await refusal([at('a'), at('b')])).toContain(text)
  })

  it('a whole run, a merged run, the same run twice, a copy, a run that goes on, and no run', async () => {
    const [one = '', two = ''] = await parts(2)
    await go('whole')
    expect(await refusal([one, at('whole')])).toContain(
      'is a whole run: it was started without --shard',
    )
    await mergeParts({ parts: [one, two], folder: at('done') })
    expect(await refusal([at('done'), one])).toContain('is merged already')
    expect(await refusal([one, one])).toContain('is the same run as')
    cpSync(one, at('copy'), { recursive: true })
    expect(await refusal([one, at('copy'), two])).toContain('is the same run as')
    expect(await refusal([one, at('nothing')])).toContain('is not a run folder')
    const lock = Lock.take(two)
    expect(await refusal([one, two])).toContain('is still running')
    lock.release()
  })

  it('a folder that is not empty', async () => {
    const [one = ''] = await parts(1)
    mkdirSync(at('full'))
    writeFileSync(at('full/file'), 'x')
    await expect(mergeParts({ parts: [one], folder: at('full') })).rejects.toThrow('is not empty')
    expect(await readdir(at('full'))).toEqual(['file'])
  })

  it('a damaged line, a damaged record, a damaged or missing text', async () => {
    const [one = '', two = ''] = await parts(2)
    const log = join(two, 'trials.jsonl')
    const whole = readFileSync(log, 'utf8')
    writeFileSync(log, whole.replace('"score":1', '"score":0'))
    expect(await refusal([one, two])).toMatch(/damaged.*assay run --resume/)
    writeFileSync(log, whole)
    const record = readFileSync(join(two, 'run.json'), 'utf8')
    writeFileSync(join(two, 'run.json'), record.replace('"seed": 1', '"seed": 2'))
    expect(await refusal([one, two])).toContain('was changed since Assay wrote it')
    writeFileSync(join(two, 'run.json'), record)
    const [blob = ''] = [...whole.matchAll(/"blob":"([0-9a-f]{64})"/g)].map(([, hash]) => hash)
    const path = join(two, 'blobs', blob.slice(0, 2), blob.slice(2))
    // Both parts may have the text. Then the first one's copy is used.
    rmSync(join(one, 'blobs'), { recursive: true })
    cpSync(join(two, 'blobs'), join(one, 'blobs'), { recursive: true })
    writeFileSync(path, 'changed')
    writeFileSync(join(one, 'blobs', blob.slice(0, 2), blob.slice(2)), 'changed')
    expect(await refusal([one, two])).toContain('cannot be read')
  })

  it('a part that has a trial of another part', async () => {
    const [one = '', two = ''] = await parts(2)
    const [, line = ''] = readFileSync(join(two, 'trials.jsonl'), 'utf8').split('\n')
    appendFileSync(join(one, 'trials.jsonl'), `${line}\n`)
    expect(await refusal([one, two])).toContain('which belongs to another part')
  })

  it('is warned of a last line that was cut short, and lists its trial as missing', async () => {
    const [one = '', two = ''] = await parts(2)
    const log = join(two, 'trials.jsonl')
    writeFileSync(log, readFileSync(log, 'utf8').slice(0, -20))
    const merged = await mergeParts({ parts: [one, two], folder: at('merged') })
    expect(merged.missing).toMatchObject([{ index: 2, of: 2, folders: [two], missing: 1 }])
    expect(merged.warnings.join()).toContain('was cut short')
  })

  it('a part that grades answers again, and a part as the source of regrading', async () => {
    const [one = ''] = await parts(2)
    await expect(go('again', { regrade: one })).rejects.toThrow('is one part of a run')
    await expect(go('again', { regrade: one, shard: { index: 1, of: 2 } })).rejects.toThrow(
      'a part cannot grade answers again',
    )
  })

  it.each([
    { index: 0, of: 2 },
    { index: 3, of: 2 },
    { index: 1.5, of: 2 },
    { index: 1, of: 1e9 },
  ])('part $index of $of', async (shard) => {
    await expect(go('bad', { shard })).rejects.toThrow('shard must be a part')
  })
})
