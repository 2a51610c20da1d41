/**
 * The shapes of rows in public data sets: HumanEval, HumanEval-X in Python and JavaScript, MBPP, and MultiPL-E in
 * each language that Assay runs.
 */
import { problems, type Problem } from './problems.ts'
import { callsOf, closed, headOf, nameIn, type Code, type Head } from './write-code.ts'

export interface Shape {
  readonly name: string
  readonly code: Code
  readonly head: Head
  /** True if the prompt is the beginning of the program. */
  readonly continues: boolean
  /** The name of the case, which recorded answers refer to. */
  readonly idOf: (index: number, problem: Problem) => string
  readonly row: (problem: Problem, id: string) => object
}

const pythonPrompt = (problem: Problem): string => {
  const [first] = callsOf(problem, 'py', problem.name)
  return `from typing import List\n\n\n${headOf(problem, 'py', problem.name)}    """ ${problem.task}\n    >>> ${first?.call ?? ''}\n    ${first?.expected ?? ''}\n    """\n`
}

const asserts = (problem: Problem, name: string): string =>
  callsOf(problem, 'py', name)
    .map(({ call, expected }) => `    assert ${call} == ${expected}\n`)
    .join('')

const humanEval: Shape = {
  name: 'HumanEval',
  code: 'py',
  head: 'plain',
  continues: true,
  idOf: (index) => `HumanEval/${index}`,
  row: (problem, id) => ({
    task_id: id,
    prompt: pythonPrompt(problem),
    entry_point: problem.name,
    canonical_solution: problem.right.py,
    test: `\n\nMETADATA = {\n    'author': 'assay',\n    'dataset': 'test'\n}\n\n\ndef check(candidate):\n${asserts(problem, 'candidate')}\n`,
  }),
}

const humanEvalXPython: Shape = {
  ...humanEval,
  name: 'HumanEval-X, Python',
  idOf: (index) => `Python/${index}`,
  row: (problem, id) => ({
    task_id: id,
    prompt: pythonPrompt(problem),
    declaration: `from typing import List\n\n\n${headOf(problem, 'py', problem.name)}`,
    canonical_solution: problem.right.py,
    test: `\n\n\nMETADATA = {\n    'author': 'assay',\n    'dataset': 'test'\n}\n\n\ndef check(${problem.name}):\n${asserts(problem, problem.name)}\ncheck(${problem.name})\n`,
    example_test: `def check(${problem.name}):\n${asserts({ ...problem, tests: problem.tests.slice(0, 1) }, problem.name)}check(${problem.name})\n`,
  }),
}

/** Lists are compared as text in this language. */
function consoleAsserts(problem: Problem, name: string): string {
  const isList = problem.returns === 'ints' || problem.returns === 'table'
  return callsOf(problem, 'js', name)
    .map(({ call, expected }) =>
      isList
        ? `  console.assert(\n    JSON.stringify(${call}) === JSON.stringify(${expected})\n  )\n`
        : `  console.assert(${call} === ${expected})\n`,
    )
    .join('')
}

const humanEvalXJavaScript: Shape = {
  name: 'HumanEval-X, JavaScript',
  code: 'js',
  head: 'arrow',
  continues: true,
  idOf: (index) => `JavaScript/${index}`,
  row: (problem, id) => {
    const name = nameIn(problem.name, 'js')
    const head = headOf(problem, 'js', name, 'arrow')
    const test = `test${name[0]?.toUpperCase() ?? ''}${name.slice(1)}`
    return {
      task_id: id,
      prompt: `/* ${problem.task}\n  */\n${head}`,
      declaration: `\n${head}`,
      canonical_solution: `${closed(problem.right.js, 'js')}\n`,
      test: `const ${test} = () => {\n${consoleAsserts(problem, name)}}\n\n${test}()\n`,
      example_test: '',
    }
  },
}

const mbpp: Shape = {
  name: 'MBPP',
  code: 'py',
  head: 'plain',
  continues: false,
  idOf: (index) => String(index + 601),
  row: (problem, id) => ({
    task_id: Number(id),
    text: `Write a function. ${problem.task}`,
    code: `from typing import List\r\n${headOf(problem, 'py', problem.name)}${problem.right.py}`,
    test_list: callsOf(problem, 'py', problem.name).map(
      ({ call, expected }) => `assert ${call} == ${expected}`,
    ),
    test_setup_code: '',
    challenge_test_list: [],
  }),
}

const STOPS: Readonly<Record<Code, readonly string[]>> = {
  py: ['\ndef', '\n#', '\nif', '\nclass'],
  js: ['\nfunction ', '\n/*', '\n//', '\nconsole.log'],
  ts: ['\nfunction ', '\n/*', '\n//', '\nclass'],
  rs: ['\n}'],
}

function multiplTests(problem: Problem, code: Code): string {
  const name = nameIn(problem.name, code)
  const calls = callsOf(problem, code, 'candidate')
  if (code === 'py')
    return `def check(candidate):\n${asserts(problem, 'candidate')}\ndef test_check():\n    check(${name})\n\ntest_check()\n`
  if (code === 'rs')
    return `}\n\nfn main() {\n    let candidate = ${name};\n${calls.map(({ call, expected }) => `    assert_eq!(${call}, ${expected});\n`).join('')}}\n`
  const declared = code === 'ts' ? 'declare var require: any;\n' : ''
  return `${declared}const assert = require('node:assert');\n\n\nfunction test() {\n  let candidate = ${name};\n${calls.map(({ call, expected }) => `  assert.deepEqual(${call},${expected});\n`).join('')}}\n\ntest();`
}

const COMMENTS: Readonly<Record<Code, string>> = { py: '#', js: '//', ts: '//', rs: '///' }

const multiplE = (code: Code): Shape => ({
  name: `MultiPL-E, ${code}`,
  code,
  head: 'plain',
  continues: true,
  idOf: (index, problem) => `HumanEval_${index}_${problem.name}`,
  row: (problem, id) => {
    const name = nameIn(problem.name, code)
    return {
      name: id,
      language: code,
      prompt:
        code === 'py'
          ? pythonPrompt(problem)
          : `${COMMENTS[code]} ${problem.task}\n${headOf(problem, code, name)}`,
      doctests: 'transform',
      original: `${id}.py`,
      prompt_terminology: 'reworded',
      tests: multiplTests(problem, code),
      stop_tokens: STOPS[code],
    }
  },
})

export const shapes: readonly Shape[] = [
  humanEval,
  humanEvalXPython,
  humanEvalXJavaScript,
  mbpp,
  multiplE('py'),
  multiplE('js'),
  multiplE('ts'),
  multiplE('rs'),
]

export interface CorpusRow {
  readonly problem: Problem
  readonly id: string
  readonly row: object
}

export const rowsOf = (shape: Shape): CorpusRow[] =>
  problems.map((problem, index) => {
    const id = shape.idOf(index, problem)
    return { problem, id, row: shape.row(problem, id) }
  })
