/**
 * Computes the figures that the code-scoring specification defines for one subject: how many solutions compile, how
 * many of their tests pass, how clean the solutions are, and how well the tests were isolated from them.
 *
 * The compilation rate is over trials. The test pass rate is over cases, and each case counts with the mean of its
 * trials. An answer that was never compiled, because it was empty or cut off, counts as not compiled and with no test
 * passed. If a case expects that the solution does not compile, a solution that does not compile counts as passed, but
 * not as compiled.
 */
import { isCodeGrade } from '@assay/contract'
import { DEFAULT_LEVEL, fsum, mean, meanScoreEstimate, passRateEstimate, Sum } from '@assay/metrics'
import type { Plan, Tally } from '../../log/index.ts'
import { groupNames } from './groups/case-groups.ts'
import { eachScored, scoredValues, type CellFigures, type ColumnSums } from './cell-figures.ts'
import type { ReportMetric, SubjectReport } from '../schema/report.ts'
import { reported } from '../schema/to-metric.ts'

const NONE: ReportMetric = { value: null, n: 0, reason: 'no code was compiled' }

/** Returns the figures of one subject's code. Null if no case is graded as code. */
export function codeSummary(
  tally: Tally,
  figures: readonly CellFigures[],
  coded: ReadonlySet<object>,
): SubjectReport['code'] {
  const cells = figures.filter(({ cell, n }) => n > 0 && coded.has(cell.case))
  if (cells.length === 0) return null
  const scored = cells.map((one) => codeFigures(tally, one))
  const groups = groupNames(cells.map(({ cell }) => cell.case))
  const trials = scored.reduce((sum, one) => sum + one.tests.n, 0)
  const compiled = scored.reduce((sum, one) => sum + one.compiled, 0)
  const clean = scored.flatMap(({ lint }, i) =>
    lint.n === 0 ? [] : [{ lint, one: (cells[i] as CellFigures).cell.case }],
  )
  const linted = clean.map(({ lint }) => lint)
  const lintGroups = groupNames(clean.map(({ one }) => one))
  const integrity = [0, 0, 0]
  for (const { cell } of cells)
    for (let i = cell.first; i < cell.first + cell.trials; i++)
      (integrity[tally.integrity[i] as number] as number)++
  const grading = scoredValues(
    tally,
    cells.map(({ cell }) => cell),
    tally.gradeMs,
  ).values
  return {
    compilationRate: {
      ...passRateEstimate(
        scored.map(({ tests, compiled: c }) => ({ n: tests.n, c })),
        'population',
        DEFAULT_LEVEL,
        groups,
      ),
      value: compiled / trials,
    },
    testPassRate: {
      ...meanScoreEstimate(
        scored.map(({ tests }) => tests),
        'population',
        DEFAULT_LEVEL,
        groups,
      ),
      value: mean(scored.map(({ tests }) => tests.sum / tests.n)),
    },
    lintScore:
      linted.length === 0
        ? NONE
        : {
            ...meanScoreEstimate(linted, 'population', DEFAULT_LEVEL, lintGroups),
            value: fsum(linted.map(({ sum }) => sum)) / linted.reduce((sum, { n }) => sum + n, 0),
          },
    meanScore: meanScore(cells),
    meanAnswerMs: meanAnswer(cells),
    meanGradeMs: grading.length === 0 ? null : mean([...grading]),
    integrity: { isolated: integrity[1] as number, 'in-process': integrity[2] as number },
  }
}

function meanScore(cells: readonly CellFigures[]): ReportMetric {
  const used = cells.filter(({ score }) => score.n > 0)
  if (used.length === 0) return NONE
  const scores = used.map(({ score }) => score)
  const groups = groupNames(used.map(({ cell }) => cell.case))
  return reported(meanScoreEstimate(scores, 'population', DEFAULT_LEVEL, groups))
}

function meanAnswer(cells: readonly CellFigures[]): number | null {
  const trials = cells.reduce((sum, { answerMs }) => sum + answerMs.n, 0)
  return trials === 0 ? null : fsum(cells.map(({ answerMs }) => answerMs.sum)) / trials
}

/** Returns the cases that the code grader grades, including cases that never got an answer to compile. */
export function codeCases({ suites }: Plan): ReadonlySet<object> {
  return new Set(
    suites.flatMap(({ cases }) =>
      cases.filter(({ code, graders = [] }) => code === true || graders.some(isCodeGrade)),
    ),
  )
}

/**
 * Computes the figures of some cases. Test results are over all scored trials. Lint results are over the trials whose
 * code compiled and was linted.
 */
function codeFigures(
  tally: Tally,
  { cell }: CellFigures,
): { readonly compiled: number; readonly tests: ColumnSums; readonly lint: ColumnSums } {
  let compiled = 0
  const tests: number[] = []
  const lint: number[] = []
  eachScored(tally, cell, (i) => {
    const [passed, clean] = [tally.tests.at(i), tally.lint.at(i)]
    tests.push(Number.isNaN(passed) ? 0 : passed)
    if (tally.compiled.at(i) !== 1) return
    compiled++
    if (!Number.isNaN(clean)) lint.push(clean)
  })
  return { compiled, tests: sums(tests), lint: sums(lint) }
}

function sums(values: readonly number[]): ColumnSums {
  const sum = new Sum()
  const sumSq = new Sum()
  for (const value of values) {
    sum.add(value)
    sumSq.add(value * value)
  }
  return { n: values.length, sum: sum.value, sumSq: sumSq.value }
}
