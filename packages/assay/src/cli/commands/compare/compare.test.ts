import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pico from 'picocolors'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { fakeSide, joined, passes, sideOf } from '../../../../test/fake-side.ts'
import type { Comparison } from '../../../compare/index.ts'
import { UsageError } from '@assay/contract'
import type { Report } from '../../../report/index.ts'
import { blessCommand } from '../bless/bless.ts'
import { compareCommand, type CompareFlags } from './compare.ts'
import type { Output } from '../../output/output.ts'

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'assay-compare-'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const at = (name: string): string => join(folder, name)
const put = (name: string, value: unknown): string => {
  writeFileSync(at(name), typeof value === 'string' ? value : JSON.stringify(value))
  return at(name)
}

function taking(): Output & { readonly printed: () => string; readonly said: () => string } {
  const [out, err]: [string[], string[]] = [[], []]
  return {
    out: (text) => void out.push(text),
    err: (text) => void err.push(text),
    isTerminal: false,
    ready: () => null,
    outIsTerminal: false,
    width: 80,
    colors: pico.createColors(false),
    printed: () => out.join(''),
    said: () => err.join(''),
  }
}

const constant = (m: number, c: number): number[] => Array.from({ length: m }, () => c)
const good = sideOf(10, constant(20, 9))
const worse = sideOf(10, constant(20, 6))

async function compared(
  baseline: Report | string,
  current: Report | string,
  flags: CompareFlags = {},
): Promise<{ code: number; comparison: Comparison; said: string }> {
  const output = taking()
  const code = await compareCommand(
    {
      baseline: typeof baseline === 'string' ? baseline : put('a.json', baseline),
      current: typeof current === 'string' ? current : put('b.json', current),
      format: 'json',
      ...flags,
    },
    output,
  )
  return { code, comparison: JSON.parse(output.printed()) as Comparison, said: output.said() }
}

/** The tests cover: compare and bless, the default baseline and a named one; report.json and other files. */
describe('a file of somebody else', () => {
  const SECRET = 's3cret-words-of-the-victim'
  const before = process.cwd()
  afterEach(() => process.chdir(before))

  it('is not quoted where it is not valid JSON', async () => {
    const error = await compared(put('victim.json', `${SECRET} = 1`), good).catch(String)
    expect(error).toContain('victim.json is not valid JSON')
    expect(error).not.toContain('s3c')
    const cut = await compared(put('cut.json', `{\n "a": ${SECRET}`), good).catch(String)
    expect(cut).toContain('cut.json is not valid JSON')
    expect(cut).not.toContain('s3c')
  })

  it('is no default baseline, be it a link to a right one', async () => {
    await blessCommand({ run: put('r.json', good), output: at('right.json') }, taking())
    const project = at('project')
    mkdirSync(project)
    process.chdir(project)
    for (const target of [at('right.json'), '/proc/self/pagemap', at('victim.json')]) {
      symlinkSync(target, 'assay-baseline.json')
      const refusal = 'assay-baseline.json is a symbolic link, which is not followed here'
      await expect(compareCommand({ current: at('r.json') }, taking())).rejects.toThrow(refusal)
      await expect(blessCommand({ run: at('r.json') }, taking())).rejects.toThrow(refusal)
      rmSync('assay-baseline.json')
    }
    expect(await blessCommand({ run: at('r.json') }, taking())).toBe(0)
    expect(await compareCommand({ current: at('r.json') }, taking())).toBe(0)
  })
})

