/**
 * Grades a corpus of rows in the shapes of HumanEval, HumanEval-X, MBPP and MultiPL-E with the real reader and the
 * real code grader. Every right answer must pass and every wrong one must fail, in every form. A few are run
 * through the command as well. The problems are our own; only their shapes are those of public files.
 */
import { execFileSync } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Case, Outcome } from '@assay/contract'
import { closeGraders, gradeAnswer, graders } from '../packages/assay/src/grade/index.ts'
import { languages } from '@assay/code'
import { readTrials } from '../packages/assay/src/log/index.ts'
import { proveSuite } from '../packages/assay/src/run/index.ts'
import { openSandbox, type Sandbox } from '@assay/sandbox'
import { loadSuite, type LoadedSuite } from '../packages/assay/src/suite/index.ts'
import { rightAnswers, WRONG, wrongAnswers, type CorpusAnswer } from './rows/answers.ts'
import { rowsOf, shapes, type Shape } from './rows/shapes.ts'

const BIN = fileURLToPath(new URL('../packages/assay/bin/assay.js', import.meta.url))
const ready = new Set<string>()
for (const language of languages)
  if ((await language.inspect()).every(({ how }) => how === undefined)) ready.add(language.name)

let sandbox: Sandbox
let folder: string
beforeAll(async () => {
  sandbox = await openSandbox('auto')
  folder = await mkdtemp(join(tmpdir(), 'assay-rows-'))
})
afterAll(async () => {
  await closeGraders()
  await sandbox.close()
  await rm(folder, { recursive: true, force: true })
})

async function written(shape: Shape): Promise<string> {
  const file = join(folder, `${shape.name.replaceAll(/\W+/g, '-')}.jsonl`)
  await writeFile(
    file,
    rowsOf(shape)
      .map(({ row }) => `${JSON.stringify(row)}\n`)
      .join(''),
  )
  return file
}

const loaded = async (shape: Shape): Promise<LoadedSuite> =>
  await loadSuite(await written(shape), { graders })

/** `broken`: the answer does not compile. */
type Verdict = 'passed' | 'failed' | 'broken'

async function verdictOn(one: Case, answer: string): Promise<Verdict> {
  const grades = await gradeAnswer(
    {
      case: one,
      answer,
      files: {},
      usage: null,
      usd: 0,
      answerMs: 0,
      folder,
      trajectory: null,
      diff: null,
      workspace: null,
    },
    {
      timeoutMs: 10_000,
      signal: new AbortController().signal,
      random: () => 0.5,
      sandbox,
      text: (text) => Promise.resolve(text),
    },
  )
  const [grade] = grades
  if (grade?.passed === true) return 'passed'
  return grade?.details?.[0]?.passed === true ? 'failed' : 'broken'
}

interface Tried extends CorpusAnswer {
  readonly id: string
  readonly kind: string
}

/** Returns the answers whose verdict is none of these. Grades as many at once as there are cores. */
async function against(
  suite: LoadedSuite,
  all: readonly Tried[],
  verdicts: readonly Verdict[],
): Promise<string[]> {
  const byId = new Map(suite.suite.cases.map((one) => [one.id, one]))
  const waiting = [...all]
  const wrong: string[] = []
  const work = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const one = byId.get(next.id)
      if (one === undefined) throw new Error(`there is no case ${next.id}`)
      const verdict = await verdictOn(one, next.text)
      if (!verdicts.includes(verdict))
        wrong.push(`${next.id}, ${next.kind}, ${next.form}: ${verdict}`)
    }
  }
  await Promise.all(Array.from({ length: availableParallelism() }, work))
  return wrong.sort()
}

describe.each(shapes.map((shape) => [shape.name, shape] as const))('rows of %s', (_, shape) => {
  it('are read in their own language, without a word about it', async () => {
    const { suite } = await loaded(shape)
    const language = { py: 'python', js: 'javascript', ts: 'typescript', rs: 'rust' }[shape.code]
    expect(suite.cases.length).toBeGreaterThanOrEqual(8)
    expect(new Set(suite.cases.map((one) => one.language))).toEqual(new Set([language]))
    expect(ready.has(language)).toBe(true)
  })

  it('pass every right answer', async () => {
    const right = rowsOf(shape).flatMap(({ problem, id }) =>
      rightAnswers(problem, shape).map((answer) => ({ ...answer, id, kind: 'right' })),
    )
    expect(await against(await loaded(shape), right, ['passed'])).toEqual([])
  })

  it.each(WRONG)('fail every answer of the kind: %s', async (kind) => {
    const wrong = rowsOf(shape).flatMap(({ problem, id }) =>
      wrongAnswers(problem, shape, kind).map((answer) => ({ ...answer, id, kind })),
    )
    // An answer with wrong values must fail because of its values.
    const isCode = kind !== 'empty' && kind !== 'other name'
    const verdicts: Verdict[] = isCode ? ['failed'] : ['failed', 'broken']
    expect(await against(await loaded(shape), wrong, verdicts)).toEqual([])
  })

  it('have references that pass, where they have any', async () => {
    const { suite } = await loaded(shape)
    const proofs = await proveSuite(suite, {
      sandbox,
      gradeTimeoutMs: 10_000,
      signal: new AbortController().signal,
    })
    const failed = proofs.filter(({ answers }) => answers.some(({ holds }) => !holds))
    expect(failed.map((one) => one.case)).toEqual([])
  })
})

describe('through the command', () => {
  it.each(shapes.map((shape) => [shape.name, shape] as const))(
    'rows of %s are graded from a file of answers',
    async (_, shape) => {
      const file = await written(shape)
      const answers = join(folder, 'answers.jsonl')
      const lines = rowsOf(shape).flatMap(({ problem, id }) =>
        [
          rightAnswers(problem, shape).find(({ form }) => form === 'fenced'),
          ...WRONG.map((kind) => wrongAnswers(problem, shape, kind)[0]),
        ].map((answer) => JSON.stringify({ task_id: id, completion: answer?.text ?? '' })),
      )
      await writeFile(answers, lines.join('\n'))
      const output = join(folder, `run-${shape.name.replaceAll(/\W+/g, '-')}`)
      const trials = String(1 + WRONG.length)
      const args = ['run', file, '-m', `replay:${answers}`, '--trials', trials, '-o', output]
      execFileSync(process.execPath, [BIN, ...args], { cwd: folder, stdio: 'ignore' })
      const outcomes: (readonly [index: number, outcome: Outcome])[] = []
      await readTrials(output, ({ index, outcome }) => void outcomes.push([index, outcome]))
      expect(outcomes).toHaveLength(rowsOf(shape).length * (1 + WRONG.length))
      expect(
        outcomes.filter(([index, outcome]) => (index === 0 ? 'passed' : 'failed') !== outcome),
      ).toEqual([])
    },
  )
})
