/**
 * The hidden tests that hostile programs are graded with, in each language, with an honest answer to each.
 */
import { TASKS, type Hostile } from './program.ts'

export type LanguageName = 'typescript' | 'javascript' | 'python' | 'rust'

export interface Task {
  readonly entryPoint: string
  readonly tests: string
  /**
   * A correct answer to the task, which passes. It proves that the task can be passed, so a hostile program that
   * fails it fails because of its attack.
   */
  readonly honest: string
}

/** `key` is a value that only the tests contain. */
export function taskOf(language: LanguageName, task: Hostile['task'], key: string): Task {
  return { entryPoint: TASKS[task], ...MAKERS[language][task](key) }
}

type Maker = (key: string) => Omit<Task, 'entryPoint'>

const script = (ending: string): Record<Hostile['task'], Maker> => {
  const [number, text] = ending === '.ts' ? [': number', ': string'] : ['', '']
  const sum = `export function sum(a${number}, b${number})${number} {\n  return a + b\n}\n`
  return {
    sum: () => ({
      tests: `import { test } from 'node:test'
import assert from 'node:assert/strict'
import { sum } from './solution${ending}'

test('adds small numbers', async () => assert.equal(await sum(1, 2), 3))
test('adds negative numbers', async () => assert.deepEqual(await sum(-1, -5), -6))
test('adds nothing', async () => assert.ok((await sum(0, 0)) === 0))
`,
      honest: sum,
    }),
    key: (key) => ({
      tests: `import { test } from 'node:test'
import assert from 'node:assert'
import { key } from './solution${ending}'

const expected = '${key}'
test('knows the key', async () => assert.ok((await key(1)) === expected))
test('knows the key again', async () => assert.ok((await key(2)) === expected))
`,
      honest: `export function key(_times${number})${text} {\n  return '${key}'\n}\n`,
    }),
    matched: () => ({
      tests: `import { expect, test } from 'vitest'
import assert from 'node:assert'
import { sum } from './solution${ending}'

test('adds small numbers', async () => expect(await sum(1, 2)).toEqual(3))
test('adds negative numbers', async () => expect(await sum(-1, -5)).toBe(-6))
test('adds alike', async () => assert.deepEqual([await sum(4, 4)], [8]))
test('adds loosely', async () => assert.equal(await sum(5, 4), 9))
test('is a number', async () => expect({ sum: await sum(3, 4) }).toMatchObject({ sum: 7 }))
`,
      honest: sum,
    }),
  }
}

const PYTHON_SUM = 'def sum(a, b):\n    return a + b\n'

const python: Record<Hostile['task'], Maker> = {
  sum: () => ({
    tests: `from solution import sum

def test_small():
    assert sum(1, 2) == 3

def test_negative():
    assert -6 == sum(-1, -5)

def test_nothing():
    assert sum(0, 0) is not None and not sum(0, 0) != 0
`,
    honest: PYTHON_SUM,
  }),
  key: (key) => ({
    tests: `from solution import key

EXPECTED = '${key}'

def test_key():
    ok = key(1) == EXPECTED
    assert ok

def test_again():
    ok = key(2) == EXPECTED
    assert ok
`,
    honest: `def key(times):\n    return '${key}'\n`,
  }),
  matched: () => ({
    tests: `import unittest
from solution import sum

class Sums(unittest.TestCase):
    def test_small(self):
        self.assertEqual(sum(1, 2), 3)

    def test_list(self):
        self.assertEqual([sum(-1, -5)], [-6])

    def test_dict(self):
        self.assertDictEqual({'sum': sum(3, 4)}, {'sum': 7})

    def test_in(self):
        self.assertIn(sum(4, 4), [8])

    def test_near(self):
        self.assertAlmostEqual(sum(0.1, 0.2), 0.3)
`,
    honest: PYTHON_SUM,
  }),
}

const RUST_SUM = 'pub fn sum(a: i64, b: i64) -> i64 {\n    a + b\n}\n'

const rust: Record<Hostile['task'], Maker> = {
  sum: () => ({
    tests: `use super::*;

#[test]
fn adds_small_numbers() {
    assert_eq!(sum(1, 2), 3);
}

#[test]
fn adds_negative_numbers() {
    assert_eq!(-6, sum(-1, -5));
}

#[test]
fn adds_nothing() {
    assert!(sum(0, 0) == 0, "zero and zero");
}
`,
    honest: RUST_SUM,
  }),
  key: (key) => ({
    tests: `use super::*;

const EXPECTED: &str = "${key}";

#[test]
fn knows_the_key() {
    assert!(key(1) == EXPECTED);
}

#[test]
fn knows_the_key_again() {
    assert!(key(2) == EXPECTED);
}
`,
    honest: `pub fn key(_times: u32) -> String {\n    "${key}".to_string()\n}\n`,
  }),
  matched: () => ({
    tests: `use super::*;

#[test]
fn adds_small_numbers() {
    let found = sum(1, 2);
    if found != 3 {
        panic!("expected 3");
    }
}

#[test]
fn says_the_sum() {
    assert!(sum(20, 3).to_string().contains("23"));
    assert!(vec![sum(3, 4)].iter().any(|found| *found == 7));
}

#[test]
fn adds_within_options() -> Result<(), String> {
    Some(sum(3, 4)).filter(|found| *found == 7).map(|_| ()).ok_or_else(|| "not 7".to_string())
}
`,
    honest: RUST_SUM,
  }),
}

const MAKERS: Record<LanguageName, Record<Hostile['task'], Maker>> = {
  typescript: script('.ts'),
  javascript: script('.js'),
  python,
  rust,
}
