/**
 * Changes a valid file into one that a stranger may have written. A key is removed, renamed or repeated, or a value
 * becomes one of another type, a huge number, a deep nesting, odd Unicode or a very long text. Most changes are
 * made to the parsed value, which is then written in the format of the file. So the file has no syntax error. Some
 * changes are made to the text of the file.
 */
import fc from 'fast-check'
import { stringify as tomlText } from 'smol-toml'
import { stringify as yamlText } from 'yaml'
import { anyCharacter } from '../../../../test/any-character.ts'

export type Format = 'toml' | 'yaml' | 'json' | 'jsonl' | 'text'

export interface Seed {
  readonly format: Format
  /** For jsonl: the lines. For text: the text. */
  readonly value: unknown
}

const LONG = JSON.stringify('x'.repeat(300_000))

/** These words are replaced by raw text that no serializer writes. */
const RAW: Readonly<Record<string, (format: Format) => string>> = {
  '@DEEP@': () => `${'['.repeat(5000)}${']'.repeat(5000)}`,
  '@DEEP-TABLE@': (format) =>
    format === 'toml' ? '[[[[]]]]' : `${'{"a":'.repeat(3000)}1${'}'.repeat(3000)}`,
  '@HUGE@': (format) => (format === 'toml' ? 'inf' : '1e999'),
  '@LONG@': () => LONG,
  '@BIG-INTEGER@': () => '9'.repeat(400),
  '@SURROGATE@': () => String.raw`"\ud800"`,
  '@DATE@': (format) => (format === 'toml' ? '1979-05-27T07:32:00.999999-07:00' : '"2020-13-40"'),
}

/** Programs and files that a stranger would have Assay start or read. The tests check whether it did. */
export const COMMAND = 'touch started'

const VALUES: readonly unknown[] = [
  ...Object.keys(RAW),
  ...[null, true, false, 0, -1, 1, 0.5, -0, 1e308, -1e308, 5e-324, 2 ** 53, 1e21],
  ...[
    '',
    ' ',
    'x',
    '\0',
    '\u202e\u2066',
    '\u001b[2J',
    '\uFEFF',
    'e\u0301',
    '😀',
    '\n',
    'a\nb',
    'NaN',
  ],
  ...[
    '__proto__',
    'constructor',
    'latest',
    '../../outside',
    '/etc/passwd',
    '/dev/zero',
    'C:\\x',
    '.',
  ],
  ...['\\', '%00', '#', '{}', 'a'.repeat(5000), 'http://[::ffff:127.0.0.1]', 'https://u:p@h/?q#f'],
  ...[
    `command:${COMMAND}`,
    `$(${COMMAND})`,
    `\`${COMMAND}\``,
    COMMAND,
    [COMMAND],
    ['sh', '-c', COMMAND],
  ],
  ...['replay:latest', 'simulated:pass=2', 'openai/', '/', 'agent:claude', '1h30m', '-5s', '1e9h'],
  ...[
    [],
    {},
    [[]],
    [null],
    [{}],
    { x: 1 },
    { file: '../../x' },
    { blob: '../../run.json', bytes: 1 },
  ],
  ...[
    { blob: 'a'.repeat(64), bytes: 1e15 },
    { type: 'program', command: ['sh', '-c', COMMAND] },
  ],
  ...[{ length: -1 }, { valueOf: 1 }, { toString: 1 }, Array.from({ length: 300 }, () => 'x')],
]

const KEYS = [
  '__proto__',
  'constructor',
  'toString',
  '',
  ' ',
  '\0',
  '\u202e',
  'x'.repeat(2000),
  'id',
]

/** Pieces of syntax for changes to the text. */
const TOKENS = [
  ...[
    '\0',
    '"',
    "'",
    '{',
    '}',
    '[',
    ']',
    '\n',
    '\r',
    ',',
    ':',
    '=',
    '&a [*a,*a]',
    '*a',
    '<<: *a',
    '!!js/function "x"',
  ],
  ...[
    '\\',
    '#',
    '---',
    '[[cases]]',
    '1e999',
    'nan',
    '\ud800',
    '\uFEFF',
    '"""',
    '\u2028',
    '\t',
    '{"a":1}\n',
    '=1+1',
  ],
]

