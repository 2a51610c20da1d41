/** Labels through the server: what is accepted, what it is compared with, and what it survives. */
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { judgedAgain, judgedRun } from '../../../test/review/judged-run.ts'
import { startViewing, type Viewing } from '../../../test/view-server.ts'
import { readLabels } from '../../log/index.ts'
import { readRun } from '../../report/index.ts'
import {
  reviewFigures,
  type ReviewData,
  type ReviewItem,
  type ViewTrial,
} from '../../report/view-data/index.ts'
import { reviewOf } from './review-run.ts'

let root: string
let folder: string
let viewing: Viewing
let key: string
const cases = Array.from({ length: 15 }, (_, i) => `c${i}`)

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'assay-review-'))
  folder = join(root, 'runs', 'first')
  await judgedRun({
    folder,
    cases,
    subjects: ['a', 'b'],
    trials: 2,
    // The judge passes half of the answers. Those that end in 1 are good all the same.
    answer: ({ case: one, index }) => `${one.id} ${index === 0 ? 'praise' : 'plain'} ${index}`,
  })
  viewing = await startViewing([join(root, 'runs')])
  key = viewing.store.keyOf(folder) ?? ''
})
afterAll(async () => {
  await viewing.close()
  rmSync(root, { recursive: true, force: true })
})

const review = async (query = ''): Promise<ReviewData> =>
  (await viewing.ask(`/api/review?run=${key}${query}`)).json() as Promise<ReviewData>
const trialOf = async ({ suite, case: one, subject, position }: ReviewItem): Promise<ViewTrial> =>
  (
    await viewing.ask(
      `/api/trial?run=${key}&suite=${suite}&case=${one}&subject=${subject}&index=${position}`,
    )
  ).json() as Promise<ViewTrial>
const send = (body: unknown): Promise<Response> =>
  viewing.ask(`/api/label?run=${key}`, { method: 'POST', body: JSON.stringify(body) })

async function labelOf(item: ReviewItem, change: object = {}): Promise<object> {
  const { index: _, ...place } = item
  const { answerHash } = await trialOf(item)
  return {
    ...place,
    ...{ answer: answerHash, reviewer: 'ann', verdict: 'pass', note: '', blind: false },
    picked: 'random',
    ...change,
  }
}

it('offers the trials in one random order, and only part of a suite or subject if asked', async () => {
  const { queue, reviewable, observed } = await review()
  expect(queue).toHaveLength(60)
  expect(reviewable).toBe(60)
  expect(new Set(queue.map((item) => JSON.stringify(item))).size).toBe(60)
  expect((await review()).queue).toEqual(queue)
  // Neither the subjects nor the indexes follow each other as in the log.
  const firsts = queue.slice(0, 20)
  expect(new Set(firsts.map(({ subject }) => subject)).size).toBe(2)
  expect(new Set(firsts.map(({ position }) => position)).size).toBe(2)
  expect((await review('&subject=b')).queue).toEqual(queue.filter(({ subject }) => subject === 'b'))
  expect((await review('&suite=none')).queue).toEqual([])
  expect(observed).toContainEqual({
    ...{ suite: 'suite', subject: 'a', grader: 'judge', judge: 'gpt', n: 30, c: 15 },
  })
})

it('stores labels in the folder, compares them with the judge, and never changes the log', async () => {
  const log = readFileSync(join(folder, 'trials.jsonl'))
  const record = readFileSync(join(folder, 'run.json'))
  const { queue } = await review()
  // Ann passes every answer that the judge passes, and two thirds of the others: 20 errors in 30.
  for (const [i, item] of queue.entries()) {
    const verdict = item.position === 0 || i % 3 > 0 ? 'pass' : 'fail'
    expect((await send(await labelOf(item, { verdict }))).status).toBe(200)
  }
  const data = await review()
  expect(data.labels).toHaveLength(60)
  expect(data.labels.every(({ isCurrent }) => isCurrent)).toBe(true)
  const [ann] = reviewFigures(data).reviewers
  const judge = ann?.raters.find((one) => one.judge === 'gpt')
  expect(judge?.confusion).toMatchObject({ bothPass: 30, onlyJudge: 0 })
  const { onlyPerson = 0, bothFail = 0 } = judge?.confusion ?? {}
  expect(onlyPerson + bothFail).toBe(30)
  // Sensitivity 30/(30 + onlyPerson) and specificity 1, so the corrected rate is the person's own.
  expect(judge?.subjects[0]?.corrected.value).toBeCloseTo((0.5 * (30 + onlyPerson)) / 30, 12)
  expect(readFileSync(join(folder, 'trials.jsonl'))).toEqual(log)
  expect(readFileSync(join(folder, 'run.json'))).toEqual(record)
})

it('a regrade keeps the labels, and compares them with the new grades', async () => {
  const again = join(root, 'again')
  const judgeIn = (data: Awaited<ReturnType<typeof reviewOf>>) =>
    reviewFigures(data).reviewers[0]?.raters.find((one) => one.judge === 'gpt')?.confusion
  const before = judgeIn(await reviewOf(await readRun(folder)))
  // The new judge passes exactly the answers that the old one failed.
  await judgedAgain({ folder, cases }, again, 'plain')
  const data = await reviewOf(await readRun(again))
  expect(data.labels).toHaveLength(60)
  expect(data.labels.every(({ isCurrent }) => isCurrent)).toBe(true)
  expect(judgeIn(data)).toEqual({
    bothPass: before?.onlyPerson,
    onlyPerson: before?.bothPass,
    onlyJudge: before?.bothFail,
    bothFail: before?.onlyJudge,
  })
})

