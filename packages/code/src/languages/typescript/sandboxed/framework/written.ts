/**
 * Writes values in the snapshot format of jest and vitest. It has sorted keys, one entry per line, strings in double
 * quotes without escapes, and no `Object` or `Array` before plain values.
 */
import { types } from '../builtins.ts'
import { ASYMMETRIC } from './equal.ts'
import { remembered } from './mock.ts'

/** The property of an asymmetric matcher, such as `expect.any(Number)`, that contains its text in a snapshot. */
export const SHOWN_AS = Symbol('shown as')

export function snapshotOf(value: unknown): string {
  return written(value, '', [])
}

function written(value: unknown, indent: string, above: readonly unknown[]): string {
  if (typeof value === 'string') return `"${value}"`
  if (typeof value === 'bigint') return `${value}n`
  if (typeof value === 'number') return Object.is(value, -0) ? '-0' : String(value)
  if (typeof value === 'function') {
    if (remembered(value) !== undefined) return '[MockFunction]'
    return `[Function ${value.name === '' ? 'anonymous' : value.name}]`
  }
  if (typeof value !== 'object' || value === null) return String(value)
  if (above.includes(value)) return '[Circular]'
  return object(value, indent, [...above, value])
}

function object(value: object, indent: string, above: readonly unknown[]): string {
  const shownAs: unknown = Reflect.get(value, SHOWN_AS)
  if (Object.hasOwn(value, ASYMMETRIC) && typeof shownAs === 'string') return shownAs
  if (value instanceof Error) return `[${value.name}: ${value.message}]`
  if (value instanceof Date)
    return Number.isNaN(value.getTime()) ? 'Date { NaN }' : value.toISOString()
  if (value instanceof RegExp) return String(value)
  if (value instanceof WeakMap) return 'WeakMap {}'
  if (value instanceof WeakSet) return 'WeakSet {}'
  if (value instanceof Promise) return 'Promise {}'
  if (types.isBoxedPrimitive(value))
    return `[${value.constructor.name} ${written(value.valueOf(), indent, above)}]`
  const toJSON: unknown = Reflect.get(value, 'toJSON')
  if (typeof toJSON === 'function' && above.length < 100)
    return written((toJSON as () => unknown).call(value), indent, above)
  const inner = `${indent}  `
  const item = (one: unknown): string => written(one, inner, above)
  const block = (name: string, open: string, lines: readonly string[], close: string): string => {
    const head = name === '' ? open : `${name} ${open}`
    if (lines.length === 0) return `${head}${close}`
    return `${head}\n${lines.map((line) => `${inner}${line},\n`).join('')}${indent}${close}`
  }
  if (Array.isArray(value)) return block(named(value, 'Array'), '[', Array.from(value, item), ']')
  if (ArrayBuffer.isView(value) && !(value instanceof DataView))
    return block(
      value.constructor.name,
      '[',
      Array.from(value as unknown as Iterable<unknown>, item),
      ']',
    )
  if (value instanceof Map)
    return block(
      'Map',
      '{',
      Array.from(value, ([key, one]) => `${item(key)} => ${item(one)}`),
      '}',
    )
  if (value instanceof Set) return block('Set', '{', Array.from(value, item), '}')
  const symbols = Object.getOwnPropertySymbols(value).filter((key) =>
    Object.prototype.propertyIsEnumerable.call(value, key),
  )
  const keys: PropertyKey[] = [...Object.keys(value).toSorted(), ...symbols]
  const lines = keys.map((key) => {
    const shown = typeof key === 'symbol' ? String(key) : `"${String(key)}"`
    return `${shown}: ${item((value as Record<PropertyKey, unknown>)[key])}`
  })
  return block(named(value, 'Object'), '{', lines, '}')
}

/** Returns the name of the value's class, or an empty string for plain values. */
function named(value: object, plain: string): string {
  const parent: { constructor?: { name?: unknown } } | null = Reflect.getPrototypeOf(value)
  const name = parent?.constructor?.name
  return typeof name !== 'string' || name === plain ? '' : name
}

/** Returns the text of an inline snapshot without the indentation that it has in the test file. */
export function unindented(text: string): string {
  const lines = text.replaceAll('\r\n', '\n').split('\n')
  const [, indent = ''] = /^([^\S\n]*)\S/m.exec(text) ?? []
  const isBlock = lines.length > 2 && lines[0]?.trim() === '' && lines.at(-1)?.trim() === ''
  if (!isBlock) return text.trim()
  const inside = lines.slice(1, -1)
  if (!inside.every((line) => line === '' || line.startsWith(indent))) return text.trim()
  return inside
    .map((line) => line.slice(indent.length))
    .join('\n')
    .trim()
}
