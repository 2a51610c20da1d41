/**
 * Reads files with random and hostile content. Whatever a file contains, the result must be a suite or a `SuiteError`.
 */
import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { suiteFolder, testGraders } from '../../test/suite-folder.ts'
import { loadSuite } from './load.ts'
import { SuiteError } from '../documents/problem.ts'
import { anyCharacter } from '../../../../test/any-character.ts'

const NAMES = ['s.toml', 's.yaml', 's.json', 's.jsonl', 's']

const SEEDS: readonly [string, string][] = [
  [
    's.toml',
    'id = "s"\n[scoring]\nthreshold = 0.5\n[[graders]]\ntype = "equals"\nvalue = "x"\n[[cases]]\nid = "a"\nprompt = """p\n"""\ntags = ["t"]\nfiles = { "a/b" = "c" }\n',
  ],
  ['s.toml', '[eval_set]\nid = "s"\nname = "n"\n[[cases]]\nid = "a"\nname = "n"\nprompt = "p"\n'],
  [
    's.yaml',
    'id: s\ndefaults: &d {timeout: 2m}\ncases:\n  - id: a\n    prompt: |\n      p\n    graders:\n      - {type: contains, value: x, weight: 2}\n  - {id: b, turns: [x, y]}\n',
  ],
  [
    's.yaml',
    'name: n\ndefaults: {runs: 2, timeout: 5s}\nstimuli:\n  - name: a\n    prompt: p\n    graders: [{type: output-contains, config: {substring: x}}]\nscoring: {threshold: 1}\n',
  ],
  ['s.json', '{"id":"s","cases":[{"id":"a","prompt":"p","faulty":["x",{"file":"y"}]}]}'],
  [
    's.jsonl',
    '{"task_id":"a","prompt":"p","entry_point":"f","test":"t"}\n{"task_id":"b","prompt":"p","test":"t"}\n',
  ],
  ['s.jsonl', '{"name":"a","language":"rs","prompt":"p","tests":"t","stop_tokens":["x"]}\n'],
]

const TOKENS = [
  '\0',
  '\u202e',
  '"',
  "'",
  '{',
  '}',
  '[',
  ']',
  '\n',
  '\r',
  ',',
  ':',
  '=',
  '&a',
  '*a',
  '<<: *a',
  '!!binary',
  '\\',
  '#',
  '---',
  '[[cases]]',
  '[cases]',
  'cases',
  '-',
  '1e999',
  '.inf',
  'nan',
  'null',
  '0x',
  '9'.repeat(30),
  '__proto__',
  'constructor',
  '"""',
  "'''",
  '\ud800',
  '\uFEFF',
  '%YAML 1.1',
  '{file: ../x}',
  '2020-01-01',
]

interface Slip {
  readonly at: number
  readonly cut: number
  readonly put: string
}

const slip = fc.record<Slip>({
  at: fc.nat(400),
  cut: fc.nat(12),
  put: fc.oneof(fc.constantFrom(...TOKENS), fc.string({ maxLength: 6, unit: anyCharacter })),
})

function mutate(text: string, slips: readonly Slip[]): string {
  let mutated = text
  for (const { at, cut, put } of slips) {
    const i = at % (mutated.length + 1)
    mutated = mutated.slice(0, i) + put + mutated.slice(i + cut)
  }
  return mutated
}

async function expectSuiteOrSuiteError(file: string): Promise<void> {
  try {
    const { suite } = await loadSuite(file, { graders: testGraders })
    expect(suite.cases.length).toBeGreaterThan(0)
    for (const each of suite.cases) expect(each.hash).toMatch(/^[\da-f]{32}$/)
  } catch (error) {
    if (!(error instanceof SuiteError)) throw error
    expect(error.problems.length).toBeGreaterThan(0)
    // Control characters from the file must not reach the terminal.
    expect(error.message.replaceAll('\n', '')).not.toMatch(/\p{Cc}/u)
  }
}

describe('the loader survives', () => {
  it('random bytes, also packed', async () => {
    const folder = await suiteFolder()
    await fc.assert(
      fc.asyncProperty(
        fc.uint8Array({ maxLength: 300 }),
        fc.constantFrom(...NAMES),
        fc.boolean(),
        async (bytes, name, packed) => {
          const file = path.join(folder, name)
          await writeFile(file, packed ? gzipSync(bytes) : bytes)
          await expectSuiteOrSuiteError(file)
        },
      ),
      { numRuns: 150 },
    )
  })

  it('random text of the letters that matter', async () => {
    const folder = await suiteFolder()
    const text = fc
      .array(fc.oneof(fc.constantFrom(...TOKENS, 'id', 'prompt', ' ', '\n  '), fc.string()), {
        maxLength: 40,
      })
      .map((parts) => parts.join(''))
    await fc.assert(
      fc.asyncProperty(text, fc.constantFrom(...NAMES), async (content, name) => {
        const file = path.join(folder, name)
        await writeFile(file, content)
        await expectSuiteOrSuiteError(file)
      }),
      { numRuns: 300 },
    )
  })

  it('suites with anything cut out or put in', async () => {
    const folder = await suiteFolder()
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...SEEDS),
        fc.array(slip, { minLength: 1, maxLength: 4 }),
        async ([name, text], slips) => {
          const file = path.join(folder, name)
          await writeFile(file, mutate(text, slips))
          await expectSuiteOrSuiteError(file)
        },
      ),
      { numRuns: 700 },
    )
  })

  it('sound syntax with any data in any place', async () => {
    const folder = await suiteFolder()
    const file = path.join(folder, 's.json')
    const field = fc.constantFrom(
      'id',
      'name',
      'prompt',
      'turns',
      'graders',
      'scoring',
      'cases',
      'files',
      'timeout',
      'faulty',
      'tags',
      'stimuli',
      'eval_set',
      'defaults',
      'expectations',
      'task_id',
      'test',
      'tests',
      'test_list',
      'language',
    )
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 4 },
        fc.constantFrom('a', '', ' ', 0, 1, -1, 1.5, true, null),
        fc.array(tie('value'), { maxLength: 3 }),
        fc.dictionary(field, tie('value'), { maxKeys: 5 }),
      ),
    }))
    await fc.assert(
      fc.asyncProperty(fc.dictionary(field, value), async (data) => {
        await writeFile(file, JSON.stringify(data))
        await expectSuiteOrSuiteError(file)
      }),
      { numRuns: 400 },
    )
  })
})
