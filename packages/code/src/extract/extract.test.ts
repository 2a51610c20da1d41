import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { extractCode } from './extract.ts'
import { python } from '../languages/python/python.ts'
import { rust } from '../languages/rust/rust.ts'
import { typescript } from '../languages/typescript/typescript.ts'

const ts = typescript
const py = python

const plainCase = {
  continuation: false,
  entryPoint: null,
  stop: [],
  tests: null,
  turns: ['do it'],
  id: 'case',
  module: null,
  reference: null,
  files: {},
  dependencies: [],
  expectations: null,
}

const codeOf = (answer: string, of = ts, one = plainCase as Parameters<typeof extractCode>[2]) => {
  const found = extractCode(answer, {}, one, of)
  return found === null ? null : found.files[found.main]
}

describe('code is taken from', () => {
  it.each([
    ['the block of the language', 'Sure!\n```ts\nlet a = 1\n```\nDone.', 'let a = 1'],
    ['the block with more in its info string', '```ts title="x"\nlet a = 1\n```', 'let a = 1'],
    ['a block of four backticks', '````ts\nlet a = `\n```\n`\n````', 'let a = `\n```\n`'],
    ['a block of tildes', '~~~typescript\nlet a = 1\n~~~', 'let a = 1'],
    ['a block that is never closed', 'Here:\n```ts\nlet a = 1', 'let a = 1'],
    ['a block with CRLF', '```ts\r\nlet a = 1\r\nlet b = 2\r\n```\r\n', 'let a = 1\nlet b = 2'],
    [
      'a block in a list',
      '1. So:\n\n     ```ts\n     if (a) {\n       b()\n     }\n     ```',
      'if (a) {\n  b()\n}',
    ],
    ['the right one of two', '```sh\nnpm i\n```\n```ts\nlet a = 1\n```', 'let a = 1'],
    [
      'the longest of several',
      '```ts\nf(1)\n```\n```ts\nexport const f = (x: number) => x\n```',
      'export const f = (x: number) => x',
    ],
    ['the block without a language', '```json\n{"a": 1}\n```\n```\nlet a = 1\n```', 'let a = 1'],
    ['the only block, whatever it says', '```javascript\nlet a = 1\n```', 'let a = 1'],
    ['the text as it is', 'let a = 1', 'let a = 1'],
  ])('%s', (_, answer, expected) => {
    expect(codeOf(answer)).toBe(expected)
  })

  it('a block whose info string says more about Rust', () => {
    expect(codeOf('```rust,ignore\nfn a() {}\n```', rust)).toBe('fn a() {}')
  })

  it.each([
    [ts, "import { test } from 'node:test'\nimport { add, type Sum } from './solution.ts'"],
    [py, 'from solution import (add)'],
  ])('the block that defines what the tests import: %#', (of, tests) => {
    const code = of === ts ? 'export const add = (a, b) => a' : 'def add(a, b):\n    return a'
    const fence = of.fences[0] ?? ''
    const usage = `# ${'x'.repeat(200)}\nadd(1, 2)`
    const answer = `\`\`\`${fence}\n${code}\n\`\`\`\nUse:\n\`\`\`${fence}\n${usage}\n\`\`\``
    expect(codeOf(answer, of, { ...plainCase, tests })).toBe(code)
  })

  it('the last block that defines the entry point', () => {
    const answer =
      '```ts\nexport function f() { return 1 }\n```\nBetter:\n```ts\nexport function f() { return 2 }\n```\nUse:\n```ts\nconsole.log(f(), f(), f(), f(), f(), f(), f())\n```'
    expect(codeOf(answer, ts, { ...plainCase, entryPoint: 'f' })).toContain('return 2')
  })
})

describe('an answer has no code', () => {
  it.each([
    [''],
    ['I cannot help with that'],
    ['42'],
    ['```ts\n```'],
    ['```ts\n\n  \n```'],
    ['```ts\n// implementation goes here\n/* and\n here */\n```'],
    ['// left to the reader'],
  ])('%j', (answer) => {
    expect(codeOf(answer)).toBeNull()
  })

  it('when Python holds comments alone', () => {
    expect(codeOf('```python\n# nothing\n```', py)).toBeNull()
  })
})

