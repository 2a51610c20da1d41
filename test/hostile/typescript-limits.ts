/**
 * Hostile TypeScript programs that exceed their limits of time, memory, disk, output and threads, or of the type
 * checker's time.
 */
import { typescriptStart } from './typescript-verdicts.ts'
import { AWAITING, ENDLESS, GREEDY, STOPPED, WRONG, type Hostile, type World } from './program.ts'

const sum =
  (body: string, before = '') =>
  (world: World) =>
    `${typescriptStart(world)}${before}
export function sum(a: number, b: number): any {
  ${body}
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
]
