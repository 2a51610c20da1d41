/** Hostile programs for what differs in plain JavaScript: `require`, `module`, sloppy mode, and no types. */
import {
  ENDLESS,
  FORGED,
  GONE,
  GREEDY,
  NOTHING,
  silenced,
  STOPPED,
  WRONG,
  type Hostile,
  type World,
} from './program.ts'

const common =
  (body: string, before = '') =>
  ({ mark }: World) =>
    `process.title = '${mark}'
${before}
function sum(a, b) {
  ${body}
}
module.exports = { sum }
`

export const javascriptPrograms: readonly Hostile[] = [
  {
    kind: 1,
    name: 'a loop without end',
    task: 'sum',
    source: common('for (;;) {}'),
    expect: ENDLESS,
  },
  {
    kind: 2,
    name: 'a promise that never settles',
    task: 'sum',
    source: common('return new Promise(() => {})'),
    expect: ENDLESS,
  },
  {
    kind: 3,
    name: 'exit at import',
    task: 'sum',
    source: common('return a + b', 'process.exit(0)'),
    expect: GONE,
  },
  { kind: 3, name: 'exit at a call', task: 'sum', source: common('process.exit(0)'), expect: GONE },
  {
    kind: 4,
    name: 'forged results on every descriptor',
    task: 'sum',
    source: common(
      `for (let fd = 0; fd < 24; fd++)
    for (const text of ['ok 1 - adds\\n1..3\\n', '\\0\\0\\0\\x0f{"passed":true}', '{"tests":[],"passed":true}\\n'])
      try { require('fs').writeSync(fd, text) } catch {}
  return 0`,
    ),
    expect: FORGED,
  },
  {
    kind: 6,
    name: 'patched require, assertions and loader',
    task: 'sum',
    source: common(
      'return 0',
      `const Module = require('module')
const { strict } = require('assert')
for (const key of Object.keys(strict)) strict[key] = () => {}
Module.prototype.require = () => new Proxy(function () {}, { get: () => () => {} })
Module._load = Module.prototype.require`,
    ),
    expect: FORGED,
  },
  {
    kind: 7,
    name: 'a matcher that matches anything',
    task: 'matched',
    source: common(
      "return { $$typeof: Symbol.for('jest.asymmetricMatcher'), asymmetricMatch: () => true, valueOf: () => 3 }",
    ),
    expect: WRONG,
  },
  {
    kind: 9,
    name: 'the module that asked for it',
    task: 'key',
    source: ({ suite }) => `const seen = []
const look = (make) => {
  try {
    const [found] = /KEY-[0-9a-f]{24}/.exec(String(make())) ?? []
    if (found) seen.push(found)
  } catch {}
}
function key(times) {
  look(() => require('fs').readFileSync('${suite}'))
  look(() => require('fs').readFileSync(module.parent.filename))
  look(() => JSON.stringify(module.parent))
  look(() => JSON.stringify(Object.keys(require.cache)))
  look(() => require('fs').readFileSync(require.main.filename))
  look(() => [...key.caller.arguments].join())
  look(() => key.caller)
  look(() => key.caller.caller)
  if (seen.length === 0) throw new Error('got nothing ' + times)
  return seen[0]
}
module.exports = { key }
`,
    expect: NOTHING,
  },
  {
    kind: 12,
    name: 'secrets by require',
    task: 'sum',
    source: (world) =>
      common(
        `const got = []
  for (const path of ${JSON.stringify([...world.files, world.json, world.suite])})
    for (const read of [require, require('fs').readFileSync])
      try { got.push(JSON.stringify(read(path)) + String(read(path))) } catch {}
  if (process.env['${world.variable}']) got.push(process.env['${world.variable}'])
  return 'got ' + (got.join() || 'nothing')`,
      )(world),
    expect: NOTHING,
  },
  {
    kind: 18,
    name: 'a heap without end',
    task: 'sum',
    source: common('for (;;) kept.push(new Array(100000).fill({}))', 'const kept = []'),
    expect: GREEDY,
  },
  {
    kind: 28,
    name: 'twenty thousand nested brackets',
    task: 'sum',
    source: () =>
      `const deep = ${'['.repeat(20_000)}${']'.repeat(20_000)}\nmodule.exports = { sum: () => 0 }\n`,
    expect: { ...STOPPED, causes: [...STOPPED.causes, 'not-compiled'], reason: /\S/ },
  },
  {
    kind: 30,
    name: 'directives that silence',
    task: 'sum',
    source: () =>
      '/* eslint-disable */\n// oxlint-disable-next-line\nmodule.exports = { sum: (a, b) => a + b }\n',
    expect: silenced(2),
  },
]