describe('several files', () => {
  it.each([
    [
      'in the info string',
      '```ts title="src/a.ts"\nexport const a = 1\n```\n```ts title="src/index.ts"\nexport * from "./a"\n```',
    ],
    [
      'as a word of it',
      '```ts src/a.ts\nexport const a = 1\n```\n```ts src/index.ts\nexport * from "./a"\n```',
    ],
    [
      'on the line before',
      '**src/a.ts**\n\n```ts\nexport const a = 1\n```\n\n### `src/index.ts`\n```ts\nexport * from "./a"\n```',
    ],
    [
      'in a first comment',
      '```ts\n// src/a.ts\nexport const a = 1\n```\n```ts\n// src/index.ts\nexport * from "./a"\n```',
    ],
  ])('are named %s', (_, answer) => {
    const found = extractCode(answer, {}, plainCase, ts)
    expect(Object.keys(found?.files ?? {}).sort()).toEqual(['src/a.ts', 'src/index.ts'])
    expect(found?.main).toBe('src/index.ts')
  })

  it('come from the subject before anything in its text', () => {
    const found = extractCode('see the file', { 'solution.ts': 'let a = 1' }, plainCase, ts)
    expect(found).toEqual({ files: { 'solution.ts': 'let a = 1' }, main: 'solution.ts' })
  })

  it.each(['../a.ts', '/etc/a.ts', 'a/../../b.ts', 'a//b.ts', './../a.ts'])(
    'never have the name %s',
    (path) => {
      const answer = `\`\`\`ts ${path}\nlet a = 1\n\`\`\`\n\`\`\`ts b.ts\nlet b = 2\n\`\`\``
      expect(Object.keys(extractCode(answer, {}, plainCase, ts)?.files ?? {})).toEqual([ts.main])
      expect(extractCode('text', { [path]: 'let a = 1' }, plainCase, ts)).toBeNull()
    },
  )
})

describe('a continuation', () => {
  const prompt = 'from typing import List\n\ndef add(a, b):\n    """Adds."""\n'
  const one = {
    ...plainCase,
    continuation: true,
    entryPoint: 'add',
    stop: ['\ndef '],
    tests: null,
    turns: [prompt],
  }

  it('goes behind its prompt with its indentation', () => {
    expect(codeOf('    return a + b\n', py, one)).toBe(`${prompt}    return a + b\n`)
  })

  it('ends where the format says', () => {
    const answer = '    return a + b\n\ndef main():\n    pass\n'
    expect(codeOf(answer, py, one)).toBe(`${prompt}    return a + b\n`)
  })

  it('gets the brace back at which the format ends it', () => {
    const open = { ...one, entryPoint: null, stop: ['\n}'], turns: ['fn inc(x: i64) -> i64 {\n'] }
    const whole = 'fn inc(x: i64) -> i64 {\n    x + 1\n}\n'
    for (const answer of ['    x + 1', '    x + 1\n}\n', '    x + 1\n}\n\nfn main() {}\n'])
      expect(codeOf(answer, rust, open)).toBe(whole)
    expect(codeOf('    x + 1 }', rust, open)).toBe('fn inc(x: i64) -> i64 {\n    x + 1 }')
  })

  it('that repeats the function stands behind the imports of the prompt, and nothing is defined twice', () => {
    const again = 'def add(a, b):\n    return a + b'
    const fenced = `\`\`\`python\n${again}\n\`\`\``
    expect(codeOf(fenced, py, one)).toBe(`from typing import List\n\n\n${again}`)
  })

  it('that repeats the function in a language with braces stands alone', () => {
    const open = { ...one, entryPoint: null, turns: ['function add(a: number, b: number) {\n'] }
    const again = 'function add(a: number, b: number) { return a + b }'
    expect(codeOf(`\`\`\`ts\n${again}\n\`\`\``, ts, open)).toBe(again)
    expect(codeOf('  return a + b\n}', ts, open)).toBe(`${open.turns[0]}  return a + b\n}`)
  })
})

it('takes any text, in time that grows with its length', () => {
  const piece = fc.constantFrom(
    '```',
    '~~~',
    'ts',
    ' ',
    '\n',
    '/*',
    '*/',
    '//',
    'x',
    '_',
    '`',
    '.ts',
  )
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 200 }), (pieces) => {
      extractCode(pieces.join(''), {}, plainCase, ts)
    }),
  )
  for (const hostile of ['/*', '```\n', '_', '* ', '`', '    ', 'a='])
    extractCode(hostile.repeat(200_000), {}, plainCase, ts)
})

/**
 * These answers once took minutes. The tests check that the limits in `fenced.ts` and `patch.ts` apply. They measure no
 * time.
 */
describe('an answer that is made to keep the host busy', () => {
  it('has its diff left alone beyond a size, and its blocks read in one pass', () => {
    const files = { 'big.py': 'x = 1\n'.repeat(130_000) }
    const diff = `--- a/big.py\n+++ b/big.py\n${'@@ -1 +1 @@\n-x = 1\n+x = 2\n'.repeat(8000)}`
    expect(codeOf(diff, py, { ...plainCase, files })).toContain('@@ -1 +1 @@')
    const fences = `\`\`\`python\n'''\n${'```\n"""\n'.repeat(20_000)}`
    expect(codeOf(fences, py)).toBeNull()
  })
})
