/**
 * Test files taken from real projects import the solution by the module name of that project, not as `solution`. Also
 * covered: isolated and in-process Python, dotted names, mocks by name, a module given by the case, Rust paths with and
 * without `use`, relative imports and `require` in JavaScript, an ambiguous name.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Case } from '@assay/contract'
import { openSandbox, type Sandbox } from '@assay/sandbox'
import { fakeCase } from '../../assay/test/fakes.ts'
import { judged } from '../../assay/test/grade-answer.ts'
import { hasBubblewrap } from '../../sandbox/test/sandboxed.ts'
import { solutionModule } from './extract/needs.ts'
import { languageByName } from './languages.ts'
import { rust } from './languages/rust/rust.ts'
import { python } from './languages/python/python.ts'
import { closeTools } from './open-tools.ts'

const isReady = async (name: string): Promise<boolean> =>
  hasBubblewrap &&
  ((await languageByName(name)?.inspect()) ?? []).every(({ how }) => how === undefined)

let sandbox: Sandbox
beforeAll(async () => {
  if (hasBubblewrap) sandbox = await openSandbox('auto')
})
afterAll(async () => {
  await closeTools()
  await sandbox?.close()
})

const PYTHON = {
  right: `def upper(w):\n    return w[0].upper()\n\n\ndef abbreviate(words):\n    return ''.join(upper(w) for w in words.split())\n`,
  wrong: 'def upper(w):\n    return w\n\n\ndef abbreviate(words):\n    return words\n',
}
const RUST = {
  right:
    "pub fn abbreviate(s: &str) -> String { s.split(' ').filter_map(|w| w.chars().next()).collect() }",
  wrong: 'pub fn abbreviate(s: &str) -> String { s.to_string() }',
}
const TYPESCRIPT = {
  right: "export const parse = (s: string): string => s.split(' ').map((w) => w[0]).join('')",
  wrong: 'export const parse = (s: string): string => s',
}
const JAVASCRIPT = {
  right: "const parse = (s) => s.split(' ').map((w) => w[0]).join('')\nmodule.exports = { parse }",
  wrong: 'module.exports.parse = (s) => s',
}

const UNITTEST = `import unittest

from acronym import (
    abbreviate,
)


class AcronymTest(unittest.TestCase):
    def test_basic(self):
        self.assertEqual(abbreviate("Portable Network Graphics"), "PNG")


if __name__ == "__main__":
    unittest.main()
`
const DOTTED = `from unittest import mock
import src.pkg.acronym as m
from src.pkg.acronym import abbreviate

def test_basic():
    assert abbreviate("a b") == "AB" == m.abbreviate("a b")

def test_patch():
    with mock.patch('src.pkg.acronym.upper', lambda x: 'x'):
        assert abbreviate("a b") == "xx"
`
const GIVEN = `import numpy_like\nfrom words import abbreviate\n\ndef test_it():\n    assert abbreviate("a b") == "AB"\n`
const NAMESAKE =
  'use abbreviate::abbreviate;\n#[test]\nfn basic() {\n    assert_eq!(abbreviate("Portable Network Graphics"), "PNG");\n}\n'
const INTEGRATION = `use acronym::*;
use std::collections::HashMap;

#[test]
fn empty() {
    let _m: HashMap<u8, u8> = HashMap::new();
    assert_eq!(acronym::abbreviate(""), "");
}

#[test]
fn basic() {
    assert_eq!(abbreviate("Portable Network Graphics"), "PNG");
}
`
const UNIT = `#[cfg(test)]\nmod tests {\n    use super::*;\n    #[test]\n    fn basic() { assert_eq!(abbreviate("A B"), "AB"); }\n}\n`
const NAMED = `import { describe, expect, it } from 'vitest'
import { parse } from './acronym'
describe('acronym', () => { it('is short', () => { expect(parse('Portable Network')).toEqual('PN') }) })`
const REQUIRED = `const { parse } = require('../src/acronym');
describe('acronym', () => { it('is short', () => { expect(parse('Portable Network')).toEqual('PN') }) })`

type Row = [string, Pick<Case, 'language' | 'tests'> & Partial<Case>, typeof PYTHON, string?]
const ROWS: Row[] = [
  ['from acronym import (…)', { language: 'python', tests: UNITTEST }, PYTHON],
  ['from acronym import (…)', { language: 'python', tests: UNITTEST }, PYTHON, 'inventory'],
  ['a dotted name', { language: 'python', tests: DOTTED }, PYTHON],
  ['a dotted name', { language: 'python', tests: DOTTED }, PYTHON, 'inventory'],
  [
    'the name that the case gives',
    {
      language: 'python',
      tests: GIVEN.replace('import numpy_like\n', 'import helper\n'),
      files: { 'helper.py': '' },
      module: 'words',
    },
    PYTHON,
  ],
  ['use acronym::*', { language: 'rust', tests: INTEGRATION }, RUST],
  ['unit tests', { language: 'rust', tests: UNIT }, RUST],
  ['a function that is called like its crate', { language: 'rust', tests: NAMESAKE }, RUST],
  ["import from './acronym'", { language: 'typescript', tests: NAMED }, TYPESCRIPT],
  ["require('../src/acronym')", { language: 'javascript', tests: REQUIRED }, JAVASCRIPT],
]

for (const name of ['python', 'rust', 'typescript', 'javascript'])
  describe.skipIf(!(await isReady(name)))(`${name} tests that name the module`, () => {
    it.each(ROWS.filter(([, { language }]) => language === name))(
      'resolve to the solution: %s',
      async (_, row, { right, wrong }, integrity = 'auto') => {
        const one = fakeCase('acronym', { lint: 'off', faulty: [], ...row })
        const grade = async (answer: string): Promise<boolean | null> =>
          (await judged('code', { integrity }, answer, { case: one, files: {} }, { sandbox }))
            .passed
        expect(await grade(right)).toBe(true)
        expect(await grade(wrong)).toBe(false)
      },
    )
  })

describe('the module that the tests mean', () => {
  it('may have another name in Rust tests', () => {
    const named = (tests: string): string | null =>
      solutionModule(fakeCase('x', { tests, language: 'rust' }), rust)
    expect(named('use word_count as words;\nfn f() { words::count(1) }')).toBe('word_count')
    expect(named('extern crate word_count as words;\nfn f() { words::count(1) }')).toBe(
      'word_count',
    )
    expect(named('use word_count::word_count;\nfn f() { word_count(1) }')).toBe('word_count')
  })

  const found = (tests: string, own: Partial<Case> = {}): string | null =>
    solutionModule(fakeCase('acronym', { tests, language: 'python', ...own }), python)

  it('is the one that nobody else provides, or that is called like the case, else it must be given', () => {
    expect(found('import pytest, json\nfrom acronym import f')).toBe('acronym')
    expect(found('from helper import g\nfrom two_fer import f')).toBeNull()
    expect(found('from helper import g\nfrom acronym import f')).toBe('acronym')
    expect(
      found('from helper import g\nfrom two_fer import f', { files: { 'helper.py': '' } }),
    ).toBe('two_fer')
    expect(found('from a import g\nfrom b import f', { reference: 'def f():\n    pass' })).toBe('b')
    expect(found('from a import g\nfrom b import f', { module: 'a' })).toBe('a')
    expect(found('from solution import f\nfrom b import f')).toBe('solution')
  })
})
