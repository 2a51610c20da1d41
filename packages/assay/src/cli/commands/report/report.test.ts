import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pico from 'picocolors'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { fakeSubject, fakeSuite, saying } from '../../../../test/fakes.ts'
import { run } from '../../../run/index.ts'
import type { Report } from '../../../report/index.ts'
import { reportCommand, type ReportFlags } from './report.ts'

let root: string
let folder: string

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'assay-report-'))
  folder = join(root, 'run')
  const subject = fakeSubject(({ case: one, index }) =>
    saying(one.id === 'c1' && index % 2 === 1 ? 'wrong' : 'right'),
  )
  await run({ suites: [fakeSuite(3)], subjects: [subject], folder, trials: 8 })
})
afterAll(() => rmSync(root, { recursive: true, force: true }))

async function report(flags: Omit<ReportFlags, 'run'>) {
  let [printed, said] = ['', '']
  const output = {
    out: (more: string) => void (printed += more),
    err: (more: string) => void (said += more),
    isTerminal: false,
    ready: () => null,
    outIsTerminal: false,
    width: 80,
    colors: pico.createColors(false),
  }
  const code = await reportCommand({ run: folder, ...flags }, output)
  return { code, printed, said }
}

const gatesFile = (text: string): string => {
  const path = join(root, 'gates.toml')
  writeFileSync(path, text)
  return path
}

describe('assay report with gates', () => {
  it('exits by what the evidence says', async () => {
    expect((await report({})).code).toBe(0)
    expect((await report({ failUnder: ['passRate=0.3'] })).code).toBe(0)
    expect((await report({ failUnder: ['passRate=0.99'] })).code).toBe(1)
    expect((await report({ failUnder: ['passRate=0.8'] })).code).toBe(0)
    expect((await report({ failUnder: ['passRate=0.8'], strict: true })).code).toBe(1)
    expect((await report({ failOver: ['passRate=0.3'] })).code).toBe(1)
    expect((await report({ failUnder: ['passRate=0.6,case=c0'] })).code).toBe(0)
    expect((await report({ requirePass: true })).code).toBe(1)
  })

  it('prints the value, the interval and what would decide it', async () => {
    const { printed } = await report({ failUnder: ['passRate=0.8'] })
    const text = printed.replaceAll(/\s+/g, ' ')
    expect(text).toContain('undecided fake · suite: pass rate ≥ 80.0%: 83.3% (')
    expect(text).toContain('95 % interval, exactly these cases, tried again; 3 cases, 24 trials)')
    expect(text).toMatch(/About [\d,]+ more trials of each case .* would probably decide it/)
    expect(text).toContain('no gate failed, 1 of 1 undecided')
    for (const line of printed.split('\n')) expect(line.length).toBeLessThanOrEqual(80)
  })

  it('has the same in report.json, Markdown and the page', async () => {
    const flags = { failUnder: ['passRate=0.99'], requirePass: true }
    const { code, printed, said } = await report({ ...flags, json: true })
    expect(code).toBe(1)
    const { gates } = JSON.parse(printed) as Report
    expect(gates).toMatchObject({
      results: [{ metric: 'passRate', limit: 0.99, status: 'failed', cases: 3, trials: 24 }],
      skills: [{ suite: 'suite', subject: 'fake', passed: false }],
      outcome: { code: 1 },
    })
    expect(said).toContain('failed: 1 gate of 1 failed')
    const markdown = await report({ ...flags, format: 'markdown' })
    expect(markdown.code).toBe(1)
    expect(markdown.printed).toContain('| FAILED | `fake` · `suite` | pass rate ≥ 99.0%: 83.3%')
    expect(markdown.printed).toContain('**failed: 1 gate of 1 failed**')
    const page = join(root, 'page.html')
    expect((await report({ ...flags, report: [page] })).code).toBe(1)
    expect(readFileSync(page, 'utf8')).toContain('"limit":0.99')
  })

  it('takes a file of bounds, and refuses a gate that needs a baseline', async () => {
    const file = gatesFile(
      'gates = [{ metric = "passRate", min = 0.3 }, { metric = "passHatK", k = 2, per = "case", min = 0.9 }]',
    )
    const { code, printed } = await report({ gates: file, json: true })
    expect(code).toBe(1)
    const results = (JSON.parse(printed) as Report).gates?.results
    expect(results?.map(({ k, case: one, status }) => [k, one, status])).toEqual([
      [null, null, 'held'],
      [2, 'c0', 'undecided'],
      [2, 'c1', 'failed'],
      [2, 'c2', 'undecided'],
    ])
    const refused = (text: string): Promise<unknown> => report({ gates: gatesFile(text) })
    await expect(refused('gates = [{ metric = "passRate", margin = 0.1 }]')).rejects.toThrow(
      'needs a baseline',
    )
    await expect(refused('gates = [{ metric = "passRat", min = 0.1 }]')).rejects.toThrow('passRate')
    await expect(refused('gates = [{ metric = "passRate", min = 80 }]')).rejects.toThrow('0.8')
    await expect(refused('gates = [{ metric = "passAtK" }]')).rejects.toThrow('min or max')
    await expect(refused('gates = [{ metric = "latency", k = 2, max = 9 }]')).rejects.toThrow(
      'no k',
    )
  })

  it.each([
    ['passRat=0.8', 'did you mean "passRate"?'],
    ['zzz=0.8', 'known: meanScore, passRate'],
    ['passRate=80', '80 % is 0.8'],
    ['passRate=80%,cas=c0', 'did you mean "case"?'],
    ['passRate', 'such as passRate=0.8'],
    ['passRate=', 'is not a number'],
    ['passRate=x', '"x" is not a number'],
    ['passRate=0.8,tag=', 'tag has no value'],
    ['passRate=0.8,tag=a,tag=b', 'given twice'],
    ['passRate=0.8,per=trial', 'per is case or tag'],
    ['passRate=0.8,k=2', 'has no k'],
    ['passHatK=0.8,k=0', 'whole number from 1'],
    ['passRate=0.8,case=c9', 'not part of this run'],
    ['passRate=0.8,tag=a', 'no case has a tag'],
  ])('refuses --fail-under %s', async (text, why) => {
    await expect(report({ failUnder: [text] })).rejects.toThrow(why)
  })

  it('refuses --strict without a gate', async () => {
    await expect(report({ strict: true })).rejects.toThrow('--strict is about gates')
  })
})
