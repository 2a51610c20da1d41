/** Returns the facts about a trial from its row, for the tally and for formats that show single trials. */
import type { Trial, Usage } from '@assay/contract'
import type { TrialFacts } from '../../log/index.ts'
import type { Arranged } from './arrange.ts'
import { VERDICTS, type Verdict } from './csv-field.ts'
import type { NumberName, ResultTable } from './result-table.ts'

const OUTCOME_OF = ['passed', 'failed', 'unscored', 'errored'] as const
const outcomeOf = (verdict: Verdict): (typeof OUTCOME_OF)[number] | null =>
  OUTCOME_OF[verdict - 1] ?? null

/** Returns the facts of a row, or null if the trial was planned but not run. */
export function factsOf(table: ResultTable, row: number): TrialFacts | null {
  const outcome = outcomeOf(table.verdictAt(row))
  if (outcome === null) return null
  const at = (name: NumberName): number => table.numberAt(name, row)
  return {
    outcome,
    score: scoreAt(table, row),
    implRate: at('implRate'),
    answerUsd: at('answerUsd'),
    judgeUsd: at('judgeUsd'),
    answerMs: at('answerMs'),
    waitMs: at('waitMs'),
    gradeMs: at('gradeMs'),
    usage: usageAt(table, row),
    code: table.has('compiled')
      ? { compiled: at('compiled'), tests: at('tests'), lint: at('lint'), integrity: null }
      : null,
    reason: table.reasonAt(row),
    grades: table.gradesAt(row),
    cached: false,
  }
}

/**
 * Returns the score. If the table has no scores, a pass counts as 1 and a failure as 0. Graders that give only a
 * verdict are scored in the same way.
 */
function scoreAt(table: ResultTable, row: number): number {
  if (table.has('score')) return table.numberAt('score', row)
  const verdict = table.verdictAt(row)
  if (verdict === VERDICTS.passed) return 1
  return verdict === VERDICTS.failed ? 0 : Number.NaN
}

const TOKENS = ['input', 'cacheRead', 'cacheWrite', 'output', 'reasoning'] as const

/**
 * Returns the token usage. Null if the table has no tokens. Kinds of tokens that are missing in the row are unknown,
 * not 0.
 */
function usageAt(table: ResultTable, row: number): Usage | null {
  if (!TOKENS.some((name) => table.has(name))) return null
  const at = (name: NumberName): number => table.numberAt(name, row)
  return {
    input: at('input'),
    cacheRead: at('cacheRead'),
    cacheWrite: at('cacheWrite'),
    output: at('output'),
    reasoning: at('reasoning'),
  }
}

/**
 * Calls `each` with a trial for every row that counts. Values that are missing in the row are NaN, which no output
 * format prints.
 */
export function eachTrial(
  table: ResultTable,
  { plan, rowAt }: Arranged,
  each: (trial: Trial) => void,
): void {
  for (const cell of plan.cells)
    for (let index = 0; index < cell.trials; index++) {
      const row = rowAt[cell.first + index] as number
      const facts = factsOf(table, row)
      if (facts === null) continue
      const known = (value: number | null): number | null =>
        value === null || Number.isNaN(value) ? null : value
      each({
        suite: cell.suite.id,
        case: cell.case.id,
        subject: cell.subject.id,
        index,
        caseHash: cell.case.hash,
        outcome: facts.outcome,
        ...(facts.reason === null ? {} : { reason: facts.reason }),
        score: known(facts.score),
        implRate: known(facts.implRate),
        grades: facts.grades,
        answer: null,
        usage: facts.usage,
        cost: {
          answerUsd: known(facts.answerUsd),
          judgeUsd: known(facts.judgeUsd),
          spentUsd: 0,
        },
        time: {
          startedAt: '',
          answerMs: facts.answerMs as number,
          waitMs: facts.waitMs as number,
          gradeMs: facts.gradeMs as number,
        },
        source: cell.subject.source,
      })
    }
}
