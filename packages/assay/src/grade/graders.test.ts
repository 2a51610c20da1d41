import { afterAll, describe, expect, it } from 'vitest'
import { isCodeGrade, isJudgeGrade } from '@assay/contract'
import { judged, refusal } from '../../test/grade-answer.ts'
import { closeGraders, graderByType, graders } from './index.ts'

afterAll(closeGraders)

const passes = async (type: string, options: unknown, answer: string): Promise<boolean | null> =>
  (await judged(type, options, answer)).passed

describe('every grader', () => {
  it('has a type of its own and says what it is', () => {
    expect(new Set(graders.map(({ type }) => type)).size).toBe(graders.length)
    for (const { type, summary } of graders) {
      expect(graderByType(type)?.summary).toBe(summary)
      expect(summary).not.toBe('')
    }
  })

  it('declares what the readers of a log know about its type', () => {
    for (const grader of graders) {
      expect(isCodeGrade(grader)).toBe(grader.runsTests === true)
      expect(isJudgeGrade(grader)).toBe(grader.judges !== undefined)
    }
    expect(graders.filter(isCodeGrade)).toHaveLength(1)
    expect(graders.filter(isJudgeGrade)).toHaveLength(1)
  })

  it('refuses options it does not know', () => {
    for (const { options } of graders) {
      const { error } = options.safeParse({ surprise: 1 })
      expect(error?.issues.map(({ code }) => code)).toContain('unrecognized_keys')
    }
  })

  it('keeps what it says of any answer short, and free of control characters', async () => {
    const cruel = `\u001b[2J\u202e${'😀\n'.repeat(50_000)}`
    const given: Record<string, unknown> = {
      equals: { value: cruel.slice(3) },
      contains: { all: Array.from({ length: 20 }, (_, i) => `${i}${cruel}`) },
      matches: { pattern: `x{0}zz|${'(?:y)'.repeat(100)}` },
      similarity: { any: [cruel.slice(3, 10_000), '\u001b[2J'] },
      numeric: { value: 1 },
      json: { equals: cruel },
      'file-exists': { path: 'x' },
      'file-contains': { path: '*', value: 'x' },
      'file-matches': { path: '*', pattern: 'x' },
    }
    // The other graders run a program, ask a model, or do not read the text. They have their own tests for
    // hostile answers.
    for (const type of Object.keys(given))
      for (const answer of [cruel, JSON.stringify([cruel])]) {
        const { passed, reason = '', evidence = '' } = await judged(type, given[type], answer)
        expect(passed).toBe(false)
        expect(reason).not.toBe('')
        expect(reason.length).toBeLessThan(500)
        expect(evidence.length).toBeLessThan(1500)
        // oxlint-disable-next-line no-control-regex
        expect(reason).not.toMatch(/[\u0000-\u001f\u202e]/)
      }
  })
})

describe('equals', () => {
  it('leaves outer white space out of account unless told otherwise', async () => {
    expect(await passes('equals', { value: '42' }, ' 42\n')).toBe(true)
    expect(await passes('equals', { value: '42', trim: false }, '42\n')).toBe(false)
  })

  it('tells upper from lower case unless told otherwise', async () => {
    expect(await passes('equals', { value: 'Paris' }, 'paris')).toBe(false)
    expect(await passes('equals', { value: 'Paris', ignoreCase: true }, 'PARIS')).toBe(true)
  })

  it('scores 1 or 0 and shows both texts when they are short', async () => {
    expect(await judged('equals', { value: '42' }, '43')).toEqual({
      score: 0,
      passed: false,
      reason: 'expected "42", found "43"',
    })
    expect(await judged('equals', { value: '42' }, '42')).toEqual({
      score: 1,
      passed: true,
      reason: 'is "42"',
    })
  })

  it('shows where long texts part', async () => {
    const value = `${'line\n'.repeat(40)}the end`
    const { reason, evidence } = await judged(
      'equals',
      { value },
      value.replace('the end', 'the And'),
    )
    expect(reason).toBe(
      'differs from what was expected at line 41, column 5: expected "end", found "And"',
    )
    expect(evidence).toMatch(/^expected: …[^]*the end\nfound: …[^]*the And$/)
  })

  it('says when one text only lacks the other’s end', async () => {
    const { reason } = await judged('equals', { value: 'ab'.repeat(50) }, 'ab'.repeat(49))
    expect(reason).toContain('column 99: expected "ab", found its end')
  })
})

