/**
 * Formats a comparison for a terminal: first the verdict in one sentence, then the measures, the tests, and the cases
 * that changed. The text fits into 80 columns.
 */
import type { Colors } from 'picocolors/types.js'
import type { Verdict } from '@assay/metrics'
import { plain } from '@assay/contract'
import { GATE_STATUS } from '../report/index.ts'
import { counted, cut, padEnd, table, wrap } from '../text/index.ts'
import type { Comparison, PairComparison } from './comparison-types.ts'
import type { CaseChange, CaseName } from './match-cases.ts'
import { aboutFigures, averageText } from './about.ts'
import {
  caseTexts,
  changeTexts,
  gateFinding,
  gateScope,
  gateText,
  doubts,
  headlineOf,
  intervalText,
  percentText,
  pText,
  titleOf,
  VERDICTS,
} from './words.ts'

export interface TextOptions {
  readonly width: number
  readonly colors: Colors
}

/** The maximum number of cases that are listed. If there are more, only the number of the others is shown. */
const MOST_CASES = 20

type Paint = (text: string) => string

const right = (title: string) => ({ title, align: 'right' }) as const
const left = (title: string) => ({ title, align: 'left' }) as const

export function renderText(comparison: Comparison, { width, colors }: TextOptions): string {
  const lines = [
    ...sideLines(comparison, width, colors),
    '',
    ...comparison.pairs.flatMap((pair) => [...pairLines(pair, comparison, width, colors), '']),
    ...gateLines(comparison, width, colors),
    ...byLines(comparison, width, colors),
    ...caseLines(comparison, width, colors),
  ]
  while (lines.at(-1) === '') lines.pop()
  return `${[...lines, ...closing(comparison, width, colors)].join('\n')}\n`
}

function sideLines({ baseline, current }: Comparison, width: number, colors: Colors): string[] {
  const line = (title: string, { name, sources, edited }: Comparison['baseline']): string[] => [
    cut(`${title} ${plain(name)}`, width),
    ...(edited === true
      ? [colors.yellow('          EDITED record, accepted with --accept-edited')]
      : []),
    ...sources
      .filter((source) => source === 'simulated' || source === 'replay')
      .map((source) =>
        colors.yellow(
          source === 'simulated'
            ? `          SIMULATED, not a model`
            : `          REPLAYED answers`,
        ),
      ),
  ]
  return [...line('baseline ', baseline), ...line('current  ', current)]
}

const paintOf = (verdict: Verdict, colors: Colors): Paint =>
  ({
    regression: colors.red,
    improvement: colors.green,
    noRegression: colors.green,
    inconclusive: colors.yellow,
  })[verdict]

function pairLines(
  pair: PairComparison,
  { alpha, target }: Comparison,
  width: number,
  colors: Colors,
): string[] {
  const [decided] = pair.metrics
  if (decided === undefined || pair.cases === 0)
    return [colors.bold(nameOf(pair, width)), 'no case is scored on both sides']
  const [head, said] = headlineOf(pair, decided)
  const paint = paintOf(decided.verdict, colors)
  const sentence = wrap(`${head}  ${said}`, width)
  const level = percentText(1 - alpha)
  return [
    colors.bold(nameOf(pair, width)),
    ...pair.parameters
      .slice(0, 8)
      .map(({ name, baseline, current }) =>
        cut(`  ${name}: ${baseline ?? 'not set'} → ${current ?? 'not set'}`, width),
      ),
    '',
    ...sentence.map((line, i) => (i === 0 ? line.replace(head, paint(head)) : line)),
    '',
    ...metricTable(pair, `${level}% interval`, width),
    ...[...missing(pair), ...doubts(pair.metrics), aboutFigures(pair, target)]
      .flatMap((line) => wrap(line, width))
      .map((line) => colors.dim(line)),
    ...(pair.regraded === undefined ? ['', ...testLines(pair)] : []),
  ]
}

/** Lists the measures that have no figures, with the reasons. */
const missing = ({ metrics }: PairComparison): string[] =>
  metrics
    .filter(({ change }) => change === null)
    .map(({ metric, k, reason }) => `no ${titleOf(metric, k)}: ${reason}`)

