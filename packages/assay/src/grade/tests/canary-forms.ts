/** How canaries (added tests with a known result) are written in each language and test library. */
import { blockOf, changedBlock, escaped, LITERAL } from './change-literal.ts'
import type { CanaryForm, PlainTest } from './dialect.ts'

/** Returns the body of an added test in a language. */
const bodyOf = (
  { what }: PlainTest,
  forms: {
    readonly passes: string
    readonly fails: string
    readonly holds: (text: string) => string
  },
): string => (typeof what === 'string' ? forms[what] : forms.holds(what.expression))

// ── JavaScript and TypeScript ────────────────────────────────────────────────────────────────────────

const JS_PATHS = /\.[cm]?[jt]sx?$/u
const JS_TESTS = /(?:^|[^\w.])(?:test|it)\s*\(/mu
const JS_EQUAL = new RegExp(
  String.raw`^(.*\b(?:equal|strictEqual|deepEqual|deepStrictEqual|is|toBe|toEqual|toStrictEqual)\((?:.*,\s*)?)(${LITERAL})(\)[);,\s}]*)$`,
  'u',
)

function changedJs(source: string, leaf: string, name: string): string | null {
  const lines = source.split('\n')
  const title = [`'`, `"`, '`'].map((quote) => `${quote}${escaped(leaf)}${quote}`).join('|')
  const opening = new RegExp(String.raw`^\s*(?:test|it)\(\s*(?:${title})\s*,`, 'u')
  const block = blockOf(lines, opening, /^\}\);?$/u)
  const copy = block === null ? null : changedBlock(lines, block, JS_EQUAL)
  if (block === null || copy === null) return null
  const renamed = (copy[0] ?? '').replace(new RegExp(title, 'u'), () => JSON.stringify(name))
  return [...lines.slice(0, block.end), renamed, ...copy.slice(1), ...lines.slice(block.end)].join(
    '\n',
  )
}

const isModule = (source: string): boolean => /^\s*(?:import|export)\b/mu.test(source)

/** `library` says how to import `test` and an assertion. It is null if both are global. */
const js = (library: {
  readonly imports: string
  readonly requires: string
  readonly test: string
  readonly fails: string
}): CanaryForm => ({
  paths: JS_PATHS,
  tests: JS_TESTS,
  changed: changedJs,
  plain: (source, tests) =>
    [
      '',
      isModule(source) ? library.imports : library.requires,
      ...tests.map((one) => {
        const holds = (text: string): string => `if (!(${text})) throw new Error('false')`
        const body = bodyOf(one, { passes: '', fails: library.fails, holds })
        return `${library.test}(${JSON.stringify(one.name)}, async () => { ${body} })`
      }),
      '',
    ].join('\n'),
})

export const NODE_TEST_FORM = js({
  imports: `import { test as assayTest } from 'node:test'\nimport assayAssert from 'node:assert'`,
  requires: `const { test: assayTest } = require('node:test'), assayAssert = require('node:assert')`,
  test: 'assayTest',
  fails: 'assayAssert.strictEqual(1, 2)',
})

export const VITEST_FORM = js({
  imports: `import { test as assayTest, expect as assayExpect } from 'vitest'`,
  requires: `const { test: assayTest, expect: assayExpect } = require('vitest')`,
  test: 'assayTest',
  fails: 'assayExpect(1).toBe(2)',
})

export const JEST_FORM = js({ imports: '', requires: '', test: 'test', fails: 'expect(1).toBe(2)' })

// ── Python ───────────────────────────────────────────────────────────────────────────────────────────

const PY_ASSERT = new RegExp(String.raw`^(\s*assert\s.*[^=!<>]==\s*)(${LITERAL})(\s*)$`, 'u')
const PY_EQUAL = new RegExp(String.raw`^(\s*self\.assertEqual\(.*,\s*)(${LITERAL})(\)\s*)$`, 'u')

function changedPython(source: string, leaf: string, name: string): string | null {
  const lines = source.split('\n')
  const opening = new RegExp(String.raw`^\s*def\s+${escaped(leaf)}\s*\(`, 'u')
  const block = blockOf(lines, opening, null)
  if (block === null || /^\s*@/u.test(lines[block.first - 1] ?? '')) return null
  const copy = changedBlock(lines, block, PY_EQUAL) ?? changedBlock(lines, block, PY_ASSERT)
  if (copy === null) return null
  const renamed = (copy[0] ?? '').replace(opening, (head) => head.replace(leaf, () => name))
  return [...lines.slice(0, block.end), renamed, ...copy.slice(1), ...lines.slice(block.end)].join(
    '\n',
  )
}

const PY_TESTS = /^\s*def\s+test/mu

export const PYTEST_FORM: CanaryForm = {
  paths: /\.py$/u,
  tests: PY_TESTS,
  changed: changedPython,
  plain: (_, tests) =>
    [
      '',
      ...tests.flatMap((one) => {
        const holds = (text: string): string => `assert (${text})`
        return [
          `def ${one.name}():`,
          `    ${bodyOf(one, { passes: 'pass', fails: 'assert 1 == 2', holds })}`,
        ]
      }),
      '',
    ].join('\n'),
}

export const UNITTEST_FORM: CanaryForm = {
  ...PYTEST_FORM,
  plain: (_, tests) =>
    [
      '',
      'import unittest as _assay_unittest',
      `class ${tests[0]?.name ?? ''}_case(_assay_unittest.TestCase):`,
      ...tests.flatMap((one) => {
        const holds = (text: string): string => `self.assertTrue((${text}))`
        const fails = 'self.assertEqual(1, 2)'
        return [
          `    def ${one.name}(self):`,
          `        ${bodyOf(one, { passes: 'pass', fails, holds })}`,
        ]
      }),
      '',
    ].join('\n'),
}

// ── Rust ─────────────────────────────────────────────────────────────────────────────────────────────

const RUST_EQUAL = new RegExp(String.raw`^(\s*assert_eq!\(.*,\s*)(${LITERAL})(\);\s*)$`, 'u')

export const RUST_FORM: CanaryForm = {
  paths: /\.rs$/u,
  tests: /^\s*#\[test\]/mu,
  changed(source, leaf, name) {
    const lines = source.split('\n')
    const opening = new RegExp(String.raw`^\s*(?:pub\s+)?fn\s+${escaped(leaf)}\s*\(\)`, 'u')
    const block = blockOf(lines, opening, /^\}$/u)
    if (block === null || !/^\s*#\[test\]\s*$/u.test(lines[block.first - 1] ?? '')) return null
    const copy = changedBlock(lines, block, RUST_EQUAL)
    if (copy === null) return null
    const renamed = (copy[0] ?? '').replace(opening, (head) => head.replace(leaf, () => name))
    const mark = lines[block.first - 1] ?? ''
    return [
      ...lines.slice(0, block.end),
      mark,
      renamed,
      ...copy.slice(1),
      ...lines.slice(block.end),
    ].join('\n')
  },
  plain: (_, tests) =>
    [
      '',
      ...tests.flatMap((one) => {
        const holds = (text: string): string => `assert!(${text});`
        return [
          '#[test]',
          `fn ${one.name}() { ${bodyOf(one, { passes: '', fails: 'assert_eq!(1, 2);', holds })} }`,
        ]
      }),
      '',
    ].join('\n'),
}
