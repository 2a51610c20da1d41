import fc from 'fast-check'
import { stringify as toToml } from 'smol-toml'
import { describe, expect, it } from 'vitest'
import { stringify as toYaml } from 'yaml'
import { loadText } from '../../assay/test/suite-folder.ts'
import type { GraderConfig, Json } from './index.ts'
import { bareCase } from '../../assay/src/suite/native/finish.ts'
import type { CaseContent } from '../../assay/src/suite/native/case-content.ts'
import { asJson, canonicalJson, caseHash, hashOf, suiteHash } from './hash.ts'

const GRADER: GraderConfig = {
  type: 'equals',
  name: 'e',
  weight: 1,
  required: false,
  negate: false,
  options: { value: 'x' },
}
const CASE: CaseContent = { ...bareCase('a', ['ask']), graders: [GRADER] }

/**
 * Returns the canonical JSON of a value, built by string concatenation. It is compared with the faster
 * implementation.
 */
function joined(value: Json): string {
  if (value === null || typeof value !== 'object') return JSON.stringify(value)
  if (Array.isArray(value)) return `[${(value as readonly Json[]).map(joined).join(',')}]`
  const table = value as Readonly<Record<string, Json>>
  const keys = Object.keys(table).sort()
  return `{${keys.map((key) => [JSON.stringify(key), joined(table[key] as Json)].join(':')).join(',')}}`
}

describe('canonical JSON', () => {
  it('is the same text as if it were joined piece by piece, whatever the keys', () => {
    const keys = fc.oneof(fc.string(), fc.constantFrom('a', 'b', 'B', '10', '9', 'é', '\u{1f600}'))
    const { tree } = fc.letrec((tie) => ({
      tree: fc.oneof(
        { maxDepth: 4 },
        fc.jsonValue(),
        fc.dictionary(keys, tie('tree')),
        fc.array(tie('tree')),
      ),
    }))
    fc.assert(
      fc.property(tree, (value) => {
        expect(canonicalJson(value as Json)).toBe(joined(value as Json))
      }),
    )
  })

  it('leaves its value as it was', () => {
    const value = { b: [{ d: 1, c: 2 }], a: { z: 1, y: [3, { x: 1, w: 2 }] } }
    const before = JSON.stringify(value)
    canonicalJson(value)
    expect(JSON.stringify(value)).toBe(before)
  })
})

