/**
 * Writes the code of the corpus in each language: literals, types, beginnings of functions, and whole functions.
 */
import type { Problem, Type, Value } from './problems.ts'

export type Code = 'py' | 'js' | 'ts' | 'rs'

const isTable = (value: readonly unknown[]): value is readonly (readonly number[])[] =>
  Array.isArray(value[0])

/** Writes a value as a literal. In Rust, an empty list needs the type of its items. */
export function literal(value: Value, code: Code, type: Type): string {
  if (typeof value === 'boolean') return code === 'py' ? (value ? 'True' : 'False') : String(value)
  if (typeof value === 'string')
    return code === 'rs' ? `String::from(${JSON.stringify(value)})` : JSON.stringify(value)
  if (typeof value === 'number') return String(value)
  const items = isTable(value)
    ? value.map((row) => literal(row, code, 'ints'))
    : value.map((one) => literal(one, code, 'int'))
  if (code !== 'rs') return `[${items.join(', ')}]`
  return items.length === 0
    ? `Vec::<${TYPES.rs[type === 'table' ? 'ints' : 'int']}>::new()`
    : `vec![${items.join(', ')}]`
}

const TYPES: Readonly<Record<Code, Readonly<Record<Type, string>>>> = {
  py: { int: 'int', text: 'str', bool: 'bool', ints: 'List[int]', table: 'List[List[int]]' },
  js: { int: '', text: '', bool: '', ints: '', table: '' },
  ts: { int: 'number', text: 'string', bool: 'boolean', ints: 'number[]', table: 'number[][]' },
  rs: { int: 'i64', text: 'String', bool: 'bool', ints: 'Vec<i64>', table: 'Vec<Vec<i64>>' },
}

/** Writes a name in the style of the language. */
export const nameIn = (name: string, code: Code): string =>
  code === 'js' || code === 'ts'
    ? name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase())
    : name

export type Head = 'plain' | 'arrow'

/** Writes everything before the body of a function with this name. */
export function headOf(problem: Problem, code: Code, name: string, head: Head = 'plain'): string {
  const types = TYPES[code]
  const parameters = problem.parameters
    .map(([one, type]) => (code === 'js' ? one : `${one}: ${types[type]}`))
    .join(', ')
  const returns = types[problem.returns]
  if (code === 'py') return `def ${name}(${parameters}) -> ${returns}:\n`
  if (code === 'rs') return `fn ${name}(${parameters}) -> ${returns} {\n`
  if (head === 'arrow') return `const ${name} = (${parameters}) => {\n`
  return `function ${name}(${parameters})${code === 'ts' ? `: ${returns}` : ''} {\n`
}

/** Writes a body and what closes it. */
export const closed = (body: string, code: Code): string => (code === 'py' ? body : `${body}}\n`)

export const bodyOf = (bodies: Problem['right'], code: Code): string =>
  bodies[code === 'ts' ? 'js' : code]

/** Writes one call of the function and the value that it must return. */
export function callsOf(
  problem: Problem,
  code: Code,
  name: string,
): { readonly call: string; readonly expected: string }[] {
  return problem.tests.map(([args, expected]) => ({
    call: `${name}(${args.map((one, index) => literal(one, code, problem.parameters[index]?.[1] ?? 'int')).join(', ')})`,
    expected: literal(expected, code, problem.returns),
  }))
}
