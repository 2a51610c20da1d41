/** Formats values and errors as short text, for the message of a failed test. */

const MOST_TEXT = 160
const MOST_MESSAGE = 600

/** Formats a value like source code and truncates it if it is long. Never throws. */
export function shown(value: unknown): string {
  try {
    const text = written(value, 0, new Set())
    return text.length > MOST_TEXT ? `${text.slice(0, MOST_TEXT - 1)}…` : text
  } catch {
    return 'something that cannot be shown'
  }
}

function written(value: unknown, depth: number, above: Set<unknown>): string {
  switch (typeof value) {
    case 'string':
      return JSON.stringify(value.length > MOST_TEXT ? `${value.slice(0, MOST_TEXT)}…` : value)
    case 'bigint':
      return `${value}n`
    case 'number':
      return Object.is(value, -0) ? '-0' : String(value)
    case 'function':
      return `[function ${value.name}]`
    case 'object':
      return value === null ? 'null' : writtenObject(value, depth, above)
    default:
      return String(value)
  }
}

function writtenObject(value: object, depth: number, above: Set<unknown>): string {
  if (above.has(value)) return '[circular]'
  if (value instanceof Error) return `${value.name}: ${value.message}`
  if (value instanceof Date)
    return Number.isNaN(value.getTime()) ? 'Invalid Date' : value.toISOString()
  if (value instanceof RegExp) return String(value)
  if (value instanceof Promise) return '[promise]'
  if (depth > 3) return '…'
  above.add(value)
  const inner = (one: unknown): string => written(one, depth + 1, above)
  const list = (all: Iterable<unknown>): string => {
    const parts: string[] = []
    let length = 0
    for (const one of all) {
      if (length > MOST_TEXT) {
        parts.push('…')
        break
      }
      const text = inner(one)
      length += text.length + 2
      parts.push(text)
    }
    return parts.join(', ')
  }
  let text: string
  if (Array.isArray(value)) text = `[${list(value)}]`
  else if (value instanceof Set) text = `Set {${list(value)}}`
  else if (value instanceof Map)
    text = `Map {${[...value]
      .slice(0, 20)
      .map(([key, one]) => `${inner(key)} => ${inner(one)}`)
      .join(', ')}}`
  else if (ArrayBuffer.isView(value)) text = `[${list(value as unknown as Iterable<unknown>)}]`
  else {
    const parent: { constructor?: { name?: unknown } } | null = Reflect.getPrototypeOf(value)
    const name = parent?.constructor?.name
    const entries = Object.keys(value)
      .slice(0, 20)
      .map((key) => `${key}: ${inner((value as Record<string, unknown>)[key])}`)
    const body = entries.length === 0 ? '{}' : `{ ${entries.join(', ')} }`
    text = typeof name === 'string' && name !== 'Object' && name !== '' ? `${name} ${body}` : body
  }
  above.delete(value)
  return text
}

interface Assertion {
  readonly generatedMessage?: unknown
  readonly actual?: unknown
  readonly expected?: unknown
  readonly operator?: unknown
}

const OPERATORS: Readonly<Record<string, string>> = {
  strictEqual: 'expected',
  equal: 'expected',
  '==': 'expected',
  '===': 'expected',
  deepEqual: 'expected',
  deepStrictEqual: 'expected',
  notStrictEqual: 'expected anything but',
  notEqual: 'expected anything but',
  notDeepEqual: 'expected anything but',
  notDeepStrictEqual: 'expected anything but',
  match: 'expected a match of',
}

/** Describes why a test failed. Never throws. */
export function explained(error: unknown): string {
  try {
    return clipped(why(error))
  } catch {
    return 'threw something that cannot be shown'
  }
}

function why(error: unknown): string {
  if (!(error instanceof Error)) return `threw ${shown(error)}`
  const { generatedMessage, actual, expected, operator } = error as Assertion
  if (error.name === 'AssertionError' && typeof operator === 'string') {
    const words = OPERATORS[operator]
    const values = words === undefined ? null : `${words} ${shown(expected)}, got ${shown(actual)}`
    const isOk = operator === '==' && expected === true && !actual
    if (isOk) return error.message
    if (generatedMessage !== true)
      return values === null ? error.message : `${error.message}: ${values}`
    if (values !== null) return values
  }
  return error.name === 'AssertionError' || error.name === 'Lost'
    ? error.message
    : `${error.name}: ${error.message}`
}

function clipped(text: string): string {
  const lines = text.trim().split('\n').slice(0, 6).join('\n')
  return lines.length > MOST_MESSAGE ? `${lines.slice(0, MOST_MESSAGE - 1)}…` : lines
}
