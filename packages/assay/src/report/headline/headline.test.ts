import pico from 'picocolors'
import { describe, expect, it } from 'vitest'
import { fakeSource } from '../../../test/fake-source.ts'
import { passes, planted, same } from '../../../test/planted-report.ts'
import { sentences, situations } from '../../../test/planted-situations.ts'
import { written } from '../../../test/written.ts'
import { json } from '../formats/json-format.ts'
import { renderMarkdown } from '../formats/markdown.ts'
import { reportSchema, type Report } from '../schema/report.ts'
import { renderShown } from '../terminal/show.ts'
import { renderReport } from '../terminal/terminal.ts'
import { makeViewData } from '../view-data/make-view-data.ts'
import { buildHeadline, headlineOf } from './index.ts'

const colors = pico.createColors(false)

const sourceOf = (report: Report) => ({ ...fakeSource([]), report })

/** The first paragraph of a terminal's output, in one line. */
const firstParagraph = (text: string): string => (text.split('\n\n')[0] ?? '').replaceAll('\n', ' ')

const shown = (report: Report, width: number): string =>
  renderShown({ kind: 'cases', cells: [], leftOut: 0 }, report, {
    width,
    colors,
    program: 'assay',
    run: 'r',
    full: false,
    text: () => null,
  })

describe('the first line', () => {
  it('is planted for at least 20 situations', () => {
    expect(Object.keys(situations).length).toBeGreaterThanOrEqual(20)
    expect(Object.keys(sentences)).toEqual(Object.keys(situations))
  })

  for (const [name, make] of Object.entries(situations))
    it(`says what is true of ${name}, in every format`, async () => {
      const report = make()
      const sentence = sentences[name] as string
      expect(headlineOf(report).sentence).toBe(sentence)
      for (const width of [80, 200]) {
        expect(firstParagraph(renderReport(report, { width, colors }))).toBe(sentence)
        expect(firstParagraph(shown(report, width))).toBe(sentence)
      }
      expect(renderMarkdown(report).split('\n')[0]).toBe(`**${sentence}**`)
      const text = await written(json, sourceOf(report))
      const parsed = reportSchema.parse(JSON.parse(text))
      expect(parsed.headline?.sentence).toBe(sentence)
      expect(Object.keys(parsed).slice(0, 3)).toEqual(['assay', 'version', 'headline'])
      const { report: onThePage } = await makeViewData(sourceOf(report))
      expect(onThePage.headline.sentence).toBe(sentence)
      // A report of an earlier version has no headline: the same one is computed.
      const { headline: _, ...old } = report
      expect(headlineOf(old).sentence).toBe(sentence)
    })
})

