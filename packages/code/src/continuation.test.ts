/**
 * Tests cases without an entry point whose answers are continuations, which means that an answer continues its
 * prompt. The tests must call the answer's function and no other one, in every language and at both integrity
 * levels. The reference is never loaded in a process that decides about an answer.
 *
 * The tests also cover the prompt given to the tests in `python/tester.py` and `python/beside.py` (isolated and
 * in-process) and in `test-source.ts` with `evaluate.ts` (both levels); Rust, where tests get no prompt; answers as
 * text, as a fenced program and as files, which do not begin with the prompt; cases with and without a reference;
 * helpers and classes of the prompt; functions named like built-in ones.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Case } from '@assay/contract'
import { openSandbox, type Sandbox } from '@assay/sandbox'
import { fakeCase } from '../../assay/test/fakes.ts'
import { judged } from '../../assay/test/grade-answer.ts'
import { hasBubblewrap } from '../../sandbox/test/sandboxed.ts'
import { languageByName } from './languages.ts'
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

type Row = Pick<Case, 'language' | 'turns' | 'tests'> & Partial<Case>
type Integrity = 'auto' | 'isolated' | 'in-process'
let cases = 0

async function passes(
  row: Row,
  answer: string,
  integrity: Integrity = 'auto',
  files: Record<string, string> = {},
): Promise<boolean | null> {
  const one = fakeCase(`c${++cases}`, { continuation: true, lint: 'off', faulty: [], ...row })
  const { passed } = await judged('code', { integrity }, answer, { case: one, files }, { sandbox })
  return passed
}

interface Language {
  readonly row: Row
  readonly right: readonly string[]
  readonly wrong: readonly string[]
  readonly files: Record<string, string>
}

const PYTHON: Language = {
  row: {
    language: 'python',
    turns: ['def inc(x):\n    """Returns x + 1."""\n'],
    tests: 'assert inc(1) == 2\n',
    reference: '    return x + 1\n',
  },
  right: [
    '    return x + 1\n',
    '```python\ndef inc(x):\n    return x + 1\n```',
    'def inc(x):\n    return 1 + x\n',
  ],
  wrong: [
    '    return None\n',
    '    pass\n',
    '    return x + 2\n',
    '    raise ValueError(x)\n',
    '```python\ndef increment(x):\n    return x + 1\n```',
  ],
  files: { 'solution.py': 'def other(x):\n    return x + 1\n' },
}

const script = (language: 'typescript' | 'javascript'): Language => {
  const number = language === 'typescript' ? ': number' : ''
  return {
    row: {
      language,
      turns: [`// Returns x + 1.\nfunction inc(x${number})${number} {\n`],
      tests: "const assert = require('node:assert')\nassert.equal(inc(1), 2)\n",
      reference: '  return x + 1\n}\n',
    },
    right: [
      '  return x + 1\n}\n',
      `\`\`\`js\nexport function inc(x${number})${number} {\n  return 1 + x\n}\n\`\`\``,
    ],
    wrong: [
      '  return 0\n}\n',
      '  return x + 2\n}\n',
      "  throw new Error('no')\n}\n",
      `export const scope = () => {\n  function inc(x${number})${number} {\n    return x + 1\n  }\n  return inc\n}\n`,
    ],
    files: {
      [language === 'typescript' ? 'solution.ts' : 'solution.js']:
        `export function other(x${number})${number} {\n  return x + 1\n}\n`,
    },
  }
}

const RUST: Language = {
  row: {
    language: 'rust',
    turns: ['/// Returns x + 1.\npub fn inc(x: i64) -> i64 {\n'],
    tests: 'use super::*;\n#[test]\nfn adds() {\n    assert_eq!(inc(1), 2);\n}\n',
    reference: '    x + 1\n}\n',
  },
  right: ['    x + 1\n}\n'],
  wrong: ['    0\n}\n', '    x + 2\n}\n', '    panic!("{x}")\n}\n'],
  files: { 'solution.rs': 'pub fn other(x: i64) -> i64 {\n    x + 1\n}\n' },
}

const LANGUAGES = [PYTHON, script('typescript'), script('javascript'), RUST]

for (const language of LANGUAGES)
  describe.skipIf(!(await isReady(language.row.language ?? '')))(
    `a continuation in ${language.row.language}`,
    () => {
      const integrities =
        language === RUST ? (['auto'] as const) : (['isolated', 'in-process'] as const)
      it.each(integrities)('is judged by the answer alone, integrity %s', async (integrity) => {
        const { row, right, wrong, files } = language
        for (const reference of [row.reference ?? null, null]) {
          const one = { ...row, reference }
          for (const answer of right) expect(await passes(one, answer, integrity)).toBe(true)
          for (const answer of wrong) expect(await passes(one, answer, integrity)).toBe(false)
          expect(await passes(one, '', integrity, files)).toBe(false)
        }
      })
    },
  )

describe.skipIf(!(await isReady('python')))('what tests take from a Python prompt', () => {
  const POLY =
    'import math\n\n\ndef poly(xs, x):\n    return sum(c * x ** i for i, c in enumerate(xs))\n\n\n'
  const zero: Row = {
    language: 'python',
    turns: [`${POLY}def find_zero(xs):\n    """Finds x with\ndef poly(xs, x) == 0\n    """\n`],
    tests:
      'def check(candidate):\n    assert math.fabs(poly([-6, 2], candidate([-6, 2]))) < 1e-4\n\ncheck(find_zero)\n',
    reference: '    return -xs[0] / xs[1]\n',
  }

  it.each(['isolated', 'in-process'] as const)(
    'are its helpers, not those of the answer, integrity %s',
    async (integrity) => {
      expect(await passes(zero, zero.reference ?? '', integrity)).toBe(true)
      const lying =
        '```python\ndef poly(xs, x):\n    return 0\ndef find_zero(xs):\n    return 7.0\n```'
      expect(await passes(zero, lying, integrity)).toBe(false)
      // Helpers of the prompt do arithmetic with the value that the answer returns.
      const nothing = 'pow rpow mul rmul add radd sub rsub'.replaceAll(/\w+/g, '__$&__').split(' ')
      const object = `\`\`\`python\nclass Nothing:\n    ${nothing.join(' = ')} = lambda *a: 0\ndef find_zero(xs):\n    return Nothing()\n\`\`\``
      expect(await passes(zero, object, integrity)).toBe(false)
    },
  )

  it.each(['isolated', 'in-process'] as const)(
    'are no classes: those are the answer’s, integrity %s',
    async (integrity) => {
      const row: Row = {
        language: 'python',
        turns: [
          'class Node:\n    def __init__(self, value, rest=None):\n        self.value, self.rest = value, rest\n    def __eq__(self, other):\n        return isinstance(other, Node) and (self.value, self.rest) == (other.value, other.rest)\n\n\ndef push(node, value):\n',
        ],
        tests: 'assert push(Node(1), 2) == Node(2, Node(1))\n',
        reference: null,
      }
      expect(await passes(row, '    return Node(value, node)\n', integrity)).toBe(true)
      expect(await passes(row, '    return Node(node, value)\n', integrity)).toBe(false)
      // The prompt ends with the function's header. This answer repeats the header and adds the body.
      const whole = '```python\ndef push(node, value):\n    return Node(value, node)\n```'
      expect(await passes(row, whole, integrity)).toBe(true)
    },
  )

  it.each(['isolated', 'in-process'] as const)(
    'is the answer’s function also where Python has one of that name, integrity %s',
    async (integrity) => {
      const row: Row = {
        language: 'python',
        turns: ['def sorted(xs):\n    """Sorts in descending order; let n be the length."""\n'],
        tests: 'assert sorted([1, 2]) == [2, 1]\nassert sorted([]) == []\n',
        reference: null,
      }
      expect(await passes(row, '    return xs[::-1]\n', integrity)).toBe(true)
      expect(await passes(row, '    return xs\n', integrity)).toBe(false)
      // As in MBPP, only the tests and the reference show the function's name.
      const named: Row = {
        language: 'python',
        continuation: false,
        turns: ['Write a function to add two numbers.'],
        tests: 'assert sum(1, 2) == 3\n',
        reference: 'def sum(a, b):\n    return a + b\n',
      }
      expect(await passes(named, 'def sum(a, b):\n    return b + a\n', integrity)).toBe(true)
      expect(await passes(named, 'def sum(a, b):\n    return b - a\n', integrity)).toBe(false)
      const builtIn = { ...named, tests: 'assert sum([1, 2]) == 3\n' }
      expect(await passes(builtIn, 'def total(xs):\n    return 0\n', integrity)).toBe(false)
    },
  )
})