describe('contains', () => {
  it.each([
    [{ value: 'b' }, true],
    [{ value: 'd' }, false],
    [{ all: ['a', 'c'] }, true],
    [{ all: ['a', 'd'] }, false],
    [{ any: ['d', 'c'] }, true],
    [{ any: ['d', 'e'] }, false],
    [{ value: 'a', any: ['d', 'e'] }, false],
    [{ value: 'a', all: ['b'], any: ['c', 'd'] }, true],
    [{ value: 'B' }, false],
    [{ value: 'B', ignoreCase: true }, true],
  ])('of "a b c" with %o: %s', async (options, expected) => {
    expect(await passes('contains', options, 'a b c')).toBe(expected)
  })

  it('names what is missing', async () => {
    const { reason } = await judged('contains', { all: ['a', 'x', 'y'] }, 'a b c')
    expect(reason).toBe('lacks 2 of 3 texts: "x", "y"')
    expect((await judged('contains', { any: ['x', 'y'] }, 'a')).reason).toBe(
      'contains none of "x", "y"',
    )
  })

  it('takes the pattern characters of regular expressions literally', async () => {
    expect(await passes('contains', { value: '.*(' }, 'abc')).toBe(false)
    expect(await passes('contains', { value: '.*(' }, 'a.*(')).toBe(true)
  })

  it('wants something to look for', () => {
    expect(refusal('contains', {})).toContain('value, all or any')
    expect(refusal('contains', { value: '' })).toContain('value')
    expect(refusal('contains', { all: [] })).toContain('all')
  })
})

describe('matches', () => {
  it('finds the pattern anywhere and says where', async () => {
    expect(await judged('matches', { pattern: '\\d+' }, 'the answer\nis 42.')).toEqual({
      score: 1,
      passed: true,
      reason: '"42" matches /\\d+/ at line 2, column 4',
    })
  })

  it('shows no text where the match is empty', async () => {
    const { passed, reason } = await judged('matches', { pattern: '^' }, 'anything')
    expect([passed, reason]).toEqual([true, 'the answer matches /^/'])
  })

  it('shows the answer where nothing matches', async () => {
    expect(await judged('matches', { pattern: '^\\d+$' }, 'forty-two')).toEqual({
      score: 0,
      passed: false,
      reason: 'nothing matches /^\\d+$/',
      evidence: 'forty-two',
    })
  })

  it.each([
    ['YES', { pattern: 'yes', flags: 'i' }],
    ['a\nyes', { pattern: '^yes$', flags: 'm' }],
    ['a\nb', { pattern: 'a.b', flags: 's' }],
    ['😀', { pattern: '^[😀😃]$', flags: 'u' }],
    ['b', { pattern: '[[a-z]--[aeiou]]', flags: 'v' }],
    ['abab', { pattern: '^(a|b|ab)*$' }],
    ['xx', { pattern: '(.)\\1' }],
  ])('%s: %o', async (answer, options) => {
    expect(await passes('matches', options, answer)).toBe(true)
    expect(await passes('matches', options, 'Q')).toBe(false)
  })

  it('gives the same verdict in place and on a thread', async () => {
    const long = 'x'.repeat(5000)
    for (const answer of ['a1b', `${long}a1b`]) {
      expect(await judged('matches', { pattern: 'a\\d+b' }, answer)).toMatchObject({
        passed: true,
        reason: expect.stringContaining('"a1b" matches /a\\d+b/ at line 1'),
      })
      expect(await passes('matches', { pattern: 'b\\d+a' }, answer)).toBe(false)
    }
  })

  it('refuses what is not a pattern, and flags that make a search stateful', () => {
    expect(refusal('matches', { pattern: '(' })).toBe(
      'pattern: a regular expression (Unterminated group)',
    )
    expect(refusal('matches', { pattern: 'a', flags: 'g' })).toContain('flags: flags out of')
    expect(refusal('matches', { pattern: 'a', flags: 'ii' })).toContain('flags: flags out of')
    expect(refusal('matches', { pattern: 'a', flags: 'uv' })).toContain('flags: flags out of')
    expect(refusal('matches', { pattern: 'a'.repeat(20_000) })).toContain('pattern')
  })
})