describe('the order of subjects', () => {
  const report = planted({
    worst: { cases: passes(10, 1, 2, 0, 1, 2, 1, 0, 2) },
    best: { cases: passes(10, 9, 10, 9, 8, 10, 9, 10, 9) },
    middle: { cases: passes(10, 5, 6, 4, 5, 6, 5, 4, 6) },
    nothing: { cases: Array.from({ length: 8 }, () => ({ n: 0, c: 0, errored: 10 })) },
  })
  const order = ['best', 'middle', 'worst', 'nothing']

  it('is that of the result, in every format', async () => {
    expect(report.subjects.map(({ subject }) => subject)).toEqual(order)
    const places = (text: string, mark: (name: string) => string): number[] =>
      order.map((name) => text.indexOf(mark(name)))
    const inOrder = (found: readonly number[]): void => {
      expect(found).not.toContain(-1)
      expect(found).toEqual(found.toSorted((a, b) => a - b))
    }
    inOrder(places(renderReport(report, { width: 100, colors }), (name) => `\n${name} `))
    inOrder(places(renderMarkdown(report), (name) => `| \`${name}\` |`))
    const parsed = reportSchema.parse(JSON.parse(await written(json, sourceOf(report))))
    expect(parsed.subjects.map(({ subject }) => subject)).toEqual(order)
    const { report: page } = await makeViewData(sourceOf(report))
    expect(page.subjects.map(({ subject }) => subject)).toEqual(order)
  })

  it('names the best, who cannot be distinguished from it, and who is worse', () => {
    const [suite] = headlineOf(report).suites
    expect(suite).toMatchObject({ verdict: 'better', best: 'best', alike: [], order })
    expect(suite?.against.map(({ decision }) => decision)).toEqual(['worse', 'worse'])
    const alike = planted({
      a: { cases: passes(5, 3, 4, 5, 2, 3, 4) },
      b: { cases: passes(5, 4, 3, 4, 3, 3, 4) },
    })
    expect(headlineOf(alike).suites[0]).toMatchObject({ verdict: 'not decided', alike: ['b'] })
  })

  it('does not call a subject the best that was scored on few cases', () => {
    const few = planted({
      lucky: {
        cases: [{ n: 5, c: 5 }, ...Array.from({ length: 7 }, () => ({ n: 0, c: 0, errored: 5 }))],
      },
      steady: { cases: passes(5, 4, 4, 3, 4, 5, 4, 4, 3) },
    })
    expect(headlineOf(few).suites[0]?.best).toBe('steady')
  })

  it('is that of the rates over all cases where few are shared, whoever has more cases', () => {
    const none = (m: number) => same(m, 0, 0)
    const small = { cases: [...same(6, 2, 2), ...none(20)] }
    const large = {
      cases: [...none(6), ...passes(2, ...Array.from({ length: 20 }, (_, i) => i % 2))],
    }
    const [suite] = headlineOf(planted({ large, small })).suites
    expect(suite).toMatchObject({ verdict: 'better', order: ['small', 'large'] })
    expect(suite?.against[0]).toMatchObject({
      bestRate: 1,
      rate: 0.25,
      compared: { as: 'independent', shared: 0, onlyA: 6, onlyB: 20 },
    })
    // Four cases decide nothing, so they do not make a subject the best.
    const tiny = { cases: [...same(4, 2, 2), ...none(22)] }
    expect(headlineOf(planted({ tiny, large })).suites[0]?.order).toEqual(['large', 'tiny'])
  })

  it('prefers the cheaper of two with the same rate', () => {
    const dear = { cases: same(6, 5, 4), usd: 0.05 }
    const cheap = { cases: same(6, 5, 4), usd: 0.01 }
    expect(headlineOf(planted({ dear, cheap })).suites[0]?.order).toEqual(['cheap', 'dear'])
  })
})