function nameOf({ baseline, current }: PairComparison, width: number): string {
  const [from, to] = [plain(baseline), plain(current)]
  return cut(from === to ? from : `${from} → ${to}`, width)
}

function metricTable(pair: PairComparison, interval: string, width: number): string[] {
  return table(
    [
      left('measure'),
      right('baseline'),
      right('current'),
      right('change'),
      right(interval),
      left('verdict'),
    ],
    pair.metrics.map((change) => [
      titleOf(change.metric, change.k),
      ...changeTexts(change),
      intervalText(change),
      change.change === null ? '–' : VERDICTS[change.verdict],
    ]),
    width,
  )
}

function testLines({ tests }: PairComparison): string[] {
  const line = (question: string, p: string): string => `${padEnd(question, 46)}${p}`
  return [
    line('Any change at all on these cases?', `p ${pText(tests.anythingChanged.p)}`),
    line('Did the average change on cases like these?', averageText(tests)),
  ]
}

function gateLines({ gates, pairs }: Comparison, width: number, colors: Colors): string[] {
  // A single gate on a change needs no list, because the sentence with the verdict already says how it ended.
  if (gates.length === 0 || (gates.length === 1 && gates[0]?.kind === 'change')) return []
  const several = pairs.length > 1
  const suites = new Set(gates.flatMap((gate) => (gate.kind === 'change' ? [] : [gate.suite]))).size
  const paint = { held: colors.green, failed: colors.red, undecided: colors.yellow }
  return [
    colors.bold(counted(gates.length, 'gate')),
    ...gates.flatMap((gate) => {
      const status = padEnd(GATE_STATUS[gate.status], 10)
      const scope = [...(several ? [gate.subject] : []), ...gateScope(gate, suites > 1)]
      const whose = scope.length === 0 ? '' : ` of ${scope.map(plain).join(' · ')}`
      const [first = '', ...rest] = wrap(
        `${gateText(gate)}${whose}: ${gateFinding(gate)}`,
        width - 10,
      )
      return [
        `${paint[gate.status](status)}${first}`,
        ...rest.map((line) => `${' '.repeat(10)}${line}`),
      ]
    }),
    '',
  ]
}

/** Formats the tables by tag or metadata, if the user asked for them. */
function byLines({ by = [], alpha, pairs }: Comparison, width: number, colors: Colors): string[] {
  const several = pairs.length > 1
  return by.flatMap(({ key, rows, notes }) => {
    const hasGroups = rows.some(({ groups }) => groups !== undefined)
    const [first] = rows
    return [
      ...table(
        [
          left(`by ${plain(key)}`),
          ...(several ? [left('subject')] : []),
          right('cases'),
          ...(hasGroups ? [right('groups')] : []),
          right('change'),
          right(`${percentText(1 - alpha)}% interval`),
          left('verdict'),
        ],
        rows.map(({ value, current, cases, groups, change }) => [
          plain(value),
          ...(several ? [plain(current)] : []),
          String(cases),
          ...(hasGroups ? [String(groups ?? cases)] : []),
          changeTexts(change)[2],
          intervalText(change),
          change.change === null ? '–' : VERDICTS[change.verdict],
        ]),
        width,
      ),
      ...[
        ...notes,
        ...(first === undefined
          ? []
          : [
              `Change of the ${titleOf(first.change.metric, first.change.k)}; the verdicts of these rows are adjusted for one another, and no gate depends on them.`,
            ]),
      ]
        .flatMap((note) => wrap(plain(note), width))
        .map((line) => colors.dim(line)),
      '',
    ]
  })
}

