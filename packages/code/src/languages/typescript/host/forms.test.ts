/** The forms in which people write tests and models write answers. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Tests } from '../../../language.ts'
import {
  failures,
  isSandboxReady,
  openBench,
  outcomes,
  type Bench,
} from '../../../../test/try-typescript.ts'
import { javascript, typescript } from '../typescript.ts'

const isReady = await isSandboxReady()
const ADD = 'export function add(a: number, b: number): number { return a + b }'

describe.skipIf(!isReady)('forms of TypeScript tests', () => {
  let bench: Bench
  beforeAll(async () => {
    bench = await openBench()
  })
  afterAll(() => bench.close())

  const BAD = 'export function add(a: number, b: number): number { return a - b }'

  it.each([
    [
      'that is required instead of imported',
      "const { test } = require('node:test'); const { add } = require('./solution'); const assert = require('assert'); test('y', () => assert.equal(add(1, 2), 3))",
    ],
    [
      'that is required by way of node:module',
      "import { createRequire } from 'node:module'; import { add } from './solution'; import assert from 'node:assert'; const { test } = createRequire(import.meta.url)('node:test'); test('y', () => assert.equal(add(1, 2), 3))",
    ],
    [
      'whose subtest nobody waits for',
      "import { test } from 'node:test'; import assert from 'node:assert'; import { add } from './solution'; test('y', (t) => { t.test('z', () => assert.equal(add(1, 2), 3)) })",
    ],
    [
      'whose expectation nobody waits for',
      "import { expect, it } from 'vitest'; import { add } from './solution'; it('y', () => { expect(Promise.resolve(add(1, 2))).resolves.toBe(3) })",
    ],
    [
      'that looks only when all is over',
      "import { afterAll, expect, it } from 'vitest'; import { add } from './solution'; afterAll(() => { expect(add(1, 2)).toBe(3) }); it('y', () => {})",
    ],
  ])('a test %s counts', async (_, tests) => {
    expect(Object.values(outcomes(await bench.run(ADD, tests)))).toEqual(['passed'])
    expect(Object.keys(failures(await bench.run(BAD, tests)))).toEqual(['y'])
  })

  it.each([
    "import { describe } from 'node:test'; describe('x', () => {})",
    "import { test } from 'node:test'; test.skip('x', () => {}); test.todo('y')",
    "import { it } from 'vitest'; it.todo('y')",
  ])('a file without tests has none: %j', async (tests) => {
    expect((await bench.run(ADD, tests)).tests).toEqual([])
  })

  it.each(['', '  \n', "import { add } from './solution'"])(
    'a file that registers nothing and does nothing is refused: %j',
    async (tests) => {
      await expect(bench.run(ADD, tests)).rejects.toThrow('there is no test in them')
    },
  )

  it('node:test with suites, hooks, subtests and doubled names', async () => {
    const report = await bench.run(
      ADD,
      `import { describe, it, test, before, beforeEach, after, afterEach } from 'node:test'
       import * as assert from 'node:assert'
       import { add } from './solution'
       const log: string[] = []
       describe('outer', () => {
         before(() => { log.push('before') }); beforeEach(() => { log.push('each') }); afterEach(() => { log.push('end') }); after(() => { log.push('after') })
         describe('inner', () => { it('adds', () => { assert.strictEqual(add(1, 2), 3); assert.deepStrictEqual(log, ['before', 'each']) }) })
         it('adds', async () => { await null; assert.equal(add(2, 2), 4) })
         it('adds', () => { assert.equal(add(2, 2), 5) })
         it.skip('never', () => { assert.fail() })
         it('skipped by option', { skip: true }, () => { assert.fail() })
         it.todo('later')
       })
       test('hooks ended', () => { assert.deepEqual(log, ['before', 'each', 'end', 'each', 'end', 'each', 'end', 'after']) })
       test('subtests', async (t) => { await t.test('good', () => {}); await t.test('bad', () => { assert.equal(add(1, 1), 3) }) })
       test('callback', (_t, done) => { setTimeout(done, 5) })
       test('callback that fails', (_t, done) => { setTimeout(() => done(new Error('late')), 5) })`,
    )
    expect(outcomes(report)).toEqual({
      'outer > inner > adds': 'passed',
      'outer > adds': 'passed',
      'outer > adds (2)': 'expected 5, got 4',
      'hooks ended': 'passed',
      subtests: 'Error: bad: expected 3, got 2',
      callback: 'passed',
      'callback that fails': 'Error: late',
    })
  })

  it('vitest and jest, imported or global', async () => {
    const report = await bench.run(
      `${ADD}\nexport const user = () => ({ name: 'Ann', tags: ['a', 'b'], at: new Date(0), id: 17, nested: { x: undefined } })`,
      `import { add, user } from './solution'
       describe('global', () => {
         it.each([[1, 2, 3], [2, 3, 5]])('%i + %i = %i', (a, b, sum) => { expect(add(a, b)).toBe(sum) })
         test.each\`a | b\n \${1} | \${1}\n\`('$a and $b', ({ a, b }) => { expect(add(a, b)).toEqual(2) })
       })
       it('matchers', () => {
         expect(user()).toEqual({ name: expect.any(String), tags: expect.arrayContaining(['b']), at: expect.any(Date), id: expect.anything(), nested: {} })
         expect(user()).not.toStrictEqual({ ...user(), nested: {} }); expect(user()).toMatchObject({ tags: ['a', 'b'] }); expect(user()).toHaveProperty('nested.x'); expect(user()).toHaveProperty('tags[1]', 'b')
         expect(user().name).toMatch(/^A/); expect(user().tags).toContain('a'); expect(user().tags).toHaveLength(2); expect(0.1 + 0.2).toBeCloseTo(0.3, 5); expect(add(1, 1)).toBeGreaterThan(1)
         expect(() => { throw new Error('boom') }).toThrow(/bo+m/); expect(user()).toEqual(expect.objectContaining({ id: 17 })); expect(null).toBeNull(); expect(undefined).toBeUndefined(); expect('').toBeFalsy(); expect([1, { a: 1 }]).toContainEqual({ a: 1 })
         expect.assertions(16)
       })
       it('counts assertions', () => { expect.assertions(2); expect(1).toBe(1) })
       it('negates', () => { expect(add(1, 1)).not.toBe(2) })
       it('settles', async () => { await expect(Promise.resolve(1)).resolves.toBe(1); await expect(Promise.reject(new Error('x'))).rejects.toThrow('x') })
       it('done', (done) => { setTimeout(() => { expect(add(1, 1)).toBe(2); done() }, 5) })
       it('spies', () => { const o = { f: (x) => x }; const s = jest.spyOn(o, 'f'); o.f(3); expect(s).toHaveBeenCalledWith(3); s.mockRestore(); const m = jest.fn().mockReturnValueOnce(1).mockReturnValue(2); expect([m(), m(), m()]).toEqual([1, 2, 2]); expect(m).toHaveReturnedWith(2) })`,
    )
    expect(failures(report)).toEqual({
      'counts assertions': 'expected 2 assertions, there were 1',
      negates: 'expected not 2, got 2',
    })
    expect(Object.keys(outcomes(report)).slice(0, 3)).toEqual([
      'global > 1 + 2 = 3',
      'global > 2 + 3 = 5',
      'global > 1 and 1',
    ])
  })

  it('plain scripts, with the solution as free names', async () => {
    const script = (wanted: number): string =>
      `const assert = require('node:assert');\nfunction test() {\n  let candidate = add;\n  assert.deepEqual(candidate(1, 2), ${wanted});\n}\ntest();`
    expect(
      outcomes(await bench.run('function add(a: number, b: number) { return a + b }', script(3))),
    ).toEqual({ script: 'passed' })
    expect(
      outcomes(await bench.run('function add(a: number, b: number) { return a - b }', script(3))),
    ).toEqual({ script: 'expected 3, got -1' })
    expect(outcomes(await bench.run('export const other = 1', script(3)))).toEqual({
      script: 'ReferenceError: add is not defined',
    })
  })

  it('a check that somebody has to call, with a prelude that does not stand in for the sample', async () => {
    const tests: Tests = {
      kind: 'source',
      source: `const assert = require('node:assert'); function check(candidate) { assert.equal(candidate(2), half(8)); assert.equal(double(1), 2) }`,
      entryPoint: 'double',
      prelude:
        'export function half(n: number) { return n / 2 }\nexport function double(n: number) { return n * 2 }',
    }
    expect(outcomes(await bench.run('export const double = (n: number) => n * 2', tests))).toEqual({
      script: 'passed',
    })
    expect(outcomes(await bench.run('export const double = (n: number) => n', tests))).toEqual({
      script: 'expected 4, got 2',
    })
  })

  it('calls as data', async () => {
    const calls: Tests = {
      kind: 'calls',
      entryPoint: 'div',
      calls: [
        { args: [1, 3], returns: 0.333, tolerance: 0.001 },
        { args: [1, 4], returns: 0.3 },
        { args: [1, 0], throws: 'RangeError' },
        { args: [1, 0], throws: 'TypeError' },
        { args: [[4, 2], { by: 2 }], returns: [{ half: 2 }, { half: 1 }] },
        { args: [0, 5], returns: 0 },
      ],
    }
    const report = await bench.run(
      `export async function div(a: number | number[], b: number | { by: number }) {
         if (Array.isArray(a)) return a.map((n) => ({ half: n / (b as { by: number }).by }))
         if (b === 0) throw new RangeError('zero')
         return a === 0 ? -0 : a / (b as number)
       }`,
      calls,
    )
    expect(outcomes(report)).toEqual({
      'div(1, 3)': 'passed',
      'div(1, 4)': 'expected 0.3, got 0.25',
      'div(1, 0)': 'passed',
      'div(1, 0) (2)': 'expected TypeError to be thrown, got RangeError: zero',
      'div([4, 2], { by: 2 })': 'passed',
      'div(0, 5)': 'passed',
    })
    expect(outcomes(await bench.run('export const x = 1', calls))['div(1, 4)']).toBe(
      'the solution has no function div',
    )
  })

  it('answers of several files, with what the case brings and imports of mere types', async () => {
    const report = await bench.run(
      {
        'solution.ts': `import { User, greet } from './lib/user'\nimport { prefix } from './given'\nimport { EventEmitter, EventEmitterOptions } from 'node:events'\nexport { User } from './lib/user.js'\nexport class Bus extends EventEmitter { constructor(o?: EventEmitterOptions) { super(o) } }\nexport const hello = (u: User) => prefix + greet(u)`,
        'lib/user.ts': `export interface User { name: string }\nenum Mood { Fine = 'fine' }\nexport const greet = (u: User) => u.name + ' ' + Mood.Fine`,
      },
      `import { test, expect } from 'vitest'\nimport { hello, Bus } from './solution'\nimport { greet } from './lib/user'
       test('hello', () => { expect(hello({ name: 'Ann' })).toBe('> Ann fine'); expect(greet({ name: 'B' })).toBe('B fine') })
       test('bus', () => { const b = new Bus(); const seen = []; b.on('x', (v) => seen.push(v)); b.emit('x', 1); expect(seen).toEqual([1]); expect(b.listenerCount('x')).toBe(1) })`,
      { support: { 'given.ts': `export const prefix: string = '> '` } },
    )
    expect(failures(report)).toEqual({})
  })

  it('an answer with tests of its own neither breaks nor counts', async () => {
    const report = await bench.run(
      `import { describe, it, expect } from 'vitest'\nimport test from 'node:test'\nimport assert from 'node:assert'\n${ADD}
       describe('mine', () => { it('works', () => { expect(add(1, 1)).toBe(2) }) })\ntest('no', () => { assert.equal(add(1, 1), 3) })
       console.log(add(1, 2)); if (import.meta.main) process.exit(1)`,
      `import { test } from 'node:test'; import assert from 'node:assert'; import { add } from './solution'; test('one', () => { assert.equal(add(1, 1), 2) })`,
    )
    expect(outcomes(report)).toEqual({ one: 'passed' })
  })

  it('type errors, silencing comments and definitions are reported with their place', async () => {
    const report = await bench.run(
      `// @ts-nocheck\n/* eslint-disable */\nexport interface Point { x: number }\nexport type Id = string\nexport enum Color { Red }\nexport abstract class Base {}\nconst arrow = () => 1\nexport default function main(): number {\n  // @ts-ignore oxlint-disable-next-line\n  return 'text'\n}\nconst s = '// @ts-ignore'\nfunction helper(p: Point) { return p.x + arrow() + s.length }`,
      null,
      { lint: true, define: true },
    )
    expect(report.compiled).toBe(false)
    expect(report.errors).toEqual([
      {
        file: 'solution.ts',
        line: 10,
        column: 3,
        code: 'TS2322',
        message: "Type 'string' is not assignable to type 'number'.",
      },
    ])
    expect(report.defined).toEqual({
      functions: ['arrow', 'main', 'helper'],
      types: ['Point', 'Id', 'Color', 'Base'],
    })
    const silenced = report.warnings?.filter(({ code }) => code === 'silenced')
    expect(silenced?.map(({ line, message }) => `${line} ${message.split(' ')[0]}`)).toEqual([
      '1 @ts-nocheck',
      '2 eslint-disable',
      '9 @ts-ignore',
      '9 oxlint-disable-next-line',
    ])
  })

  it('likely mistakes are lint warnings, sound code has none', async () => {
    const bad = await bench.run(
      `export function f(a: number, b: any) {\n  const unused = 1\n  if (a == b) debugger\n  return a === NaN ? 1 : 2\n}`,
      null,
      { lint: true },
    )
    expect(bad.warnings?.map(({ code }) => code).toSorted()).toEqual([
      'eslint(eqeqeq)',
      'eslint(no-debugger)',
      'eslint(no-unused-vars)',
      'eslint(use-isnan)',
      'typescript(no-explicit-any)',
    ])
    const good = await bench.run(
      `type Handler<T> = (value: T) => void
       export class Emitter<E extends Record<string, unknown>> {
         readonly #handlers = new Map<keyof E, Set<Handler<never>>>()
         on<K extends keyof E>(event: K, handler: Handler<E[K]>): () => boolean { const set = this.#handlers.get(event) ?? new Set(); this.#handlers.set(event, set); set.add(handler); return () => set.delete(handler) }
         emit<K extends keyof E>(event: K, value: E[K]): void { for (const handler of this.#handlers.get(event) ?? []) (handler as Handler<E[K]>)(value) }
       }
       export async function sleep(ms: number): Promise<void> { await new Promise((resolve) => setTimeout(resolve, ms)) }
       export const range = (n: number): number[] => Array.from({ length: n }, (_, i) => i)
       function forgotten(x: string): string { try { return JSON.parse(x) } catch { return '' } }\nexport const all = [forgotten]`,
      null,
      { lint: true },
    )
    expect(good.errors).toEqual([])
    expect(good.warnings).toEqual([])
  })

  it('sources that would overwhelm a parser are refused before', async () => {
    const deep = await bench.run(`export const a = ${'['.repeat(5000)}${']'.repeat(5000)}`, null)
    expect(outcomes(deep)).toEqual({ compile: 'brackets are nested more than 100 deep' })
    const large = await bench.run(`export const a = '${'x'.repeat(300_000)}'`, null)
    expect(outcomes(large)).toEqual({ compile: 'the source is larger than 256 KiB' })
    expect(
      (await bench.run(`export const a = ${JSON.stringify('('.repeat(200))}`, null)).compiled,
    ).toBe(true)
  })

  it('tests that mean nothing are an error of the suite, not of the sample', async () => {
    await expect(bench.run(ADD, 'const a = 1\n\ntest("x" => {')).rejects.toThrow(
      /^the tests of the case are at fault: line 3: \w+/,
    )
  })

  it('stops when it is told to', async () => {
    const controller = new AbortController()
    const running = bench.run(
      'export const f = async () => { for (;;) await 1 }',
      `import { f } from './solution'; await f()`,
      {
        signal: controller.signal,
      },
    )
    setTimeout(() => controller.abort(new Error('enough')), 300)
    await expect(running).rejects.toThrow('enough')
    expect(
      outcomes(
        await bench.run(
          ADD,
          `import { add } from './solution'; require('assert').equal(add(1, 1), 2)`,
        ),
      ),
    ).toEqual({ script: 'passed' })
  })

  describe('with the integrity in-process', () => {
    const beside = { integrity: 'in-process' } as const

    it('mock timers and subclasses work', async () => {
      const report = await bench.run(
        `export abstract class Job { abstract work(): number; run() { return this.work() * 2 } }
         export const later = (f: () => void) => { setTimeout(f, 60_000) }
         export const wrong = () => 1`,
        `import { test, expect, vi } from 'vitest'\nimport assert from 'node:assert/strict'\nimport { mock } from 'node:test'\nimport { Job, later, wrong } from './solution'
         test('subclass', () => { class Mine extends Job { work() { return 21 } } assert.equal(new Mine().run(), 42) })
         test('fake timers', () => { vi.useFakeTimers(); const f = vi.fn(); later(f); vi.advanceTimersByTime(59_999); expect(f).not.toHaveBeenCalled(); vi.advanceTimersByTime(1); expect(f).toHaveBeenCalledOnce(); vi.useRealTimers() })
         test('mock timers', () => { mock.timers.enable({ apis: ['setTimeout'] }); const f = mock.fn(); later(f); mock.timers.tick(60_000); assert.equal(f.mock.callCount(), 1); mock.timers.reset() })
         test('wrong', () => { expect(wrong()).toBe(2) })`,
        beside,
      )
      expect(outcomes(report)).toEqual({
        subclass: 'passed',
        'fake timers': 'passed',
        'mock timers': 'passed',
        wrong: 'expected 2, got 1',
      })
    })

    it('at the level values mock timers say what they need', async () => {
      const report = await bench.run(
        ADD,
        `import { vi } from 'vitest'; test('t', () => { vi.useFakeTimers() })`,
      )
      expect(outcomes(report)['t']).toContain('in-process')
    })
  })

  it('vendored packages are found by the checker and by the sample, and missed clearly', async () => {
    const vendor = await mkdtemp(join(tmpdir(), 'assay-vendor-'))
    try {
      const folder = join(vendor, 'node_modules', 'leftish')
      await mkdir(folder, { recursive: true })
      await writeFile(
        join(folder, 'package.json'),
        '{"name":"leftish","version":"1.2.3","type":"module","exports":{".":{"types":"./index.d.ts","default":"./index.js"}}}',
      )
      await writeFile(join(folder, 'index.js'), 'export const left = (s, n) => s.padStart(n)')
      await writeFile(
        join(folder, 'index.d.ts'),
        'export declare const left: (s: string, n: number) => string',
      )
      const dependencies = [{ name: 'leftish', version: null, features: [] }]
      const code = (n: string): string =>
        `import { left } from 'leftish'\nexport const pad = (s: string): string => left(s, ${n})`
      const test = `import { pad } from './solution'; require('assert').equal(pad('a'), '  a')`
      expect(outcomes(await bench.run(code('3'), test, { vendor, dependencies }))).toEqual({
        script: 'passed',
      })
      expect((await bench.run(code('"3"'), test, { vendor, dependencies })).errors[0]?.code).toBe(
        'TS2345',
      )
      expect((await bench.run(code('3'), test)).errors[0]?.code).toBe('TS2307')
      expect(await typescript.missing(dependencies, vendor)).toEqual([])
      expect(
        await typescript.missing([{ name: 'other', version: '1.0.0', features: [] }], vendor),
      ).toEqual([expect.stringContaining('other')])
      expect(await typescript.missing(dependencies, null)).toHaveLength(1)
    } finally {
      await rm(vendor, { recursive: true })
    }
  })
})

