/** Makes the columns of the matrix page, which shows answers side by side, from run folders. */
import type { Text } from '@assay/contract'
import { answerText, type RunReport } from '../report/index.ts'
import type { MatrixSource } from '../report/view-data/index.ts'

export interface ColumnOf {
  readonly run: string
  readonly subject: string
  readonly title: string
  readonly folder: string
  readonly source: RunReport
}

export function matrixColumn({ source, ...column }: ColumnOf): MatrixSource {
  const { subject } = column
  const rows = source.report.subjects.filter((row) => row.subject === subject)
  return {
    ...column,
    suites: rows.map(({ suite }) => suite),
    casesOf: (suite) =>
      rows
        .filter((row) => row.suite === suite)
        .flatMap(({ cases }) => cases.map((one) => one.case)),
    caseAt: (suite, one) => {
      const asked = source.suites.find(({ id }) => id === suite)?.cases.find(({ id }) => id === one)
      return asked === undefined ? null : { name: asked.name, isCode: asked.language !== null }
    },
    outcomesOf: (suite, one) => source.outcomesOf(suite, one, subject),
    trialAt: async (suite, one, at) => {
      const trial = source.trialAt(suite, one, subject, at)
      if (trial === null) return null
      return {
        outcome: trial.outcome,
        score: trial.score,
        answer: answerText(trial, source.text),
        acted: trial.trajectory !== undefined || trial.diff !== undefined,
      }
    },
    // A long answer is stored separately. It is compared by its hash.
    answerKey: async (suite, one, at) => {
      const answer: Text | null = source.trialAt(suite, one, subject, at)?.answer ?? null
      return JSON.stringify(typeof answer === 'object' && answer !== null ? answer.blob : answer)
    },
  }
}
