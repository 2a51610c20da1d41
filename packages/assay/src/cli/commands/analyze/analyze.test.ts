import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pico from 'picocolors'
import { afterAll, expect, it } from 'vitest'
import { reportSchema } from '../../../report/index.ts'
import { analyzeCommand, type AnalyzeFlags } from './analyze.ts'

const folder = mkdtempSync(join(tmpdir(), 'assay-analyze-'))
afterAll(() => rmSync(folder, { recursive: true }))

async function command(
  text: string,
  flags: Partial<AnalyzeFlags> = {},
): Promise<{ code: number; out: string; err: string }> {
  const file = join(folder, 'results.csv')
  writeFileSync(file, text)
  const said = { out: '', err: '' }
  const code = await analyzeCommand(
    { files: [file], ...flags },
    {
      out: (more) => void (said.out += more),
      err: (more) => void (said.err += more),
      isTerminal: false,
      ready: () => null,
      outIsTerminal: false,
      width: 80,
      colors: pico.createColors(false),
    },
  )
  return { code, out: said.out.replaceAll(folder, ''), err: said.err.replaceAll(folder, '') }
}

const CSV = 'tier,subtest,passed,impl_rate,cost_usd,note\nT0,a,1,0.4,1,x\nT1,a,1,0.6,2,y\n'

it('says what was guessed on stderr and what the tiers bring on stdout', async () => {
  const { code, out, err } = await command(CSV)
  expect(code).toBe(0)
  expect(err).toBe(
    [
      'read 2 rows of /results.csv (CSV):',
      '  subject  tier       its name; T0 (1×), T1 (1×)',
      '  case     subtest    its name; a (2×)',
      '  passed   passed     its name; 1 = passed; 1 (2×)',
      '  impl     impl_rate  its name; 0.4 to 0.6',
      '  cost     cost_usd   its name; in dollars; 1 to 2',
      '  not used: note',
      '',
    ].join('\n'),
  )
  expect(out).toContain('uplift is over T0')
  expect(out).toContain('+14.3%')
})

it('prints a report as JSON, and writes reports in the formats of their names', async () => {
  const paths = ['report.json', 'out.md'].map((name) => join(folder, name))
  const { out } = await command(CSV, { json: true, report: paths })
  const report = reportSchema.parse(JSON.parse(out))
  expect(reportSchema.parse(JSON.parse(readFileSync(paths[0] as string, 'utf8')))).toEqual(
    JSON.parse(readFileSync(paths[0] as string, 'utf8')),
  )
  expect(report.tiers).toHaveLength(1)
  for (const path of paths) expect(readFileSync(path, 'utf8')).not.toMatch(/NaN|Infinity/)
})

it('refuses a report name that asks for no format before it reads anything', async () => {
  await expect(command('', { report: ['out.what'] })).rejects.toThrow(/which report is wanted/)
})

it('says once how many rows were replaced', async () => {
  const { out } = await command('case,index,passed\na,0,1\na,0,1\n')
  expect(out.match(/replaced/g)).toHaveLength(1)
})

it('is not a success where nothing was scored', async () => {
  const { code, err } = await command('case,passed\na,\n')
  expect(code).toBe(3)
  expect(err).toContain('nothing was scored')
})

it('lets nothing of a file reach the terminal raw', async () => {
  const evil = '\u001b[31mred\u0007\u202e'
  const { out, err } = await command(`case,subject,passed,${evil}\n${evil},${evil},1,x\n`)
  // eslint-disable-next-line no-control-regex
  expect(out + err).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202e]/)
})

it('says which words count as a pass', async () => {
  const { err } = await command('case,passed\na,Yes\nb,no\nc,ok\nd,timeout\ne,skip\n')
  expect(err.replaceAll(/\s+/g, ' ')).toContain(
    'passed passed its name; ok, Yes = passed; no, timeout = failed; skip = not run;',
  )
})

it('shows figures by the values of a column, in every format', async () => {
  const rows = ['a,rust,1', 'a,rust,0', 'b,rust,1', 'b,rust,1', 'c,python,0', 'c,python,1']
  const text = ['case,language,passed', ...rows].join('\n')
  const { out, err } = await command(text, { by: ['language'] })
  expect(err).toContain('by       language  --by says so')
  expect(out).toMatch(/by language +cases +passed +pass rate/)
  expect(out).toMatch(/rust +2 +3\/4/)
  expect(out).toMatch(/python +1 +1\/2/)
  const { out: json } = await command(text, { by: ['language'], json: true })
  const [by] = reportSchema.parse(JSON.parse(json)).by ?? []
  expect(by?.rows.map(({ value, passRate }) => [value, passRate.value])).toEqual([
    ['python', 0.5],
    ['rust', 0.75],
  ])
  await expect(command(text, { by: ['langage'] })).rejects.toThrow('did you mean "language"')
  await expect(command('case,x,passed\na,1,1\na,2,0\n', { by: ['x'] })).rejects.toThrow(
    '--by x: the case "a" has two values, "1" and "2"',
  )
})
