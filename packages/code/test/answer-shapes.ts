/**
 * Answers in the shapes that models write, for one small problem in each language. For every answer, the right code
 * is known.
 */
import type { Case } from '@assay/contract'

export interface Material {
  readonly language: 'python' | 'typescript' | 'javascript' | 'rust'
  readonly fence: string
  /** What names the right definition: the tests of a case, in several forms. */
  readonly cases: readonly Partial<Case>[]
  /** The right code, and a shorter and a longer version that are right too. */
  readonly right: string
  /** A draft that defines the same names and is wrong. */
  readonly draft: string
  /** The right code with its body left out. */
  readonly sketch: string
  /** Examples of use: short ones, and one that is longer than the definition. */
  readonly usage: string
  readonly example: string
  /** The right code in two parts that need each other. */
  readonly parts: readonly [string, string]
  /** Two files, with the main one first. */
  readonly files: readonly { readonly path: string; readonly code: string }[]
}

const long = (line: (n: number) => string): string =>
  Array.from({ length: 12 }, (_, n) => line(n)).join('\n')

export const MATERIAL: readonly Material[] = [
  {
    language: 'python',
    fence: 'python',
    cases: [
      {
        tests:
          'from solution import count_words\n\nassert count_words("a b a") == {"a": 2, "b": 1}\n',
      },
      {
        tests:
          'import unittest\nfrom word_count import (\n    count_words,\n)\n\nclass T(unittest.TestCase):\n    def test_a(self):\n        result = count_words("a")\n        self.assertEqual(result, {"a": 1})\n',
      },
      {
        tests:
          'import word_count as wc\n\ndef test_a():\n    assert wc.count_words("a") == {"a": 1}\n',
      },
      { tests: 'def test_a():\n    assert count_words("a") == {"a": 1}\n' },
      {
        tests: 'def check(candidate):\n    assert candidate("a") == {"a": 1}\n',
        entryPoint: 'count_words',
      },
    ],
    right:
      'from collections import Counter\n\n\ndef count_words(sentence):\n    """Counts the words.\n\n    >>> count_words("a b a")\n    {\'a\': 2, \'b\': 1}\n    """\n    return dict(Counter(sentence.split()))',
    draft: 'def count_words(sentence):\n    return {word: 1 for word in sentence.split()}',
    sketch: 'def count_words(sentence):\n    # ... as before\n    return counts',
    usage: 'print(count_words("the cat the dog"))',
    example: `if __name__ == "__main__":\n${long((n) => `    print(count_words("sentence number ${n} with a number of words"))`)}`,
    parts: [
      'import re\n\nWORD = re.compile(r"[a-z]+")\n\n\ndef words_of(sentence):\n    return WORD.findall(sentence.lower())',
      'def count_words(sentence):\n    counts = {}\n    for word in words_of(sentence):\n        counts[word] = counts.get(word, 0) + 1\n    return counts',
    ],
    files: [
      {
        path: 'word_count.py',
        code: 'from tokens import words_of\n\n\ndef count_words(sentence):\n    return {w: words_of(sentence).count(w) for w in words_of(sentence)}',
      },
      { path: 'tokens.py', code: 'def words_of(sentence):\n    return sentence.split()' },
    ],
  },
  {
    language: 'typescript',
    fence: 'typescript',
    cases: [
      {
        tests:
          "import { countWords } from './solution.ts'\nimport assert from 'node:assert'\nassert.deepEqual(countWords('a'), { a: 1 })",
      },
      {
        tests:
          "import { describe, expect, it } from 'vitest'\nimport {\n  countWords,\n  type Counts,\n} from './word-count'\n\ndescribe('x', () => { it('y', () => { const r: Counts = countWords('a'); expect(r).toEqual({ a: 1 }) }) })",
      },
      {
        tests:
          "import * as words from '../src/word-count'\ntest('y', () => { expect(words.countWords('a')).toEqual({ a: 1 }) })",
      },
      {
        tests:
          "const { countWords } = require('./word-count')\ntest('y', () => { expect(countWords('a')).toEqual({ a: 1 }) })",
      },
      {
        tests:
          "test('y', () => { const result = countWords('a'); expect(result).toEqual({ a: 1 }) })",
      },
    ],
    right:
      "export type Counts = Record<string, number>\n\n/** Counts the words. */\nexport function countWords(sentence: string): Counts {\n  const counts: Counts = {}\n  for (const word of sentence.split(' ')) counts[word] = (counts[word] ?? 0) + 1\n  return counts\n}",
    draft:
      'export type Counts = Record<string, number>\nexport const countWords = (sentence: string): Counts => ({ [sentence]: 1 })',
    sketch:
      'export type Counts = Record<string, number>\nexport function countWords(sentence: string): Counts {\n  // ... same as above\n}',
    usage: "console.log(countWords('the cat the dog'))",
    example: `async function main() {\n${long((n) => `  console.log('run', ${n}, countWords('sentence number ${n} with a number of words'))`)}\n}\nmain()`,
    parts: [
      'export type Counts = Record<string, number>\n\nexport interface Options {\n  lower: boolean\n}\n\nexport function wordsOf(sentence: string, options: Options): string[] {\n  return (options.lower ? sentence.toLowerCase() : sentence).split(" ")\n}',
      'export function countWords(sentence: string, options: Options = { lower: true }): Counts {\n  const counts: Counts = {}\n  for (const word of wordsOf(sentence, options)) counts[word] = (counts[word] ?? 0) + 1\n  return counts\n}',
    ],
    files: [
      {
        path: 'word-count.ts',
        code: "import { wordsOf } from './tokens'\nexport type Counts = Record<string, number>\nexport const countWords = (s: string): Counts => Object.fromEntries(wordsOf(s).map((w) => [w, 1]))",
      },
      { path: 'tokens.ts', code: "export const wordsOf = (s: string): string[] => s.split(' ')" },
    ],
  },
  {
    language: 'rust',
    fence: 'rust',
    cases: [
      {
        tests:
          'use word_count::*;\n#[test]\nfn a() { let result = count_words("a"); assert_eq!(result.len(), 1); }',
      },
      {
        tests:
          'use word_count::{count_words, Counts};\n#[test]\nfn a() { let c: Counts = count_words("a"); assert_eq!(c.len(), 1); }',
      },
      { tests: '#[test]\nfn a() { assert_eq!(word_count::count_words("a").len(), 1); }' },
      {
        tests:
          '#[cfg(test)]\nmod tests {\n    use super::*;\n    #[test]\n    fn a() { assert_eq!(count_words("a").len(), 1); }\n}',
      },
      {
        tests: '#[test]\nfn a() { assert_eq!(count_words("a").len(), 1); }',
        expectations: {
          shouldCompile: true,
          shouldPassTests: true,
          maxWarnings: null,
          functions: ['count_words'],
          types: [],
          customCheck: null,
        },
      },
    ],
    right:
      'use std::collections::HashMap;\n\npub type Counts = HashMap<String, u32>;\n\n/// Counts the words.\n///\n/// ```\n/// assert_eq!(count_words("a").len(), 1);\n/// ```\npub fn count_words(sentence: &str) -> Counts {\n    let mut counts = Counts::new();\n    for word in sentence.split(\' \') {\n        *counts.entry(word.to_string()).or_insert(0) += 1;\n    }\n    counts\n}',
    draft:
      'pub type Counts = std::collections::HashMap<String, u32>;\npub fn count_words(_: &str) -> Counts { Counts::new() }',
    sketch:
      'pub type Counts = std::collections::HashMap<String, u32>;\npub fn count_words(sentence: &str) -> Counts {\n    todo!()\n}',
    usage: 'println!("{:?}", count_words("the cat the dog"));',
    example: `fn main() {\n${long((n) => `    println!("{} {:?}", ${n}, count_words("sentence number ${n} with a number of words"));`)}\n}`,
    parts: [
      "use std::collections::HashMap;\n\npub type Counts = HashMap<String, u32>;\n\npub struct Words<'a>(pub &'a str);\n\nimpl<'a> Words<'a> {\n    pub fn all(&self) -> Vec<&'a str> { self.0.split(' ').collect() }\n}",
      'pub fn count_words(sentence: &str) -> Counts {\n    let mut counts = Counts::new();\n    for word in Words(sentence).all() {\n        *counts.entry(word.to_string()).or_insert(0) += 1;\n    }\n    counts\n}',
    ],
    files: [
      {
        path: 'lib.rs',
        code: 'mod tokens;\nuse std::collections::HashMap;\npub type Counts = HashMap<String, u32>;\npub fn count_words(s: &str) -> Counts { tokens::words_of(s).map(|w| (w.to_string(), 1)).collect() }',
      },
      {
        path: 'tokens.rs',
        code: "pub fn words_of(s: &str) -> std::str::Split<'_, char> { s.split(' ') }",
      },
    ],
  },
]

