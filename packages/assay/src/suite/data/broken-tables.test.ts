/**
 * Tables as people and programs write them, and broken ones. Each is read right, to the last character, or refused with
 * the file and, where there are lines, the line.
 */
import path from 'node:path'
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { loadText } from '../../../test/suite-folder.ts'
import { SuiteError } from '../../documents/index.ts'

type Content = string | Uint8Array

const SUITE = (file: string): string =>
  `id = "s"\ndata = ${JSON.stringify(file)}\n[template]\nprompt = "Q: {{ text }}"\ngraders = [{ type = "equals", value = "{{ label }}" }]\n`

/** The prompts and labels that the cases get, or the problems. */
async function read(file: string, content: Content): Promise<string[][] | string[]> {
  try {
    const { suite } = await loadText('s.toml', SUITE(file), { [file]: content })
    return suite.cases.map(({ turns, graders }) => [
      turns.join().replace(/^Q: /, ''),
      String((graders[0]?.options as { readonly value?: unknown } | undefined)?.value),
    ])
  } catch (error) {
    if (!(error instanceof SuiteError)) throw error
    return error.problems.map(({ file: at, line, message }) =>
      [path.basename(at), ...(line === null ? [] : [line]), ` ${message}`].join(':'),
    )
  }
}

// ── Ways to write the same rows ──────────────────────────────────────────────────────────────────────

const ROWS = [
  ['refund me', 'billing'],
  ['it crashes; "badly", twice', 'bug'],
  ['two\nlines', 'other'],
  ['ümläut 🎉 \u200fעברית', 'question'],
]
const quoted = (cell: string): string => `"${cell.replaceAll('"', '""')}"`
const DELIMITERS = [',', ';', '\t']
const ENDS = ['\n', '\r\n', '\r']

const WAYS = DELIMITERS.flatMap((delimiter) =>
  ENDS.flatMap((end) =>
    [true, false].flatMap((isAllQuoted) =>
      [true, false].flatMap((hasMark) =>
        [true, false].map((hasLastEnd) => ({ delimiter, end, isAllQuoted, hasMark, hasLastEnd })),
      ),
    ),
  ),
)

