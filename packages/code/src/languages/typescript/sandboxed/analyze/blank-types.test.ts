import { readdirSync, readFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { blankTypes } from './blank-types.ts'

const COMMON = [
  'const a: number = 1',
  'let b!: string | undefined',
  'export function f<T extends object>(x?: T, ...rest: readonly T[]): asserts x is T { return }',
  'const g = async <T,>(x: T, { a, b }: { a: 1; b: 2 } = y): Promise<T> => x as T',
  'const h = x ? (y): number => y : (z as unknown as string)!.length',
  'f<number>(new Map<string, number>([]), tag<string>`x`)',
  'interface A { x: 1 }\nexport type B = A | { y: 2 };\nexport interface C {}\nconst d = 1',
  "import type { A } from './a'\nimport { type B, c, type D } from './b'\nexport type { B }\nexport { c, type D }",
  'declare const x: number\ndeclare function y(): void\nexport const z = 1',
  'export function over(a: string): void;\nexport function over(a: number): void;\nexport function over(a: any) {}',
  `export abstract class K<T> extends L<T> implements M, N<T> {
  private readonly a: T[] = [];
  static override b?: string;
  declare c: number;
  protected d!: number;
  [key: string]: unknown;
  constructor(x: T) { super(); }
  abstract e(): void;
  async *f<U>(this_: U): AsyncGenerator<U> { yield this_ }
  get g(): number { return 1 }
  h(a: string): void;
  h(a: any) { return a satisfies unknown }
}`,
  'try { } catch (error: unknown) { throw error as Error }',
  'for (const [k, v] of Object.entries(x) as [string, number][]) { }',
]

/** Node blanks with other spaces in places, and puts a semicolon where a statement was. */
const shown = (code: string | null): string | undefined => code?.replaceAll(/[\s;]+/gu, ' ').trim()

describe('types', () => {
  it('become spaces, as Node blanks them', () => {
    for (const source of COMMON)
      expect(shown(blankTypes(source)), source).toBe(shown(stripTypeScriptTypes(source)))
  })

  it('of whole files become spaces, as Node blanks them', () => {
    const folder = join(import.meta.dirname, '../framework')
    const files = readdirSync(folder).filter((name) => name.endsWith('.ts'))
    expect(files.length).toBeGreaterThan(20)
    for (const name of files) {
      const source = readFileSync(join(folder, name), 'utf8')
      const blanked = blankTypes(source)
      if (blanked !== null) expect(shown(blanked), name).toBe(shown(stripTypeScriptTypes(source)))
    }
  })

  it('are left to Node where what remains could mean something else', () => {
    const left = [
      'enum E { A }',
      'namespace N { export const a = 1 }',
      'class A { constructor(private x: number) {} }',
      'function f(this: Date) {}',
      'const x = <any>y',
      'const a = b as any\n(c)()',
      'const a = b\ninterface X {}\n;[1].map(f)\ntype Y = 1\n(d)()',
      'const f = async <\nT>(x: T) => x',
      'const f = (x: number):\nnumber => x',
      'class A { x = 1\nprivate ["y"] = 2 }',
      'class A { get: number\nfoo() {} }',
      '@sealed class A {}',
      'const a = (',
    ]
    for (const source of left) expect(blankTypes(source), source).toBeNull()
  })

  it('in code that is nested very deeply do not end the process', () => {
    const source = `const x: number = ${'1 + '.repeat(20_000)}1`
    expect(blankTypes(source)?.startsWith('const x         = 1') ?? true).toBe(true)
  })
})