export interface Change {
  readonly how: 'drop' | 'set' | 'rename' | 'repeat' | 'token' | 'cut'
  /** The number of the place, modulo the number of places. */
  readonly at: number
  readonly value: unknown
  readonly key: string
  readonly token: string
}

export const change: fc.Arbitrary<Change> = fc.record({
  how: fc.constantFrom('set', 'set', 'set', 'set', 'drop', 'rename', 'repeat', 'token', 'cut'),
  at: fc.nat(),
  value: fc.oneof(
    { arbitrary: fc.constantFrom(...VALUES), weight: 6 },
    { arbitrary: fc.jsonValue({ maxDepth: 2 }), weight: 1 },
    { arbitrary: fc.string({ unit: anyCharacter, maxLength: 8 }), weight: 1 },
  ),
  key: fc.constantFrom(...KEYS),
  token: fc.constantFrom(...TOKENS),
})

type Container = Record<string | number, unknown>
type Place = readonly [Container, string | number]

/** Returns every place in a value, with the object or list that contains it. */
function placesIn(value: unknown): Place[] {
  if (typeof value !== 'object' || value === null) return []
  const container = value as Container
  const keys = Array.isArray(value) ? [...value.keys()] : Object.keys(value)
  return keys.flatMap((key): Place[] => [[container, key], ...placesIn(container[key])])
}

/** Works also for `__proto__`, which a plain assignment would not add as a key. */
const put = (container: Container, key: string | number, value: unknown): void => {
  Object.defineProperty(container, key, {
    ...{ value, configurable: true, enumerable: true, writable: true },
  })
}

function changeValue(root: Container, { how, at, value, key }: Change): void {
  const places = placesIn(root['value'])
  const [container, name] = places[at % Math.max(places.length, 1)] ?? [root, 'value']
  const old = container[name]
  if (how === 'set') put(container, name, structuredClone(value))
  else if (Array.isArray(container)) {
    if (how === 'drop') container.splice(Number(name), 1)
    else container.push(old)
  } else {
    if (how !== 'repeat') Reflect.deleteProperty(container, name)
    if (how !== 'drop') put(container, key, old)
  }
}

/** Copies the value. Otherwise YAML would write a reference to the same object instead of repeating it. */
const plainText = (value: unknown): string => JSON.stringify(value) ?? 'null'

function textOf(value: unknown, format: Format): string {
  if (format === 'text') return String(value)
  if (format === 'jsonl')
    return `${(Array.isArray(value) ? value : [value]).map(plainText).join('\n')}\n`
  try {
    if (format === 'toml') return tomlText(value)
    if (format === 'yaml') return yamlText(JSON.parse(plainText(value)))
  } catch {
    // Not every value can be written as TOML. Then the file contains JSON, which is the wrong format.
  }
  return plainText(value)
}

export function mutated({ format, value }: Seed, changes: readonly Change[]): string {
  const root: Container = { value: structuredClone(value) }
  const isText = ({ how }: Change): boolean => format === 'text' || how === 'token' || how === 'cut'
  for (const one of changes) if (!isText(one)) changeValue(root, one)
  let text = textOf(root['value'], format)
  for (const one of changes.filter(isText)) {
    const at = one.at % (text.length + 1)
    const inserted = one.how === 'cut' ? '' : one.how === 'token' ? one.token : plainText(one.value)
    text = text.slice(0, at) + inserted + text.slice(one.how === 'token' ? at : at + 7)
  }
  for (const [word, raw] of Object.entries(RAW))
    for (const quoted of [`"${word}"`, `'${word}'`, word])
      text = text.split(quoted).join(raw(format))
  return text
}
