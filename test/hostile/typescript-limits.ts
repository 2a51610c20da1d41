/** TypeScript that wants everything: time, memory, disk, output, threads; and the checker's time before that. */
import { typescriptStart } from './typescript-verdicts.ts'
import {
  AWAITING,
  BOMB,
  ENDLESS,
  GREEDY,
  REFUSED,
  silenced,
  STOPPED,
  WRONG,
  type Hostile,
  type World,
} from './program.ts'

const sum =
  (body: string, before = '') =>
  (world: World) =>
    `${typescriptStart(world)}${before}
export function sum(a: number, b: number): any {
  ${body}
}
`

/** The checker may well get through it; then the answer is wrong. */
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

export const typescriptLimits: readonly Hostile[] = [
  { kind: 1, name: 'a loop without end', task: 'sum', source: sum('for (;;) {}'), expect: ENDLESS },
  {
    kind: 1,
    name: 'a loop without end at import',
    task: 'sum',
    source: sum('return a + b', 'for (;;) {}'),
    expect: ENDLESS,
  },
  {
    kind: 1,
    name: 'microtasks without end',
    task: 'sum',
    source: sum('const again = (): any => Promise.resolve().then(again); again(); return a + b'),
    expect: ENDLESS,
  },
  {
    kind: 1,
    name: 'one call of the engine that never returns',
    task: 'sum',
    source: sum('let x = 3n; for (let at = 0; at < 40; at++) x = x * x * x; return x'),
    expect: STOPPED,
  },
  {
    kind: 2,
    name: 'a promise that never settles',
    task: 'sum',
    source: sum('return new Promise(() => {})'),
    expect: ENDLESS,
  },
  {
    kind: 2,
    name: 'a top-level await that never ends',
    task: 'sum',
    source: sum('return a + b', 'await new Promise(() => {})'),
    expect: AWAITING,
  },
  {
    kind: 2,
    name: 'a thenable that never answers',
    task: 'sum',
    source: sum('return { then(): void {} }'),
    expect: ENDLESS,
  },
  {
    kind: 2,
    name: 'sleeps without using the processor',
    task: 'sum',
    source: sum(
      'Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 600_000); return a + b',
    ),
    expect: ENDLESS,
  },
  {
    kind: 18,
    name: 'a heap without end',
    task: 'sum',
    source: sum(
      'for (;;) kept.push(new Array(100_000).fill({})); return a + b',
      'const kept: any[] = []',
    ),
    expect: GREEDY,
  },
  {
    kind: 18,
    name: 'strings without end',
    task: 'sum',
    source: sum(
      "for (;;) kept.push(('x' + kept.length).repeat(1_000_000).split(''))",
      'const kept: any[] = []',
    ),
    expect: GREEDY,
  },
  {
    kind: 19,
    name: 'buffers without end',
    task: 'sum',
    source: sum(
      'for (;;) kept.push(world.Buffer.alloc(64 * 2 ** 20, 1)); return a + b',
      'const kept: any[] = []',
    ),
    expect: GREEDY,
  },
  {
    kind: 19,
    name: 'shared memory without end',
    task: 'sum',
    source: sum(
      'for (;;) kept.push(new Uint8Array(new SharedArrayBuffer(64 * 2 ** 20)).fill(1))',
      'const kept: any[] = []',
    ),
    expect: GREEDY,
  },
  {
    kind: 19,
    name: 'WebAssembly memory without end',
    task: 'sum',
    source: sum(
      `for (;;) {
    const memory = new world.WebAssembly.Memory({ initial: 1024, maximum: 65536 })
    new Uint8Array(memory.buffer).fill(1)
    kept.push(memory)
  }`,
      'const kept: any[] = []',
    ),
    expect: GREEDY,
  },
  {
    kind: 20,
    name: 'threads with half a gigabyte each',
    task: 'sum',
    source: sum(
      `const { Worker } = node('worker_threads')
  for (let at = 0; at < 16; at++)
    new Worker('const kept = []; for (;;) kept.push(Buffer.alloc(2 ** 26, 1))', { eval: true }).on('error', () => {})
  return new Promise(() => {})`,
    ),
    expect: STOPPED,
  },
  {
    kind: 21,
    name: 'fills every disk',
    task: 'sum',
    source: (world) =>
      sum(
        `const fs = node('fs')
  const chunk = world.Buffer.alloc(2 ** 20, 1)
  let wrote = 0
  for (const folder of ['.', '/tmp', '/dev/shm', '/scratch', '/var/tmp', '${world.outside}', node('os').tmpdir()])
    try {
      const file = fs.openSync(folder + '/filled', 'w')
      for (let at = 0; at < 4096; at++) wrote += fs.writeSync(file, chunk)
    } catch {}
  return 'wrote ' + wrote`,
      )(world),
    expect: STOPPED,
  },
  {
    kind: 21,
    name: 'a flood of files',
    task: 'sum',
    source: (world) =>
      sum(
        `const fs = node('fs')
  let made = 0
  for (const folder of ['.', '/tmp', '/dev/shm', '/scratch', '${world.outside}'])
    try {
      for (let at = 0; at < 1_000_000; at++, made++) fs.writeFileSync(folder + '/flood' + at, '')
    } catch {}
  return 'made ' + made`,
      )(world),
    expect: STOPPED,
  },
  {
    kind: 22,
    name: 'a flood of output',
    task: 'sum',
    source: sum(
      `const chunk = world.Buffer.alloc(2 ** 20, 'x')
  for (;;) for (const fd of [1, 2]) try { node('fs').writeSync(fd, chunk) } catch {}`,
    ),
    expect: STOPPED,
  },
  {
    kind: 22,
    name: 'a flood of messages to the harness',
    task: 'sum',
    source: sum(
      `const chunk = world.Buffer.alloc(2 ** 20, 0)
  for (;;) for (const fd of [3, 4, 5]) try { node('fs').writeSync(fd, chunk) } catch {}`,
    ),
    expect: STOPPED,
  },
  {
    kind: 22,
    name: 'a message that never ends',
    task: 'sum',
    source: sum(
      `const chunk = world.Buffer.alloc(2 ** 16, 255)
  for (const fd of [3, 4, 5]) for (let at = 0; at < 64; at++) try { node('fs').writeSync(fd, chunk) } catch {}
  return a + b`,
    ),
    expect: STOPPED,
  },
  {
    kind: 22,
    name: 'returns five hundred megabytes',
    task: 'sum',
    source: sum("return 'x'.repeat(500 * 2 ** 20)"),
    expect: GREEDY,
  },
  {
    kind: 22,
    name: 'returns a list a million deep',
    task: 'sum',
    source: sum('let deep: any = []; for (let at = 0; at < 1e6; at++) deep = [deep]; return deep'),
    expect: STOPPED,
  },
  {
    kind: 22,
    name: 'returns ten million numbers',
    task: 'sum',
    source: sum('return Array.from({ length: 1e7 }, (_, at) => at)'),
    expect: STOPPED,
  },
  {
    kind: 22,
    name: 'throws a message of a hundred megabytes',
    task: 'sum',
    source: sum("throw new Error('x'.repeat(100 * 2 ** 20))"),
    expect: STOPPED,
  },
  {
    kind: 23,
    name: 'recursion without end',
    task: 'sum',
    source: sum('const deeper = (n: number): number => deeper(n + 1) + 1; return deeper(0)'),
    expect: WRONG,
  },
  {
    kind: 23,
    name: 'recursion of the engine itself',
    task: 'sum',
    source: sum(
      `let deep: any = {}
  for (let at = 0; at < 1e6; at++) deep = { deep }
  return JSON.stringify(deep) + new RegExp('('.repeat(1e5) + ')'.repeat(1e5)).source`,
    ),
    expect: STOPPED,
  },
  {
    kind: 24,
    name: 'a pattern that takes for ever',
    task: 'sum',
    source: sum("return /^(a+)+$/.test('a'.repeat(60) + '!') ? 0 : a + b"),
    expect: ENDLESS,
  },
  {
    kind: 25,
    name: 'stops itself',
    task: 'sum',
    source: sum("world.process.kill(world.process.pid, 'SIGSTOP'); return new Promise(() => {})"),
    expect: ENDLESS,
  },
  {
    kind: 25,
    name: 'ignores every signal it can',
    task: 'sum',
    source: sum(
      `for (const name of ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGXCPU', 'SIGALRM', 'SIGPIPE', 'SIGQUIT'])
    try { world.process.on(name, () => {}) } catch {}
  for (;;) {}`,
    ),
    expect: ENDLESS,
  },
  {
    kind: 26,
    name: 'opens files until there are none left',
    task: 'sum',
    source: sum("for (;;) node('fs').openSync('/dev/null', 'r')"),
    expect: WRONG,
  },
  {
    kind: 26,
    name: 'fifty busy threads',
    task: 'sum',
    source: ({ mark, ...world }) =>
      sum(
        `const { Worker } = node('worker_threads')
  for (let at = 0; at < 50; at++) new Worker('for (;;) {}', { eval: true, name: '${mark}' }).on('error', () => {})
  return new Promise(() => {})`,
      )({ mark, ...world }),
    expect: STOPPED,
  },
  // ── The checker ────────────────────────────────────────────────────────────────────────────────────
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
