/**
 * Compares two reports. The result is a pure function of both. The first part of the result follows the
 * code-scoring specification: each case's mean score on both sides, and lists of the cases that changed by more
 * than the threshold. With few trials, that rule gives false alarms. So the second part says how certain the
 * changes are:
 * - For every measure, it has the interval of its difference and a verdict.
 * - One exact test says whether anything changed on these cases.
 * - Two tests say whether the average changed.
 * - Each case has a Fisher test, adjusted by Benjamini and Hochberg.
 *
 * `Comparison` is also the JSON that `assay compare --format json` prints. All lists are sorted by name.
 */
import { exactStratifiedTest, pairedDifference, signFlipExact } from '@assay/metrics'
import { type Report, checkReport } from '../report/index.ts'
import { faultsOf, isEdited } from './baseline.ts'
import { compareBy } from './by/compare-by.ts'
import { caseLists, namesOf, type Compared } from './case-lists.ts'
import { askGates, changeResult, type GatedPair, type GateResult } from './gates.ts'
import { judge, type MetricChange, type Question } from './gate-verdict.ts'
import { byName, groupsOf, keyOf, matchCases, scoreOf, type CasePair } from './match-cases.ts'
import type { Setting } from './measures.ts'
import { METRICS, type MetricName } from './names.ts'
import { haveNobodyInCommon, pairSubjects, whoIsWhere, type Pairing } from './pair-subjects.ts'
import { exactly, haveSameAnswers, isExact, regradedOf } from './same-answers.ts'
import { differencesBetween, parametersThatDiffer } from './side-differences.ts'
import { aloneWarnings, goneWarnings, groupWarnings, stepWarning } from './warnings.ts'
import { outcomeOf } from './gate-result.ts'
import type { CompareOptions, PairComparison, Comparison, SideSummary } from './comparison-types.ts'

export const DEFAULTS: CompareOptions = {
  baseline: { name: 'baseline', subject: null },
  current: { name: 'current', subject: null },
  pairs: [],
  threshold: 0.05,
  alpha: 0.05,
  target: 'fixed',
  metric: 'meanScore',
  margin: null,
  gate: null,
  gates: null,
  strict: false,
  failOnRegression: false,
  failOnRemoved: null,
  allowPartial: false,
  by: [],
}

/**
 * The name of the method that is reported if all cases changed by the same amount. A t test needs variance, and here
 * there is none. So an upper bound replaces its p-value. The bound is valid, but far above the p-value of the sign-flip
 * test.
 */
export const ALIKE = 'an upper bound: all cases agree'

/** Compares two reports. Throws `UsageError` if a name is unknown or a report contradicts itself. */
export function compareReports(
  baseline: Report,
  current: Report,
  chosen: Partial<CompareOptions> = {},
): Comparison {
  const options = { ...DEFAULTS, ...chosen }
  checkReport(options.baseline.name, baseline)
  checkReport(options.current.name, current)
  const pairing = pairSubjects(baseline, current, {
    baselineSubject: options.baseline.subject,
    currentSubject: options.current.subject,
    pairs: options.pairs,
  })
  const compared = pairing.pairs.map((pair) => ({
    pair,
    matched: matchCases(baseline, current, pair, haveSameAnswers(baseline, current)),
  }))
  const setting: Setting = {
    level: 1 - options.alpha,
    target: options.target,
    k: commonK(baseline, current, compared),
  }
  const pairs = pairComparisons(baseline, current, compared, options, setting)
  const cases = caseLists(compared, options.threshold)
  // If the two sides have no subject in common, no case counts as new or removed. The user must first say which
  // subjects to compare.
  const strangers = haveNobodyInCommon(pairing)
  const lists = {
    ...cases,
    new_cases: [
      ...compared.flatMap(({ matched }) => matched.added),
      ...(strangers ? [] : unknownCases(baseline, current, pairing)),
    ].sort(byName),
    removed_cases: [
      ...compared.flatMap(({ matched }) => matched.removed),
      ...(strangers ? [] : namesOf(baseline, pairing.onlyBaseline)),
    ].sort(byName),
    not_comparable: compared.flatMap(({ matched }) => matched.incomparable).sort(byName),
  }
  const gates = gatesOf(current, compared, pairs, options, setting)
  return {
    assay: 'comparison',
    version: 1,
    baseline: sideSummary(options.baseline.name, baseline, compared, 'baseline'),
    current: sideSummary(options.current.name, current, compared, 'current'),
    threshold: options.threshold,
    alpha: options.alpha,
    target: options.target,
    outcome: outcomeOf(
      {
        lists,
        pairs,
        gates,
        faults: faultsOf(current),
        strangers: strangers ? whoIsWhere(pairing) : null,
      },
      options,
    ),
    ...lists,
    pairs,
    gates,
    ...(options.by.length === 0
      ? {}
      : {
          by: compareBy(
            [baseline, current],
            compared,
            options.by,
            { name: options.metric, margin: options.margin },
            setting,
          ),
        }),
    warnings: [
      ...differencesBetween(baseline, current, pairing.pairs),
      ...(strangers ? [] : aloneWarnings(pairing)),
      ...goneWarnings(lists),
      ...compared.flatMap(({ matched }) => groupWarnings(matched.pairs)),
      ...(haveSameAnswers(baseline, current) ? [] : stepWarning(compared, options)),
    ],
  }
}

