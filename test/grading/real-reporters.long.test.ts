/**
 * Named tests with real versions of vitest and jest from npm, in the sandbox: what they report about tests that pass,
 * fail, are skipped, come twice or are missing, and that work which ends the process does not pass.
 */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { hasBubblewrap } from '../../packages/sandbox/test/sandboxed.ts'
import { gradedWork, graderOf } from './graded-work.ts'

const VITEST = {
  dialect: 'vitest',
  command: ['node', 'node_modules/vitest/vitest.mjs', 'run'],
  product: 'add.mjs',
  right: 'export const add = (a, b) => a + b',
  wrong: 'export const add = (a, b) => a - b',
  exits: 'export const add = () => process.exit(0)',
  tests: 'add.test.mjs',
  head: `import { describe, expect, it, test } from 'vitest'\nimport { add } from './add.mjs'`,
}
const JEST = {
  dialect: 'jest',
  command: ['node', 'node_modules/jest/bin/jest.js', '--ci'],
  product: 'add.js',
  right: 'exports.add = (a, b) => a + b',
  wrong: 'exports.add = (a, b) => a - b',
  exits: 'exports.add = () => process.exit(0)',
  tests: 'add.test.js',
  head: `const { add } = require('./add.js')`,
}
const RUNNERS = {
  'vitest@1.6.1': VITEST,
  'vitest@2.1.9': VITEST,
  'vitest@3.2.4': VITEST,
  'vitest@5.1.0': VITEST,
  'jest@29.7.0': JEST,
  'jest@30.5.2': JEST,
}

const TESTS = `
describe('group', () => {
  describe('inner', () => {
    it('adds', () => {
      expect(add(1, 2)).toBe(3)
    })
  })
  test.each([[1], [2]])('adds nothing to %i', (n) => {
    expect(add(n, 0)).toBe(n)
  })
})
test('fails', () => {
  expect(1).toBe(2)
})
test.skip('is skipped', () => {})
test('comes twice', () => {})
test('comes twice', () => {})
`
/** The tests of the case, each with what an honest agent gets. */
const EXPECTED = {
  'group > inner > adds': 'passed',
  'group > adds nothing to 1': 'passed',
  'group > adds nothing to 2': 'passed',
  fails: 'failed',
  'is skipped': 'skipped',
  'comes twice': 'duplicated',
  'never comes': 'missing',
}

let installed: string
beforeEach(() => {
  installed = mkdtempSync(join(tmpdir(), 'installed-'))
  writeFileSync(join(installed, 'package.json'), '{"private":true}')
})
afterEach(() => rmSync(installed, { recursive: true, force: true }))

describe.runIf(hasBubblewrap)('the named tests of', () => {
  it.each(Object.entries(RUNNERS))('%s are read from its own reports', async (version, runner) => {
    const install = ['install', '--no-audit', '--no-fund', '--ignore-scripts', version]
    const npm = spawnSync('npm', install, { cwd: installed, encoding: 'utf8', timeout: 300_000 })
    expect(npm.status, npm.stderr).toBe(0)
    const { dialect, command, product, right, wrong, exits, tests, head } = runner
    const write = (text: string): string => `cat > ${product} <<'END'\n${text}\nEND`
    const named = { dialect, command, timeout: '60s' }
    const passing = Object.keys(EXPECTED).filter((name) => name.startsWith('group'))
    const trials = await gradedWork({
      files: { [product]: wrong },
      workspace: {
        ignore: ['node_modules/**'],
        folder: { path: installed, sha256: '' },
        hidden: { [tests]: `${head}\n${TESTS}` },
      },
      graders: [
        { ...graderOf('tests', { ...named, failToPass: Object.keys(EXPECTED) }), name: 'all' },
        { ...graderOf('tests', { ...named, failToPass: passing }), name: 'some' },
      ],
      agents: { honest: write(right), idle: 'true', exits: write(exits) },
    })
    const graded = (agent: string, name: string) =>
      trials.get(agent)?.[0]?.grades.find((grade) => grade.name === name)
    const all = graded('honest', 'all')
    expect(all?.score, all?.reason).toBeCloseTo(3 / 7)
    expect(all?.facts).toMatchObject({ tests: Object.entries(EXPECTED) })
    expect(graded('honest', 'some'), graded('honest', 'some')?.reason).toMatchObject({
      ...{ passed: true, score: 1 },
    })
    expect(graded('idle', 'some')?.passed).toBe(false)
    expect(graded('exits', 'some')).toMatchObject({ passed: false, score: 0 })
  })
})
