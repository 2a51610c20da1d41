/** Operations that tests can do with a solution in another process as if it were in their own. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  failures,
  isSandboxReady,
  openBench,
  outcomes,
  type Bench,
} from '../../../../test/try-typescript.ts'

const isReady = await isSandboxReady()

describe.skipIf(!isReady)('values carried between sample and tester', () => {
  let bench: Bench
  beforeAll(async () => {
    bench = await openBench()
  })
  afterAll(() => bench.close())

  const HEAD = `import { test, mock } from 'node:test'\nimport assert from 'node:assert/strict'\n`

  it('plain data of every kind comes back as it was', async () => {
    const report = await bench.run(
      `export const same = <T>(x: T): T => x
       export const copy = <T>(x: T): T => structuredClone(x)
       export const make = {
         undef: () => undefined, nan: () => NaN, inf: () => -Infinity, minus: () => -0, big: () => 12345678901234567890n,
         date: () => new Date(0), re: () => /a+/gi, map: () => new Map<unknown, unknown>([[{ a: 1 }, [1]], ['k', undefined]]),
         set: () => new Set([1, 'a', null]), bytes: () => new Uint8Array([1, 2, 255]), floats: () => new Float64Array([0.5]),
         holes: () => { const a: unknown[] = [1]; a[3] = 4; return a },
         cycle: () => { const a: Record<string, unknown> = { n: 1 }; a['self'] = a; return a },
         shared: () => { const o = { x: 1 }; return [o, o] },
         proto: () => JSON.parse('{"__proto__": {"polluted": true}, "a": 1}'),
         bare: () => Object.assign(Object.create(null), { a: 1 }), frozen: () => Object.freeze({ a: [1] }),
         symbol: () => Symbol.iterator, registered: () => Symbol.for('x'), text: () => 'ünï\\u{1F600}\\ud800',
       }`,
      `${HEAD}import { same, copy, make } from './solution.ts'
       test('primitives', () => {
         assert.equal(make.undef(), undefined); assert.ok(Number.isNaN(make.nan())); assert.equal(make.inf(), -Infinity)
         assert.ok(Object.is(make.minus(), -0)); assert.equal(make.big(), 12345678901234567890n)
         assert.equal(make.symbol(), Symbol.iterator); assert.equal(make.registered(), Symbol.for('x'))
         assert.equal(make.text(), 'ünï\\u{1F600}\\ud800')
       })
       test('objects', () => {
         assert.deepEqual(make.date(), new Date(0)); assert.deepEqual(make.re(), /a+/gi)
         assert.deepEqual(make.map(), new Map<unknown, unknown>([[{ a: 1 }, [1]], ['k', undefined]]))
         assert.deepEqual(make.set(), new Set([1, 'a', null])); assert.deepEqual(make.bytes(), new Uint8Array([1, 2, 255]))
         assert.deepEqual(make.floats(), new Float64Array([0.5])); assert.deepEqual(make.holes(), [1, , , 4])
         assert.equal(2 in make.holes(), false)
       })
       test('cycles and sharing', () => {
         const cycle = make.cycle(); assert.equal(cycle.self, cycle)
         const [a, b] = make.shared(); assert.equal(a, b)
       })
       test('prototypes', () => {
         const p = make.proto(); assert.equal(Object.hasOwn(p, '__proto__'), true); assert.equal(p.polluted, undefined)
         assert.equal(Object.getPrototypeOf(make.bare()), null)
         assert.ok(Object.isFrozen(make.frozen()))
       })
       test('identity and round trips', () => {
         const o = { a: [1, { b: 2 }], d: new Date(5) }
         assert.equal(same(o), o); assert.notEqual(copy(o), o); assert.deepEqual(copy(o), o)
         const f = () => 1; assert.equal(same(f), f)
       })`,
    )
    expect(failures(report)).toEqual({})
  })

  it("the language's own classes are the same on both sides", async () => {
    const report = await bench.run(
      `export const nameOf = (type: unknown) => (type === String ? 'text' : type === Number ? 'number' : type === Date ? 'date' : 'other')
       export const typeOf = (x: unknown) => (x as { constructor: unknown }).constructor
       export const parse = (xs: string[], f: (s: string) => number) => xs.map((x) => f(x))`,
      `${HEAD}import { nameOf, typeOf, parse } from './solution.ts'
       test('in', () => { assert.deepEqual([String, Number, Date, Map].map(nameOf), ['text', 'number', 'date', 'other']) })
       test('out', () => { assert.equal(typeOf(''), String); assert.equal(typeOf([]), Array) })
       test('functions', () => { assert.deepEqual(parse(['1', '2.5'], Number), [1, 2.5]); assert.deepEqual(parse(['7x'], parseInt), [7]) })`,
    )
    expect(failures(report)).toEqual({})
  })

  it('arguments changed in place are changed, and frozen ones cannot be', async () => {
    const report = await bench.run(
      `export function sortIt(a: number[]) { a.sort((x, y) => x - y) }
       export function rename(u: { name: string; tags: string[] }) { u.name = 'new'; u.tags.push('t'); (u as Record<string, unknown>)['more'] = 1 }
       export function drop(m: Map<string, number>, s: Set<number>) { m.delete('a'); s.add(9) }
       export class Cart { #items: string[] = ['a']; unsafe() { return this.#items } safe() { return [...this.#items] } get count() { return this.#items.length } }
       const kept: number[] = []
       export const keep = () => kept
       export const grow = (n: number) => { kept.push(n) }`,
      `${HEAD}import { sortIt, rename, drop, Cart, keep, grow } from './solution.ts'
       test('array', () => { const a = [3, 1, 2]; sortIt(a); assert.deepEqual(a, [1, 2, 3]) })
       test('object', () => { const u = { name: 'old', tags: [] }; const { tags } = u; rename(u); assert.deepEqual(u, { name: 'new', tags: ['t'], more: 1 }); assert.equal(u.tags, tags) })
       test('map and set', () => { const m = new Map([['a', 1], ['b', 2]]); const s = new Set([1]); drop(m, s); assert.deepEqual([...m], [['b', 2]]); assert.deepEqual([...s], [1, 9]) })
       test('frozen', () => { assert.throws(() => sortIt(Object.freeze([2, 1])), TypeError) })
       test('what is handed out is the inside', () => { const c = new Cart(); c.unsafe().push('x'); assert.equal(c.count, 2) })
       test('a copy is not', () => { const c = new Cart(); c.safe().push('x'); assert.equal(c.count, 1) })
       test('aliases follow', () => { const k = keep(); grow(1); grow(2); assert.deepEqual(k, [1, 2]); assert.equal(keep(), k) })`,
    )
    expect(failures(report)).toEqual({})
  })

  it('classes are constructed, called, read, written, iterated and told apart', async () => {
    const report = await bench.run(
      `export class Shape { constructor(public readonly name: string) {} area(): number { return 0 } toString() { return this.name + ':' + this.area() } get half() { return this.area() / 2 } static unit = 'cm'; static make() { return new Square(1) } }
       export class Square extends Shape { side: number; constructor(side: number) { super('square'); this.side = side } override area() { return this.side ** 2 } }
       export class Range implements Iterable<number> { constructor(private a: number, private b: number) {} *[Symbol.iterator]() { for (let i = this.a; i < this.b; i++) yield i } }
       export class Money { constructor(private cents: number) {} valueOf() { return this.cents } toJSON() { return { cents: this.cents } } plus(o: Money) { return new Money(this.cents + o.cents) } }
       export async function* ticks(n: number) { for (let i = 0; i < n; i++) { await new Promise((r) => setTimeout(r, 2)); yield i } }
       export function* count() { let n = 0; while (true) { const x: unknown = yield n++; if (x === 'stop') return 'stopped' } }
       export function createCounter(start = 0) { let n = start; return { increment() { return ++n }, get value() { return n }, reset: () => { n = start } } }
       export const linked = () => { class Node { next: Node | null = null; constructor(public value: number) {} } const a = new Node(1); a.next = new Node(2); return a }`,
      `import { describe, it, expect } from 'vitest'
       import { Shape, Square, Range, Money, ticks, count, createCounter, linked } from './solution'
       describe('classes', () => {
         it('have methods, getters, fields and statics', () => {
           const s = new Square(3); expect(s.area()).toBe(9); expect(s.half).toBe(4.5); expect(s.side).toBe(3); expect(s.name).toBe('square')
           s.side = 4; expect(s.area()).toBe(16); expect(String(s)).toBe('square:16'); expect(Shape.unit).toBe('cm'); expect(Shape.make().area()).toBe(1)
         })
         it('know their kind', () => {
           const s = new Square(1); expect(s).toBeInstanceOf(Square); expect(s).toBeInstanceOf(Shape); expect(new Shape('x')).not.toBeInstanceOf(Square)
           expect(s.constructor).toBe(Square); expect(s.constructor.name).toBe('Square'); expect(typeof Square).toBe('function'); expect(Object.getPrototypeOf(s)).toBe(Square.prototype)
         })
         it('compare and list their fields', () => {
           expect(new Square(2)).toEqual(new Square(2)); expect(new Square(2)).not.toEqual(new Square(3)); expect(Object.keys(new Square(2))).toEqual(['name', 'side'])
           expect({ ...new Square(2) }).toEqual({ name: 'square', side: 2 }); expect('side' in new Square(2)).toBe(true); expect(new Square(2)).toMatchObject({ side: 2 })
         })
         it('convert', () => { expect(+new Money(5) + 1).toBe(6); expect(JSON.stringify(new Money(5))).toBe('{"cents":5}'); expect(Number(new Money(1).plus(new Money(2)))).toBe(3); expect(new Money(2) > new Money(1)).toBe(true) })
         it('cannot be called', () => { expect(() => Square(1)).toThrow(TypeError) })
       })
       it('iterates', () => { expect([...new Range(1, 4)]).toEqual([1, 2, 3]); const [a, b] = new Range(5, 9); expect(a + b).toBe(11); expect(Math.max(...new Range(0, 5))).toBe(4) })
       it('drives generators', () => { const g = count(); expect(g.next()).toEqual({ value: 0, done: false }); g.next(); expect(g.next('stop')).toEqual({ value: 'stopped', done: true }) })
       it('awaits iteration', async () => { const seen = []; for await (const t of ticks(3)) seen.push(t); expect(seen).toEqual([0, 1, 2]) })
       it('uses closures', () => { const c = createCounter(5); c.increment(); c.increment(); expect(c.value).toBe(7); c.reset(); expect(c.value).toBe(5); const d = createCounter(); expect(d.increment()).toBe(1) })
       it('follows links', () => { const n = linked(); expect(n.next.value).toBe(2); expect(n.next.next).toBeNull() })`,
    )
    expect(failures(report)).toEqual({})
  })

  it('callbacks run in the test, at once and later', async () => {
    const report = await bench.run(
      `export const mapIt = <T, U>(xs: T[], f: (x: T, i: number, all: T[]) => U) => xs.map(f)
       export function once<A extends unknown[], R>(f: (...a: A) => R) { let done = false; let r: R; return function (this: unknown, ...a: A) { if (!done) { done = true; r = f.apply(this, a) } return r! } }
       export function debounce<A extends unknown[]>(f: (...a: A) => void, ms: number) { let t: ReturnType<typeof setTimeout>; return (...a: A) => { clearTimeout(t); t = setTimeout(() => f(...a), ms) } }
       export class Emitter { #on = new Map<string, Set<(x: unknown) => void>>(); on(e: string, f: (x: unknown) => void) { const s = this.#on.get(e) ?? new Set(); this.#on.set(e, s.add(f)); return () => s.delete(f) } emit(e: string, x: unknown) { for (const f of this.#on.get(e) ?? []) f(x) } }
       export async function retry<T>(f: (n: number) => Promise<T>, times: number): Promise<T> { for (let i = 1; ; i++) try { return await f(i) } catch (e) { if (i >= times) throw e } }
       export const compose = (...fs: ((x: number) => number)[]) => (x: number) => fs.reduceRight((a, f) => f(a), x)
       export function memo<K, V>(f: (k: K) => V) { const m = new Map<K, V>(); return (k: K) => { if (!m.has(k)) m.set(k, f(k)); return m.get(k)! } }
       export async function withStore(s: { get(k: string): Promise<number>; log: string[] }) { s.log.push('a'); return (await s.get('x')) + 1 }
       export const guarded = (f: () => void) => { try { f(); return 'fine' } catch (e) { return (e as Error).name + ': ' + (e as Error).message } }
       export const sum = (it: Iterable<number>) => { let n = 0; for (const x of it) n += x; return n }`,
      `import { test, expect, vi } from 'vitest'
       import { mock } from 'node:test'
       import { mapIt, once, debounce, Emitter, retry, compose, memo, withStore, guarded, sum } from '../src/solution.js'
       const sleep = (ms) => new Promise((r) => setTimeout(r, ms))
       test('mapping', () => { const f = vi.fn((x, i) => x * i); expect(mapIt([2, 3], f)).toEqual([0, 3]); expect(f).toHaveBeenCalledTimes(2); expect(f).toHaveBeenLastCalledWith(3, 1, [2, 3]) })
       test('once keeps this', () => { const f = vi.fn(function () { return this.n }); const o = { n: 7, g: once(f) }; expect(o.g()).toBe(7); expect(o.g()).toBe(7); expect(f).toHaveBeenCalledOnce() })
       test('debounce', async () => { const f = mock.fn(); const d = debounce(f, 150); d(1); d(2); d(3); expect(f.mock.callCount()).toBe(0); await sleep(500); expect(f.mock.callCount()).toBe(1); expect(f.mock.calls[0].arguments).toEqual([3]) })
       test('emitter', () => { const e = new Emitter(); const seen = []; const off = e.on('x', (v) => { seen.push(v); if (v === 1) e.emit('x', 2) }); e.emit('x', 1); off(); e.emit('x', 3); expect(seen).toEqual([1, 2]) })
       test('retry', async () => { const f = vi.fn().mockRejectedValueOnce(new Error('no')).mockResolvedValue('yes'); expect(await retry(f, 3)).toBe('yes'); expect(f.mock.calls).toEqual([[1], [2]]); await expect(retry(async () => { throw new RangeError('never') }, 2)).rejects.toThrow(RangeError) })
       test('compose', () => { expect(compose((x) => x + 1, (x) => x * 2)(5)).toBe(11) })
       test('memo by identity', () => { const f = vi.fn((o) => o.a); const m = memo(f); const k = { a: 1 }; m(k); m(k); m({ a: 1 }); expect(f).toHaveBeenCalledTimes(2) })
       test('objects with methods', async () => { const s = { log: [], get: async (k) => k.length }; expect(await withStore(s)).toBe(2); expect(s.log).toEqual(['a']) })
       test('errors of callbacks', () => { expect(guarded(() => { throw new TypeError('mine') })).toBe('TypeError: mine'); expect(guarded(() => {})).toBe('fine') })
       test('iterables of the test', () => { expect(sum((function* () { yield 1; yield 2 })())).toBe(3); expect(sum(new Set([4, 5]))).toBe(9) })`,
    )
    expect(failures(report)).toEqual({})
  })

  it('errors and promises are those of the sample', async () => {
    const report = await bench.run(
      `export class NotFound extends Error { override name = 'NotFound'; constructor(public readonly id: number, options?: ErrorOptions) { super('no ' + id, options) } get brief() { return 'nf' + this.id } }
       export class Deep extends NotFound {}
       export const find = (id: number) => { if (id < 0) throw new Deep(id); if (id === 0) throw new NotFound(id, { cause: new TypeError('root') }); return id }
       export const type = () => { throw new TypeError('bad type') }
       export const text = () => { throw 'just text' }
       export const later = async (ok: boolean) => { await Promise.resolve(); if (!ok) throw new NotFound(9); return { ok } }
       let open = (_: number): void => {}
       export const waits = () => new Promise<number>((r) => { open = r })
       export const opens = () => { open(7); return 8 }
       export const sleepy = (ms: number) => new Promise<number>((r) => setTimeout(() => r(ms), ms))
       export const thenable = () => ({ then(f: (x: number) => void) { f(42) } })
       export const all = () => Promise.any([Promise.reject(new Error('a'))])
       export function then() { return 'exported' }`,
      `${HEAD}import * as solution from './solution.ts'
       const { NotFound, Deep, find, type, text, later, sleepy, waits, opens, thenable, all } = solution
       test('classes of errors', () => {
         assert.throws(() => find(0), NotFound); assert.throws(() => find(-1), Deep); assert.throws(() => find(-1), NotFound); assert.throws(() => find(0), { name: 'NotFound', message: 'no 0', id: 0 })
         assert.throws(() => find(0), (e) => e instanceof NotFound && e instanceof Error && !(e instanceof Deep) && e.id === 0 && e.brief === 'nf0' && e.cause instanceof TypeError)
         assert.throws(type, TypeError); assert.throws(type, /bad type/); assert.doesNotThrow(() => find(1))
       })
       test('other things thrown', () => { try { text(); assert.fail('no') } catch (e) { assert.equal(e, 'just text') } })
       test('promises', async () => { assert.deepEqual(await later(true), { ok: true }); await assert.rejects(later(false), NotFound); await assert.rejects(() => later(false), { id: 9 }); assert.ok(later(true) instanceof Promise) })
       test('at the same time', async () => { assert.deepEqual(await Promise.all([waits(), opens()]), [7, 8]) })
       test('first of several', async () => { assert.equal(await Promise.race([waits(), sleepy(5)]), 5) })
       test('thenables', async () => { assert.equal(await thenable(), 42) })
       test('aggregates', async () => { await assert.rejects(all(), (e) => e instanceof AggregateError && e.errors[0].message === 'a') })
       test('then is a name', () => { assert.equal(solution.then(), 'exported') })`,
    )
    expect(failures(report)).toEqual({})
  })

  it('what a test leaves running does not touch the next sample', async () => {
    const code = 'export const add = (a: number, b: number) => a + b'
    const tests = `${HEAD}import { setImmediate as turn } from 'node:timers/promises'
       import { add } from './solution.ts'
       test('leaves something behind', async () => {
         void (async () => { for (let n = 0; n < 2000; n++) { await turn(); add(n, n) } })()
         assert.equal(add(1, 1), 2)
       })
       test('waits', async () => { await turn(); assert.equal(add(1, 1), 2) })`
    for (let round = 0; round < 4; round++)
      expect(failures(await bench.run(code, tests))).toEqual({})
  })

  it('a failing test says what was expected and what came', async () => {
    const report = await bench.run(
      `export const f = () => ({ a: [1, 2] }); export class P { x = 1 }; export const g = () => { throw new RangeError('out') }`,
      `${HEAD}import { f, g, P } from './solution.ts'\nimport { expect } from 'vitest'
       test('equal', () => assert.equal(f().a[0], 2)); test('deep', () => assert.deepEqual(f(), { a: [1, 3] }))
       test('expect', () => { expect(f()).toEqual({ a: [] }) }); test('instance', () => { expect(new P()).toEqual({ x: 2 }) })
       test('throws', () => g()); test('must throw', () => assert.throws(() => f())); test('message', () => assert.ok(false, 'said so'))
       test('missing', () => { expect(f().b.c).toBe(1) })`,
    )
    expect(outcomes(report)).toEqual({
      equal: 'expected 2, got 1',
      deep: 'expected { a: [1, 3] }, got { a: [1, 2] }',
      expect: 'expected { a: [] }, got { a: [1, 2] }',
      instance: 'expected { x: 2 }, got P { x: 1 }',
      throws: 'RangeError: out',
      'must throw': 'Missing expected exception.',
      message: 'said so',
      missing: "TypeError: Cannot read properties of undefined (reading 'c')",
    })
  })
})
