/**
 * Runs the same assertions with vitest's `expect` and with Assay's. The tables in docs/guides/code.md list the differences,
 * and these tests read the tables. A difference that is not listed fails, and so does a row that no assertion needs.
 */
import { readFileSync } from 'node:fs'
import { describe, expect, it, vi } from 'vitest'
import { MissingMatcher, type Expect, type TestLibrary } from '../../../../../test/expect-case.ts'
import { expectCases } from '../../../../../test/expect-cases.ts'
import { makeExpect } from './expect.ts'
import { matchers } from './matchers.ts'
import { mockFunction } from './mock.ts'

const vitest: TestLibrary = { expect: expect as unknown as Expect, fn: (one) => vi.fn(one) }
const ours: TestLibrary = {
  expect: makeExpect({ asserted() {} }).expect as Expect,
  fn: (one) => mockFunction(one),
}

type Outcome = 'passes' | 'fails' | 'missing'

async function outcomeOf(run: () => unknown): Promise<Outcome> {
  try {
    await run()
    return 'passes'
  } catch (error) {
    return error instanceof MissingMatcher ? 'missing' : 'fails'
  }
}

interface Listed {
  /** The first cell of the row in docs/guides/code.md. */
  readonly row: string
  readonly cases: RegExp
  /**
   * Set if Assay's `expect` may pass where vitest's fails. `with not`: Assay compares more, so a negated matcher passes
   * more often. `vitest breaks`: vitest fails with an internal error.
   */
  readonly mayPass?: 'with not' | 'vitest breaks'
}

const LISTED: readonly Listed[] = [
  {
    row: '`toBeCloseTo`, `toHaveLength` with a value that is not a number',
    cases: /\.(?:toBeCloseTo|toHaveLength)\(/,
  },
  {
    row: '`toContain` of a string that is asked for something else, or of `null` or `undefined`',
    cases: /^expect\((?:'\w*'|undefined|null)\)\.(?:not\.)?toContain\(/,
  },
  {
    row: '`toHaveProperty` with an empty path, or of `0`, `false`, `NaN`, `""` by inheritance',
    cases:
      /^expect\((?:-?0|false|NaN|'')\)\.(?:not\.)?toHaveProperty\(|toHaveProperty\((?:\[\]|'')(?:,|\))/,
  },
  { row: '`toBeOneOf` of an empty list', cases: /\.toBeOneOf\((?:\[\]|new Set\(\))\)/ },
  { row: '`toSatisfy` with a condition that is a promise', cases: /Promise.*\.toSatisfy\(/ },
  {
    row: '`toThrow` of a value that is not a function',
    cases: /^expect\((?:'abc'|undefined|new Error\('a'\))\)\.(?:not\.)?toThrow(?:Error)?\(/,
  },
  {
    row: '`toThrow` with a message where `undefined` or `null` is thrown',
    cases:
      /(?:throw (?:undefined|null) \}|Promise\.reject\(undefined\))\).*\.toThrow(?:Error)?\(['/]/,
  },
  {
    row: 'two promises, compared by `toEqual` or `toStrictEqual`',
    cases: /^expect\(Promise.*\.to(?:Strict)?Equal\(Promise/,
  },
  {
    row: '`toMatchObject({})` of a value that is not an object',
    cases:
      /^expect\((?!new |Object|\[|\{).*\.toMatchObject\((?:\{\}|Object\.create|new (?:Hidden|WeakMap)|Promise|Math|\[1, \d\]\.values)/,
  },
  {
    row: 'sets and maps whose objects are equal to each other',
    cases: /new (?:Set|Map)\(.*\.to\w+\(new (?:Set|Map)\(/,
    mayPass: 'with not',
  },
  {
    row: '`ArrayBuffer`, `DataView` and boxed `BigInt`',
    cases: /(?:\.buffer|DataView|Object\(\dn\)).*\.toEqual\(|Object\(\dn\).*\.toStrictEqual\(/,
    mayPass: 'with not',
  },
  {
    row: '`toMatchObject` with a `RegExp`, a `URL`, a boxed value or bytes',
    cases:
      /\.toMatchObject\((?:\/|Object\(|Buffer|new (?:URL|Number|String|Boolean|DataView|Uint|Float|Big))/,
    mayPass: 'with not',
  },
  {
    row: '`toMatchObject` with a symbol as a key',
    cases: /\.toMatchObject\(\{ \[tag\]/,
    mayPass: 'with not',
  },
  {
    row: '`toMatchObject` of an array that contains itself',
    cases: /toMatchObject\(cyclicArray/,
    mayPass: 'vitest breaks',
  },
]

/** Returns the text of docs/guides/code.md below a heading, up to the next heading. */
function section(heading: string): string {
  const docs = readFileSync(
    new URL('../../../../../../../docs/guides/code.md', import.meta.url),
    'utf8',
  )
  const [, below = ''] = docs.split(`\n${heading}\n`)
  return below.split('\n#')[0] ?? ''
}

describe('expect, next to vitest', () => {
  it('gives every assertion the outcome that it has in vitest, except for the listed ones', async () => {
    const unlisted: string[] = []
    const seen = new Set<string>()
    for (const { name, run } of expectCases()) {
      const theirs = await outcomeOf(() => run(vitest))
      const mine = await outcomeOf(() => run(ours))
      if (mine === theirs) continue
      const listed = LISTED.filter(({ cases }) => cases.test(name))
      const mayPass = listed.some((one) =>
        name.includes(').not.') ? one.mayPass : one.mayPass === 'vitest breaks',
      )
      if (listed.length === 0 || mine === 'missing' || (mine === 'passes' && !mayPass))
        unlisted.push(`${name}: vitest ${theirs}, ours ${mine}`)
      for (const { row } of listed) seen.add(row)
    }
    expect(unlisted).toEqual([])
    expect(LISTED.map(({ row }) => row).filter((row) => !seen.has(row))).toEqual([])
  })

  it('is documented where it is stricter than vitest', () => {
    const rows = section('### Where `expect` differs from vitest')
      .split('\n')
      .filter((line) => line.startsWith('|'))
      .slice(2)
    expect(rows.map((line) => line.split('|')[1]?.trim())).toEqual(LISTED.map(({ row }) => row))
  })

  it('is documented where something of vitest is missing', () => {
    const registered = (globalThis as unknown as Record<symbol, { matchers: object }>)[
      Symbol.for('$$jest-matchers-object')
    ]
    const names = Object.keys(registered?.matchers ?? {}).filter((name) => name.startsWith('to'))
    expect(names.length).toBeGreaterThan(40)
    const own = Object.keys(makeExpect({ asserted() {} }).expect as object)
    const missing = [
      ...names.filter((name) => !(name in matchers)),
      ...Object.keys(expect)
        .filter((name) => !own.includes(name) && !names.includes(name) && !name.startsWith('_'))
        .map((name) => `expect.${name}`),
    ]
    const listed = section('### What `expect` does not have').matchAll(/`((?:expect\.|to)\w+)`/g)
    expect([...listed].map(([, name]) => name).toSorted()).toEqual(missing.toSorted())
  })
})
