/** Converts a comparison to the data of the pages, with the same words and figures as in the terminal. */
import { GATE_STATUS } from '../../report/index.ts'
import type {
  ViewCaseChange,
  ViewCaseName,
  ViewComparison,
  ViewPair,
  ViewSide,
} from '../../report/view-data/index.ts'
import type { Comparison, PairComparison } from '../comparison-types.ts'
import type { CaseChange, CaseName, NotComparable } from '../match-cases.ts'
import { aboutFigures, averageText } from '../about.ts'
import {
  caseTexts,
  changeTexts,
  doubts,
  gateFinding,
  gateScope,
  gateText,
  headlineOf,
  intervalText,
  percentText,
  pText,
  titleOf,
  VERDICTS,
} from '../words.ts'

/** The maximum number of cases in each list. */
const MOST_CASES = 2000

export function viewComparison(comparison: Comparison): ViewComparison {
  const { threshold, outcome, gates } = comparison
  const lists = {
    regressions: comparison.regressions.map((row) => caseChange(row, threshold)).toSorted(largest),
    improvements: comparison.improvements
      .map((row) => caseChange(row, threshold))
      .toSorted(largest),
    added: comparison.new_cases.map(caseName),
    removed: comparison.removed_cases.map(caseName),
    incomparable: comparison.not_comparable.map(caseName),
  }
  return {
    baseline: sideOf(comparison.baseline),
    current: sideOf(comparison.current),
    failures: outcome.failures,
    pairs: comparison.pairs.map((pair) => viewPair(pair, comparison)),
    gates: gates.map((gate) => ({
      status: GATE_STATUS[gate.status],
      scope: [gate.subject, ...gateScope(gate, true)],
      text: `${gateText(gate)}: ${gateFinding(gate)}`,
    })),
    threshold,
    unchanged: comparison.unchanged.length,
    regressions: lists.regressions.slice(0, MOST_CASES),
    improvements: lists.improvements.slice(0, MOST_CASES),
    added: lists.added.slice(0, MOST_CASES),
    removed: lists.removed.slice(0, MOST_CASES),
    incomparable: lists.incomparable.slice(0, MOST_CASES),
    leftOut: Object.values(lists).reduce(
      (sum, list) => sum + Math.max(0, list.length - MOST_CASES),
      0,
    ),
    warnings: comparison.warnings,
  }
}

const largest = (a: ViewCaseChange, b: ViewCaseChange): number =>
  Math.abs(b.delta) - Math.abs(a.delta)

const sideOf = ({ name, createdAt, sources, edited }: Comparison['baseline']): ViewSide => ({
  name,
  createdAt,
  marks: [
    ...(edited === true ? ['EDITED'] : []),
    ...(sources.includes('simulated') ? ['SIMULATED'] : []),
    ...(sources.includes('replay') ? ['REPLAYED'] : []),
  ],
})

function viewPair(pair: PairComparison, { alpha, target }: Comparison): ViewPair {
  const [decided] = pair.metrics
  const { baseline, current, parameters, tests, regraded } = pair
  const common = { baseline, current, parameters }
  const titles = [
    'measure',
    'baseline',
    'current',
    'change',
    `${percentText(1 - alpha)}% interval`,
    'p',
    'verdict',
  ]
  if (decided === undefined || pair.cases === 0)
    return {
      ...common,
      verdict: null,
      head: 'NOT COMPARABLE',
      said: 'No case is scored on both sides.',
      titles,
      rows: [],
      notes: [],
    }
  const [head, said] = headlineOf(pair, decided)
  return {
    ...common,
    verdict: decided.verdict,
    head,
    said,
    titles,
    rows: pair.metrics
      .filter(({ change }) => change !== null)
      .map((change) => [
        titleOf(change.metric, change.k),
        ...changeTexts(change),
        intervalText(change),
        pText(change.p),
        VERDICTS[change.verdict],
      ]),
    notes: [
      ...pair.metrics
        .filter(({ change }) => change === null)
        .map(({ metric, k, reason }) => `No ${titleOf(metric, k)}: ${reason}.`),
      ...doubts(pair.metrics),
      aboutFigures(pair, target),
      ...(regraded === undefined
        ? [
            `Any change at all on these cases? p ${pText(tests.anythingChanged.p)}.`,
            `Did the average change on cases like these? ${averageText(tests)}.`,
          ]
        : []),
    ],
  }
}

const caseName = (one: CaseName | NotComparable): ViewCaseName => ({
  suite: one.suite,
  case: one.case_id,
  subject: one.model,
  ...('reason' in one ? { reason: one.reason } : {}),
})

const caseChange = (row: CaseChange, threshold: number): ViewCaseChange => ({
  ...caseName(row),
  baseline: row.baseline_model,
  texts: [...caseTexts(row, threshold), pText(row.adjusted_p)],
  delta: row.delta,
})