describe('assay compare', () => {
  it('exits by what was asked', async () => {
    expect((await compared(good, good)).code).toBe(0)
    expect((await compared(good, worse)).code).toBe(0)
    expect((await compared(good, worse, { failOnRegression: true })).code).toBe(1)
    expect((await compared(good, worse, { gate: 'statistical' })).code).toBe(1)
    expect((await compared(worse, good, { gate: 'statistical' })).code).toBe(0)
    const few = sideOf(5, constant(10, 4))
    expect((await compared(few, few, { gate: 'statistical' })).code).toBe(0)
    expect((await compared(few, few, { gate: 'statistical', strict: true })).code).toBe(1)
    expect((await compared(fakeSide({ a: [1] }), fakeSide({ b: [1] }))).code).toBe(3)
  })

  it('exits 3 where a gate is asked of a run that was not finished, unless told', async () => {
    const part = { ...good, provenance: { ...good.provenance, stopped: 'budget' as const } }
    const gate = { gate: 'statistical' } as const
    expect((await compared(good, part)).code).toBe(0)
    expect((await compared(good, part, gate)).code).toBe(3)
    expect((await compared(good, part, { ...gate, allowPartial: true })).code).toBe(0)
    expect((await compared(part, good, gate)).code).toBe(0)
  })

  it('prints the document’s fields as JSON and warnings beside it', async () => {
    const { comparison, said } = await compared(
      fakeSide({ a: [1], gone: [1] }),
      fakeSide({ a: [0], fresh: [1] }),
    )
    expect(comparison.regressions).toMatchObject([
      { case_id: 'a', model: 'fake', baseline_score: 1, current_score: 0, delta: -1 },
    ])
    expect(comparison).toMatchObject({
      improvements: [],
      unchanged: [],
      new_cases: [{ case_id: 'fresh' }],
      removed_cases: [{ case_id: 'gone' }],
    })
    expect(said).toContain('warning: 1 case removed: gone')
  })

  it('writes itself to files, as a page and as Markdown', async () => {
    const hostile = sideOf(4, [4, 1], { subject: '</script><b>x' })
    const report = [at('out/c.html'), at('out/c.md')]
    await compared(hostile, hostile, { report })
    const page = readFileSync(at('out/c.html'), 'utf8')
    expect(page.match(/<script/g)).toHaveLength(2)
    expect(page).toContain('\\u003c/script>\\u003cb>x')
    expect(readFileSync(at('out/c.md'), 'utf8')).toContain('## Assay: ')
    await expect(compared(good, good, { report: [at('c.txt')] })).rejects.toThrow('.html or .md')
  })

  it('takes selectors, also in files whose names hold a #', async () => {
    const both = joined(sideOf(4, [4, 4], { subject: 'x' }), sideOf(4, [1, 2], { subject: 'y' }))
    const path = put('two#.json', both)
    const { comparison } = await compared(`${path}#x`, `${path}#y`)
    expect(comparison.pairs).toMatchObject([{ baseline: 'x', current: 'y' }])
    expect((await compared(path, path)).comparison.pairs).toHaveLength(2)
    await expect(compared(`${path}#z`, path)).rejects.toThrow('no subject "z"')
    await expect(compared('#x', path)).rejects.toThrow(UsageError)
  })

  it('takes gates from a file, and refuses one that is about nobody', async () => {
    const gates = put(
      'gates.toml',
      'gates = [{ metric = "passRate", min = 0.3 }, { metric = "meanScore", margin = 0.02, subject = "fake" }]',
    )
    const { comparison, code } = await compared(good, worse, { gates })
    expect(comparison.gates.map(({ kind, status }) => [kind, status])).toEqual([
      ['min', 'held'],
      ['change', 'failed'],
    ])
    expect(code).toBe(1)
    const nobody = put('nobody.toml', 'gates = [{ metric = "passRate", subject = "fakes" }]')
    await expect(compared(good, worse, { gates: nobody })).rejects.toThrow(UsageError)
    const wrong = put('wrong.toml', 'gates = [{ metric = "passrate", min = 1, max = 2 }]')
    await expect(compared(good, worse, { gates: wrong })).rejects.toThrow(/passRate/)
    const two = put('two.toml', 'gates = [{ metric = "passRate", min = 0.1, max = 0.2 }]')
    await expect(compared(good, worse, { gates: two })).rejects.toThrow('at most one of')
  })

  it('refuses what makes no sense before anything else', async () => {
    for (const flags of [
      { threshold: -1 },
      { threshold: 2 },
      { margin: -0.1 },
      { alpha: 0 },
      { alpha: 0.9 },
      { strict: true },
    ])
      await expect(compared(good, worse, flags)).rejects.toThrow(UsageError)
    await expect(compared(put('x.json', '{"assay":"report","version":7}'), good)).rejects.toThrow(
      'version 7',
    )
    await expect(compared(put('x.json', 'no json'), good)).rejects.toThrow(UsageError)
    await expect(compared(at('nowhere.json'), good)).rejects.toThrow(UsageError)
    const table = put('b.csv', 'case,passed\na,1\n')
    await expect(compared(table, good)).rejects.toThrow(
      `assay analyze ${table} --report ${at('b.json')}`,
    )
  })

  it('reads the JSON report of an eval set that another program wrote', async () => {
    const result = (case_id: string, passed: number, attempt: number): object => ({
      case_id,
      model: 'm',
      provider: 'p',
      generated_code: '',
      compilation: { success: true, errors: [], warnings: [], duration_ms: 1 },
      test_execution: { passed, failed: 4 - passed, ignored: 0, duration_ms: 1, failures: [] },
      clippy: { warnings: [], warning_count: 0 },
      timing: { llm_request_ms: 5, compilation_ms: 1, test_execution_ms: 1, total_ms: 7 },
      token_usage: {
        prompt_tokens: 1,
        completion_tokens: 1,
        total_tokens: 2,
        estimated_cost_usd: 0.01,
      },
      attempt,
      run_id: 'r',
    })
    const report = (passed: number): object => ({
      id: 'r',
      created_at: '2026-01-01T00:00:00Z',
      eval_set: { id: 's', name: 's', case_count: 2 },
      models_evaluated: ['m'],
      duration_ms: 1,
      results: [
        result('a', 4, 1),
        result('a', 4, 2),
        result('b', passed, 1),
        result('b', passed, 2),
      ],
      aggregate: {},
    })
    const { comparison } = await compared(put('old.json', report(4)), put('new.json', report(2)))
    expect(comparison.regressions).toMatchObject([
      { case_id: 'b', baseline_score: 1, current_score: 0.75 },
    ])
    expect(comparison.unchanged).toMatchObject([{ case_id: 'a' }])
  })
})

