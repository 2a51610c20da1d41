/** Agents that cheat fail, and the reason says what they did. */
import { spawnSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { inspectSandbox } from '@assay/sandbox'
import {
  JS_CHEATS,
  JS_FILES,
  JS_HIDDEN,
  PY_FILES,
  PY_HIDDEN,
  PYTEST_CHEATS,
  PYTEST_HIDDEN,
  RUST_CHEATS,
  RUST_FILES,
  RUST_HIDDEN,
  UNITTEST_CHEATS,
  type Cheat,
} from './cheats.ts'
import { gradedWork, graderOf, type Work } from './graded-work.ts'

const isReady = (await inspectSandbox()).ready
const has = (...words: readonly string[]): boolean =>
  spawnSync('sh', ['-c', `PATH=/usr/bin:/bin ${words.join(' ')}`]).status === 0

const NODE = {
  command: ['node', '--test', 'tests/add.test.js'],
  dialect: 'node-test',
  failToPass: ['adds numbers', 'adds texts'],
  canary: ['add(2, 2) === 5'],
}
const NUMBERS = { failToPass: ['test_numbers'] }

const PROJECTS: readonly (readonly [
  string,
  boolean,
  Omit<Work, 'agents'>,
  string,
  Readonly<Record<string, Cheat>>,
])[] = [
  [
    'node:test',
    true,
    {
      files: JS_FILES,
      workspace: { hidden: JS_HIDDEN, protect: ['tests/**'], ignore: ['node_modules/**'] },
      graders: [graderOf('tests', NODE)],
    },
    `echo 'exports.add = (a, b) => a + b' > add.js`,
    JS_CHEATS,
  ],
  [
    'unittest',
    has('python3', '--version'),
    {
      files: PY_FILES,
      workspace: { hidden: PY_HIDDEN },
      graders: [
        graderOf('tests', { command: 'python3 -m unittest', dialect: 'unittest', ...NUMBERS }),
      ],
    },
    `printf 'def add(a, b):\\n    return a + b\\n' > add.py`,
    UNITTEST_CHEATS,
  ],
  [
    'pytest',
    has('python3', '-m', 'pytest', '--version'),
    {
      files: PY_FILES,
      workspace: { hidden: PYTEST_HIDDEN },
      graders: [
        graderOf('tests', { command: ['python3', '-m', 'pytest'], dialect: 'pytest', ...NUMBERS }),
      ],
    },
    `printf 'def add(a, b):\\n    return a + b\\n' > add.py`,
    PYTEST_CHEATS,
  ],
  [
    'cargo test',
    has('cargo', '--version'),
    {
      files: RUST_FILES,
      workspace: { hidden: RUST_HIDDEN, ignore: ['target/**'] },
      graders: [
        graderOf('tests', {
          command: ['cargo', 'test', '--offline'],
          dialect: 'cargo-test',
          failToPass: ['adds_numbers'],
        }),
      ],
    },
    `echo 'pub fn add(a: i32, b: i32) -> i32 { a + b }' > src/lib.rs`,
    RUST_CHEATS,
  ],
]

describe.runIf(isReady)('agents that cheat', () => {
  it('are at least thirty', () => {
    const all = PROJECTS.map(([, , , , cheats]) => Object.keys(cheats).length)
    expect(all.reduce((sum, count) => sum + count)).toBeGreaterThanOrEqual(30)
  })

  describe.each(PROJECTS)('with %s', (_, isHere, work, honest, cheats) => {
    it.runIf(isHere)('fail, and an honest one passes', async () => {
      const agents = Object.fromEntries(
        Object.entries(cheats).map(([name, { script }]) => [name, script]),
      )
      const trials = await gradedWork({ ...work, agents: { honest, ...agents } })
      const found = [...trials].map(([name, [trial]]) => ({
        name,
        outcome: trial?.outcome,
        says: `${trial?.reason?.text ?? ''} ${trial?.grades[0]?.reason ?? ''}`,
      }))
      const wrong = found.filter(({ name, outcome, says }) => {
        const cheat = cheats[name]
        if (cheat === undefined) return outcome !== 'passed'
        const told =
          typeof cheat.says === 'string' ? says.includes(cheat.says) : cheat.says.test(says)
        return outcome !== 'failed' || !told
      })
      expect(wrong).toEqual([])
      expect(found).toHaveLength(Object.keys(cheats).length + 1)
    })
  })
})

/**
 * The forger reads the tests in the process that runs them, and changes exactly the results that it needs. Nothing in
 * that process can stop it. The first test documents this limit.
 */
describe.runIf(isReady)('an agent that forges exactly what it needs', () => {
  const forged = `cat > add.js <<'END'
const assert = require('node:assert')
const source = require('node:fs').readFileSync(require.main.filename, 'utf8')
const right = new Set(source.split('\\n').filter((line) => line.startsWith("test('")).map((line) => line.split("'")[1]))
for (const name of ['equal', 'deepStrictEqual']) {
  const real = assert[name]
  assert[name] = (a, b) => {
    const at = Number(/add.test.js:(\\d+)/.exec(new Error().stack)[1])
    const title = source.split('\\n').slice(0, at).findLast((line) => /^test\\(/.test(line))
    if (!right.has(title.split("'")[1])) real(1, 2)
  }
}
exports.add = () => 0
END
`
  it('is not caught in its own process', async () => {
    const trials = await gradedWork({
      files: JS_FILES,
      workspace: { hidden: JS_HIDDEN },
      graders: [graderOf('tests', { ...NODE, canary: [] })],
      agents: { forger: forged },
    })
    const [trial] = trials.get('forger') ?? []
    expect(trial?.grades[0]?.reason).toMatch(
      /2 of 2 named tests passed \(in-process, with \d+ canaries\)/,
    )
    expect(trial?.outcome).toBe('passed')
  })

  it('is caught when the tests are outside', async () => {
    const hidden = {
      'tests/add.test.js': `const { test } = require('node:test')
const assert = require('node:assert')
const { execFileSync } = require('node:child_process')
const add = (...args) => JSON.parse(execFileSync('product', args, { encoding: 'utf8' }))
test('adds numbers', () => {
  assert.equal(add('2', '2'), 4)
})
`,
    }
    const main = `const { add } = require('./add.js')\nconst [a, b] = process.argv.slice(2).map(Number)\nconsole.log(JSON.stringify(add(a, b)))\n`
    const trials = await gradedWork({
      files: { ...JS_FILES, 'main.js': main },
      workspace: { hidden },
      graders: [
        graderOf('tests', {
          ...{ command: NODE.command, dialect: NODE.dialect },
          ...{ failToPass: ['adds numbers'], product: ['node', 'main.js'] },
        }),
      ],
      agents: {
        forger: forged,
        honest: `echo 'exports.add = (a, b) => a + b' > add.js`,
      },
    })
    const told = (name: string): unknown => {
      const [trial] = trials.get(name) ?? []
      return [trial?.outcome, trial?.grades[0]?.integrity]
    }
    expect(told('forger')).toEqual(['failed', 'isolated'])
    expect(told('honest')).toEqual(['passed', 'isolated'])
  })
})
