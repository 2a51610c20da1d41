/**
 * Registry entries of the comparisons of two or more subjects and of the correction for many tests.
 */
import type { MetricEntry } from '../entry.ts'

const P_VALUE = { unit: 'p-value', direction: 'none', range: '[0, 1]', version: 1 } as const
const SIDES = 'twoSided, less or greater; less asks whether B is below A'

export const entries: readonly MetricEntry[] = [
  {
    name: 'pairedDifference',
    specName: null,
    answers: 'Did the average change between A and B on cases like these, and by how much?',
    unit: 'score points (B - A)',
    direction: 'higher',
    range: '[-1, 1] for scores in [0, 1]',
    formula:
      'd_i = b_i - a_i per case; mean(d) +- t_{1-alpha/2, m-1} * sd(d) / sqrt(m), and on the side of the skewness u/m * (Q - x - z * sqrt(x)) further, with e_i = d_i - mean(d), u = sum(e^3) / sum(e^2), x = sum(e^2)^3 / sum(e^3)^2 and Q = (x+1) * (1 - 1/(9(x+1)) + z/(3 sqrt(x+1)))^3, the upper bound of a Poisson mean after x events; p = 2 * P(T_{m-1} > |mean(d)| / se), or 1 - the largest level that excludes 0 if 0 is on the side of the skewness. With groups of cases the CR1 standard error: se^2 = G/(G-1) * sum over groups of (sum of d_i - mean(d))^2 / m^2, with G* - 1 degrees of freedom, G* = (sum of sizes)^2 / sum of sizes^2 (the number of groups G if all have the same size)',
    edges: [
      'all units agree (se below rounding): interval is s*d +- (1 - s) with s = (alpha/2)^(1/m), never of no width; p = min(1, 2 * (1 + |d|)^-m), m units',
      'all units agree on values outside [0, 1]: interval and p are null',
      'one case, or one group: se, df, p and interval are null',
      'scores in [0, 1]: the interval is cut at -1 and 1, because no difference is larger',
      'values on another scale, such as logarithms of costs: the plain t interval, not widened for skewness',
    ],
    version: 3,
    source:
      'Miller 2024, Adding Error Bars to Evals; Liang and Zeger 1986; Garwood 1936 and Wilson and Hilferty 1931 (skewness)',
  },
  {
    name: 'intervalP',
    specName: null,
    answers: 'Which p-value belongs to this interval?',
    ...P_VALUE,
    formula: '1 - the largest level at which the interval excludes the value',
    edges: [
      'the interval of the level 1 - alpha excludes the value exactly where p < alpha',
      'no interval: null',
      'values below 1e-9 are reported as 1e-9; otherwise to seven digits',
    ],
  },
  {
    name: 'gateVerdict',
    specName: null,
    answers:
      'Regression, improvement, no regression, or not enough data to say; and then how much more?',
    unit: 'verdict',
    direction: 'none',
    range: 'regression | improvement | noRegression | inconclusive',
    formula:
      'regression iff high < 0 and d < -margin; improvement iff low > 0 and d > margin; noRegression iff low > -margin; else inconclusive. More cases: requiredCases for the room r between d and the edge (r = -d if d < -margin, else d + margin) at the observed spread, power 0.8. More trials: their noise divided until the standard error is r / (z_{1-alpha/2} + z_0.8)',
    edges: [
      'fewer than 5 cases (groups where given): always inconclusive',
      'd is compared with the margin to 1e-9, so 1 -> 0.95 is not below a margin of 0.05',
      'all cases agree: more cases = zeroFailureTrials(1 - r / (1 + |d|), 1 - alpha/2)',
      'd on the edge itself: no number of cases settles it, null',
      'trials alone cannot settle it, or their noise is not given: null',
    ],
    version: 1,
  },
  {
    name: 'exactStratifiedTest',
    specName: null,
    answers: 'Did anything change between A and B on exactly these cases?',
    ...P_VALUE,
    formula:
      'S = sum of cB over cases; given cA + cB in each case, cB is hypergeometric, S their convolution. Two-sided: sum of all P(S = s) <= P(S = observed) * (1 + 1e-7)',
    edges: [
      SIDES,
      'cases on which all trials passed, all failed, or one subject has none say nothing; with no other p is 1',
      'above 5e8 multiplications: Mantel-Haenszel z with continuity correction, method = normal',
      'equals mcnemar at one trial each, fisherExact with one case',
      'cases that move both ways with zero mean are a change too; pairedDifference asks for the average',
    ],
    source: 'Mantel and Haenszel 1959; Gart 1970; R mantelhaen.test(exact = TRUE)',
  },
  {
    name: 'signFlipExact',
    specName: null,
    answers: 'Did the average change, without assuming a normal distribution?',
    ...P_VALUE,
    formula:
      'share of the 2^m sign patterns with |sum of +-d_i| >= |sum of d_i|, counted by dynamic programming',
    edges: [
      'with groups, the signs of a group are flipped together',
      SIDES,
      'zeros are ignored; without any difference p is 1',
      'exact where every difference is a whole number of at most 10,000 steps to the largest (all pass rates with moderate n)',
      'other values are rounded to that lattice, symmetrically, which keeps the test valid: method = rounded',
      'above about 1000 cases off the lattice: z = sum(d) / sqrt(sum(d^2)), method = normal',
    ],
    source: 'Fisher 1935; Pagano and Tritchler 1983',
  },
  {
    name: 'mcnemar',
    specName: null,
    answers: 'Of the cases on which A and B disagree, does one win more than half?',
    ...P_VALUE,
    formula: 'p = 2 * P(X <= min(b, c)), X binomial(b + c, 1/2); mid-p = p - P(X = min(b, c))',
    edges: ['b = c: p is 1, mid-p is 1 - P(X = b) / 2', 'b = c = 0: both are 1'],
    source: 'McNemar 1947; Fagerland, Lydersen and Laake 2013',
  },
  {
    name: 'fisherExact',
    specName: null,
    answers: 'Do two subjects pass one case equally often?',
    ...P_VALUE,
    formula:
      'given the margins of [[a, b], [c, d]], a is hypergeometric; two-sided: sum of all P(table) <= P(observed) * (1 + 1e-7)',
    edges: [
      'twoSided, less or greater; greater asks for an odds ratio ad/bc above 1',
      'an empty row or column: p is 1',
      'odds ratio null where b or c is 0',
      'counts above 1e9 are refused',
      'below 5e-324, the smallest double, p reads 0',
    ],
    source: 'Fisher 1935; Freeman and Halton 1951',
  },
  {
    name: 'wilcoxonSignedRank',
    specName: null,
    answers: 'Did cases tend to change in one direction, by ranks rather than sizes?',
    ...P_VALUE,
    formula: 'sum of the midranks of |d_i| over d_i > 0 against all 2^m sign patterns',
    edges: [
      SIDES,
      'exact with ties; zeros dropped before ranking (wilcoxon, the default) or after (pratt)',
      'differences within 1e-12 of the largest are tied',
      'above 400 differences: normal with tie and continuity correction',
      'without any difference p is 1',
    ],
    source: 'Wilcoxon 1945; Pratt 1959',
  },
  {
    name: 'mannWhitneyU',
    specName: null,
    answers: 'Does a value of x tend to be above one of y, for independent samples?',
    ...P_VALUE,
    formula:
      'U = pairs with x > y + half of the ties; p over all choices of nx of the midranks; superiority = U / (nx * ny)',
    edges: [
      'twoSided counts what is at least as far from the mean; greater asks whether x is above y',
      'exact with and without ties, up to about 55 against 55; beyond, normal with tie and continuity correction',
      'all values equal: p is 1',
    ],
    source: 'Mann and Whitney 1947; Streitberg and Roehmel 1986',
  },
  {
    name: 'kruskalWallis',
    specName: null,
    answers: 'Do several independent samples tend to the same values?',
    ...P_VALUE,
    formula:
      'H = (N - 1) * sum of n_g * (mean rank_g - (N+1)/2)^2 / sum of (rank - (N+1)/2)^2; p = P(chi2_{k-1} > H)',
    edges: [
      'the tie correction is in the denominator',
      'all values equal: H is 0, p is 1',
      'chi-square is rough below five values per group',
    ],
    source: 'Kruskal and Wallis 1952',
  },
  {
    name: 'cliffsDelta',
    specName: null,
    answers: 'How often is x above y minus how often below: how large is the effect?',
    unit: 'probability difference',
    direction: 'higher',
    range: '[-1, 1]',
    formula:
      "(#(x > y) - #(x < y)) / (nx * ny); interval: hull of Feng and Cliff's (observed dominances) and Newcombe's method 5 (variance formula solved at the bound)",
    edges: [
      'with groups, the interval also contains one with the standard error of the groups',
      "at -1 and 1, or with one value in a sample, Newcombe's alone",
      'only two distinct values (passes and failures): newcombeDifference of the two rates',
      'the interval never has no width',
    ],
    version: 1,
    source: 'Cliff 1993; Feng and Cliff 2004; Newcombe 2006',
  },
  {
    name: 'spearman',
    specName: null,
    answers: 'Do two measures order the cases alike?',
    unit: 'rank correlation',
    direction: 'none',
    range: '[-1, 1]',
    formula:
      'Pearson correlation of the midranks; p over all n! orders up to n = 10 and for rho = 1 or -1, else by t = rho * sqrt((n-2) / (1-rho^2))',
    edges: [
      'one of the two never varies: rho and p are null',
      'rho = 1 or -1: p counts equal ranks, so ten equal pairs and another one have 1/11',
      'many ties, n > 10 and rho near 1 or -1: the p of t is too small',
      'fewer than 2 pairs are refused',
    ],
    version: 2,
    source: 'Spearman 1904',
  },
  {
    name: 'adjustP',
    specName: null,
    answers: 'What remains of each p-value once all that were looked at are counted?',
    ...P_VALUE,
    formula:
      'sorted p_(1) <= ... <= p_(m). holm: max over j <= i of (m-j+1) * p_(j); bh: min over j >= i of m/j * p_(j); by: bh times 1 + 1/2 + ... + 1/m; all at most 1',
    edges: ['returned in the order given', 'an empty list gives an empty list'],
    source: 'Holm 1979; Benjamini and Hochberg 1995; Benjamini and Yekutieli 2001',
  },
  {
    name: 'homogeneityTest',
    specName: null,
    answers: 'Do several tiers pass equally often?',
    ...P_VALUE,
    formula:
      'X^2 = sum of (c_g - n_g * c/n)^2 / (n_g * c/n * (1 - c/n)); exact p over all splits of the passes, given their total, with X^2 at least as large',
    edges: [
      'all trials passed, or all failed: statistic 0, p 1',
      'exact while it can be counted in 5e6 steps, else P(chi2_{k-1} > X^2): method = chiSquare',
      'trials are taken as independent; with shared cases use stratifiedHomogeneityTest',
    ],
    source: 'Pearson 1900; Freeman and Halton 1951',
  },
  {
    name: 'stratifiedHomogeneityTest',
    specName: null,
    answers: 'Do several subjects or tiers pass equally often on the same cases?',
    ...P_VALUE,
    formula:
      "G' V^-1 G against chi-square: G sums c - n * C/N over cases for all subjects but one, V its covariance C(N-C) / (N^2 (N-1)) * (N * diag(n) - n n')",
    edges: [
      'cases on which all trials passed or all failed say nothing; with no other df is 0 and p is 1',
      'a subject that shares no case with the others costs its degree of freedom',
      'two subjects: the Mantel-Haenszel chi-square without continuity correction',
    ],
    source: 'Landis, Heyman and Koch 1978',
  },
  {
    name: 'stratifiedMeanTest',
    specName: null,
    answers: 'Do several subjects or tiers score equally well on the same cases?',
    ...P_VALUE,
    formula:
      "G' V^-1 G against chi-square: G sums S - n * mean over cases for all subjects but one (S: the subject's sum, mean: the case's), V its covariance s^2 / N * (N * diag(n) - n n'), s^2 the variance of the case's N scores",
    edges: [
      'a case counts if at least two subjects tried it and its scores differ; without any df is 0 and p is 1',
      'with 0 and 1 as scores it is stratifiedHomogeneityTest',
    ],
    source: 'Landis, Heyman and Koch 1978, mean-score statistic',
  },
  {
    name: 'stratifiedPermutationTest',
    specName: null,
    answers: 'The same question, for suites with few trials.',
    ...P_VALUE,
    formula:
      "stratifiedMeanTest's statistic; p = (1 + arrangements with a statistic at least as large) / 10000, over 9,999 random arrangements of each case's scores",
    edges: ['the p-value depends on the seed by at most about 0.01'],
    source: 'Phipson and Smyth 2010',
  },
  {
    name: 'rankSets',
    specName: null,
    answers: 'Which ranks can the data not rule out for each subject?',
    unit: 'rank',
    direction: 'lower',
    range: '[1, M], M subjects',
    formula:
      '[1 + subjects proven better, M - subjects proven worse]; proven: half of the p of pairedDifference, Holm over all M(M-1) directed pairs, at most 1 - level',
    edges: [
      'all sets hold the true ranks at once with the chosen confidence',
      'one case, or one group: every set is [1, M]',
    ],
    version: 1,
    source: 'Mogstad, Romano, Shaikh and Wilhelm 2024, Inference for Ranks',
  },
]