it('does not count a label of an answer that was replaced', async () => {
  await judgedRun({
    ...{ folder: join(root, 'other'), cases, subjects: ['a', 'b'], trials: 2 },
    answer: () => 'praise',
  })
  cpSync(join(folder, 'labels.jsonl'), join(root, 'other', 'labels.jsonl'))
  const data = await reviewOf(await readRun(join(root, 'other')))
  const [ann] = reviewFigures(data).reviewers
  expect(ann).toMatchObject({ outdated: 60, pass: 0 })
  expect(ann?.raters[0]?.basis).toBe(0)
})

it('refuses what is not a label of this run, and stores nothing of it', async () => {
  const before = readFileSync(join(folder, 'labels.jsonl'))
  const [item] = (await review()).queue
  const good = await labelOf(item as ReviewItem)
  const wrong: readonly (readonly [number, object])[] = [
    [400, {}],
    [400, { ...good, extra: 1 }],
    [400, { ...good, reviewer: '' }],
    [400, { ...good, reviewer: 'a\nb' }],
    [400, { ...good, reviewer: 'x'.repeat(101) }],
    [400, { ...good, verdict: 'passed' }],
    [400, { ...good, note: 'x'.repeat(4001) }],
    [400, { ...good, position: -1 }],
    [400, { ...good, answer: '../../etc/passwd' }],
    [404, { ...good, position: 99 }],
    [404, { ...good, case: 'none' }],
    [409, { ...good, answer: '0'.repeat(32) }],
    [413, { ...good, suite: 'x'.repeat(70_000) }],
  ]
  for (const [status, body] of wrong) expect((await send(body)).status).toBe(status)
  const path = `/api/label?run=${key}`
  for (const body of ['{', 'null', '', '[]'])
    expect((await viewing.ask(path, { method: 'POST', body })).status).toBe(400)
  expect((await viewing.ask(path)).status).toBe(404)
  expect(readFileSync(join(folder, 'labels.jsonl'))).toEqual(before)
})

it('labels need the cookie, the origin and the header that a foreign page cannot send', async () => {
  const before = readFileSync(join(folder, 'labels.jsonl'))
  const [item] = (await review()).queue
  const body = JSON.stringify(await labelOf(item as ReviewItem, { note: 'forged' }))
  const { cookie, port } = viewing
  const origin = `http://127.0.0.1:${port}`
  const json = { 'content-type': 'application/json' }
  const own = { 'x-assay-view': '1' }
  const forged: readonly (readonly [number, Record<string, string>])[] = [
    [401, { ...json, ...own, origin }],
    [403, { ...json, cookie, origin }],
    [403, { ...json, ...own, cookie }],
    [403, { ...json, ...own, cookie, origin: 'http://evil.example' }],
    // A form of another page can send this, but no other header.
    [403, { 'content-type': 'text/plain', cookie, origin }],
    [400, { 'content-type': 'text/plain', ...own, cookie, origin }],
  ]
  for (const [status, headers] of forged) {
    const response = await fetch(`${origin}/api/label?run=${key}`, {
      ...{ method: 'POST', body, headers },
    })
    expect(response.status).toBe(status)
  }
  expect(readFileSync(join(folder, 'labels.jsonl'))).toEqual(before)
})

it('two viewers label the same run at once', async () => {
  const other = await startViewing([join(root, 'runs')])
  try {
    const items = (await review()).queue.slice(0, 8)
    const bodies = await Promise.all(
      items.flatMap((item) => ['bob', 'cas'].map((reviewer) => labelOf(item, { reviewer }))),
    )
    const answers = await Promise.all(
      bodies.map((body, i) =>
        (i % 2 === 0 ? viewing : other).ask(`/api/label?run=${key}`, {
          method: 'POST',
          body: JSON.stringify(body),
        }),
      ),
    )
    expect(answers.map(({ status }) => status)).toEqual(bodies.map(() => 200))
    const { labels, damaged, torn } = await readLabels(folder)
    expect([damaged, torn]).toEqual([0, false])
    for (const reviewer of ['bob', 'cas'])
      expect(labels.filter((one) => one.reviewer === reviewer)).toHaveLength(8)
    const { agreement } = reviewFigures(await review())
    expect(agreement.find(({ a, b }) => a === 'bob' && b === 'cas')).toMatchObject({
      n: 8,
      same: 8,
    })
  } finally {
    await other.close()
  }
})

it('reports a torn line', async () => {
  const path = join(folder, 'labels.jsonl')
  writeFileSync(path, readFileSync(path).subarray(0, -5))
  expect((await review()).notes).toEqual([
    'the last line of labels.jsonl was cut short and is left out',
  ])
  expect(existsSync(join(root, 'runs', 'first', 'trials.jsonl'))).toBe(true)
})
