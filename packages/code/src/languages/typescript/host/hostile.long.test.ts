/**
 * Hostile solutions. None of them passes or reads a secret. Each ends with a reason that a user understands. After each
 * of them, a correct answer still passes.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer, type AddressInfo, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { CodeReport, Fault } from '../../../language.ts'
import {
  failures,
  isSandboxReady,
  openBench,
  outcomes,
  type Bench,
} from '../../../../test/try-typescript.ts'

const isReady = await isSandboxReady()

const TESTS = `import { test } from 'node:test'\nimport assert from 'node:assert/strict'\nimport { f } from './solution.ts'
test('two', () => { assert.equal(f(2), 4) })\ntest('three', () => { assert.equal(f(3), 9) })\ntest('nothing', () => {})`

const FRAME = `import fs from 'node:fs'
const frame = (text: string) => { const b = Buffer.from(text); const h = Buffer.alloc(4); h.writeUInt32BE(b.length, 0); fs.writeSync(4, Buffer.concat([h, b])) }`

describe.skipIf(!isReady)('hostile samples', () => {
  let bench: Bench
  let secret: string
  let server: Server
  let connections = 0
  beforeAll(async () => {
    bench = await openBench()
    secret = await mkdtemp(join(tmpdir(), 'assay-secret-'))
    await writeFile(join(secret, 'key'), 'TOPSECRET')
    server = createServer(() => connections++)
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  })
  afterAll(async () => {
    await bench.close()
    await rm(secret, { recursive: true })
    server.close()
  })

  const passes = (report: CodeReport): boolean =>
    report.tests !== null && report.tests.every(({ passed }) => passed)
  const recovers = async (): Promise<void> => {
    expect(failures(await bench.run('export const f = (n: number) => n * n', TESTS))).toEqual({})
  }

  describe.concurrent('end with the right fault', () => {
    it.each<[string, string, Fault['kind'] | null]>([
      [
        'an endless loop when called',
        'export const f = (n: number): number => { for (;;) n++ }',
        'timeout',
      ],
      ['an endless loop when loaded', 'for (;;);\nexport const f = (n: number) => n', 'timeout'],
      [
        'an endless chain of promises',
        'export const f = async (n: number): Promise<number> => { for (;;) await n }',
        'timeout',
      ],
      [
        'a promise that never settles',
        'export const f = (n: number) => new Promise<number>(() => n)',
        null,
      ],
      [
        'an await that never ends',
        'await new Promise(() => {})\nexport const f = (n: number) => n * n',
        null,
      ],
      ['exit when called', 'export const f = (n: number): number => process.exit(0)', 'exit'],
      ['exit when loaded', 'process.exit(0)\nexport const f = (n: number) => n * n', 'exit'],
      [
        'exit past all handlers',
        'export const f = (n: number): number => process.reallyExit(0)',
        'exit',
      ],
      ['abort', 'export const f = (n: number): number => process.abort()', 'crash'],
      [
        'killing itself',
        `export const f = (n: number): number => { process.kill(process.pid, 'SIGKILL'); return n }`,
        'crash',
      ],
      [
        'a heap bomb',
        'const a: unknown[] = []\nexport const f = (n: number): number => { for (;;) a.push(new Array(1e5).fill(n)) }',
        'memory',
      ],
      [
        'a pattern that backtracks',
        `export const f = (n: number) => /^(a+)+$/.test('a'.repeat(60) + '!') ? n : 0`,
        'timeout',
      ],
      [
        'a huge frame',
        `${FRAME}\nexport const f = (n: number) => { fs.writeSync(4, Buffer.from([255, 255, 255, 255])); return n * n }`,
        'output',
      ],
      [
        'a frame that is not valid JSON',
        `${FRAME}\nexport const f = (n: number) => { frame('{{{'); return n * n }`,
        'crash',
      ],
      [
        'words of the tester',
        `${FRAME}\nexport const f = (n: number) => { for (let i = 0; i < 3; i++) frame(JSON.stringify({ say: 'result', index: i, passed: true })); frame('{"say":"done"}'); return n }`,
        'crash',
      ],
      [
        'a link that it closes',
        `import fs from 'node:fs'\nexport const f = (n: number) => { fs.closeSync(4); Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0); return n }`,
        'crash',
      ],
      [
        'answers to nothing',
        `${FRAME}\nexport const f = (n: number) => { frame(JSON.stringify(['returned', 99, 4, []])); return n }`,
        'crash',
      ],
      [
        'objects of the tester',
        `${FRAME}\nexport const f = (n: number) => { frame(JSON.stringify(['settled', -1, true, ['o', -1], [[-5, ['plain', []]]]])); return n }`,
        'crash',
      ],
    ])('%s', async (_, code, kind) => {
      const report = await bench.run(code, TESTS)
      expect(report.errors).toEqual([])
      expect(passes(report)).toBe(false)
      expect(report.tests).toHaveLength(3)
      expect(report.fault?.kind ?? null).toBe(kind)
      expect(report.tests?.[0]?.passed).toBe(false)
      expect(report.tests?.[0]?.message).toMatch(/\w{3}/)
    })
  })

  it.each([
    [
      'a proxy of everything',
      `const all: unknown = new Proxy(function () {}, { get: (_, k) => (k === Symbol.toPrimitive ? () => 4 : all), apply: () => all, has: () => true, getPrototypeOf: () => Number.prototype })\nexport const f = () => all`,
    ],
    [
      'an object that converts',
      `export const f = () => ({ valueOf: () => 4, toString: () => '4', [Symbol.toPrimitive]: () => 4, toJSON: () => 4, equals: () => true })`,
    ],
    ['a boxed number', 'export const f = (n: number) => new Number(n * n)'],
    ['a patched JSON', `JSON.stringify = () => '["returned",1,4,[]]'\nexport const f = () => 0`],
    [
      'patched prototypes',
      `Object.assign(Array.prototype, { toJSON: () => 4 }); Object.assign(Object.prototype, { toJSON: () => 4, then: undefined })\nexport const f = () => ({})`,
    ],
    [
      'a patched assert',
      `import assert from 'node:assert'\nassert.equal = assert.strictEqual = assert.strict.equal = (() => {}) as never\nexport const f = () => 0`,
    ],
    [
      'a patched Promise and Array',
      `Array.prototype.push = (() => 1) as never; Array.prototype.map = (() => []) as never; Promise.prototype.then = (() => {}) as never\nexport const f = () => 0`,
    ],
    ['deep recursion', 'export const f = (n: number): number => f(n + 1) + 1'],
    [
      'a value a million deep',
      `export const f = () => { let a: unknown = 4; for (let i = 0; i < 1e6; i++) a = [a]; return a }`,
    ],
    ['a value of 100 MB', `export const f = () => 'x'.repeat(1e8)`],
    [
      'a flood of output',
      `export const f = () => { for (let i = 0; i < 200; i++) process.stdout.write('ok 1 - two\\n'.repeat(5000)); return 0 }`,
    ],
  ])('%s does not pass', async (_, code) => {
    const report = await bench.run(code, TESTS)
    expect(report.errors).toEqual([])
    expect(report.tests?.map(({ passed }) => passed).slice(0, 2)).toEqual([false, false])
  })

  it('earlier tests keep their results when a later one ends the sample', async () => {
    const report = await bench.run(
      'export const f = (n: number) => (n === 3 ? process.exit(7) : n * n)',
      TESTS,
    )
    expect(outcomes(report)).toEqual({
      two: 'passed',
      three: 'the sample ended its own process (exit code 7)',
      nothing: 'the sample ended its own process (exit code 7)',
    })
  })

  it('one that fails to load fails every test with what it threw', async () => {
    const report = await bench.run(
      `export const f = (n: number) => n * n\nthrow new RangeError('at load')`,
      TESTS,
    )
    expect(Object.values(outcomes(report))).toEqual(Array(3).fill('RangeError: at load'))
  })

  it('a number cannot be two numbers in one comparison', async () => {
    const report = await bench.run(
      `let n = 0\nexport const f = () => ({ valueOf: () => (n++ % 2 ? -1e9 : 1e9) }) as unknown as number`,
      `import { f } from './solution'; const x = f(); require('assert').ok(x > 3 && x < 10)`,
    )
    expect(passes(report)).toBe(false)
  })

  it('the tester cannot be reached through what it hands over', async () => {
    const report = await bench.run(
      `${FRAME}
       export function f(callback: (...a: unknown[]) => unknown, object: Record<string, unknown>) {
         const got: unknown[] = []
         const ask = (id: number, op: string, ...args: unknown[]) => frame(JSON.stringify(['call', 1e6 + got.push(op), op, ['o', id], args, []]))
         for (const id of [-1, -2, -3]) for (const key of ['constructor', '__proto__', 'prototype', 'mock', 'caller']) { ask(id, 'get', key); ask(id, 'set', key, 1) }
         const ways = [callback.constructor, (object as { constructor: unknown }).constructor, Object.getPrototypeOf(callback), (object['method'] as () => void).constructor]
         for (const way of ways) try { (way as FunctionConstructor)('globalThis.hacked = true; process.exit(0)')() } catch { got.push(0) }
         return Object.keys(object)
       }`,
      `import { test, mock } from 'node:test'; import assert from 'node:assert/strict'; import { f } from './solution'
       test('safe', () => { const cb = mock.fn(); const o = { method() {}, n: 1 }; try { f(cb, o) } catch {} assert.equal(globalThis.hacked, undefined); assert.equal(cb.mock.callCount(), 0); assert.equal(Object.getPrototypeOf(o), Object.prototype); assert.equal(o.constructor, Object) })`,
    )
    // The solution may have ended its own process, but must not have ended the tester.
    expect(outcomes(report)['safe']).toMatch(/^passed$|the sample/)
    await recovers()
  })

  it('the source of a callback is not told, in whatever way it is asked', async () => {
    const report = await bench.run(
      `import fs from 'node:fs'
       const ask = (op: string, ...args: unknown[]) => { const b = Buffer.from(JSON.stringify(['call', 77, op, ['o', -1], args, []])); const h = Buffer.alloc(4); h.writeUInt32BE(b.length, 0); fs.writeSync(4, Buffer.concat([h, b])); const r = Buffer.alloc(9000); return r.toString('utf8', 0, fs.readSync(4, r)) }
       export const f = (callback: () => unknown) => [String(callback), callback.toString(), ask('primitive', 'string'), ask('get', 'toString'), ask('own')].join()`,
      `import { f } from './solution'; const seen = f(() => 'EXPECTED VALUE'); require('assert').doesNotMatch(String(seen), /EXPECTED/)`,
    )
    expect(outcomes(report)['script']).toMatch(/^passed$|the sample/)
    expect(JSON.stringify(report)).not.toContain('EXPECTED VALUE')
  })

  it('no secret, no test, no network and no other program is in reach', async () => {
    const { port } = server.address() as AddressInfo
    const report = await bench.run(
      `import fs from 'node:fs'\nimport net from 'node:net'\nimport { spawnSync } from 'node:child_process'
       const tried = (f: () => unknown) => { try { return String(f()) } catch (e) { return 'no' } }
       const list = (d: string, depth = 0): string[] => { try { return fs.readdirSync(d, { withFileTypes: true }).flatMap((e) => (e.isDirectory() && depth < 5 && !/^\\/usr/.test(d + e.name) ? list(d + e.name + '/', depth + 1) : [d + e.name])) } catch { return [] } }
       export const env = () => Object.keys(process.env).sort()
       const own = /^\\/tmp\\/assay-[-\\w]+\\/solution\\/(code\\.compiled|code\\.js|start\\.cjs)$/ // the program of this very process
       export const files = () => list('/').filter((x) => !own.test(x)).filter((x) => /secret|test|solution|tester|front|passwd|shadow|\\.ssh|environ|key$/.test(x))
       export const read = () => [${JSON.stringify(join(secret, 'key'))}, '/etc/passwd', '/proc/self/environ', '/proc/1/environ', '/root/.npmrc'].map((p) => tried(() => fs.readFileSync(p, 'utf8')))
       export const write = () => ['/x', '/tmp/x', '/sample/x', '/scratch/x'].map((p) => tried(() => fs.writeFileSync(p, 'x')))
       export const connect = () => new Promise((r) => { const s = net.connect(${port}, '127.0.0.1'); s.on('connect', () => r('connected')); s.on('error', () => r('no')) })
       export const run = () => ['/bin/sh', '/usr/bin/env', process.execPath].map((p) => { const { status, error } = spawnSync(p, ['-e', '0']); return error === undefined ? status : 'no' })`,
      `import { test } from 'node:test'; import assert from 'node:assert/strict'; import { env, files, read, write, connect, run } from './solution'
       test('env', () => assert.deepEqual(env().filter((name) => name !== 'PWD'), ['LANG', 'TZ']))\ntest('files', () => assert.deepEqual(files(), []))\ntest('read', () => assert.deepEqual(read(), Array(5).fill('no')))
       test('write', () => assert.deepEqual(write(), Array(4).fill('no')))\ntest('connect', async () => assert.equal(await connect(), 'no'))\ntest('run', () => assert.deepEqual(run(), ['no', 'no', 'no']))`,
    )
    expect(failures(report)).toEqual({})
  })

  it('what crashes the parser does not compile, and the next sample does', async () => {
    const report = await bench.run(`export const a = ${'!'.repeat(200_000)}1`, null, { lint: true })
    expect(report.compiled).toBe(false)
    expect(report.errors[0]?.message).toMatch(/crashed|longer|call stack|\w/)
    await recovers()
  })

  it('paths outside of the sample do not exist for the checker', async () => {
    const report = await bench.run(
      `/// <reference path="/etc/passwd" />\nimport data from '/etc/hostname'\nimport key from '${secret}/key'\nexport const a = [data, key]`,
      null,
    )
    expect(new Set(report.errors.map(({ code }) => code))).toEqual(new Set(['TS2307', 'TS6231']))
  })

  describe.concurrent('with the integrity in-process', () => {
    it.each([
      ['exit', 'export const f = (n: number): number => process.exit(0)'],
      ['an endless loop', 'export const f = (n: number): number => { for (;;) n++ }'],
      [
        'a patched assert',
        `import assert from 'node:assert'\nfor (const a of [assert, assert.strict]) for (const k of Object.keys(a)) if (k !== 'strict') try { (a as unknown as Record<string, unknown>)[k] = () => {} } catch {}\nexport const f = () => 0`,
      ],
      [
        'patched prototypes',
        `Object.is = () => true; Array.prototype.every = (() => true) as never; Array.prototype.some = () => true; Object.prototype.hasOwnProperty = () => true\nexport const f = () => 0`,
      ],
      [
        'forged reports',
        `${FRAME}\nfor (const n of ['two', 'three', 'nothing']) frame(JSON.stringify(['', 'result', n, true, null]))\nframe('["","done"]')\nexport const f = () => 0`,
      ],
      [
        'a patched report',
        `import fs from 'node:fs'\nimport { syncBuiltinESMExports } from 'node:module'\nconst w = fs.writeSync; fs.writeSync = ((fd: number, b: Buffer, ...r: number[]) => w(fd, Buffer.from(b.toString('latin1').replaceAll('false', 'true '), 'latin1'), ...r)) as never; syncBuiltinESMExports()\nJSON.stringify = ((x: unknown) => String(x)) as never\nexport const f = () => 0`,
      ],
    ])('%s does not pass', async (_, code) => {
      const report = await bench.run(code, TESTS, { integrity: 'in-process' })
      expect(report.errors).toEqual([])
      expect(report.tests?.map(({ name }) => name)).toEqual(['two', 'three', 'nothing'])
      expect(report.tests?.slice(0, 2).map(({ passed }) => passed)).toEqual([false, false])
    })
  })

  it('a right answer passes after all of them, and nobody was called', async () => {
    await recovers()
    expect(connections).toBe(0)
  })
})
