/** Suites that take their cases from the rows of data files. */
import { readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import path from 'node:path'
import { SuiteError } from '../../documents/index.ts'
import { loadText } from '../../../test/suite-folder.ts'

const TEMPLATE = `
[template]
prompt = "Classify: {{ text }}"
graders = [{ type = "equals", value = "{{ label }}" }]
`
const suite = (data: string, more = '', template = TEMPLATE): string =>
  `id = "s"\ndata = ${JSON.stringify(data)}\n${more}\n${template}`

const ROWS = [
  { text: 'refund me', label: 'billing' },
  { text: 'it crashes, "badly"', label: 'bug' },
]
const CSV = 'text,label\nrefund me,billing\n"it crashes, ""badly""",bug\n'
const TSV = 'text\tlabel\nrefund me\tbilling\nit crashes, "badly"\tbug\n'
const LINES = ROWS.map((row) => JSON.stringify(row)).join('\n')
const YAML = '- { text: refund me, label: billing }\n- text: it crashes, "badly"\n  label: bug\n'

const casesOf = async (
  text: string,
  files: Readonly<Record<string, string | Uint8Array>>,
  name = 'suite.toml',
) => (await loadText(name, text, files)).suite.cases

/** The problems as `file:line:column: message`, with the name of the file alone. */
async function problemsOf(
  text: string,
  files: Readonly<Record<string, string | Uint8Array>> = {},
): Promise<string[]> {
  try {
    await loadText('s.toml', text, files)
  } catch (error) {
    if (!(error instanceof SuiteError)) throw error
    return error.problems.map(({ file, line, column, message }) =>
      [path.basename(file), line, column, ` ${message}`].filter((one) => one !== null).join(':'),
    )
  }
  return []
}

describe('the rows of a data file are cases', () => {
  it.each<[string, string | Uint8Array]>([
    ['rows.csv', CSV],
    ['rows.csv.gz', gzipSync(CSV)],
    ['bom.csv', `\ufeff${CSV}`],
    ['windows.csv', CSV.replaceAll('\n', '\r\n')],
    ['semicolons.csv', 'text;label\nrefund me;billing\n"it crashes, ""badly""";bug\n'],
    ['rows.tsv', TSV],
    ['rows.json', JSON.stringify(ROWS)],
    ['lines.json', LINES],
    ['rows.jsonl', LINES],
    ['rows.ndjson.gz', gzipSync(LINES)],
    ['rows.yaml', YAML],
  ])('%s', async (name, content) => {
    const cases = await casesOf(suite(name), { [name]: content })
    expect(cases.map(({ turns }) => turns)).toEqual([
      ['Classify: refund me'],
      ['Classify: it crashes, "badly"'],
    ])
    expect(cases.map(({ graders }) => graders[0]?.options)).toEqual([
      { value: 'billing' },
      { value: 'bug' },
    ])
  })

  it('give the same ids and hashes in every format, and when they are shuffled', async () => {
    const { suite: first } = await loadText('suite.toml', suite('a.csv'), { 'a.csv': CSV })
    const shuffled = [...ROWS]
      .reverse()
      .map((row) => JSON.stringify(row))
      .join('\n')
    const { suite: second } = await loadText('suite.toml', suite('b.jsonl'), {
      'b.jsonl': shuffled,
    })
    const named = (all: typeof first) => all.cases.map(({ id, hash }) => `${id} ${hash}`).sort()
    expect(named(second)).toEqual(named(first))
    expect(second.hash).toBe(first.hash)
  })

  it('come from several files, and from all that a pattern matches', async () => {
    const files = {
      'rows/b.csv': 'text,label\nb,B\n',
      'rows/a.csv': 'text,label\na,A\n',
      'rows/.hidden.csv': 'text,label\nh,H\n',
      'rows/deep/c.csv': 'text,label\nc,C\n',
      'more.jsonl': '{"text":"m","label":"M"}',
    }
    const asked = async (data: string | string[]) =>
      (await casesOf(suite('x').replace('"x"', JSON.stringify(data)), files)).map(
        ({ turns }) => turns[0],
      )
    expect(await asked('rows/*.csv')).toEqual(['Classify: a', 'Classify: b'])
    expect(await asked('rows/?.csv')).toEqual(['Classify: a', 'Classify: b'])
    expect(await asked('rows/**/*.csv')).toEqual(['Classify: a', 'Classify: b', 'Classify: c'])
    expect(await asked(['more.jsonl', 'rows/a.csv'])).toEqual(['Classify: m', 'Classify: a'])
  })

  it('share the graders that are the same, and no others', async () => {
    const lines = ['bug', 'other', 'bug', 3, '3', 3]
      .map((label, index) => JSON.stringify({ text: `row ${index}`, label }))
      .join('\n')
    const [bug, other, again, ...numbers] = await casesOf(suite('a.jsonl'), { 'a.jsonl': lines })
    expect(again?.graders).toBe(bug?.graders)
    expect(other?.graders[0]?.options).toEqual({ value: 'other' })
    // A number is refused by this grader and read as text, for every row that has one.
    expect(numbers.map(({ graders }) => graders[0]?.options)).toEqual([
      { value: '3' },
      { value: '3' },
      { value: '3' },
    ])
  })

  it('are read across the pieces of a large file, in order', async () => {
    const rows = Array.from({ length: 3000 }, (_, i) => ({
      text: `é ${i} `.repeat(20),
      label: 'a',
    }))
    const csv = `text,label\n${rows.map(({ text, label }) => `${text},${label}`).join('\n')}\n`
    const lines = rows.map((row) => JSON.stringify(row)).join('\n')
    for (const [name, content] of Object.entries({ 'a.csv': csv, 'a.jsonl': lines })) {
      const cases = await casesOf(suite(name), { [name]: content })
      expect(cases.map(({ turns }) => turns[0])).toEqual(
        rows.map(({ text }) => `Classify: ${text}`),
      )
    }
    const [broken] = await problemsOf(suite('a.jsonl'), { 'a.jsonl': `${lines}\n{` })
    expect(broken).toMatch(/^a\.jsonl:3001:\d+: row 3001: /)
  })

  it('stand beside cases that the suite spells out', async () => {
    const own = '[[cases]]\nid = "own"\nprompt = "Say {{ hi }}"\ngraders = []\n'
    const cases = await casesOf(`${suite('a.csv')}\n${own}`, { 'a.csv': CSV })
    expect(cases.map(({ turns }) => turns[0])).toEqual([
      'Say {{ hi }}',
      'Classify: refund me',
      'Classify: it crashes, "badly"',
    ])
  })

  it('are the same suite in TOML, YAML and JSON', async () => {
    const json = {
      id: 's',
      data: 'a.csv',
      template: {
        prompt: 'Classify: {{ text }}',
        graders: [{ type: 'equals', value: '{{ label }}' }],
      },
    }
    const files = { 'a.csv': CSV }
    const toml = await loadText('s.toml', suite('a.csv'), files)
    for (const name of ['s.json', 's.yaml'])
      expect((await loadText(name, JSON.stringify(json), files)).suite.hash).toBe(toml.suite.hash)
  })
})

describe('the template of a data set', () => {
  const one = async (row: object, template: string) =>
    (await casesOf(suite('a.jsonl', '', template), { 'a.jsonl': JSON.stringify(row) }))[0]

  it('takes ids, tags, references and files from columns', async () => {
    const row = { n: 7, text: 't', kind: 'x, y', gold: 'g', files: { 'a.txt': 'A' }, more: ['p'] }
    const read = await one(
      row,
      '[template]\nid = "case-{{ n }}"\nprompt = "{{ text }}"\ntags = "{{ kind }}"\nreference = "{{ gold }}"\nfiles = "{{ files }}"\ngraders = []\n',
    )
    expect(read).toMatchObject({
      id: 'case-7',
      tags: ['x', 'y'],
      reference: 'g',
      files: { 'a.txt': 'A' },
    })
    expect(
      await one(row, '[template]\nprompt = "p"\ntags = "{{ more }}"\ngraders = []'),
    ).toMatchObject({ tags: ['p'] })
  })

  it('takes the column id as the id, also if it is a number', async () => {
    expect((await one({ id: 12, text: 'x' }, '[template]\nprompt = "{{ text }}"\n'))?.id).toBe('12')
  })

  it('gives numbers where numbers are wanted, and their text elsewhere', async () => {
    const read = await one(
      { n: 3, label: 4, on: true },
      '[template]\nprompt = "{{ n }}"\ntrials = "{{ n }}"\ngraders = [{ type = "equals", value = "{{ label }}" }, { type = "contains", value = "x", ignoreCase = "{{ on }}" }]',
    )
    expect(read).toMatchObject({ turns: ['3'], trials: 3 })
    expect(read?.graders.map(({ options }) => options)).toEqual([
      { value: '4' },
      { value: 'x', ignoreCase: true },
    ])
  })

  it('may be a file, and may name a file for each row, which is not a template', async () => {
    const files = {
      'a.jsonl': '{"text":"T","file":"texts/one.md"}',
      'ask.md': 'Read {{ text }}',
      'texts/one.md': 'raw {{ text }}',
    }
    const read = async (prompt: string) =>
      (await casesOf(suite('a.jsonl', '', `[template]\nprompt = { file = "${prompt}" }`), files))[0]
        ?.turns
    expect(await read('ask.md')).toEqual(['Read T'])
    expect(await read('{{ file }}')).toEqual(['raw {{ text }}'])
  })

  it('never takes the text of a row for a template', async () => {
    expect((await one({ text: '{{ label }}{% if %}', label: 'L' }, TEMPLATE))?.turns).toEqual([
      'Classify: {{ label }}{% if %}',
    ])
  })
})

describe('rows are chosen', () => {
  const data = `n,split,lang\n${Array.from({ length: 60 }, (_, n) => `${n},${n % 3 === 0 ? 'test' : 'train'},${['ts', 'py', 'go'][n % 3]}`).join('\n')}\n`
  const numbers = async (more: string, text = data) =>
    (
      await casesOf(suite('a.csv', more, '[template]\nid = "{{ n }}"\nprompt = "{{ n }}"\n'), {
        'a.csv': text,
      })
    ).map(({ id }) => Number(id))

  it('by the values of columns', async () => {
    const tests = await numbers('where = { split = "test" }')
    expect(tests).toEqual(Array.from({ length: 20 }, (_, n) => n * 3))
    expect(await numbers('where = { split = "train", lang = ["go", "xx"] }')).toHaveLength(20)
    expect(await numbers('where = { n = 7 }')).toEqual([7])
  })

  it('from the beginning, or by chance: the same ones in any order of the rows', async () => {
    expect(await numbers('limit = 3')).toEqual([0, 1, 2])
    const sampled = await numbers('sample = 10')
    expect(sampled).toHaveLength(10)
    const [header = '', ...lines] = data.trim().split('\n')
    const shuffled = [header, ...lines.reverse()].join('\n')
    expect((await numbers('sample = 10', shuffled)).sort((a, b) => a - b)).toEqual(sampled)
    expect(await numbers('sample = { count = 10, seed = 2 }')).not.toEqual(sampled)
    expect(await numbers('sample = 100')).toHaveLength(60)
  })
})

describe('a data set is refused with file, row and column', () => {
  const said = async (
    content: string | Uint8Array,
    more = '',
    template = TEMPLATE,
    name = 'a.csv',
  ): Promise<string[]> => problemsOf(suite(name, more, template), { [name]: content })

  it.each<[string, string | Uint8Array, RegExp]>([
    [
      'a missing column',
      'txt,label\nx,y\nz,w\n',
      /s\.toml:\d+:\d+: template\.prompt: \S*a\.csv has no column "text" \(did you mean txt\?\); it has "txt", "label"$/,
    ],
    ['a short row', 'text,label\nx\n', /a\.csv:2:1: row 1: expected 2 cells.*found 1 cell/],
    [
      'a long row',
      'text,label\nx,y\nx,y,z\n',
      /a\.csv:3:1: row 2: expected 2 cells.*found 3 cells/,
    ],
    ['two columns of one name', 'text,text\nx,y\n', /two columns "text"/],
    ['the same row twice', 'text,label\nx,y\nx,y\n', /a\.csv:3:1: row 2: .*the same as row 1/],
    ['an open quote', 'text,label\n"x,y\n', /a\.csv:2:1: .*never closed/],
    ['text after a quote', 'text,label\n"x"y,z\n', /a\.csv:2:1: .*closing quote/],
    ['an empty file', '', /empty file/],
    ['a header alone', 'text,label\n', /the data has no rows/],
    ['UTF-16', Buffer.from('\ufefftext,label\nx,y\n', 'utf16le'), /UTF-16/],
    ['Latin-1', Buffer.from('text,label\nGr\xfc\xdfe,y\n', 'latin1'), /row 1: .*not UTF-8/],
    ['a blank id', 'id,text,label\n,x,y\n', /row 1: expected an id, found nothing/],
    [
      'an id twice',
      'id,text,label\n1,x,y\n2,x,y\n1,x,z\n',
      /a\.csv:4:1: row 3: .*"1", which row 1 has too/,
    ],
  ])('%s', async (_, content, wanted) => {
    expect((await said(content)).join('\n')).toMatch(wanted)
  })

  it('names the row if only some rows lack the column', async () => {
    const rows = '{"text":"a","label":"x"}\n{"txt":"b","label":"y"}\n{"txt":"c","label":"z"}\n'
    expect(await said(rows, '', TEMPLATE, 'a.jsonl')).toEqual([
      'a.jsonl:2:1: row 2: template.prompt: there is no column text (did you mean txt?); the row has "txt", "label" (and 1 more row)',
    ])
  })

  it('names the column whose value has the wrong type', async () => {
    const template = '[template]\nprompt = "p"\ntrials = "{{ n }}"\n'
    expect(await said('n\nmany\n', '', template)).toEqual([
      'a.csv:2:1: row 1: template.trials: expected a number, found "many" (column n)',
    ])
  })

  it('names a column that where misspells, a filter that matches nothing, and bad templates', async () => {
    expect((await said(CSV, 'where = { lable = "bug" }')).join()).toMatch(
      /no row has the column "lable"; did you mean label\?/,
    )
    expect((await said(CSV, 'where = { label = "none" }')).join()).toMatch(/none of 2 rows/)
    for (const prompt of ['{{ text', '{% include "x" %}', '{{ text | nofilter }}'])
      expect((await said(CSV, '', `[template]\nprompt = '${prompt}'`)).join()).toMatch(
        /template\.prompt: not a template/,
      )
    expect((await said(CSV, '', '[template]\npromt = "x"')).join()).toMatch(/did you mean prompt/)
    expect((await said(CSV, '', '')).join()).toMatch(/needs \[template\]/)
  })

  it('reads nothing outside of the repository', async () => {
    for (const data of ['../a.csv', '/etc/passwd', '.git/config', '*/../../x.csv'])
      expect((await problemsOf(suite(data))).length).toBeGreaterThan(0)
  })

  it('takes JSON rows that are no objects for what they are', async () => {
    expect((await said('[1]', '', TEMPLATE, 'a.json')).join()).toMatch(/row 1: .*found a number/)
    expect((await said('{"text":"x"}\n{broken', '', TEMPLATE, 'a.jsonl')).join()).toMatch(
      /a\.jsonl:2:\d+: row 2/,
    )
    expect((await said('a: 1', '', TEMPLATE, 'a.yaml')).join()).toMatch(/a list of rows/)
    expect((await said('x', '', TEMPLATE, 'a.txt')).join()).toMatch(/\.csv, \.tsv/)
  })
})

describe('odd cells are text', () => {
  it.each([
    ['__proto__,label\npolluted,y\n', '{{ __proto__ }}', 'polluted'],
    ['constructor,label\nc,y\n', '{{ constructor }}', 'c'],
    ['text,label\n=1+1,y\n', '{{ text }}', '=1+1'],
    ['text,label\n007,y\n', '{{ text }}', '007'],
    ['text,label\n"line\nbreak",y\n', '{{ text }}', 'line\nbreak'],
  ])('%j', async (data, prompt, wanted) => {
    const cases = await casesOf(suite('a.csv', '', `[template]\nprompt = "${prompt}"`), {
      'a.csv': data,
    })
    expect(cases[0]?.turns).toEqual([wanted])
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined()
  })

  it('a cell of ten megabytes', async () => {
    const cell = 'x'.repeat(10 * 2 ** 20)
    const cases = await casesOf(suite('a.csv'), { 'a.csv': `text,label\n${cell},y\n` })
    expect(cases[0]?.turns[0]).toHaveLength(cell.length + 'Classify: '.length)
  })
})

describe('Parquet', () => {
  const FOLDER = new URL('../../../test/parquet/', import.meta.url)
  const template =
    '[template]\nid = "{{ id }}"\nprompt = "{{ question }}"\nreference = "{{ answer | default: \'none\' }}"\ntags = "{{ tags }}"\ndescription = "{{ meta.difficulty | default: 0 }} {{ weight | default: 0 }} {{ day | default: \'never\' }}"\n'

  it.each([
    'duckdb-snappy.parquet',
    'duckdb-zstd.parquet',
    'pyarrow-gzip.parquet',
    'pyarrow-v2-brotli.parquet',
    'pyarrow-lz4.parquet',
  ])('%s', async (name) => {
    const bytes = readFileSync(new URL(name, FOLDER))
    const cases = await casesOf(suite(name, '', template), { [name]: bytes })
    expect(
      cases.map(({ id, turns, reference, tags, description }) => [
        ...[id, turns[0], reference, tags.join(), description],
      ]),
    ).toEqual([
      ['1', 'What is 1+1?', '2', 'math,easy', '1 0.5 2024-05-03T00:00:00.000Z'],
      ['2', 'Größe von „x“? 😀', 'groß', 'text', '2 1.25 never'],
      ['9007199254740993', 'quotes " and, commas', 'none', '', '0 0 2024-01-01T00:00:00.000Z'],
    ])
  })

  it('that is cut off or damaged is refused', async () => {
    const bytes = readFileSync(new URL('duckdb-zstd.parquet', FOLDER))
    const damaged = Buffer.from(bytes)
    damaged.fill(0xff, 4, 200)
    for (const content of [
      bytes.subarray(0, 700),
      bytes.subarray(500),
      damaged,
      Buffer.from('PAR1'),
    ])
      expect((await problemsOf(suite('a.parquet'), { 'a.parquet': content })).join()).toMatch(
        /a\.parquet: a Parquet file that cannot be read/,
      )
  })
})