describe('what would decide it', () => {
  const a = passes(10, 7, 5, 8, 6, 9, 4, 7, 6)
  const b = passes(10, 6, 6, 6, 6, 7, 5, 5, 6)

  it('is priced by what each subject costs, and unpriced where a price is unknown', () => {
    const priced = headlineOf(planted({ a: { cases: a, usd: 0.01 }, b: { cases: b, usd: 0.03 } }))
    const needed = priced.suites[0]?.needed
    expect(needed?.usd).toBeCloseTo(((needed?.trials ?? 0) / 2) * 0.04, 9)
    const unknown = headlineOf(planted({ a: { cases: a }, b: { cases: b, usd: null } }))
    expect(unknown.suites[0]?.needed).toMatchObject({ trials: needed?.trials, usd: null })
  })

  it('names the subjects that its number of trials counts, where it is not all', () => {
    const clearlyWorse = passes(10, 0, 0, 1, 0, 1, 0, 0, 0)
    const two = { a: { cases: a }, b: { cases: b } }
    const three = headlineOf(planted({ ...two, c: { cases: clearlyWorse } })).suites[0]
    const { trialsPerCase, trials, subjects } = three?.needed ?? {}
    expect(subjects).toEqual(['a', 'b'])
    expect(trials).toBe((trialsPerCase ?? 0) * 8 * 2)
    const told = trials?.toLocaleString('en-US')
    expect(three?.sentence).toContain(
      `About ${trialsPerCase} more trials of each case with these two (${told} more trials in all`,
    )
    const all = headlineOf(planted({ ...two, c: { cases: b } })).suites[0]
    expect(all?.needed?.trials).toBe((all?.needed?.trialsPerCase ?? 0) * 8 * 3)
    expect(all?.sentence).toContain('of each case with each subject (')
  })

  it('is new cases of each where few are shared, and these decide it', () => {
    const none = (m: number) => same(m, 0, 0)
    const of = (times: number) => {
      const [x, y] = [
        passes(1, 1, 1, 0, 1, 0, 1, 1, 0, 1, 1),
        passes(1, 0, 1, 0, 1, 0, 1, 0, 0, 1, 0),
      ]
      const repeated = (list: typeof x) => Array.from({ length: times }, () => list).flat()
      const m = 10 * times
      return headlineOf(
        planted({
          x: { cases: [...repeated(x), ...none(m)] },
          y: { cases: [...none(m), ...repeated(y)] },
        }),
      ).suites[0]
    }
    const needed = of(1)?.needed
    expect(needed).toMatchObject({ trialsPerCase: null, trials: 2 * (needed?.cases ?? 0) })
    const times = Math.ceil(((needed?.cases ?? 0) + 10) / 10)
    expect(times).toBeGreaterThan(2)
    expect(of(times)?.verdict).toBe('better')
    // Power is 80 %: with a third of these cases the interval still contains zero.
    expect(of(Math.floor(times / 3))?.verdict).toBe('not decided')
  })

  it('decides it where it is done and the rates stay what they are', () => {
    const found = headlineOf(planted({ a: { cases: a }, b: { cases: b } })).suites[0]
    const times = Math.ceil(((found?.needed?.trialsPerCase ?? 0) + 10) / 10)
    expect(times).toBeGreaterThan(1)
    // Power is 80 %, so the expected result of the larger run is beyond the limit.
    const more = (list: typeof a) => list.map(({ n, c }) => ({ n: n * times, c: c * times }))
    const decided = headlineOf(planted({ a: { cases: more(a) }, b: { cases: more(b) } })).suites[0]
    expect(['better', 'equal', 'better here']).toContain(decided?.verdict)
  })
})

it('a report of an earlier version that compared nothing without a shared case is read as it is', () => {
  const report = planted({
    a: { cases: [...same(3, 2, 2), ...same(3, 0, 0)] },
    b: { cases: [...same(3, 0, 0), ...same(3, 2, 1)] },
  })
  const [suite] = headlineOf(report).suites
  const none = { value: null, n: 0, reason: 'no case was scored in both' }
  const rival = {
    ...{ subject: 'b', shared: 0, bestRate: null, rate: null, population: none, fixed: none },
    ...{ together: null, decision: 'not comparable' as const },
  }
  const old = { ...suite, against: [rival], alike: [], needed: null } as NonNullable<typeof suite>
  const text = renderMarkdown({ ...report, headline: { sentence: '', suites: [old] } })
  expect(text).toContain('passes 100%, and it cannot be compared.')
  expect(text).toContain('shares no scored case with')
})

describe('several suites', () => {
  const of = (suite: string) =>
    planted({ a: { cases: same(6, 5, 4) }, b: { cases: passes(5, 1, 2, 1, 0, 2, 1) } }, { suite })

  it('have a sentence each, and the first line names the suites', () => {
    const suites = ['one', 'two', 'three', 'four', 'five']
    const report = { ...of('one'), subjects: suites.flatMap((suite) => of(suite).subjects) }
    const { sentence, suites: found } = buildHeadline(report)
    expect(found).toHaveLength(5)
    expect(sentence).toMatch(/^On one: a is better than b.*On three: .* 2 further suites have a/)
    const text = renderReport(
      { ...report, headline: { sentence, suites: found } },
      { width: 80, colors },
    )
    expect(text.replaceAll('\n', ' ').split('a is better than b').length - 1).toBe(3 + 5)
  })
})

describe('a hostile name', () => {
  it('is code in Markdown and harmless in a terminal', () => {
    const evil = '**x** @team #1 https://evil.example <b>\u001b[31m'
    const report = planted({ [evil]: { cases: same(6, 5, 4) }, b: { cases: same(6, 5, 1) } })
    const [first = ''] = renderMarkdown(report).split('\n')
    expect(first).not.toMatch(/@team|https:|<b>|\*\*x/)
    expect(renderReport(report, { width: 80, colors })).not.toContain('\u001b')
  })
})
