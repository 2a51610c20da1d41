/**
 * Answers to the rows in the forms that models use: only the rest of the function, the whole function in a fenced
 * block, with text around it, or as plain text. Some are right, the others are wrong in one of five ways.
 */
import type { Problem } from './problems.ts'
import type { Shape } from './shapes.ts'
import { bodyOf, closed, headOf, literal, nameIn, type Code } from './write-code.ts'

export const WRONG = ['empty', 'constant', 'exception', 'other name', 'off by one'] as const
export type Wrong = (typeof WRONG)[number]

export interface CorpusAnswer {
  readonly form: string
  readonly text: string
}

const FENCES: Readonly<Record<Code, string>> = {
  py: 'python',
  js: 'javascript',
  ts: 'typescript',
  rs: 'rust',
}

const fenced = (text: string, code: Code): string => `\`\`\`${FENCES[code]}\n${text}\`\`\`\n`

/** The answer with the beginning that the prompt of this shape has, where it is needed. */
function whole(problem: Problem, { code, head }: Shape, body: string, name: string): string {
  const imports = code === 'py' ? 'from typing import List\n\n\n' : ''
  return `${imports}${headOf(problem, code, name, head)}${closed(body, code)}`
}

function inForms(problem: Problem, shape: Shape, body: string): CorpusAnswer[] {
  const { code, continues } = shape
  const text = whole(problem, shape, body, nameIn(problem.name, code))
  return [
    ...(continues ? [{ form: 'completion', text: closed(body, code) }] : []),
    { form: 'fenced', text: fenced(text, code) },
    {
      form: 'fenced with words',
      text: `Here is the function:\n\n${fenced(text, code)}\nIt is short.`,
    },
    { form: 'as it is', text },
  ]
}

export const rightAnswers = (problem: Problem, shape: Shape): CorpusAnswer[] =>
  inForms(problem, shape, bodyOf(problem.right, shape.code))

const EXCEPTIONS: Readonly<Record<Code, string>> = {
  py: '    raise ValueError("not done")\n',
  js: '  throw new Error("not done");\n',
  ts: '  throw new Error("not done");\n',
  rs: '    panic!("not done")\n',
}

export function wrongAnswers(problem: Problem, shape: Shape, kind: Wrong): CorpusAnswer[] {
  const { code } = shape
  switch (kind) {
    case 'empty':
      return [
        { form: 'completion', text: '' },
        { form: 'fenced', text: fenced('', code) },
        { form: 'blank', text: '\n    \n' },
      ]
    case 'constant': {
      const value = literal(problem.constant, code, problem.returns)
      const body =
        code === 'rs'
          ? `    ${value}\n`
          : code === 'py'
            ? `    return ${value}\n`
            : `  return ${value};\n`
      return inForms(problem, shape, body)
    }
    case 'exception':
      return inForms(problem, shape, EXCEPTIONS[code])
    case 'off by one':
      return inForms(problem, shape, bodyOf(problem.offByOne, code))
    default:
      return otherName(problem, shape)
  }
}

/** The answer is right except for the function's name, which is easily overlooked. */
function otherName(problem: Problem, shape: Shape): CorpusAnswer[] {
  const { code, continues } = shape
  const right = bodyOf(problem.right, code)
  const text = whole(problem, shape, right, nameIn(`${problem.name}_of`, code))
  const idle = code === 'py' ? '    pass\n' : code === 'rs' ? '    todo!()\n' : ''
  return [
    ...(continues ? [{ form: 'completion', text: `${closed(idle, code)}\n\n${text}` }] : []),
    { form: 'fenced', text: fenced(text, code) },
    { form: 'as it is', text },
  ]
}
