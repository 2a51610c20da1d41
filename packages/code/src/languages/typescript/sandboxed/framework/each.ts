/**
 * The functions `test.each` and `test.for`, which register a test for each row of a table. The table is a list or a
 * template string with headings.
 */
import { shown } from './shown.ts'
import { waitingForDone } from './style.ts'

type Anything = (...args: unknown[]) => unknown
type Register = (...given: unknown[]) => unknown

/**
 * Returns a function that registers a test for each row. With `whole`, the test gets the row as one argument, followed
 * by the context.
 */
export function eachOf(
  register: Register,
  table: unknown,
  values: readonly unknown[],
  whole: boolean,
): Register {
  const rows = rowsOf(table, values)
  return (name, ...rest) => {
    const body = rest.find((one) => typeof one === 'function') as Anything | undefined
    const options = rest.filter((one) => typeof one === 'object' && one !== null)
    for (const [index, row] of rows.entries()) {
      const args: unknown[] = Array.isArray(row) && !whole ? (row as unknown[]) : [row]
      const title = titled(typeof name === 'function' ? name.name : String(name), args, index)
      if (body === undefined) register(title)
      else register(title, ...options, bodyFor(body, args, whole))
    }
    return undefined
  }
}

function bodyFor(body: Anything, args: readonly unknown[], whole: boolean): Anything {
  // If the body has one parameter more than the row has values, that parameter is the callback `done` of jest.
  const takesDone = !whole && body.length === args.length + 1
  // This function has only a rest parameter, so its `length` is 0. With a greater `length`, the registry would pass
  // it a `done` callback.
  return function (this: unknown, ...[context]) {
    if (takesDone) return waitingForDone((done) => body.call(this, ...args, done))
    return whole ? body.call(this, ...args, context) : body.call(this, ...args)
  }
}

function rowsOf(table: unknown, values: readonly unknown[]): readonly unknown[] {
  if (!Array.isArray(table)) {
    const isList = typeof table === 'object' && table !== null && Symbol.iterator in table
    if (!isList) throw new TypeError(`${shown(table)} is not a table of tests`)
    return [...(table as Iterable<unknown>)]
  }
  if (!('raw' in table)) return table as unknown[]
  const headings = String(table[0])
    .trim()
    .split(/\s*\|\s*/)
    .filter((one) => one !== '')
  return Array.from({ length: Math.floor(values.length / headings.length) }, (_, row) =>
    Object.fromEntries(headings.map((name, i) => [name, values[row * headings.length + i]])),
  )
}

function titled(name: string, args: readonly unknown[], index: number): string {
  let next = 0
  const [first] = args
  return name
    .replaceAll(/%[sdifjoOp#$%]/g, (mark) => {
      if (mark === '%%') return '%'
      if (mark === '%#') return String(index)
      if (mark === '%$') return String(index + 1)
      if (next >= args.length) return mark
      const arg = args[next++]
      if (mark === '%s' && typeof arg === 'string') return arg
      if (mark === '%i' && typeof arg === 'number') return String(Math.trunc(arg))
      return shown(arg)
    })
    .replaceAll(/\$(#|[\w$]+(?:\.[\w$]+)*)/g, (mark, path: string) => {
      if (path === '#') return String(index)
      let at: unknown = first
      for (const key of path.split('.')) {
        if (typeof at !== 'object' || at === null || !(key in at)) return mark
        at = (at as Record<string, unknown>)[key]
      }
      return typeof at === 'string' ? at : shown(at)
    })
}
