/**
 * The TypeScript pipeline: `tsc`, `node --test`, and eslint or oxlint. They are started directly, because npx would
 * add its own start-up time. The compiler is TypeScript 5.9, which most projects have. Version 7, and 5.9 without
 * Node's types, are measured too. Tests in vitest's style are run by vitest.
 */
import { execFileSync } from 'node:child_process'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Naive, Sample } from './pipeline.ts'

const own = join(import.meta.dirname, 'node_modules')
const project = join(import.meta.dirname, '../../node_modules')

const script = (...path: [string, ...string[]]): [string, ...string[]] => [
  process.execPath,
  ...path,
]
const TSC_59 = script(join(own, 'typescript/bin/tsc'))
const TSC_7 = script(join(project, 'typescript/bin/tsc'))
const ESLINT = script(join(own, 'eslint/bin/eslint.js'))
const OXLINT = script(join(project, 'oxlint/bin/oxlint'))
const VITEST = script(join(project, 'vitest/vitest.mjs'))

const BESIDE = 5

const tsconfig = (types: readonly string[]): string =>
  JSON.stringify({
    compilerOptions: {
      target: 'es2024',
      lib: ['es2024'],
      module: 'nodenext',
      strict: true,
      noEmit: true,
      allowImportingTsExtensions: true,
      skipLibCheck: true,
      types,
    },
    files: ['solution.ts'],
  })

const ESLINT_CONFIG = `
import { globalIgnores } from 'eslint/config'
import tseslint from 'typescript-eslint'
export default tseslint.config(globalIgnores(['*.js']), tseslint.configs.recommended)
`

export const typescript: Naive = {
  language: 'typescript',
  pipelines: [
    {
      name: 'tsc 5.9 + node --test + eslint',
      commands: ['tsc 5.9', 'node --test', 'eslint'],
      target: 20,
    },
    {
      name: 'tsc 5.9 + node --test + oxlint',
      commands: ['tsc 5.9', 'node --test', 'oxlint'],
      target: 10,
    },
    {
      name: 'tsc 5.9 without Node’s types + node --test + oxlint',
      commands: ['tsc 5.9 without Node’s types', 'node --test', 'oxlint'],
      target: null,
    },
    {
      name: 'tsc 7 + node --test + eslint',
      commands: ['tsc 7', 'node --test', 'eslint'],
      target: null,
    },
    {
      name: 'tsc 7 + node --test + oxlint',
      commands: ['tsc 7', 'node --test', 'oxlint'],
      target: null,
    },
    { name: 'for scale: node -e 0', commands: ['node -e 0'], target: null },
  ],

  prepare(root) {
    execFileSync('npm', ['ci', '--no-audit', '--no-fund'], {
      cwd: import.meta.dirname,
      stdio: ['ignore', 'ignore', 'inherit'],
    })
    mkdirSync(join(root, 'node_modules'))
    for (const name of ['@types', 'eslint', 'typescript', 'typescript-eslint'])
      symlinkSync(join(own, name), join(root, 'node_modules', name))
    symlinkSync(join(project, 'vitest'), join(root, 'node_modules/vitest'))
    writeFileSync(join(root, 'package.json'), '{ "type": "module" }')
    writeFileSync(join(root, 'eslint.config.js'), ESLINT_CONFIG)
  },

  commands(sample) {
    const tests = sample.case.tests ?? callsAsTests(sample)
    const isVitest = /from ['"]vitest['"]/.test(tests)
    return {
      files: {
        'solution.ts': sample.code,
        'solution.test.ts': tests,
        'tsconfig.json': tsconfig(['node']),
        'tsconfig.bare.json': tsconfig([]),
        ...sample.case.files,
        ...sample.beside,
      },
      compile: [
        { name: 'tsc 5.9', argv: [...TSC_59, '-p', '.'] },
        {
          name: 'tsc 5.9 without Node’s types',
          argv: [...TSC_59, '-p', 'tsconfig.bare.json'],
          every: BESIDE,
        },
        { name: 'tsc 7', argv: [...TSC_7, '-p', '.'], every: BESIDE },
        { name: 'node -e 0', argv: script('-e', '0'), every: BESIDE },
      ],
      test: isVitest
        ? { name: 'vitest', argv: [...VITEST, 'run', '--root', '.'], foreign: true }
        : { name: 'node --test', argv: script('--test', 'solution.test.ts') },
      lint: [
        { name: 'eslint', argv: [...ESLINT, 'solution.ts'] },
        { name: 'oxlint', argv: [...OXLINT, 'solution.ts'] },
      ],
    }
  },
}

const CLOSE = `
function close(result, expected, tolerance) {
  if (!Array.isArray(expected)) return assert.ok(Math.abs(result - expected) <= tolerance)
  assert.equal(result.length, expected.length)
  for (const [at, one] of expected.entries()) close(result[at], one, tolerance)
}
`

/**
 * Returns test source for tests that the suite gives as data (calls with expected results), as a person would write it.
 */
function callsAsTests({ case: { calls, entryPoint } }: Sample): string {
  const tests = calls.map(({ args, returns, throws, tolerance }, at) => {
    const call = `solution.${entryPoint}(...${JSON.stringify(args)})`
    const check =
      throws !== undefined
        ? `assert.throws(() => ${call}, { name: ${JSON.stringify(throws)} })`
        : tolerance !== undefined
          ? `close(${call}, ${JSON.stringify(returns)}, ${tolerance})`
          : `assert.deepStrictEqual(${call}, ${JSON.stringify(returns)})`
    return `test('${at + 1}', () => { ${check} })`
  })
  return [
    `import { test } from 'node:test'`,
    `import assert from 'node:assert/strict'`,
    `import * as solution from './solution.ts'`,
    CLOSE,
    ...tests,
  ].join('\n')
}