describe.skipIf(!isReady)('forms of JavaScript answers', () => {
  let bench: Bench
  beforeAll(async () => {
    bench = await openBench(javascript)
  })
  afterAll(() => bench.close())

  const test = `const assert = require('assert'); const { add } = require('./solution.js'); assert.strictEqual(add(1, 2), 3)`

  it.each([
    ['a module', 'export const add = (a, b) => a + b'],
    ['CommonJS', 'const add = (a, b) => a + b\nmodule.exports = { add }'],
    ['exports one by one', 'exports.add = function (a, b) { return a + b }'],
    ['nothing exported', 'function add(a, b) { return a + b }'],
    [
      'sloppy code',
      'with ({ z: 1 }) { add = function (a, b) { return a + b * z } }\nmodule.exports = { add }',
    ],
  ])('%s', async (_, code) => {
    expect(outcomes(await bench.run(code, test))).toEqual({ script: 'passed' })
  })

  it('a function exported as a whole', async () => {
    const whole = `const assert = require('assert'); const add = require('./solution'); assert.strictEqual(add(1, 2), 3)`
    expect(outcomes(await bench.run('module.exports = (a, b) => a + b', whole))).toEqual({
      script: 'passed',
    })
    const imported = `import add from './solution.js'; import assert from 'assert'; assert.strictEqual(add(1, 2), 3)`
    expect(outcomes(await bench.run('export default (a, b) => a + b', imported))).toEqual({
      script: 'passed',
    })
    expect(outcomes(await bench.run('module.exports = (a, b) => a + b', imported))).toEqual({
      script: 'passed',
    })
  })

  it('only syntax errors keep it from compiling', async () => {
    const report = await bench.run('export const a = ;', null)
    expect(report.errors).toMatchObject([{ file: 'solution.js', line: 1, column: 18 }])
    expect((await bench.run('export const a = undefinedName.x', null)).compiled).toBe(true)
  })

  it('what it needs is there', async () => {
    const tools = await javascript.inspect()
    expect(tools.every(({ version }) => version !== null)).toBe(true)
  })
})