/**
 * Returns the cases of subjects that only the current run has. A case is left out if a compared subject has it in the
 * baseline, because then it is not new.
 */
function unknownCases(baseline: Report, current: Report, { pairs, onlyCurrent }: Pairing) {
  const before = pairs.map((pair) => pair.baseline)
  const known = new Set(
    namesOf(baseline, before).map(({ suite, case_id }) => keyOf(suite, case_id)),
  )
  return namesOf(current, onlyCurrent).filter(
    ({ suite, case_id }) => !known.has(keyOf(suite, case_id)),
  )
}

/**
 * Returns the largest k for which both reports have pass^k and at least one case has k trials on both sides. Returns 1
 * if there is none.
 */
function commonK(baseline: Report, current: Report, compared: readonly Compared[]): number {
  const pairs = compared.flatMap(({ matched }) => matched.pairs)
  return baseline.passK
    .filter((k) => current.passK.includes(k) && pairs.some(({ a, b }) => a.n >= k && b.n >= k))
    .reduce((most, k) => Math.max(most, k), 1)
}

function sideSummary(
  name: string,
  report: Report,
  compared: readonly Compared[],
  side: 'baseline' | 'current',
): SideSummary {
  const subjects = new Set(compared.map(({ pair }) => pair[side]))
  const rows = report.subjects.filter(({ subject }) => subjects.has(subject))
  const sources = [...new Set(rows.map(({ source }) => source))].sort()
  return {
    name,
    run: report.run.id,
    createdAt: report.run.createdAt,
    sources,
    ...(isEdited(report) ? { edited: true as const } : {}),
  }
}

// ── How certain the changes are ──────────────────────────────────────────────────────────────────────

function pairComparisons(
  baseline: Report,
  current: Report,
  compared: readonly Compared[],
  { metric, margin }: CompareOptions,
  setting: Setting,
): PairComparison[] {
  // pass^1 is the same as the pass rate, so it is left out.
  const others = METRICS.filter((name) => name !== metric && (name !== 'passHatK' || setting.k > 1))
  const question = (name: MetricName, pairs: readonly CasePair[]): Question => ({
    metric: name,
    margin: name === metric ? margin : null,
    pairs,
  })
  const decided = judge(
    compared.map(({ matched }) => question(metric, matched.pairs)),
    setting,
  )
  const shown = judge(
    compared.flatMap(({ matched }) => others.map((name) => question(name, matched.pairs))),
    setting,
  )
  return compared.map(({ pair, matched }, i) => {
    const metrics = [
      decided[i] as MetricChange,
      ...shown.slice(i * others.length, (i + 1) * others.length),
    ]
    const regraded = regradedOf(baseline, current, matched.pairs)
    return {
      ...pair,
      cases: matched.pairs.length,
      ...groupCount(matched.pairs),
      leftOut: matched.added.length + matched.removed.length + matched.incomparable.length,
      parameters: parametersThatDiffer(baseline, current, pair),
      ...(regraded === null ? {} : { regraded }),
      metrics:
        regraded !== null && isExact(regraded, matched.pairs) ? metrics.map(exactly) : metrics,
      tests: testsOf(matched.pairs, setting.level),
    }
  })
}

function groupCount(pairs: readonly CasePair[]): Pick<PairComparison, 'groups'> {
  const groups = groupsOf(pairs)
  return groups === undefined ? {} : { groups: new Set(groups).size }
}

function testsOf(pairs: readonly CasePair[], level: number): PairComparison['tests'] {
  if (pairs.length === 0) {
    const none = { p: null, method: 'nothing to compare' }
    return { anythingChanged: none, averageChanged: none, averageChangedExact: none }
  }
  const before = pairs.map(({ a }) => scoreOf(a))
  const after = pairs.map(({ b }) => scoreOf(b))
  const strata = pairs.map(({ a, b }) => ({ nA: a.n, cA: a.c, nB: b.n, cB: b.c }))
  const stratified = exactStratifiedTest(strata)
  const groups = groupsOf(pairs)
  const unit = groups === undefined ? 'cases' : 'groups'
  const flipped = signFlipExact(
    after.map((value, i) => value - (before[i] as number)),
    'twoSided',
    groups,
  )
  const { p, se } = pairedDifference(before, after, level, groups)
  return {
    anythingChanged: { p: stratified.p, method: `stratified by case, ${stratified.method}` },
    averageChanged: { p, method: se === 0 ? ALIKE : `paired t over ${unit}, widened for skewness` },
    averageChangedExact: { p: flipped.p, method: `sign-flip over ${unit}, ${flipped.method}` },
  }
}

function gatesOf(
  current: Report,
  compared: readonly Compared[],
  pairs: readonly PairComparison[],
  { gate, gates }: CompareOptions,
  setting: Setting,
): readonly GateResult[] {
  if (gate === null) return []
  if (gates === null)
    return pairs.map((pair) => changeResult(pair.current, pair.metrics[0] as MetricChange))
  const gated = compared.map(({ pair, matched }): GatedPair => ({
    pair,
    pairs: matched.pairs,
    rows: current.subjects.filter(({ subject }) => subject === pair.current),
  }))
  return askGates(gates, gated, setting)
}