describe('assay bless', () => {
  const bless = async (
    report: Report,
    flags: { allowPartial?: boolean } = {},
    name = 'blessed.json',
  ): Promise<Output & { printed: () => string; said: () => string }> => {
    const output = taking()
    await blessCommand({ run: put('run.json', report), output: at(name), ...flags }, output)
    return output
  }

  it('stores a baseline that compare reads, with path, hash and trials', async () => {
    const output = await bless(good)
    const stored = JSON.parse(readFileSync(at('blessed.json'), 'utf8')) as { hash: string }
    expect(stored).toMatchObject({ assay: 'baseline', trials: 200, cases: 20, subjects: ['fake'] })
    expect(output.printed()).toContain(stored.hash)
    expect(output.printed()).toContain('200 scored on 20 cases by 1 subject')
    expect(output.printed()).toContain(at('blessed.json'))
    expect(readFileSync(at('blessed.json'), 'utf8')).not.toContain('trialResults')
    const { comparison, code } = await compared(at('blessed.json'), worse, { gate: 'statistical' })
    expect(code).toBe(1)
    expect(comparison.regressions).toHaveLength(20)
    expect((await bless(good)).printed()).toContain('(as before)')
    expect((await bless(worse)).printed()).toContain(`(was ${stored.hash})`)
  })

  it('notices a baseline that was changed by hand, and not one that was reformatted', async () => {
    await bless(good)
    const text = readFileSync(at('blessed.json'), 'utf8')
    put(
      'again.json',
      JSON.parse(text, (_key, value: unknown) =>
        value !== null && typeof value === 'object' && !Array.isArray(value)
          ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
          : value,
      ),
    )
    const again = await compared(at('again.json'), good)
    expect(again.code).toBe(0)
    expect(again.comparison.warnings.join()).not.toContain('weights')
    put('edited.json', text.replace('"c": 9', '"c": 8'))
    await expect(compared(at('edited.json'), good)).rejects.toThrow('not what was blessed')
  })

  it('refuses an incomplete run unless told, and one that measured nothing always', async () => {
    const partial = { ...good, provenance: { ...good.provenance, stopped: 'budget' as const } }
    await expect(bless(partial)).rejects.toThrow('it ended as budget')
    expect((await bless(partial, { allowPartial: true })).said()).toContain('it ended as budget')
    const errored = fakeSide({ a: [...passes(9, 10), null] })
    await expect(bless(errored)).rejects.toThrow('1 trial of 11 errored')
    await expect(bless(fakeSide({ a: [null] }), { allowPartial: true })).rejects.toThrow(
      'nothing was scored',
    )
  })

  it('stamps simulated answers and leaves other files alone', async () => {
    const simulated = sideOf(3, [3, 2], { source: 'simulated' })
    expect((await bless(simulated)).said()).toContain('SIMULATED')
    put('package.json', { name: 'x' })
    await expect(bless(good, {}, 'package.json')).rejects.toThrow('is not a baseline')
    expect(readFileSync(at('package.json'), 'utf8')).toBe('{"name":"x"}')
  })
})