function caseLines(comparison: Comparison, width: number, colors: Colors): string[] {
  const { regressions, improvements, unchanged, threshold } = comparison
  const several = comparison.pairs.length > 1
  const changed = (title: string, list: readonly CaseChange[], paint: Paint): string[] => {
    if (list.length === 0) return []
    const rows = [...list].sort((a, b) => Math.abs(b.delta) - Math.abs(a.delta))
    return [
      paint(`${counted(list.length, title)}, by more than ${threshold}`),
      ...table(
        [left('case'), right('baseline'), right('current'), right('change'), right('p')],
        rows
          .slice(0, MOST_CASES)
          .map((row) => [
            several ? `${plain(row.case_id)} · ${plain(row.model)}` : plain(row.case_id),
            ...caseTexts(row, threshold),
            pText(row.adjusted_p),
          ]),
        width,
      ),
      ...(rows.length > MOST_CASES ? [`… and ${rows.length - MOST_CASES} more`] : []),
      '',
    ]
  }
  const lines = [
    ...changed('regression', regressions, colors.red),
    ...changed('improvement', improvements, colors.green),
  ]
  return [
    ...lines,
    ...(lines.length > 0
      ? wrap('p: of each case’s passes, adjusted for how many cases were looked at.', width).map(
          (line) => colors.dim(line),
        )
      : []),
    ...(lines.length > 0 ? fewTrials(comparison, width, colors) : []),
    ...(comparison.pairs.some(({ cases }) => cases > 0)
      ? [`${counted(unchanged.length, 'case')} unchanged within ${threshold}`]
      : []),
    ...listed('new', comparison.new_cases, width),
    ...listed('removed', comparison.removed_cases, width),
    ...listed('not comparable', comparison.not_comparable, width),
  ]
}

/**
 * With many cases and few trials each, it is impossible to prove that any single case changed. Returns a line that says
 * so if that is true for this comparison.
 */
function fewTrials(comparison: Comparison, width: number, colors: Colors): string[] {
  return canTellCases(comparison)
    ? []
    : wrap('So few trials cannot prove that any one of these cases changed.', width).map((line) =>
        colors.dim(line),
      )
}

/**
 * Whether it is possible to prove that a single case changed. It is possible if the change of a case is already
 * significant. It is also possible if one case alone could become significant by going from all passed to all failed.
 * (If several cases change, each of them needs less evidence, so this is the strictest condition.)
 */
export function canTellCases({ regressions, improvements, unchanged, alpha }: Comparison): boolean {
  const all = [...regressions, ...improvements, ...unchanged]
  return all.some(
    ({ adjusted_p: p, baseline_trials: a, current_trials: b }) =>
      p <= alpha || leastP(a, b) * all.length <= alpha,
  )
}

/** Counting stops at this number, because a p-value of 1 / 1e12 is significant for any realistic number of cases. */
const ENOUGH = 1e12

/**
 * Returns the smallest possible p-value of Fisher's test. It is reached if all of `a` trials passed and all of `b`
 * trials failed. It is 1 / C(a + b, a), doubled if both sides have the same number of trials.
 */
function leastP(a: number, b: number): number {
  let ways = 1
  for (let i = 1; i <= Math.min(a, b) && ways < ENOUGH; i++)
    ways = (ways * (a + b - Math.min(a, b) + i)) / i
  return (a === b ? 2 : 1) / ways
}

function listed(title: string, cases: readonly CaseName[], width: number): string[] {
  if (cases.length === 0) return []
  const some = cases.slice(0, MOST_CASES).map(({ case_id }) => plain(case_id))
  const rest = cases.length - some.length
  return wrap(`${title}: ${some.join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`, width)
}

function closing({ outcome, gates, pairs }: Comparison, width: number, colors: Colors): string[] {
  if (!outcome.gated && outcome.code === 0) {
    const isWorse = pairs.some(({ metrics: [first] }) => first?.verdict === 'regression')
    const hint =
      'no gate was asked for, so the exit code is 0; --gate statistical exits 1 where it surely got worse'
    return isWorse ? ['', ...wrap(hint, width).map((line) => colors.yellow(line))] : []
  }
  const undecided = gates.filter(({ status }) => status === 'undecided').length
  const lines =
    outcome.code === 0
      ? [
          undecided > 0
            ? `no gate failed, ${undecided} of ${gates.length} undecided`
            : 'what was asked for holds',
        ]
      : outcome.failures.map((failure) => `failed: ${failure}`)
  const paint = outcome.code === 0 ? (undecided > 0 ? colors.yellow : colors.green) : colors.red
  return ['', ...lines.flatMap((line) => wrap(line, width)).map((line) => paint(line))]
}
