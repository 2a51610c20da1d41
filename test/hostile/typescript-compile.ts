/**
 * Hostile TypeScript programs for the tools that read them before they run: they make the type checker use too much
 * time or memory, or suppress it by directives.
 */
import { BOMB, REFUSED, silenced, type Hostile } from './program.ts'

/** The type checker may accept it. Then the answer is wrong. */
const bomb = (before: string) => () =>
  `${before}
export function sum(a: number, b: number): number {
  return a - b - 1
}
`

const HONEST = `export function sum(a: number, b: number): number {
  return a + b
}
`

export const typescriptCompile: readonly Hostile[] = [
  {
    kind: 28,
    name: 'twenty thousand nested brackets',
    task: 'sum',
    source: bomb(`export const deep = ${'['.repeat(20_000)}${']'.repeat(20_000)}`),
    expect: BOMB,
  },
  {
    kind: 28,
    name: 'ninety nested brackets, just below any limit',
    task: 'sum',
    source: bomb(`export const deep = ${'['.repeat(90)}1${']'.repeat(90)}`),
    expect: BOMB,
  },
  {
    kind: 28,
    name: 'twenty thousand nested parentheses, braces and angles',
    task: 'sum',
    source: bomb(
      `export const a = ${'('.repeat(20_000)}1${')'.repeat(20_000)}
${'{'.repeat(20_000)}${'}'.repeat(20_000)}
export type B = ${'Array<'.repeat(5000)}1${'>'.repeat(5000)}`,
    ),
    expect: BOMB,
  },
  {
    kind: 28,
    name: 'nesting without a bracket',
    task: 'sum',
    source: bomb(`export const a = ${'!'.repeat(50_000)}0
export const b = ${'1+'.repeat(50_000)}1
export const c = ${'1?1:'.repeat(20_000)}1
export const d = (x: any) => x${'.x'.repeat(20_000)}`),
    expect: BOMB,
  },
  {
    kind: 28,
    name: 'a recursive type',
    task: 'sum',
    source: bomb(`type Build<N extends number, T extends unknown[] = []> =
  T['length'] extends N ? T : Build<N, [...T, unknown, ...T]>
type Count<N extends number, T extends unknown[] = []> =
  T['length'] extends N ? T : Count<N, [...T, unknown]>
export type Big = Build<99999999>
export type Far = Count<9999>
export const big: Big = null as unknown as Far`),
    expect: BOMB,
  },
  {
    kind: 28,
    name: 'a union that multiplies',
    task: 'sum',
    source: bomb(`type D = '0' | '1' | '2' | '3' | '4' | '5' | '6' | '7' | '8' | '9'
type Long = \`\${D}\${D}\${D}\${D}\${D}\`
export type All = \`\${Long}-\${Long}\`
export const all: All = 'x' as Exclude<All, '00000-00000'>`),
    expect: BOMB,
  },
  {
    kind: 28,
    name: 'types that call each other',
    task: 'sum',
    source: bomb(`type Twice<T> = T extends infer U ? [Again<[U, U]>, Again<{ u: U }>] : never
type Again<T> = T extends infer U ? { a: Twice<[U]>; b: Twice<[U, 1]> } : never
export const x: Twice<1> = null as unknown as Again<Again<2>>
export const y: Again<string> = null as unknown as Twice<string>`),
    expect: BOMB,
  },
  {
    kind: 28,
    name: 'thirty thousand functions',
    task: 'sum',
    source: bomb(
      Array.from(
        { length: 30_000 },
        (_, at) => `function f${at}(a: number) { return f${(at * 7) % 30_000}(a) }`,
      ).join('\n'),
    ),
    expect: BOMB,
  },
  // ── Silencing ──────────────────────────────────────────────────────────────────────────────────────
  {
    kind: 30,
    name: 'a type error behind @ts-nocheck',
    task: 'sum',
    source: () => `// @ts-nocheck\nexport const wrong: string = 5\n${HONEST}`,
    expect: REFUSED,
  },
  {
    kind: 30,
    name: 'a type error behind @ts-ignore',
    task: 'sum',
    source: () => `// @ts-ignore\nexport const wrong: string = 5\n${HONEST}`,
    expect: REFUSED,
  },
  {
    kind: 30,
    name: 'a type error behind @ts-expect-error in a block comment',
    task: 'sum',
    source: () => `/* @ts-expect-error */\nexport const wrong: string = 5\n${HONEST}`,
    expect: REFUSED,
  },
  {
    kind: 30,
    name: 'a directive for each tool, and nothing to hide',
    task: 'sum',
    source: () => `/* eslint-disable */\n/* oxlint-disable */\n// @ts-nocheck\n${HONEST}`,
    expect: silenced(3),
  },
  {
    kind: 30,
    name: 'a lint warning behind directives',
    task: 'sum',
    source: () => `/* oxlint-disable */
// eslint-disable-next-line
export function sum(a: number, b: number): number {
  // oxlint-disable-next-line no-debugger
  debugger
  return a + b // eslint-disable-line
}
`,
    expect: silenced(4),
  },
]