export interface Shape {
  readonly name: string
  readonly answer: (of: Material) => string
  /** What must be taken. Default: the right code. Several files are given by path. */
  readonly takes?: (of: Material) => string | Readonly<Record<string, string>>
}

const fenced = (of: Material, code: string, info = of.fence, fence = '```'): string =>
  `${fence}${info}\n${code}\n${fence}`
const indented = (text: string, by: string): string => text.replaceAll(/^(?=.)/gm, by)
const joined = ({ parts }: Material): string => parts.join('\n\n')

/** Fifty shapes. Each is used for an answer in three languages. */
export const SHAPES: readonly Shape[] = [
  { name: 'the block alone', answer: (m) => fenced(m, m.right) },
  {
    name: 'prose around it',
    answer: (m) =>
      `Sure! Here is the function:\n\n${fenced(m, m.right)}\n\nIt counts each word once.`,
  },
  { name: 'no fence at all', answer: (m) => m.right },
  { name: 'a mark of the byte order', answer: (m) => `\uFEFF${m.right}` },
  {
    name: 'line ends of Windows',
    answer: (m) => `Here:\r\n\r\n${fenced(m, m.right).replaceAll('\n', '\r\n')}\r\n`,
  },
  { name: 'line ends of Windows without a fence', answer: (m) => m.right.replaceAll('\n', '\r\n') },
  { name: 'a fence without a language', answer: (m) => fenced(m, m.right, '') },
  { name: 'tildes', answer: (m) => fenced(m, m.right, m.fence, '~~~') },
  { name: 'four backticks', answer: (m) => fenced(m, m.right, m.fence, '````') },
  {
    name: 'attributes in braces',
    answer: (m) => fenced(m, m.right, `{.${m.fence} .numberLines startFrom="1"}`),
  },
  {
    name: 'attributes after the language',
    answer: (m) => fenced(m, m.right, `${m.fence} showLineNumbers {1,3-4}`),
  },
  { name: 'a blank before the language', answer: (m) => fenced(m, m.right, ` ${m.fence}`) },
  { name: 'a language in capitals', answer: (m) => fenced(m, m.right, m.fence.toUpperCase()) },
  {
    name: 'a fence that is not closed',
    answer: (m) => `Here it is:\n\n\`\`\`${m.fence}\n${m.right}`,
  },
  {
    name: 'a fence that is not closed, and prose',
    answer: (m) =>
      `\`\`\`${m.fence}\n${m.right}\n\nThis solution visits every word once and counts it.`,
  },
  {
    name: 'usage after it',
    answer: (m) => `${fenced(m, m.right)}\n\nUsage:\n\n${fenced(m, m.usage)}`,
  },
  {
    name: 'usage before it',
    answer: (m) => `It is used so:\n\n${fenced(m, m.usage)}\n\nThe code:\n\n${fenced(m, m.right)}`,
  },
  {
    name: 'a longer example after it',
    answer: (m) => `${fenced(m, m.right)}\n\nExample:\n\n${fenced(m, m.example)}`,
  },
  {
    name: 'a longer example before it',
    answer: (m) => `${fenced(m, m.example)}\n\nwith\n\n${fenced(m, m.right)}`,
  },
  {
    name: 'an example without a language',
    answer: (m) => `${fenced(m, m.right)}\n\n${fenced(m, m.example, '')}`,
  },
  {
    name: 'a draft, then the better one',
    answer: (m) =>
      `First idea:\n${fenced(m, m.draft)}\nThat is wrong. Better:\n${fenced(m, m.right)}`,
  },
  {
    name: 'a draft, the better one, and an example',
    answer: (m) => `${fenced(m, m.draft)}\n\n${fenced(m, m.right)}\n\n${fenced(m, m.example)}`,
  },
  {
    name: 'a sketch, then the code',
    answer: (m) => `The idea:\n\n${fenced(m, m.sketch)}\n\nIn full:\n\n${fenced(m, m.right)}`,
  },
  {
    name: 'the code, then a sketch of it',
    answer: (m) => `${fenced(m, m.right)}\n\nThe signature stays:\n\n${fenced(m, m.sketch)}`,
  },
  {
    name: 'output after it',
    answer: (m) => `${fenced(m, m.right)}\n\nOutput:\n\n${fenced(m, 'a: 2\nb: 1', '')}`,
  },
  {
    name: 'output in a block of text',
    answer: (m) => `${fenced(m, m.right)}\n\n${fenced(m, 'a = 2\nb = 1\n'.repeat(40), 'text')}`,
  },
  {
    name: 'an install command first',
    answer: (m) => `${fenced(m, 'run-tests --all', 'bash')}\n${fenced(m, m.right)}`,
  },
  { name: 'JSON first', answer: (m) => `${fenced(m, '{"a": 1}', 'json')}\n${fenced(m, m.right)}` },
  {
    name: 'code in a list',
    answer: (m) =>
      `1. Read the words.\n2. Count them:\n\n${indented(fenced(m, m.right), '   ')}\n\n3. Done.`,
  },
  {
    name: 'code in a nested list',
    answer: (m) => `- Plan\n  - Code:\n\n${indented(fenced(m, m.right), '      ')}\n\n- Done`,
  },
  {
    name: 'the fence on the line of a list',
    answer: (m) => `- \`\`\`${m.fence}\n${indented(m.right, '  ')}\n  \`\`\`\n- Done`,
  },
  { name: 'a quotation', answer: (m) => fenced(m, m.right).replaceAll(/^/gm, '> ') },
  {
    name: 'a block of Markdown',
    answer: (m) => `\`\`\`\`markdown\n# Solution\n\n${fenced(m, m.right)}\n\nDone.\n\`\`\`\``,
  },
  {
    name: 'an untagged block around the block',
    answer: (m) => `\`\`\`\`\n${fenced(m, m.right)}\n\`\`\`\``,
  },
  {
    name: 'a heading with a path before it',
    answer: (m) => `### ${m.files[0]?.path}\n\n${fenced(m, m.right)}\n\n${fenced(m, m.example)}`,
  },
  {
    name: 'a path in the info string, and an example',
    answer: (m) =>
      `${fenced(m, m.right, `${m.fence}:${m.files[0]?.path}`)}\n\n${fenced(m, m.example)}`,
  },
  {
    name: 'a module in two parts',
    answer: (m) =>
      `First the parts:\n\n${fenced(m, m.parts[0])}\n\nThen:\n\n${fenced(m, m.parts[1])}`,
    takes: joined,
  },
  {
    name: 'a module in two parts, and an example',
    answer: (m) =>
      `${fenced(m, m.parts[0])}\n\n${fenced(m, m.parts[1])}\n\n${fenced(m, m.example)}`,
    takes: joined,
  },
  {
    name: 'a module in two parts between drafts',
    answer: (m) =>
      `${fenced(m, m.draft.replace(/^.*Counts = .*\n/m, ''))}\n\n${fenced(m, m.parts[0])}\n\n${fenced(m, m.parts[1])}\n\n${fenced(m, m.usage)}`,
    takes: joined,
  },
  {
    name: 'two files by heading',
    answer: (m) =>
      m.files.map(({ path, code }) => `**${path}**\n\n${fenced(m, code)}`).join('\n\n'),
    takes: (m) => Object.fromEntries(m.files.map(({ path, code }) => [path, code])),
  },
  {
    name: 'two files by comment, the main one last',
    answer: (m) =>
      m.files
        .toReversed()
        .map(({ path, code }) => fenced(m, `${m.fence === 'python' ? '#' : '//'} ${path}\n${code}`))
        .join('\n\n'),
    takes: (m) =>
      Object.fromEntries(
        m.files.map(({ path, code }) => [
          path,
          `${m.fence === 'python' ? '#' : '//'} ${path}\n${code}`,
        ]),
      ),
  },
  {
    name: 'two files and a file of tests',
    answer: (m) => {
      const ending = m.files[0]?.path.split('.').at(-1) ?? ''
      const own = { path: `tests/test_it.${ending}`, code: m.usage }
      return [own, ...m.files]
        .map(({ path, code }) => `\`${path}\`:\n${fenced(m, code)}`)
        .join('\n')
    },
    takes: (m) => Object.fromEntries(m.files.map(({ path, code }) => [path, code])),
  },
  {
    name: 'inline code in the prose',
    answer: (m) =>
      `Use \`count\` and \`\`\`fences\`\`\` freely.\n\n${fenced(m, m.right)}\n\nSee \`main()\`.`,
  },
  { name: 'an empty block first', answer: (m) => `${fenced(m, '')}\n\n${fenced(m, m.right)}` },
  {
    name: 'the same block twice',
    answer: (m) => `${fenced(m, m.right)}\n\nAgain:\n\n${fenced(m, m.right)}`,
  },
  {
    name: 'thinking before it',
    answer: (m) => `<think>\nMaybe:\n${fenced(m, m.draft)}\nNo.\n</think>\n\n${fenced(m, m.right)}`,
  },
  {
    name: 'a table before it',
    answer: (m) => `| word | count |\n|---|---|\n| a | 2 |\n\n${fenced(m, m.right)}`,
  },
  {
    name: 'a missing fence between two blocks',
    answer: (m) => `\`\`\`${m.fence}\n${m.usage}\n\n\`\`\`${m.fence}\n${m.right}\n\`\`\``,
  },
  {
    name: 'prose without a fence before the code',
    answer: (m) => `Here is the solution:\n\n${m.right}`,
  },
  {
    name: 'five blocks',
    answer: (m) =>
      [m.usage, m.draft, m.example, m.right, m.usage]
        .map((code) => fenced(m, code))
        .join('\n\ntext\n\n'),
  },
]
