/**
 * Tests that each row is read in the language that it states, or refused with an error that names the language. The
 * tests cover HumanEval-X and HumanEvalPack (language in task_id), MBXP and similar sets (in a field or in the task's
 * name), MBPP lists, MultiPL-E (in its own field), mixed files, rows that state two languages, and fields that contain
 * a human language.
 */
import { describe, expect, it } from 'vitest'
import { loadText, problemsOf } from '../../../test/suite-folder.ts'

const ROW = { prompt: 'p', test: 't()' }
const rows = (...all: readonly object[]): string => all.map((row) => JSON.stringify(row)).join('\n')

async function languagesOf(...all: readonly object[]): Promise<(string | null)[]> {
  const { suite } = await loadText('rows.jsonl', rows(...all))
  return suite.cases.map(({ language }) => language)
}

describe('the language of a row', () => {
  it.each([
    ['HumanEval/0', 'python'],
    ['Python/0', 'python'],
    ['JavaScript/0', 'javascript'],
    ['TypeScript/12', 'typescript'],
    ['Rust/3', 'rust'],
    ['HumanEval/JavaScript/0', 'javascript'],
    ['humaneval-js/0', 'javascript'],
    ['HumanEval_X_rs/7', 'rust'],
    ['MBJSP/1', 'javascript'],
    ['Mbpp/2', 'python'],
    ['C/1', 'python'],
    ['rust', 'python'],
  ])('is the one in task_id %s: %s', async (id, language) => {
    expect(await languagesOf({ task_id: id, ...ROW })).toEqual([language])
  })

  it.each([
    [{ language: 'js' }, 'javascript'],
    [{ language: 'Python3' }, 'python'],
    [{ programming_language: 'TypeScript' }, 'typescript'],
    [{ lang: 'rs' }, 'rust'],
    [{ language: 'en' }, 'python'],
    [{ language: 'English', lang: 'javascript' }, 'javascript'],
    [{ language: '' }, 'python'],
  ])('is the one in a field %j: %s', async (fields, language) => {
    expect(await languagesOf({ task_id: 'HumanEval/0', ...ROW, ...fields })).toEqual([language])
  })

  it('is each row’s own in a mixed file', async () => {
    expect(
      await languagesOf(
        { task_id: 'Python/0', ...ROW },
        { task_id: 'JavaScript/0', ...ROW },
        { task_id: 3, text: 'p', test_list: ['assert f() == 1'] },
        { task_id: 4, text: 'p', test_list: ['console.assert(f() === 1)'], language: 'javascript' },
        { name: 'HumanEval_0', language: 'ts', prompt: 'p', tests: 't()' },
      ),
    ).toEqual(['python', 'javascript', 'python', 'javascript', 'typescript'])
  })

  it('is named where it cannot be graded', async () => {
    const text = rows(
      { task_id: 'CPP/3', ...ROW },
      { task_id: 'JavaScript/0', ...ROW },
      { task_id: 'Java/1', ...ROW },
      { task_id: 'Go/1', ...ROW },
      { task_id: 'HumanEval/4', language: 'C', ...ROW },
      { task_id: 5, text: 'p', test_list: ['x'], language: 'kotlin' },
      { task_id: 'MBGP/1', ...ROW },
    )
    const expected =
      'expected a row in a language that can be graded here: typescript, javascript, python, rust'
    expect(await problemsOf('x.jsonl', text)).toEqual([
      `1:12: task_id: ${expected}, found a row in cpp ("CPP/3")`,
      `3:12: task_id: ${expected}, found a row in java ("Java/1")`,
      `4:12: task_id: ${expected}, found a row in go ("Go/1")`,
      `5:37: language: ${expected}, found a row in c ("C")`,
      `6:54: language: ${expected}, found a row in kotlin ("kotlin")`,
      `7:12: task_id: ${expected}, found a row in go ("MBGP/1")`,
    ])
  })

  it('must be one', async () => {
    const text = rows({ task_id: 'JavaScript/0', language: 'python', ...ROW })
    expect(await problemsOf('x.jsonl', text)).toEqual([
      '1:38: language: expected one language, found python, and javascript in task_id ("JavaScript/0")',
    ])
  })
})

describe('rows of HumanEval-X and HumanEvalPack', () => {
  const JS = {
    task_id: 'JavaScript/0',
    prompt: '/* Adds one. */\nconst inc = (x) => {\n',
    declaration: '\nconst inc = (x) => {\n',
    canonical_solution: '  return x + 1;\n}\n\n',
    test: 'const testInc = () => {\n  console.assert(inc(1) === 2)\n}\n\ntestInc()\n',
    example_test: '',
  }

  it('continue the prompt, with what is wrong on purpose as a faulty answer', async () => {
    const pack = {
      ...JS,
      entry_point: 'inc',
      buggy_solution: '  return x;\n}\n\n',
      test_setup: 'const eps = 1e-6',
      bug_type: 'missing logic',
    }
    const { suite, warnings } = await loadText('x.jsonl', rows(pack))
    expect(suite.cases[0]).toMatchObject({
      language: 'javascript',
      continuation: true,
      entryPoint: 'inc',
      reference: JS.canonical_solution,
      faulty: [pack.buggy_solution],
      tests: `const eps = 1e-6\n${JS.test}`,
    })
    expect(warnings.map(({ text }) => text)).toEqual([
      'declaration is not acted on: the tests of the row are what is run',
      'bug_type is not acted on: the tests of the row are what is run',
    ])
  })

  it('may have solutions that are whole programs, in their own language', async () => {
    const whole = { ...JS, entry_point: 'inc', prompt: 'Add one.', test: 'check(inc)' }
    const functions = [
      'function inc(x) { return x }',
      'const inc = (x) => x',
      'export function inc(x) {}',
    ]
    for (const canonical_solution of functions) {
      const { suite } = await loadText('x.jsonl', rows({ ...whole, canonical_solution }))
      expect(suite.cases[0]?.continuation).toBe(false)
    }
  })
})

describe('rows of MultiPL-E', () => {
  it('lose the brace that closes the answer’s function', async () => {
    const row = {
      name: 'HumanEval_0',
      language: 'rs',
      prompt: '/// Adds one.\nfn inc(x: i64) -> i64 {\n',
      tests: '}\n\nfn main() {\n    let candidate = inc;\n    assert_eq!(candidate(1), 2);\n}\n',
      stop_tokens: ['\n}'],
    }
    const { suite } = await loadText('rs.jsonl', rows(row))
    expect(suite.cases[0]).toMatchObject({
      language: 'rust',
      tests: '\n\nfn main() {\n    let candidate = inc;\n    assert_eq!(candidate(1), 2);\n}\n',
    })
  })
})
