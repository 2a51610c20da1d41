import fc from 'fast-check'
import { stringify as toToml } from 'smol-toml'
import { describe, expect, it } from 'vitest'
import { stringify as toYaml } from 'yaml'
import type { Json } from '@assay/contract'
import type { Document } from './document.ts'
import { SuiteError, type Path } from './problem.ts'
import { readDocument, type Syntax } from './read-document.ts'

const offsetIn = (text: string, document: Document, path: Path, at: 'key' | 'value'): number => {
  const position = document.locate(path, at)
  const before = text.split('\n').slice(0, (position?.line ?? 1) - 1)
  return before.reduce((sum, line) => sum + line.length + 1, 0) + (position?.column ?? 1) - 1
}

/** Returns the location of a key or value as `line:column`. */
const placeOf = (document: Document, path: Path, at: 'key' | 'value' = 'value'): string => {
  const position = document.locate(path, at)
  return `${position?.line}:${position?.column}`
}

function problems(text: string, syntax: Syntax): string[] {
  try {
    readDocument('f', text, syntax)
  } catch (error) {
    if (!(error instanceof SuiteError)) throw error
    return error.problems.map(({ line, column, message }) => `${line}:${column}: ${message}`)
  }
  return []
}

const leaf = fc.oneof(
  fc.stringMatching(/^[a-z "'\\#=[\]{}\n\u00e9]{0,12}$/),
  fc.integer(),
  fc.boolean(),
)
const key = fc.oneof(
  fc.stringMatching(/^[a-z]{1,5}$/),
  fc.stringMatching(/^[a-z."'#= \\\u00e9]{1,8}$/),
)
const { tree } = fc.letrec<{ tree: Json }>((tie) => ({
  tree: fc.oneof(
    { maxDepth: 4 },
    leaf,
    fc.dictionary(key, tie('tree'), { maxKeys: 4 }),
    fc.array(leaf, { maxLength: 4 }),
    fc.array(fc.dictionary(key, tie('tree'), { maxKeys: 3 }), { maxLength: 3 }),
  ),
}))
const table = fc.dictionary(key, tree, { maxKeys: 5 })

function leaves(value: Json, path: Path = []): { path: Path; value: Json }[] {
  if (Array.isArray(value))
    return (value as readonly Json[]).flatMap((item, index) => leaves(item, [...path, index]))
  if (typeof value === 'object' && value !== null)
    return Object.entries(value).flatMap(([name, entry]) => leaves(entry, [...path, name]))
  return [{ path, value }]
}

describe('places', () => {
  it('are right for every value of a TOML text', () => {
    fc.assert(
      fc.property(table, (value) => {
        const text = toToml(value)
        const document = readDocument('f', text, 'toml')
        expect(document.value).toEqual(value)
        for (const each of leaves(value)) {
          const written = toToml({ x: each.value }).slice('x = '.length).trimEnd()
          const at = offsetIn(text, document, each.path, 'value')
          expect(text.slice(at, at + written.length)).toBe(written)
        }
      }),
    )
  })

  it('are right for every value of a JSON text, however it is laid out', () => {
    fc.assert(
      fc.property(table, fc.nat(4), (value, indent) => {
        const text = JSON.stringify(value, null, indent)
        const document = readDocument('f', text, 'json')
        expect(document.value).toEqual(value)
        for (const each of leaves(value)) {
          const written = JSON.stringify(each.value)
          const at = offsetIn(text, document, each.path, 'value')
          expect(text.slice(at, at + written.length)).toBe(written)
        }
      }),
    )
  })

  it('lead to the key and the value in YAML', () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.stringMatching(/^[a-z]{1,5}$/), leaf, { minKeys: 1 }),
        (value) => {
          const text = toYaml({ list: [1, value] })
          const document = readDocument('f', text, 'yaml')
          for (const name of Object.keys(value)) {
            const at = offsetIn(text, document, ['list', 1, name], 'key')
            expect(text.slice(at).replace(/^["']/, '').startsWith(name)).toBe(true)
          }
        },
      ),
    )
  })

  it('are found through tables, lists of tables, dotted and quoted keys and long strings', () => {
    const text = [
      'a = 1 # [not.a.table]',
      '"b.c" = """',
      'a = 2',
      '[cases]',
      '""""',
      "long = '''",
      "x = ''''",
      '[one.two]',
      'deep.er = [ 1, # ]',
      '  { k = "}", l.m = 3 } ]',
      '[[list]]',
      'v = 1',
      '[list.sub]',
      's = 1979-05-27 07:32:00',
      '[[list]]',
      'v = 2',
      '[[list.inner]]',
      'w = 3',
    ].join('\n')
    // `readDocument` refuses dates, so the date is replaced by a string.
    const document = readDocument(
      'f',
      text.replace('1979-05-27 07:32:00', '"1979-05-27 07:32"'),
      'toml',
    )
    expect(placeOf(document, ['a'])).toBe('1:5')
    expect(placeOf(document, ['b.c'], 'key')).toBe('2:1')
    expect(placeOf(document, ['long'], 'key')).toBe('6:1')
    expect(placeOf(document, ['one', 'two', 'deep', 'er', 1, 'k'])).toBe('10:9')
    expect(placeOf(document, ['one', 'two', 'deep', 'er', 1, 'l', 'm'], 'key')).toBe('10:16')
    expect(placeOf(document, ['list', 0, 'v'])).toBe('12:5')
    expect(placeOf(document, ['list', 0, 'sub', 's'], 'key')).toBe('14:1')
    expect(placeOf(document, ['list', 1, 'v'])).toBe('16:5')
    expect(placeOf(document, ['list', 1, 'inner', 0, 'w'])).toBe('18:5')
    expect(placeOf(document, ['list', 1, 'missing'])).toBe('15:1')
  })

  it('follow YAML aliases to where the value is written', () => {
    const document = readDocument('f', 'a: &x\n  b: 1\nc: *x\n', 'yaml')
    expect(placeOf(document, ['c', 'b'])).toBe('2:6')
  })
})

describe('what is refused', () => {
  it.each<[string, Syntax, string[]]>([
    ['a = 1\na = 2', 'toml', ['2:1: expected each key and table once, found "a" a second time']],
    [
      'a = "b\nc = 1',
      'toml',
      ['1:7: expected the closing quote of the text, found the end of the line'],
    ],
    ['a = ', 'toml', ['1:5: expected valid TOML (invalid value), found the end of the file']],
    [
      'a = 2024-01-01',
      'toml',
      [
        '1:5: a: expected text, a number, true, false, a list or a table, found a date (put it in quotes)',
      ],
    ],
    ['a = [1, nan]', 'toml', ['1:9: a[1]: expected a finite number, found NaN']],
    [
      'a: 1\nb: {x: 1, x: 2}\na: 3',
      'yaml',
      [
        '2:11: expected each key once, found the key "x" a second time',
        '3:1: expected each key once, found the key "a" a second time',
      ],
    ],
    ['a: 1\n---\nb: 2', 'yaml', ['2:1: expected valid YAML (one document), found "---"']],
    ['a: !run x', 'yaml', ['1:4: expected valid YAML (Unresolved tag: !run), found "!"']],
    [
      '? [a]\n: 1',
      'yaml',
      ['1:3: expected valid YAML (With stringKeys, all keys must be strings), found "["'],
    ],
    ['{"a": 1, "a": 2}', 'json', ['1:10: expected each key once, found the key "a" a second time']],
    ['{"a": 1,}', 'json', ['1:8: expected no comma after the last one, found "," before "}"']],
    ["{'a': 1}", 'json', ['1:2: expected a key in double quotes, found "\'"']],
    ['{"a": 01}', 'json', ['1:8: expected "," or "}", found "1"']],
    ['{"a": NaN}', 'json', ['1:7: expected a JSON value, found "NaN"']],
    ['[1] 2', 'json', ['1:5: expected the end of the file, found "2"']],
    [
      '{"__proto__": {"x": 1}}',
      'json',
      ['1:15: __proto__: expected another key, found the key __proto__'],
    ],
    [
      String.raw`{"a": "\ud800"}`,
      'json',
      ['1:7: a: expected valid Unicode text, found half of a surrogate pair'],
    ],
  ])('%j in %s', (text, syntax, expected) => {
    expect(problems(text, syntax)).toEqual(expected)
  })

  it.each<[string, Syntax]>([
    ['a: &a [*a]', 'yaml'],
    ['['.repeat(100_000), 'yaml'],
    ['- '.repeat(20_000), 'yaml'],
    ['['.repeat(100_000), 'json'],
    [`a = ${'['.repeat(100_000)}`, 'toml'],
    [`${'a.'.repeat(10_000)}a = 1`, 'toml'],
  ])('nesting without end (%#)', (text, syntax) => {
    expect(problems(text, syntax)).toHaveLength(1)
  })

  it('a YAML file that unfolds to something enormous', () => {
    const levels = Array.from({ length: 12 }, (_, i) =>
      i === 0 ? 'a0: &a0 [x, x, x, x]' : `a${i}: &a${i} [${`*a${i - 1}, `.repeat(9)}x]`,
    )
    expect(problems(levels.join('\n'), 'yaml')).toHaveLength(1)
    const wide = `big: &big [${'x, '.repeat(20_000)}]\nall: [${'*big, '.repeat(2000)}]`
    expect(problems(wide, 'yaml').join('')).toContain('unfolds to too much data')
  })

  it('a map of many keys is not slow to check for repetitions', () => {
    const keys = Array.from({ length: 20_000 }, (_, i) => `k${i}: 1`)
    expect(problems([...keys, 'k7: 2'].join('\n'), 'yaml')).toEqual([
      '20001:1: expected each key once, found the key "k7" a second time',
    ])
  })
})

describe('what is allowed', () => {
  it('many uses of one YAML anchor, and merges', () => {
    const text = `g: &g {a: 1}\ncases:\n${'  - {<<: *g, b: 2}\n'.repeat(500)}`
    const value = readDocument('f', text, 'yaml').value as { cases: Json[] }
    expect(value.cases).toHaveLength(500)
    expect(value.cases[499]).toEqual({ a: 1, b: 2 })
  })

  it('line ends of Windows, without a trace in the data', () => {
    const text = 'a = """\none\ntwo"""\n'
    const windows = readDocument('f', `\uFEFF${text.replaceAll('\n', '\r\n')}`, 'toml')
    expect(windows.value).toEqual(readDocument('f', text, 'toml').value)
  })
})

it('never quotes a text that may hold secrets', () => {
  try {
    readDocument('f', 'apiKey = sk-secret', 'toml', { secret: true })
    expect.unreachable()
  } catch (error) {
    expect(String(error)).not.toContain('secret')
  }
})

describe('JSON', () => {
  const values = (text: string): Json => readDocument('a.json', text, 'json').value

  it('finds a key that is there twice, at any depth and however it is written', () => {
    for (const text of [
      '{"a": 1, "a": 1}',
      '{"b": [{"c": {"a:": "\\\\", "a:": ":"}}]}',
      String.raw`{"a": "\\\"", "\u0061": 2}`,
    ])
      expect(() => values(text)).toThrow(/a second time/)
  })

  it('takes colons, quotes and brackets in texts for what they are', () => {
    const text = fc.stringMatching(/^["\\:,{}[\]a]{0,9}$/)
    fc.assert(
      fc.property(
        fc.dictionary(text, fc.oneof(text, fc.array(text), fc.dictionary(text, text))),
        (value) => {
          expect(values(JSON.stringify(value, null, 1))).toEqual(value)
        },
      ),
    )
  })
})

describe('a template outside of quotes in YAML', () => {
  it.each(['prompt: {{ q }}', 'prompt: {{ q }} please', '- {{ q }}', 'cases:\n  - prompt: {{q}}'])(
    'is named with its place, and with what to write: %s',
    (text) => {
      const line = text.split('\n').length
      const column = (text.split('\n').at(-1) as string).indexOf('{{') + 1
      const [first, ...rest] = problems(text, 'yaml')
      expect(first).toContain(`${line}:${column}: `)
      expect(first).toContain('expected a text in quotes: YAML reads { outside of quotes')
      expect(rest).toEqual([])
    },
  )

  it('is not seen in quotes, in blocks and in tables', () => {
    for (const text of ['a: "{{ q }}"', "a: '{{ q }}'", 'a: |\n  x: {{ q }}', 'a: {b: {c: 1}}'])
      expect(problems(text, 'yaml')).toEqual([])
  })
})

describe('a comma after the last entry in JSON', () => {
  it.each([
    ['{"a": 1,}', '1:8: '],
    ['[1, 2,\n]', '1:6: '],
  ])('is named at its place: %s', (text, place) => {
    const [first] = problems(text, 'json')
    expect(first).toContain(place)
    expect(first).toContain('expected no comma after the last one, found "," before')
  })
})
