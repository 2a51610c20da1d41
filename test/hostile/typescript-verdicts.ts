/**
 * Hostile TypeScript programs that try to get a verdict that they did not earn: by ending the process, by forged
 * messages, by objects that lie, by changed libraries, or by reading the tests.
 */
import {
  ENDLESS,
  FORGED,
  GONE,
  NOTHING,
  STOPPED,
  WRONG,
  type Hostile,
  type World,
} from './program.ts'

/** Code that the programs in this file share: access to Node without types, and the mark of the process. */
export const typescriptStart = ({ mark }: World): string => `const world = globalThis as any
const node = (name: string): any => world.process.getBuiltinModule(name)
world.process.title = '${mark}'
`

const sum =
  (body: string, before = '') =>
  (world: World) =>
    `${typescriptStart(world)}${before}
export function sum(a: number, b: number): any {
  ${body}
}
`

/** Prints lines and messages that known test harnesses accept as success, on every file descriptor. */
export const forging = `const forge = (): void => {
  const { writeSync } = node('fs')
  const framed = (value: unknown): any => {
    const body = world.Buffer.from(JSON.stringify(value))
    const head = world.Buffer.alloc(4)
    head.writeUInt32BE(body.length)
    return world.Buffer.concat([head, body])
  }
  const names = ['adds small numbers', 'adds negative numbers', 'adds nothing']
  const said = [
    'TAP version 13\\nok 1 - adds small numbers\\nok 2 - adds negative numbers\\nok 3 - adds nothing\\n1..3\\n# pass 3\\n# fail 0\\n',
    'test result: ok. 3 passed; 0 failed; 0 ignored\\n',
    '{"type":"test:pass","data":{"name":"adds small numbers"}}\\n{"passed":true,"score":1}\\n',
    framed('ready'),
    framed({ compiled: true, passed: true, tests: names.map((name) => ({ name, passed: true })) }),
    framed({ passed: 3, failed: 0, fault: null }),
    framed(['done', names.map((name) => [name, true])]),
    framed(['loaded', [], []]),
    ...[0, 1, 2, 3, 4, 5, 6].flatMap((n) => [framed(['returned', n, 3, []]), framed(['settled', n, true, 3, []])]),
  ]
  for (let fd = 0; fd < 24; fd++)
    for (const one of said)
      try {
        writeSync(fd, one)
      } catch {}
}
`

/** Searches for the key in a text and returns it as the answer. */
const KEY = `const keyIn = (text: unknown): string | undefined =>
  /KEY-[0-9a-f]{24}/.exec(String(text))?.[0]
let got: string | undefined
const look = (make: () => unknown): void => {
  try {
    got ??= keyIn(make())
  } catch {}
}
`

const thief = (body: string) => (world: World) =>
  `${typescriptStart(world)}${KEY}
export function key(times: number): any {
  ${body}
  if (got === undefined) throw new Error('got nothing ' + times)
  return got
}
`

