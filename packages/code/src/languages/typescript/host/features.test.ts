/** Features of jest, vitest, node:test, mocha and chai, in test files as they exist outside of Assay. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  failures,
  isSandboxReady,
  openBench,
  outcomes,
  type Bench,
} from '../../../../test/try-typescript.ts'
import { javascript } from '../typescript.ts'

const isReady = await isSandboxReady()
const ADD = 'export const add = (a, b) => a + b'
const BAD = 'export const add = (a, b) => a - b'
/** Joined from two strings, because vitest would apply the whole comment to this file. */
const ENVIRONMENT = ['/** @jest', 'environment jsdom */'].join('-')
const IMPORT = "import { add } from './solution'\n"

describe.skipIf(!isReady)('features of test libraries', () => {
  let bench: Bench
  beforeAll(async () => {
    bench = await openBench(javascript)
  })
  afterAll(() => bench.close())

  const beside = { integrity: 'in-process' } as const

  /**
   * Runs a test file at both integrity levels. It must pass with `ADD`. Returns the names of the tests that fail with
   * `BAD`.
   */
  async function bothLevels(tests: string): Promise<unknown> {
    const found: unknown[] = []
    for (const over of [{}, beside]) {
      expect(failures(await bench.run(ADD, IMPORT + tests, over))).toEqual({})
      found.push(Object.keys(failures(await bench.run(BAD, IMPORT + tests, over))))
    }
    expect(found[1]).toEqual(found[0])
    return found[0]
  }

  it('xit, xtest and xdescribe are skipped and counted', async () => {
    const report = await bench.run(
      ADD,
      `${IMPORT}it('a', () => { expect(add(1, 2)).toBe(3) })
       xit('b', () => { expect(1).toBe(2) }); xtest('c', () => { expect(1).toBe(2) })
       xdescribe('d', () => { it('e', () => { expect(1).toBe(2) }) })`,
    )
    expect(outcomes(report)).toEqual({ a: 'passed' })
    expect(report.skipped).toEqual(['b', 'c', 'd > e'])
  })

  it.each([
    ['fit', "fit('a', () => { expect(add(1, 2)).toBe(3) }); it('b', () => { expect(1).toBe(2) })"],
    [
      'fdescribe',
      "fdescribe('x', () => { it('a', () => { expect(add(1, 2)).toBe(3) }) }); it('b', () => { expect(1).toBe(2) })",
    ],
    [
      'it.only',
      "it.only('a', () => { expect(add(1, 2)).toBe(3) }); it('b', () => { expect(1).toBe(2) })",
    ],
  ])('%s runs alone, and the others count as skipped', async (_, tests) => {
    const report = await bench.run(ADD, IMPORT + tests)
    expect(Object.values(outcomes(report))).toEqual(['passed'])
    expect(report.skipped).toEqual(['b'])
    expect(Object.keys(failures(await bench.run(BAD, IMPORT + tests)))).toHaveLength(1)
  })

  it('only of node:test needs a flag that nobody gave', async () => {
    expect(
      await bothLevels(
        "import { test } from 'node:test'; import assert from 'node:assert'\ntest.only('a', () => { assert.equal(1, 1) }); test('b', () => { assert.equal(add(1, 2), 3) })",
      ),
    ).toEqual(['b'])
  })

  it('names of test libraries stay names of the solution where nothing is registered with them', async () => {
    const code = 'export const fit = (x) => x + 1\nexport const context = () => 1'
    const tests =
      "const assert = require('assert'); assert.equal(fit(1), 2); assert.equal(context(), 1)"
    expect(outcomes(await bench.run(code, tests))).toEqual({ script: 'passed' })
  })

  it('each takes lists, objects, templates, printf names and done', async () => {
    const report = await bench.run(
      ADD,
      `${IMPORT}test.each([[1, 2, 3], [2, 3, 5]])('%i + %i = %d', (a, b, sum) => { expect(add(a, b)).toBe(sum) })
       test.each([{ a: 1, of: { b: 1 } }])('$a and $of.b, $#', ({ a, of }) => { expect(add(a, of.b)).toBe(2) })
       it.each\`
         a    | b    | sum
         \${1} | \${4} | \${5}
         \${2} | \${4} | \${6}
       \`('$a plus $b is $sum', ({ a, b, sum }) => { expect(add(a, b)).toBe(sum) })
       describe.each([['x', 1]])('%s', (_, n) => { it('is', () => { expect(add(n, 1)).toBe(2) }) })
       test.each([1])('%s later', (n, done) => { setTimeout(() => { expect(add(n, 1)).toBe(2); done() }, 2) })
       test.for([[1, 2]])('%s', ([a, b], { expect }) => { expect(add(a, b)).toBe(3) })
       it.only.each([])('none', () => {})`,
    )
    expect(Object.keys(outcomes(report))).toEqual([
      '1 + 2 = 3',
      '2 + 3 = 5',
      '1 and 1, 0',
      '1 plus 4 is 5',
      '2 plus 4 is 6',
      'x > is',
      '1 later',
      '[1, 2]',
    ])
    expect(failures(report)).toEqual({})
  })

  it('todo, fails, failing, concurrent, skipIf and retry', async () => {
    const report = await bench.run(
      ADD,
      `import { describe, expect, test } from 'vitest'\n${IMPORT}test.todo('later')
       test.fails('wrong', () => { expect(add(1, 2)).toBe(4) })
       it.failing('wrong too', () => { expect(add(1, 2)).toBe(4) })
       test.fails('right', () => { expect(add(1, 2)).toBe(3) })
       describe.concurrent('c', () => { test.concurrent('d', async ({ expect }) => { expect(add(1, 2)).toBe(3) }) })
       test.skipIf(true)('no', () => { expect(1).toBe(2) }); test.runIf(true)('yes', () => { expect(add(1, 1)).toBe(2) })
       let n = 0; test('again', { retry: 2 }, () => { expect(n++).toBe(add(1, 1)) })
       test.concurrent.each([[1, 2, 3]])('%i', async (a, b, c) => { expect(add(a, b)).toBe(c) })`,
    )
    expect(failures(report)).toEqual({ right: 'was expected to fail and did not' })
    expect(report.skipped).toEqual(['later', 'no'])
  })

  it('hooks of all libraries, with what vitest returns from them', async () => {
    expect(
      await bothLevels(`import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
       const log = []
       beforeAll(() => { log.push('all'); return () => log.push('all over') })
       beforeEach(async () => { log.push('each'); return () => { log.push('undone') } })
       afterEach(() => { log.push('after') })
       it('first', () => { onTestFinished(() => { log.push('finished') }); expect(add(1, 2)).toBe(3) })
       it('second', () => { expect(log).toEqual(['all', 'each', 'undone', 'after', 'finished', 'each']) })`),
    ).toEqual(['first'])
  })

  it('suites and hooks of mocha, with this', async () => {
    expect(
      await bothLevels(`suite('s', function () {
         this.timeout(500)
         suiteSetup(function () { this.base = 1 }); setup(function () { this.sum = add(this.base, 2) }); teardown(() => {}); suiteTeardown(() => {})
         test('t', function () { this.timeout(100); this.slow(10); require('assert').equal(this.sum, 3) })
       })
       describe('d', () => { before('with a name', (done) => { setTimeout(done, 1) }); context('c', () => { specify('i', (cb) => { setTimeout(() => cb(add(1, 2) === 3 ? null : new Error('wrong')), 1) }) }) })`),
    ).toEqual(['s > t', 'd > c > i'])
  })

  it('a test that is done when it calls back, whatever it calls that', async () => {
    expect(
      await bothLevels(`it('a', (finish) => { setTimeout(() => { expect(add(1, 2)).toBe(3); finish() }, 1) })
       it('b', (done) => { Promise.resolve(add(1, 2)).then((sum) => (sum === 3 ? done() : done.fail('no'))) })`),
    ).toEqual(['a', 'b'])
  })

  it('inline snapshots are compared as jest and vitest write them', async () => {
    const code = `export class Point { constructor(x, y) { this.y = y; this.x = x } }
      export const make = (n) => ({ b: [n, 'two'], a: new Map([['k', new Set([1])]]), p: new Point(1, 2), none: undefined, f() {}, at: new Date(0), re: /x/g, e: new TypeError('bad'), big: 3n, id: 17, deep: { '': [] } })
      export const fail = () => { throw new RangeError('too far') }`
    const tests = `import { expect, it } from 'vitest'\nimport { make, fail } from './solution'
      it('object', () => { expect(make(1)).toMatchInlineSnapshot({ id: expect.any(Number) }, \`
        {
          "a": Map {
            "k" => Set {
              1,
            },
          },
          "at": 1970-01-01T00:00:00.000Z,
          "b": [
            1,
            "two",
          ],
          "big": 3n,
          "deep": {
            "": [],
          },
          "e": [TypeError: bad],
          "f": [Function f],
          "id": Any<Number>,
          "none": undefined,
          "p": Point {
            "x": 1,
            "y": 2,
          },
          "re": /x/g,
        }
      \`) })
      it('text', () => { expect(make(1).b[1]).toMatchInlineSnapshot(\`"two"\`) })
      it('number', () => { expect(make(1).b[0]).toMatchInlineSnapshot('1') })
      it('error', () => { expect(fail).toThrowErrorMatchingInlineSnapshot(\`[RangeError: too far]\`) })
      it('message', () => { expect(() => fail()).toThrowErrorMatchingInlineSnapshot('"too far"') })`
    for (const over of [{}, beside]) {
      expect(failures(await bench.run(code, tests, over))).toEqual({})
      const bad = code.replace('[n,', '[n + 1,').replace('too far', 'too near')
      expect(Object.keys(failures(await bench.run(bad, tests, over)))).toEqual([
        'object',
        'number',
        'error',
        'message',
      ])
    }
  })

  it('test.extend prepares what a test asks for, and cleans up', async () => {
    expect(
      await bothLevels(`import { expect, test as base } from 'vitest'
       const log = []
       const test = base.extend({ n: 1, two: async ({ n }, use) => { log.push('on'); await use(n + 1); log.push('off') }, unused: async ({}, use) => { log.push('never'); await use(0) }, auto: [async ({}, use) => { log.push('auto'); await use() }, { auto: true }] })
       test('a', ({ n, two }) => { expect(add(n, two)).toBe(3) })
       test('b', () => { expect(log).toEqual(['on', 'auto', 'off', 'auto']) })
       const built = base.extend('db', async ({}, { onCleanup }) => { onCleanup(() => log.push('closed')); return { rows: 3 } })
       built('c', ({ db }) => { expect(add(1, 2)).toBe(db.rows) })
       base('d', () => { expect(log.at(-1)).toBe('closed') })`),
    ).toEqual(['a', 'c'])
  })

  it('expect.poll asks again, expect.soft goes on, assertions are counted', async () => {
    expect(
      await bothLevels(`import { expect, it } from 'vitest'
       it('poll', async () => { let n = 0; await expect.poll(() => add(Math.min(n++, 2), 1), { interval: 1, timeout: 300 }).toBe(3) })
       it('soft', () => { const seen = []; expect.soft(add(1, 2)).toBe(3); seen.push(1); expect(seen).toHaveLength(1) })
       it('count', () => { expect.assertions(2); expect(add(1, 2)).toBe(3); expect(1).toBe(1) })
       it('some', () => { expect.hasAssertions(); if (add(1, 2) === 3) expect(1).toBe(1) })`),
    ).toEqual(['poll', 'soft', 'count', 'some'])
  })

  it('expect.extend adds matchers, also asynchronous and inside of values', async () => {
    expect(
      await bothLevels(`expect.extend({
         toBeSumOf(actual, a, b) { const pass = actual === a + b; return { pass, message: () => \`\${this.utils.printReceived(actual)} is \${this.isNot ? '' : 'not '}the sum\` } },
         async toComeTo(actual, wanted) { return { pass: (await actual) === wanted, message: () => 'it does not' } },
       })
       it('plain', () => { expect(add(1, 2)).toBeSumOf(1, 2); expect(4).not.toBeSumOf(1, 2) })
       it('later', async () => { await expect(Promise.resolve(add(1, 2))).toComeTo(3) })
       it('inside', () => { expect({ n: add(1, 2) }).toEqual({ n: expect.toBeSumOf(1, 2) }) })`),
    ).toEqual(['plain', 'later', 'inside'])
  })

  it('mocks and spies of vitest and jest', async () => {
    expect(
      await bothLevels(`import { expect, it, vi } from 'vitest'
       it('fn', () => { const f = vi.fn(add); expect(f(1, 2)).toBe(3); expect(f.mock.results[0].value).toBe(3); f.mockReset(); expect(f(1, 2)).toBe(3); expect(f).toHaveBeenCalledOnce() })
       it('new', () => { const F = vi.fn(class { constructor(n) { this.n = n } }); expect(new F(3).n).toBe(3); expect(F.mock.instances).toHaveLength(1) })
       it('get', () => { const o = { get x() { return 1 } }; const s = vi.spyOn(o, 'x', 'get').mockReturnValue(add(1, 2)); expect(o.x).toBe(3); s.mockRestore(); expect(o.x).toBe(1) })
       it('order', () => { const a = vi.fn(); const b = vi.fn(); a(); b(); expect(a.mock.invocationCallOrder[0]).toBeLessThan(b.mock.invocationCallOrder[0]) })
       it('jest', () => { const f = jest.fn(() => 5); f.mockReset(); expect(f()).toBeUndefined(); const o = { n: 1 }; const r = jest.replaceProperty(o, 'n', add(1, 2)); expect(o.n).toBe(3); r.restore(); expect(o.n).toBe(1) })`),
    ).toEqual(['fn', 'get', 'jest'])
  })

  it('subtests, mocks, assertions and plans of node:test', async () => {
    expect(
      await bothLevels(`import test, { describe, it, mock } from 'node:test'
       import assert from 'node:assert/strict'
       test('t', async (t) => {
         t.plan(3)
         t.beforeEach(() => {})
         await t.test('a', (t) => { t.assert.strictEqual(add(1, 2), 3) })
         t.assert.deepStrictEqual([1], [1]); t.assert.ok(true); t.diagnostic(t.name)
       })
       test('plan', (t) => { t.plan(2); t.assert.ok(true); if (add(1, 2) === 3) t.assert.ok(true) })
       test('mock', (t) => { const f = t.mock.fn(add); f(1, 2); assert.deepEqual(f.mock.calls[0].arguments, [1, 2]); assert.equal(f.mock.calls[0].result, 3)
         const o = { m: () => 1, get g() { return 1 } }; t.mock.method(o, 'm', () => 2); assert.equal(o.m(), 2); t.mock.getter(o, 'g', () => 5); assert.equal(o.g, 5); t.mock.restoreAll(); assert.equal(o.m(), 1) })
       describe('d', () => { it('i', () => { assert.equal(mock.fn(add)(1, 2), 3) }) })`),
    ).toEqual(['t', 'plan', 'mock', 'd > i'])
  })

  it('chai with expect, should and assert', async () => {
    expect(
      await bothLevels(`import * as chai from 'chai'; import { assert, expect } from 'chai'
       const should = chai.should()
       describe('chai', () => {
         it('expect', () => { expect(add(1, 2)).to.equal(3).and.be.a('number'); expect([1, { a: 2 }]).to.deep.include({ a: 2 }); expect(() => add.x.y).to.throw(TypeError); expect({ a: 1 }).to.have.property('a').that.is.above(0) })
         it('should', () => { add(1, 2).should.equal(3); [1].should.be.an('array').with.lengthOf(1); 'x'.should.be.a('string'); should.not.exist(undefined); (() => { throw new Error('no') }).should.throw('no') })
         it('assert', () => { assert.equal(add(1, 2), 3); assert.deepEqual({ a: [1] }, { a: [1] }); assert.isTrue(true); assert.lengthOf([1], 1) })
         it('negative', () => { expect(add(1, 2)).to.not.equal(-1) })
       })`),
    ).toEqual(['chai > expect', 'chai > should', 'chai > assert', 'chai > negative'])
  })

  it('chai by require, and its words after the expect of vitest', async () => {
    expect(
      await bothLevels(`const { expect: that } = require('chai'); const chai = require('chai')
       it('a', () => { that(add(1, 2)).to.be.equal(3); chai.expect(1).to.be.ok })
       it('b', () => { expect(add(1, 2)).to.eql(3); expect(add(1, 2)).not.to.equal(4); expect([1]).to.have.lengthOf(1) })`),
    ).toEqual(['a', 'b'])
  })

  it('an answer has no part in what should means', async () => {
    const code =
      'const yes = new Proxy(function () {}, { get: (_, key) => (key === "then" ? undefined : yes), apply: () => yes })\nexport const get = () => ({ should: yes, n: 1 })'
    const tests =
      "import { should } from 'chai'; import { get } from './solution'; should()\nit('t', () => { get().should.deep.equal({ n: 2 }) })"
    for (const over of [{}, beside])
      expect(Object.keys(failures(await bench.run(code, tests, over)))).toEqual(['t'])
  })

  it('names of @jest/globals', async () => {
    expect(
      await bothLevels(
        "import { afterAll, beforeEach, describe, expect, it, jest, test, xit } from '@jest/globals'\nbeforeEach((done) => { done() })\nit('a', (cb) => { const f = jest.fn(); f(add(1, 2)); expect(f).toHaveBeenCalledWith(3); cb() }); xit('b', () => {})",
      ),
    ).toEqual(['a'])
  })

  it('CommonJS test files', async () => {
    const code = 'const add = (a, b) => a + b\nmodule.exports = { add }'
    const tests =
      "const { add } = require('./two-fer')\nconst { describe, it } = require('node:test'); const assert = require('node:assert')\ndescribe('x', () => { it('y', () => assert.strictEqual(add(1, 2), 3)) })\nmodule.exports = {}"
    expect(outcomes(await bench.run(code, tests))).toEqual({ 'x > y': 'passed' })
  })

  describe('in the process of the solution', () => {
    const LATER =
      "export const later = (f, ms) => setTimeout(f, ms)\nexport const every = (f, ms) => setInterval(f, ms)\nexport const today = () => new Date().toISOString().slice(0, 10)\nexport const sleep = (ms) => new Promise((done) => setTimeout(done, ms))\nexport const name = async () => { await sleep(1000); await sleep(1000); return 'x' }\nexport const say = (x) => console.log(x)\nexport const get = () => fetch('x')\nexport const dice = () => Math.floor(Math.random() * 6)"

    it('fake timers of vitest, jest and node:test', async () => {
      const report = await bench.run(
        LATER,
        `import { afterEach, expect, it, vi } from 'vitest'\nimport { mock } from 'node:test'\nimport { later, every, today, name } from './solution'
         afterEach(() => { vi.useRealTimers() })
         it('advance', () => { vi.useFakeTimers(); const f = vi.fn(); every(f, 100); vi.advanceTimersByTime(350); expect(f).toHaveBeenCalledTimes(3); expect(vi.getTimerCount()).toBe(1); vi.clearAllTimers(); expect(vi.getTimerCount()).toBe(0) })
         it('all', () => { vi.useFakeTimers(); const log = []; later(() => { log.push(1); later(() => log.push(2), 5) }, 10); vi.runOnlyPendingTimers(); expect(log).toEqual([1]); vi.runAllTimers(); expect(log).toEqual([1, 2]) })
         it('date', () => { vi.useFakeTimers(); vi.setSystemTime(new Date('2020-02-03')); expect(today()).toBe('2020-02-03'); expect(new Date()).toBeInstanceOf(Date) })
         it('async', async () => { vi.useFakeTimers(); const p = name(); await vi.advanceTimersByTimeAsync(2000); await expect(p).resolves.toBe('x') })
         it('jest', () => { jest.useFakeTimers(); const f = jest.fn(); later(f, 1000); jest.advanceTimersByTime(999); expect(f).not.toHaveBeenCalled(); jest.runAllTimers(); expect(f).toHaveBeenCalled(); jest.useRealTimers() })
         it('node', (t) => { t.mock.timers.enable({ apis: ['setTimeout', 'Date'], now: 1000 }); const f = mock.fn(); later(f, 50); t.mock.timers.tick(49); expect(f.mock.callCount()).toBe(0); t.mock.timers.tick(1); expect(f.mock.callCount()).toBe(1); expect(Date.now()).toBe(1050); t.mock.timers.reset() })
         it('fails', () => { vi.useFakeTimers(); const f = vi.fn(); later(f, 100); vi.advanceTimersByTime(50); expect(f).toHaveBeenCalled() })`,
        beside,
      )
      expect(Object.keys(failures(report))).toEqual(['fails'])
    })

    it('stubs of globals, and spies on them', async () => {
      const report = await bench.run(
        LATER,
        `import { afterEach, expect, it, vi } from 'vitest'\nimport { say, get, dice } from './solution'
         afterEach(() => { vi.restoreAllMocks(); vi.unstubAllGlobals() })
         it('console', () => { const log = vi.spyOn(console, 'log').mockImplementation(() => {}); say('hi'); expect(log).toHaveBeenCalledWith('hi') })
         it('fetch', async () => { vi.stubGlobal('fetch', vi.fn(async () => ({ ok: true }))); expect(await get()).toEqual({ ok: true }) })
         it('random', () => { vi.spyOn(Math, 'random').mockReturnValue(0.5); expect(dice()).toBe(3) })`,
        beside,
      )
      expect(failures(report)).toEqual({})
    })

    const API = {
      support: {
        'api.js':
          'export const load = async (id) => { throw new Error("no network") }\nexport const LIMIT = 10\nexport default function base() { return 1 }',
      },
    }
    const USER =
      "import base, { load, LIMIT } from './api.js'\nimport { readFile } from 'node:fs/promises'\nexport const name = async (id) => { if (id > LIMIT) return null; const user = await load(id); return user.name.toUpperCase() }\nexport const read = (path) => readFile(path, 'utf8')\nexport const one = () => base()"

    it('vi.mock and jest.mock replace what the solution imports', async () => {
      const tests = `import { beforeEach, expect, it, vi } from 'vitest'
         import { load } from './api'
         import { readFile } from 'node:fs/promises'
         import { name, read, one } from '../src/user'
         const { limit } = vi.hoisted(() => ({ limit: 3 }))
         vi.mock('./api', async (importOriginal) => ({ ...(await importOriginal()), load: vi.fn(), LIMIT: limit }))
         vi.mock('node:fs/promises')
         it('calls', async () => { vi.mocked(load).mockResolvedValue({ name: 'ann' }); await expect(name(2)).resolves.toBe('ANN'); expect(load).toHaveBeenCalledWith(2); expect(await name(4)).toBeNull(); expect(one()).toBe(1) })
         it('reads', async () => { readFile.mockResolvedValue('text'); expect(await read('x')).toBe('text') })`
      expect(failures(await bench.run(USER, tests, { ...API, ...beside }))).toEqual({})
      const bad = USER.replace('load(id)', 'load(id + 1)')
      expect(Object.keys(failures(await bench.run(bad, tests, { ...API, ...beside })))).toEqual([
        'calls',
      ])
      const common = `const mockLoad = jest.fn()
         jest.mock('./api', () => ({ ...jest.requireActual('./api'), load: mockLoad }))
         const { name } = require('./user')
         it('calls', async () => { mockLoad.mockResolvedValueOnce({ name: 'bob' }); expect(await name(2)).toBe('BOB') })`
      expect(failures(await bench.run(USER, common, { ...API, ...beside }))).toEqual({})
      const whole = USER.replace(/export const (?:name|one).*\n?/g, '').replace(
        /import base.*\n/,
        '',
      )
      const single = `import { readFile } from 'node:fs/promises'; import { expect, it, vi } from 'vitest'; import { read } from './user'\nvi.mock('node:fs/promises', () => ({ readFile: vi.fn(async () => 'made') }))\nit('reads', async () => { expect(await read('x')).toBe('made'); expect(readFile).toHaveBeenCalled() })`
      expect(failures(await bench.run(whole, single, beside))).toEqual({})
    })
  })

  it.each([
    ['expect(add(1, 2)).toMatchSnapshot()', 'toMatchSnapshot: a snapshot in a file'],
    ["vi.doMock('./x')", 'vi.doMock'],
    ['jest.isolateModules(() => {})', 'jest.isolateModules'],
    ['expect(add(1, 2)).toBeSomething()', 'expect().toBeSomething'],
    ['expect(add(1, 2)).not.toBeSomething()', 'expect().toBeSomething'],
    ['expect.addSnapshotSerializer({})', 'expect.addSnapshotSerializer'],
    ["test.prop([1])('x', () => {})", 'test.prop'],
  ])('%s is refused by name before anything runs', async (use, name) => {
    const tests = `${IMPORT}it('a', () => { expect(add(1, 2)).toBe(3) })\nit('b', () => { ${use} })`
    await expect(bench.run(ADD, tests)).rejects.toThrow(
      `the tests of the case are at fault: line 3: the tests use ${name}, which Assay does not have`,
    )
  })

  it.each([
    ["import { bench } from 'vitest'\nbench('x', () => {})", 'bench of vitest'],
    [`${ENVIRONMENT}\nit('x', () => {})`, 'the environment jsdom'],
    [
      "import { expect } from 'chai'\nit('x', () => { expect(1).to.equal(1); expect(1).sort() })",
      "chai's sort",
    ],
  ])('%j is refused by name', async (tests, name) => {
    await expect(bench.run(ADD, tests)).rejects.toThrow(`${name}, which Assay does not have`)
  })

  it('what only shows at run time is refused in the same words', async () => {
    const tests = `${IMPORT}it('a', () => { const { doMock } = vi })\nit('b', () => { const e = expect(add(1, 2)); e['to' + 'Fly']() })`
    expect(outcomes(await bench.run(ADD, tests))).toEqual({
      a: 'Refused: the tests use vi.doMock, which Assay does not have',
      b: 'Refused: the tests use expect().toFly, which Assay does not have',
    })
  })

  it('a loop variable that is called test or it is not the library', async () => {
    expect(
      await bothLevels(
        "const cases = [{ input: [1, 2], expected: 3 }]\nfor (const test of cases) { it('x', () => { expect(add(...test.input)).toBe(test.expected) }) }",
      ),
    ).toEqual(['x'])
  })
})