describe('json', () => {
  it('takes the whole answer, or its only fenced block', async () => {
    expect(await passes('json', {}, ' {"a": 1}\n')).toBe(true)
    expect(await passes('json', {}, 'Here:\n```json\n{"a": 1}\n```\nDone.')).toBe(true)
    expect(await passes('json', {}, '\ufeff[1]')).toBe(true)
    expect(await judged('json', {}, 'none')).toMatchObject({
      passed: false,
      score: 0,
      reason: expect.stringContaining('is not JSON: Unexpected token'),
    })
    expect((await judged('json', {}, '```\n1\n```\n```\n2\n```')).reason).toBe(
      'is not JSON, and has 2 fenced blocks where one was expected',
    )
    expect((await judged('json', {}, '```json\n{a: 1}\n```')).reason).toContain(
      'its fenced block is not JSON',
    )
  })

  it('holds the value against a schema and says where it does not fit', async () => {
    const schema = {
      type: 'object',
      required: ['items'],
      properties: { items: { type: 'array', items: { type: 'object', required: ['id'] } } },
    }
    expect(await passes('json', { schema }, '{"items": [{"id": 1}]}')).toBe(true)
    expect(await judged('json', { schema }, '{"items": [{"id": 1}, {}]}')).toEqual({
      score: 0,
      passed: false,
      reason: 'does not fit the schema: /items/1: Instance does not have required property "id".',
      evidence: expect.stringContaining('/items/1: Instance does not have'),
    })
    expect((await judged('json', { schema }, '[]')).reason).toContain('at the top: Instance type')
  })

  it('reads a schema by its draft', async () => {
    const answer = '[1, "a", null]'
    const tuple = [{ type: 'number' }, { type: 'string' }]
    const draft7 = {
      $schema: 'http://json-schema.org/draft-07/schema#',
      items: tuple,
      additionalItems: false,
    }
    expect(await passes('json', { schema: draft7 }, answer)).toBe(false)
    expect(
      await passes('json', { schema: { prefixItems: tuple, items: { type: 'null' } } }, answer),
    ).toBe(true)
    expect(await passes('json', { schema: { prefixItems: tuple, items: false } }, answer)).toBe(
      false,
    )
    expect(await passes('json', { schema: false }, answer)).toBe(false)
    expect(await passes('json', { schema: true }, answer)).toBe(true)
  })

  it.each([
    [{ path: '/a/0/b', equals: 1 }, true],
    [{ path: '/a/0/b', equals: 2 }, false],
    [{ path: '/a/1', equals: null }, true],
    [{ path: '/a/2', equals: null }, false],
    [{ path: '/a/length', equals: 2 }, false],
    [{ path: '/toString', equals: 'x' }, false],
    [{ path: '/c~1d~0', equals: '' }, true],
    [{ equals: { 'c/d~': '', a: [{ b: 1 }, null] } }, true],
    [{ equals: { a: [null, { b: 1 }], 'c/d~': '' } }, false],
    [{ path: '/a', equals: { 0: { b: 1 }, 1: null } }, false],
  ])('with %o: %s', async (options, expected) => {
    expect(await passes('json', options, '{"a": [{"b": 1}, null], "c/d~": ""}')).toBe(expected)
  })

  it('says what it expected and what it found', async () => {
    expect((await judged('json', { path: '/n', equals: 1 }, '{"n": [1]}')).reason).toBe(
      'expected 1 at /n, found [1]',
    )
    expect((await judged('json', { path: '/m', equals: 1 }, '{"n": 1}')).reason).toBe(
      'has nothing at /m, expected 1',
    )
  })

  it('is not upset by JSON that is nested beyond reason', async () => {
    const deep = '['.repeat(100_000) + ']'.repeat(100_000)
    expect(await passes('json', {}, deep)).toBe(true)
    expect((await judged('json', { equals: 1 }, deep)).reason).toBe(
      'expected 1, found a value too deep to show',
    )
    await expect(judged('json', { schema: { items: { $ref: '#' } } }, deep)).rejects.toThrow(
      expect.objectContaining({ name: 'GraderTimeout' }),
    )
  })

  it('knows a key called __proto__ for a key', async () => {
    const answer = '{"__proto__": {"a": 1}}'
    expect(await passes('json', { path: '/a', equals: 1 }, answer)).toBe(false)
    expect(await passes('json', { path: '/__proto__/a', equals: 1 }, answer)).toBe(true)
    expect(await passes('json', { schema: { required: ['a'] } }, answer)).toBe(false)
  })

  it('refuses options that can never be right', () => {
    expect(refusal('json', { path: '/a' })).toBe('path: equals together with path')
    expect(refusal('json', { path: 'a.b', equals: 1 })).toContain('a JSON Pointer such as')
    expect(refusal('json', { equals: new Date(0) })).toContain('a value that JSON has')
    expect(refusal('json', { schema: { type: 'strng' } })).toContain('/type must be array, boolean')
    expect(refusal('json', { schema: 'x' })).toContain('a JSON Schema')
  })
})