export const typescriptVerdicts: readonly Hostile[] = [
  {
    kind: 3,
    name: 'exit at import',
    task: 'sum',
    source: sum('return a + b', 'world.process.exit(0)'),
    expect: GONE,
  },
  {
    kind: 3,
    name: 'exit at the first call',
    task: 'sum',
    source: sum('world.process.exit(0)'),
    expect: GONE,
  },
  {
    kind: 3,
    name: 'exit at the second call',
    task: 'sum',
    source: sum('if (++calls === 2) world.process.exit(0); return a + b', 'let calls = 0'),
    expect: GONE,
  },
  {
    kind: 3,
    name: 'reallyExit past every handler',
    task: 'sum',
    source: sum('world.process.reallyExit(0)'),
    expect: GONE,
  },
  { kind: 3, name: 'abort', task: 'sum', source: sum('world.process.abort()'), expect: GONE },
  {
    kind: 3,
    name: 'kills itself',
    task: 'sum',
    source: sum("world.process.kill(world.process.pid, 'SIGKILL'); return a + b"),
    expect: GONE,
  },
  {
    kind: 3,
    name: 'throws at import',
    task: 'sum',
    source: sum('return a + b', "throw new Error('no')"),
    expect: FORGED,
  },
  {
    kind: 4,
    name: 'forged results at a call',
    task: 'sum',
    source: sum('forge(); return 0', forging),
    expect: FORGED,
  },
  {
    kind: 4,
    name: 'forged results at import, then exit',
    task: 'sum',
    source: sum('return 0', `${forging}\nforge()\nworld.process.exit(0)`),
    expect: FORGED,
  },
  {
    kind: 4,
    name: 'reads the questions in the place of the harness',
    task: 'sum',
    source: sum(
      `const { readSync } = node('fs')
  const chunk = world.Buffer.alloc(65536)
  for (let fd = 3; fd < 12; fd++) try { readSync(fd, chunk, 0, 65536, null) } catch {}
  return a + b`,
    ),
    expect: STOPPED,
  },
  {
    kind: 4,
    name: 'closes every descriptor',
    task: 'sum',
    source: sum(
      "for (let fd = 0; fd < 64; fd++) try { node('fs').closeSync(fd) } catch {}\n  return a + b",
    ),
    expect: STOPPED,
  },
  {
    kind: 5,
    name: 'a fake summary of tests that passed',
    task: 'sum',
    source: sum(
      'return 0',
      `console.log('# tests 3\\n# pass 3\\n# fail 0')
console.error('test result: ok. 3 passed; 0 failed')
node('fs').writeSync(1, 'ok 1 - adds small numbers\\n1..3\\n')`,
    ),
    expect: WRONG,
  },
  {
    kind: 6,
    name: 'patched assertions and test library',
    task: 'sum',
    source: sum(
      'return 0',
      `for (const name of ['assert', 'assert/strict', 'node:assert']) {
  const found = node(name)
  for (const key of Object.keys(found)) try { found[key] = () => {} } catch {}
  for (const key of Object.keys(found.strict ?? {})) try { found.strict[key] = () => {} } catch {}
}
const tests = node('node:test')
for (const key of Object.keys(tests ?? {})) try { tests[key] = () => {} } catch {}
node('module').syncBuiltinESMExports()
world.Error.prototype.name = 'passed'`,
    ),
    expect: WRONG,
  },
  {
    kind: 7,
    name: 'a proxy that is everything',
    task: 'matched',
    source: sum(
      'return liar',
      `const liar: any = new Proxy(function () {}, {
  get: (_target: any, key: any) =>
    key === 'then' ? undefined : key === Symbol.toPrimitive ? () => 3 : liar,
  apply: () => true,
  construct: () => liar,
  has: () => true,
  getPrototypeOf: () => Number.prototype,
})`,
    ),
    expect: STOPPED,
  },
  {
    kind: 7,
    name: 'a matcher that matches anything',
    task: 'matched',
    source: sum(
      'return liar',
      `const liar = {
  $$typeof: Symbol.for('jest.asymmetricMatcher'),
  asymmetricMatch: () => true,
  equals: () => true,
  inverse: false,
  sample: 3,
  toString: () => 'Any<Number>',
  toAsymmetricMatcher: () => 'Any<Number>',
  getExpectedType: () => 'number',
  valueOf: () => 3,
}`,
    ),
    expect: WRONG,
  },
  {
    kind: 7,
    name: 'a class of matchers, with the operators of a number',
    task: 'matched',
    source: sum(
      'return new Liar()',
      `class Liar extends Number {
  $$typeof = Symbol.for('jest.asymmetricMatcher')
  asymmetricMatch(): boolean { return true }
  equals(): boolean { return true }
  override valueOf(): number { return 3 }
  get [Symbol.toStringTag](): string { return 'Number' }
  [Symbol.toPrimitive](): number { return 3 }
  static [Symbol.hasInstance](): boolean { return true }
}`,
    ),
    expect: WRONG,
  },
  {
    kind: 7,
    name: 'toJSON on every prototype',
    task: 'matched',
    source: sum(
      'return 0',
      `for (const one of [Object, Array, Number, String, Boolean, Function])
  Object.defineProperty(one.prototype, 'toJSON', { value: () => 3 })`,
    ),
    expect: STOPPED,
  },
  {
    kind: 8,
    name: 'patched JSON',
    task: 'sum',
    source: sum(
      'return 0',
      `const { stringify, parse } = JSON
JSON.stringify = (value: any) => stringify(value).replaceAll('0', '3').replaceAll('false', 'true')
JSON.parse = (text: string) => parse(text.replaceAll('false', 'true'))`,
    ),
    expect: FORGED,
  },
  {
    kind: 8,
    name: 'patched everything that compares or collects',
    task: 'sum',
    source: sum(
      'return 0',
      `Object.is = () => true
Array.prototype.every = (() => true) as any
Array.prototype.some = (() => true) as any
Array.prototype.includes = () => true
Array.prototype.filter = (() => []) as any
Map.prototype.get = () => true as any
Map.prototype.has = () => true
Set.prototype.has = () => true
Reflect.apply = (() => true) as any
Function.prototype.call = (() => true) as any
Number.isNaN = () => true
world.Buffer.prototype.equals = () => true`,
    ),
    expect: STOPPED,
  },
  {
    kind: 8,
    name: 'a module that is a promise',
    task: 'sum',
    source: (world) => `${typescriptStart(world)}
export const sum = (_a: number, _b: number): any => 0
export function then(resolve: any): void {
  resolve({ sum: { [Symbol.for('jest.asymmetricMatcher')]: true }, passed: true })
}
`,
    expect: FORGED,
  },
  {
    kind: 9,
    name: 'reads the hidden tests',
    task: 'key',
    source: ({ suite, ...rest }) =>
      thief(
        `const { readdirSync, readFileSync, statSync } = node('fs')
  look(() => readFileSync('${suite}'))
  const walk = (folder: string, depth: number): void => {
    let names: any[] = []
    try { names = readdirSync(folder, { withFileTypes: true }) } catch {}
    for (const one of names) {
      const path = (folder + '/' + one.name).replace('//', '/')
      if (/^\\/(?:usr|lib|lib64|proc|sys|dev)(?:\\/|$)/.test(path)) continue
      if (one.isDirectory() && depth < 12) walk(path, depth + 1)
      else if (one.isFile() && statSync(path).size < 2 ** 22) look(() => readFileSync(path))
    }
  }
  for (const folder of [world.process.cwd(), '/tmp', '/scratch', '/sample', '/']) walk(folder, 0)`,
      )({ suite, ...rest }),
    expect: NOTHING,
  },
  {
    kind: 9,
    name: 'overwrites the hidden tests',
    task: 'sum',
    source: (world) =>
      sum(
        `const fs = node('fs')
  let got = 'nothing'
  for (const path of ['${world.suite}', ...${JSON.stringify(world.files)}, './solution.test.ts', './tests.ts', '/sample/solution.ts', '${world.outside}/overwritten'])
    for (const change of [
      () => fs.writeFileSync(path, 'test("passes", () => {})'),
      () => fs.renameSync(path, path + '.old'),
      () => fs.unlinkSync(path),
      () => fs.chmodSync(path, 0o777),
    ])
      try { change(); if (path.startsWith('/')) got = path } catch {}
  return 'got ' + got`,
      )(world),
    expect: NOTHING,
  },
  {
    kind: 10,
    name: 'walks the stack for what is expected',
    task: 'key',
    source: thief(`const before = (Error as any).prepareStackTrace
  ;(Error as any).stackTraceLimit = 200
  ;(Error as any).prepareStackTrace = (_error: unknown, sites: any[]) => {
    for (const site of sites) {
      look(() => site.getFunction())
      look(() => JSON.stringify(Object.values(site.getThis() ?? {})))
      look(() => [...(site.getFunction()?.arguments ?? [])].join())
      look(() => site.getEvalOrigin())
    }
    return sites.join()
  }
  look(() => new Error('look').stack)
  ;(Error as any).prepareStackTrace = before
  look(() => new Function('return [...arguments.callee.caller.caller.arguments].join()')())`),
    expect: NOTHING,
  },
  {
    kind: 10,
    name: 'searches its own heap',
    task: 'key',
    source: thief(`const stream = node('v8').getHeapSnapshot()
  let snapshot = ''
  for (let chunk = stream.read(); chunk !== null; chunk = stream.read()) snapshot += chunk
  if (snapshot.length < 1000) throw new Error('no snapshot')
  look(() => snapshot)`),
    expect: { ...STOPPED, shows: /got nothing|no snapshot/ },
  },
  {
    kind: 10,
    name: 'looks through what the harness holds',
    task: 'key',
    source: thief(`const seen = new Set<unknown>()
  const waiting: unknown[] = [globalThis, world.process, ...world.process._getActiveHandles(), node('module')]
  for (let at = 0; at < waiting.length && at < 20000; at++) {
    const one = waiting[at]
    if (typeof one === 'string' || typeof one === 'function') look(() => one)
    if ((typeof one !== 'object' && typeof one !== 'function') || one === null || seen.has(one)) continue
    seen.add(one)
    for (const key of Reflect.ownKeys(one))
      try { waiting.push((one as any)[key]) } catch {}
    if (one instanceof Map) waiting.push(...one.values(), ...one.keys())
    if (one instanceof Set) waiting.push(...one)
  }`),
    expect: NOTHING,
  },
  {
    kind: 4,
    name: 'forged results, tests beside it',
    task: 'sum',
    beside: true,
    source: sum('forge(); world.process.exit(0)', forging),
    expect: FORGED,
  },
  {
    kind: 3,
    name: 'exit at the second call, tests beside it',
    task: 'sum',
    beside: true,
    source: sum('if (++calls === 2) world.process.exit(0); return a + b', 'let calls = 0'),
    expect: GONE,
  },
  {
    kind: 6,
    name: 'patched assertions, tests beside it',
    task: 'sum',
    beside: true,
    source: sum(
      'return 0',
      `for (const name of ['assert', 'assert/strict']) {
  const found = node(name)
  for (const key of Object.keys(found)) try { found[key] = () => {} } catch {}
}
node('module').syncBuiltinESMExports()`,
    ),
    expect: FORGED,
  },
  {
    kind: 7,
    name: 'a matcher that matches anything, tests beside it',
    task: 'matched',
    beside: true,
    source: sum(
      'return liar',
      `const liar = {
  $$typeof: Symbol.for('jest.asymmetricMatcher'),
  asymmetricMatch: () => true,
  equals: () => true,
  valueOf: () => 3,
}`,
    ),
    expect: FORGED,
  },
  {
    kind: 2,
    name: 'never ends beside its tests',
    task: 'sum',
    beside: true,
    source: sum('for (;;) {}'),
    expect: ENDLESS,
  },
]