describe.skipIf(!isReady)('strictness of JavaScript and TypeScript tests', () => {
  let bench: Bench
  let plain: Bench
  beforeAll(async () => {
    bench = await openBench()
    plain = await openBench(javascript)
  })
  afterAll(() => Promise.all([bench.close(), plain.close()]))

  const FROZEN =
    "const assert = require('assert'); const { add } = require('./solution'); assert.equal(add(1, 2), 3); assert.throws(() => { Object.freeze({ a: 1 }).a = 2 }, TypeError)"

  it.each(['isolated', 'in-process'] as const)('they run as modules: %s', async (integrity) => {
    expect(outcomes(await bench.run(ADD, FROZEN, { integrity }))).toEqual({ script: 'passed' })
  })

  const SLOPPY = 'function add(a, b) { sum = a + b; return sum }'
  const TESTS =
    "const assert = require('assert')\nfor (i = 1; i < 3; i++) assert.equal(add(1, i), 1 + i)"

  it('a script of a solution and tests with undeclared variables needs format = "script"', async () => {
    const [module] = Object.values(outcomes(await plain.run(SLOPPY, TESTS)))
    expect(module).toMatch(/not defined/)
    for (const integrity of ['isolated', 'in-process'] as const) {
      const asScript = { format: 'script' as const, integrity }
      expect(outcomes(await plain.run(SLOPPY, TESTS, asScript))).toEqual({ script: 'passed' })
      const wrong = SLOPPY.replace('a + b', 'a - b')
      expect(outcomes(await plain.run(wrong, TESTS, asScript))['script']).not.toBe('passed')
    }
  })

  it('a script may still be CommonJS', async () => {
    const code = 'total = 0\nmodule.exports = { add(a, b) { total = a + b; return total } }'
    const tests = `const { add } = require('./solution')\n${TESTS}`
    expect(outcomes(await plain.run(code, tests, { format: 'script' }))).toEqual({
      script: 'passed',
    })
  })
})