describe('the same rows', () => {
  it.each(WAYS)('in CSV with %j', async ({ delimiter, end, isAllQuoted, hasMark, hasLastEnd }) => {
    const cell = (text: string): string =>
      isAllQuoted || /["\n\r,;\t]/.test(text) ? quoted(text) : text
    const lines = [['text', 'label'], ...ROWS].map((row) => row.map(cell).join(delimiter))
    const text = `${hasMark ? '\uFEFF' : ''}${lines.join(end)}${hasLastEnd ? end : ''}`
    const isZipped = end === '\n' && hasMark
    const name = isZipped ? 'rows.csv.gz' : 'rows.csv'
    expect(await read(name, isZipped ? gzipSync(text) : text)).toEqual(ROWS)
  })
})

// ── Cells that look like something else ──────────────────────────────────────────────────────────────

const CELLS = [
  ...['=1+1', "=cmd|' /C calc'!A0", '+1', '-1', '@SUM(A1:A9)', '=HYPERLINK("http://x","y")'],
  ...['007', '1e5', '1.0', 'NaN', 'null', 'true', '2024-01-01', '0x10', '1_000'],
  ...['{{ 7 | times: 6 }}', '{% include "x" %}', '{{ label }}', '${HOME}', '%s', '\\n', 'a\\b'],
  ...['__proto__', 'constructor', 'toString', '<script>', '& < >', "it's", '“quotes”'],
  ...[' spaces around ', 'no\u00a0break', 'a\u200db', '\u202eevil', '👩‍👩‍👧', 'e\u0301', '\ufeffmark'],
  ...['tab\tinside', 'line\nbreak', ',', ';', '"', '""', '#comment', '- list', 'key: value', '[1]'],
]
const FORMATS: Readonly<Record<string, (cell: string) => string>> = {
  'c.csv': (cell) => `text,label\n${quoted(cell)},x\n`,
  'c.jsonl': (cell) => JSON.stringify({ text: cell, label: 'x' }),
  'c.json': (cell) => JSON.stringify([{ text: cell, label: 'x' }]),
  'c.yaml': (cell) => `- text: ${JSON.stringify(cell)}\n  label: x\n`,
}

describe.each(Object.entries(FORMATS))('%s', (file, write) => {
  it.each(CELLS)('keeps the cell %j as it is', async (cell) => {
    expect(await read(file, write(cell))).toEqual([[cell, 'x']])
  })
})

// ── Tables that are refused ──────────────────────────────────────────────────────────────────────────

const utf16 = (text: string, isBig: boolean): Uint8Array => {
  const bytes = Buffer.from(`\uFEFF${text}`, 'utf16le')
  return isBig ? bytes.swap16() : bytes
}
const CSV = 'text,label\na,1\nb,2\nc,3\n'
const latin = (line: number): Uint8Array =>
  Buffer.from(
    CSV.split('\n')
      .map((text, at) => (at === line - 1 ? `gr\u00fc\u00df,${text}` : text))
      .join('\n'),
    'latin1',
  )

const REFUSED: readonly (readonly [string, string, Content, RegExp])[] = [
  ['UTF-16, little endian', 'x.csv', utf16(CSV, false), /^x\.csv: .*UTF-16/],
  ['UTF-16, big endian', 'x.csv', utf16(CSV, true), /^x\.csv: .*UTF-16/],
  ['UTF-16 JSON lines', 'x.jsonl', utf16('{"text":"a","label":"b"}', false), /^x\.jsonl/],
  ['UTF-16 JSON', 'x.json', utf16('[{"text":"a"}]', true), /^x\.json/],
  ['an empty file', 'x.csv', '', /^x\.csv: /],
  ['only a byte order mark', 'x.csv', '\uFEFF', /^x\.csv: /],
  ['only blank lines', 'x.csv', '\n\n\n', /^x\.csv: /],
  ['no rows', 'x.csv', 'text,label\n', /^(?:x\.csv|s\.toml)/],
  ['an empty JSON list', 'x.json', '[]', /^(?:x\.json|s\.toml)/],
  ['an empty JSON file', 'x.json', '', /^x\.json/],
  ['an empty file of JSON lines', 'x.jsonl', '', /^(?:x\.jsonl|s\.toml)/],
  ['an empty YAML file', 'x.yaml', '', /^x\.yaml/],
  ['two columns of one name', 'x.csv', 'text,label,text\na,1,b\n', /^x\.csv:1: .*text/],
  ['a quote that is never closed', 'x.csv', 'text,label\n"a,1\nb,2\n', /^x\.csv:2: /],
  ['a quote that is never closed, later', 'x.csv', 'text,label\na,1\nb,"2\n', /^x\.csv:3: /],
  ['text after a closing quote', 'x.csv', 'text,label\na,1\n"b"c,2\n', /^x\.csv:3: /],
  [
    'a column that the template needs is missing',
    'x.csv',
    'txt,label\na,1\n',
    /^s\.toml:\d+: template\.prompt: \S*x\.csv has no column "text"/,
  ],
  ['JSON that is cut off', 'x.json', '[{"text":"a","label":"b"},{"te', /^x\.json:1: /],
  ['JSON with a comma at the end', 'x.json', '[\n{"text":"a","label":"b"},\n]', /^x\.json:2: /],
  ['JSON with single quotes', 'x.json', "[{'text':'a'}]", /^x\.json:1: /],
  ['JSON with a key twice', 'x.json', '[{"text":"a","text":"b","label":"c"}]', /^x\.json/],
  ['JSON rows that are texts', 'x.json', '["a","b"]', /^x\.json/],
  ['JSON rows that are lists', 'x.json', '[["text","label"],["a","b"]]', /^x\.json/],
  ['a JSON number', 'x.json', '7', /^x\.json/],
  [
    'JSON that nests without end',
    'x.json',
    `[{"text":${'['.repeat(5000)}${']'.repeat(5000)},"label":"x"}]`,
    /^x\.json/,
  ],
  [
    'a JSON line that is cut off',
    'x.jsonl',
    '{"text":"a","label":"1"}\n{"text":"b"',
    /^x\.jsonl:2: /,
  ],
  ['a JSON line that is no object', 'x.jsonl', '{"text":"a","label":"1"}\n[1]\n', /^x\.jsonl:2: /],
  [
    'a JSON line with NaN',
    'x.jsonl',
    '{"text":"a","label":"1"}\n{"text":NaN,"label":"1"}\n',
    /^x\.jsonl:2: /,
  ],
  [
    'two objects on a line',
    'x.jsonl',
    '{"text":"a","label":"1"}{"text":"b","label":"1"}\n',
    /^x\.jsonl:1: /,
  ],
  [
    'a JSON line with a key twice',
    'x.jsonl',
    '{"text":"a","label":"1"}\n{"text":"a","text":"b","label":"1"}\n',
    /^x\.jsonl:2: /,
  ],
  ['YAML with a key twice', 'x.yaml', '- text: a\n  text: b\n  label: c\n', /^x\.yaml:2: /],
  ['YAML with tabs', 'x.yaml', '- text: a\n\tlabel: c\n', /^x\.yaml:2: /],
  ['YAML that is a table', 'x.yaml', 'text: a\nlabel: b\n', /^x\.yaml/],
  ['a zipped file that is cut off', 'x.csv.gz', gzipSync(CSV).subarray(0, 20), /^x\.csv\.gz: /],
  ['a Parquet file that is none', 'x.parquet', 'PAR1 nothing', /^x\.parquet: /],
  ['a file of an unknown kind', 'x.xlsx', 'PK\u0003\u0004', /^(?:x\.xlsx|s\.toml)/],
  ...[2, 3, 4].map(
    (line) => ['Latin-1', 'x.csv', latin(line), new RegExp(`^x\\.csv:${line}: `)] as const,
  ),
  ...[2, 3, 4].flatMap((line) =>
    (
      [
        ['a cell too many', ',9'],
        ['two cells too many', ',9,9'],
      ] as const
    ).map(
      ([what, more]) =>
        [
          `${what} in line ${line}`,
          'x.csv',
          CSV.split('\n')
            .map((text, at) => (at === line - 1 ? text + more : text))
            .join('\n'),
          new RegExp(`^x\\.csv:${line}: `),
        ] as const,
    ),
  ),
  ...[2, 3, 4].map(
    (line) =>
      [
        `a cell too few in line ${line}`,
        'x.csv',
        CSV.split('\n')
          .map((text, at) => (at === line - 1 ? text.slice(0, 1) : text))
          .join('\n'),
        new RegExp(`^x\\.csv:${line}: `),
      ] as const,
  ),
  ...['csv', 'tsv'].map(
    (kind) =>
      [
        `an invalid byte in ${kind}`,
        `x.${kind}`,
        Buffer.concat([
          Buffer.from(kind === 'csv' ? 'text,label\na,1\nb' : 'text\tlabel\na\t1\nb'),
          Buffer.from([0xc3, 0x28]),
          Buffer.from(kind === 'csv' ? ',2\n' : '\t2\n'),
        ]),
        new RegExp(`^x\\.${kind}:3: `),
      ] as const,
  ),
]

describe('refused, with the place', () => {
  it.each(REFUSED)('%s (%s)', async (_, file, content, problem) => {
    const found = await read(file, content)
    expect(String(found[0])).toMatch(problem)
  })
})

describe('read as what it is', () => {
  it.each<[string, string, Content, string[][]]>([
    [
      'blank lines between rows',
      'x.csv',
      'text,label\n\na,1\n\n\nb,2\n',
      [
        ['a', '1'],
        ['b', '2'],
      ],
    ],
    ['a line that names the delimiter', 'x.csv', 'sep=;\ntext;label\na;1\n', [['a', '1']]],
    [
      'empty cells',
      'x.csv',
      'text,label\na,\nb,2\n',
      [
        ['a', ''],
        ['b', '2'],
      ],
    ],
    ['spaces around names and cells', 'x.csv', 'text,label\n a , 1 \n', [[' a ', ' 1 ']]],
    ['a quote inside a cell', 'x.csv', 'text,label\n5" disk,1\n', [['5" disk', '1']]],
    [
      'a column of the prototype',
      'x.csv',
      'text,label,__proto__,constructor\na,1,x,y\n',
      [['a', '1']],
    ],
    [
      'a key of the prototype in JSON',
      'x.jsonl',
      '{"text":"a","label":"1","__proto__":{"label":"evil"}}',
      [['a', '1']],
    ],
    [
      'numbers and truth values of JSON',
      'x.json',
      '[{"text":1.5,"label":true}]',
      [['1.5', 'true']],
    ],
    // pandas writes its index so.
    ['a column without a name', 'x.csv', ',text,label\n0,a,1\n', [['a', '1']]],
    [
      'a file called zipped that is not',
      'x.csv.gz',
      CSV,
      [
        ['a', '1'],
        ['b', '2'],
        ['c', '3'],
      ],
    ],
    ['blank JSON lines', 'x.jsonl', '\n{"text":"a","label":"1"}\n\n\n', [['a', '1']]],
    [
      'JSON lines with CRLF',
      'x.jsonl',
      '{"text":"a","label":"1"}\r\n{"text":"b","label":"2"}\r\n',
      [
        ['a', '1'],
        ['b', '2'],
      ],
    ],
    [
      'a cell of a megabyte',
      'x.csv',
      `text,label\n${'x'.repeat(1_000_000)},1\n`,
      [['x'.repeat(1_000_000), '1']],
    ],
  ])('%s', async (_, file, content, rows) => {
    expect(await read(file, content)).toEqual(rows)
  })

  it('a NUL in a cell is refused or kept, never cut', async () => {
    const found = await read('x.csv', 'text,label\na\u0000b,1\n')
    expect([JSON.stringify([['a\u0000b', '1']]), 'refused']).toContain(
      Array.isArray(found[0])
        ? JSON.stringify(found)
        : (found[0] ?? '').startsWith('x.csv:2: ')
          ? 'refused'
          : found[0],
    )
  })
})