describe('the hash of a case', () => {
  it('has not moved: old records must stay comparable', () => {
    expect(caseHash(CASE)).toBe('afed9ec2229056533c9623d5c1ecab88')
  })

  it.each<[string, Partial<CaseContent>]>([
    ['turns', { turns: ['ask', 'more'] }],
    ['language', { language: 'go' }],
    ['tests', { tests: '' }],
    ['entryPoint', { entryPoint: 'f' }],
    ['continuation', { continuation: true }],
    ['stop', { stop: ['x'] }],
    [
      'expectations',
      {
        expectations: {
          shouldCompile: true,
          shouldPassTests: true,
          maxWarnings: null,
          functions: [],
          types: [],
          customCheck: null,
        },
      },
    ],
    ['reference', { reference: 'r' }],
    ['faulty', { faulty: ['f'] }],
    ['files', { files: { a: 'b' } }],
    ['threshold', { threshold: 0 }],
    ['timeoutMs', { timeoutMs: 1 }],
    ['maxTokens', { maxTokens: 1 }],
    ['dependencies', { dependencies: [{ name: 'd', version: null, features: [] }] }],
    ['no graders', { graders: [] }],
    ['a grader’s type', { graders: [{ ...GRADER, type: 'contains' }] }],
    ['a grader’s name', { graders: [{ ...GRADER, name: 'n' }] }],
    ['a grader’s weight', { graders: [{ ...GRADER, weight: 2 }] }],
    ['required', { graders: [{ ...GRADER, required: true }] }],
    ['negate', { graders: [{ ...GRADER, negate: true }] }],
    ['a grader’s options', { graders: [{ ...GRADER, options: { value: 'y' } }] }],
  ])('changes with %s', (_, change) => {
    expect(caseHash({ ...CASE, ...change })).not.toBe(caseHash(CASE))
  })

  it.each<Partial<CaseContent>>([
    { id: 'b' },
    { name: 'n' },
    { description: 'd' },
    { tags: ['t'] },
    { trials: 9 },
  ])('does not change with %o', (change) => {
    expect(caseHash({ ...CASE, ...change })).toBe(caseHash(CASE))
  })

  it('does not depend on the syntax of the file or the order of its keys', async () => {
    const words = fc.stringMatching(/^[a-z \n"'\\#:\u00e9]{0,20}[a-z]$/)
    const suite = fc.record({
      id: fc.constant('s'),
      cases: fc.array(
        fc.record(
          {
            id: fc.constant('c'),
            prompt: words,
            tests: words,
            faulty: fc.array(words),
            trials: fc.integer({ min: 1, max: 9 }),
            timeout: fc.integer({ min: 1, max: 9 }),
            files: fc.dictionary(fc.stringMatching(/^[a-z]{1,5}$/), words),
            graders: fc.constant([{ type: 'contains', value: 'x', weight: 0.5 }]),
          },
          { requiredKeys: ['id', 'prompt'] },
        ),
        { minLength: 1, maxLength: 1 },
      ),
    })
    await fc.assert(
      fc.asyncProperty(suite, async (value) => {
        const turned = turnRound(value)
        const hashes = await Promise.all([
          hashIn('s.toml', toToml(value)),
          hashIn('s.yaml', toYaml(value)),
          hashIn('s.json', JSON.stringify(value)),
          hashIn('s.json', JSON.stringify(turned, null, 3)),
        ])
        expect(new Set(hashes).size).toBe(1)
      }),
      { numRuns: 30 },
    )
  })
})

const hashIn = async (name: string, text: string): Promise<string> =>
  (await loadText(name, text)).suite.hash

/** The same data with its keys in the opposite order. */
function turnRound(value: Json): Json {
  if (Array.isArray(value)) return (value as readonly Json[]).map(turnRound)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value as Record<string, Json>).reverse()
  return Object.fromEntries(entries.map(([key, entry]) => [key, turnRound(entry)]))
}

describe('the hash of a suite', () => {
  const a = { id: 'a', hash: '1' }
  const b = { id: 'b', hash: '2' }

  it('does not depend on the order of cases', () => {
    expect(suiteHash([a, b])).toBe(suiteHash([b, a]))
  })

  it.each([0, 1, 2, 1000, 1001, 2500])('is the hash of the sorted pairs of %i cases', (count) => {
    const cases = Array.from({ length: count }, (_, i) => ({
      id: `case "${(i * 7919) % 2503}" \ud800 é`,
      hash: String(i),
    }))
    const pairs = cases.map(({ id, hash }) => [id, hash] as const)
    expect(suiteHash(cases)).toBe(hashOf(pairs.toSorted(([x], [y]) => (x < y ? -1 : 1))))
  })

  it('changes with a case’s hash, id and presence', () => {
    const hashes = [[a, b], [a], [a, { ...b, hash: '3' }], [a, { ...b, id: 'c' }]].map(suiteHash)
    expect(new Set(hashes).size).toBe(4)
  })
})

it('one canonical JSON: the hash that baselines of version 1 hold has not moved', () => {
  const value = {
    ...(JSON.parse(
      '{"b":[1,{"z":null,"a":"é"}],"a":{"__proto__":{"x":1},"10":true,"9":-0.5},"":[]}',
    ) as object),
    gone: undefined,
    list: [undefined, Number.NaN],
  }
  expect(canonicalJson(asJson(value), 'entries')).toBe(
    '[["",[]],["a",[["10",true],["9",-0.5],["__proto__",[["x",1]]]]],["b",[1,[["a","é"],["z",null]]]],["list",[null,null]]]',
  )
  expect(hashOf(asJson(value), 'entries')).toBe('64a1b28824890d0b4cdb02033b67a73f')
})

it('canonical JSON is one text for one value', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const text = canonicalJson(value as Json)
      expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)))
      expect(canonicalJson(turnRound(value as Json))).toBe(text)
    }),
  )
})
