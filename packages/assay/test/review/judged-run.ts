/** A run whose answers a judge judges. What the answer says decides what the judge says. */
import type { Ask, GraderConfig, Json, Suite } from '@assay/contract'
import { graderByType } from '../../src/grade/index.ts'
import { regradable, run } from '../../src/run/index.ts'
import { equalsGrader, fakeCase, fakeSubject, fakeSuite, saying } from '../fakes.ts'

const JUDGED: GraderConfig = {
  ...equalsGrader(''),
  type: 'judge',
  name: 'judge',
  options: graderByType('judge')?.options.parse({
    judges: ['gpt'],
    rubric: [{ id: 'good', text: 'Is it good?' }],
  }) as Json,
}

/** The judge passes an answer that contains this word. */
const judge = (word: string) =>
  fakeSubject(
    ({ messages }: Ask) => {
      const text = JSON.stringify(messages)
      const key = /\\"key\\": \\"([0-9a-f]+)\\"/.exec(text)?.[1] ?? ''
      const mark = text.includes(word)
      return saying(JSON.stringify({ key, criteria: [{ id: 'good', mark }] }))
    },
    { id: 'gpt', pool: 'judge' },
  )

export interface JudgedRun {
  readonly folder: string
  readonly subjects: readonly string[]
  readonly cases: readonly string[]
  readonly trials: number
  readonly answer: (ask: Ask, subject: string) => string
}

export const judgedRun = ({ folder, subjects, cases, trials, answer }: JudgedRun) =>
  run({
    suites: [suiteOf(cases)],
    subjects: subjects.map((id) => fakeSubject((ask) => saying(answer(ask, id)), { id })),
    judges: [judge('praise')],
    folder,
    trials,
  })

const suiteOf = (cases: readonly string[]): Suite =>
  fakeSuite(cases.map((id) => fakeCase(id, { graders: [JUDGED] })))

/** Grades the answers of a run again, with a judge that passes answers which contain this word. */
export async function judgedAgain(
  { folder: from, cases }: Pick<JudgedRun, 'folder' | 'cases'>,
  folder: string,
  word: string,
): Promise<void> {
  const { suites, subjects } = regradable(from, [suiteOf(cases)])
  await run({ suites, subjects, judges: [judge(word)], regrade: from, folder, trials: 2 })
}
