/** Registry entries of the intervals and of the suite estimates that have an interval. */
import type { MetricEntry } from '../entry.ts'

const DESIGN = 'docs/design/default-intervals.md'
const BROWN = 'Brown, Cai and DasGupta 2001'

/** Adds the default fields of this folder to an entry. */
const entry = (
  own: Pick<MetricEntry, 'name' | 'answers' | 'formula' | 'edges'> & Partial<MetricEntry>,
): MetricEntry => ({
  specName: null,
  unit: 'probability',
  direction: 'none',
  range: '[0, 1]',
  version: 1,
  ...own,
})

export const entries: readonly MetricEntry[] = [
  entry({
    name: 'passRateEstimate',
    answers: 'What share of trials passes, over cases, and how sure is that?',
    direction: 'higher',
    formula: 'mean over cases of c/n, with the interval of passAtKEstimate at k = 1',
    edges: [
      'with groups, the population interval is that of effectiveNInterval with groups; the value and the fixed interval stay',
      'cases without a trial are left out; with none left the value is null',
    ],
    source: DESIGN,
  }),
  entry({
    name: 'passAtKEstimate',
    answers: 'How likely is at least one pass in k trials of a case, over the suite?',
    direction: 'higher',
    formula:
      'mean over cases with n >= k of passAtK(n, c, k). Population interval: effectiveNInterval with attempts = m^2 / sum(k/n), which is m*n/k for equal n; each end is that of the fixed set where that one reaches further, and method and effectiveN then say so. Fixed set: fixedSetInterval with the same attempts and the jackknife variances ((n-1)/n) (c(n-c)/n) (U(n-1, c-1) - U(n-1, c))^2, for each part of the suite in which no case has more than twice the trials of another; parts add up by the squares of the distances to their bounds',
    edges: [
      'cases with n < k are left out of value and interval; n is the number of cases used',
      'no case left: null with the reason',
      'one case and the population target: a value, no interval, and the reason',
      'fixed set with any n <= k: no variance can be seen, n_eff = attempts',
      'fixed set, k > 1: se is at most sqrt(value(1-value)/attempts), the largest that the mean can have, so n_eff is at least attempts',
    ],
    version: 2,
    source: DESIGN,
  }),
  entry({
    name: 'passHatKEstimate',
    answers: 'How likely do all k trials of a case pass, over the suite?',
    direction: 'higher',
    formula:
      'mean over cases with n >= k of passHatKUnbiased(n, c, k); intervals as for passAtKEstimate',
    edges: ['as for passAtKEstimate'],
    version: 2,
    source: DESIGN,
  }),
  entry({
    name: 'passAtKCurve',
    answers: 'How does pass@k grow with k?',
    direction: 'higher',
    formula: 'passAtKEstimate for k = 1 ... the largest n',
    edges: ['with unequal n the later points are over fewer cases', 'no trials: an empty list'],
    version: 2,
  }),
  entry({
    name: 'passHatKCurve',
    answers: 'How does pass^k fall with k?',
    direction: 'higher',
    formula: 'passHatKEstimate for k = 1 ... the largest n',
    edges: ['with unequal n the later points are over fewer cases', 'no trials: an empty list'],
    version: 2,
  }),
  entry({
    name: 'meanScoreEstimate',
    answers: 'What is the mean score over cases, and how sure is that?',
    unit: 'score',
    direction: 'higher',
    formula:
      'mean over cases of sum/n. Interval: Clopper-Pearson on n_eff = mean(1-mean)/se^2, joined with [mean*s, 1 - (1-mean)*s], s = ((1-level)/2)^(1/N). Population: se between cases, n_eff times (z/t)^2 with m - 1 degrees of freedom, N = cases. Fixed set: se within cases, N = m^2 / sum(1/n), the trials for equal n',
    edges: [
      'with groups, the population interval is that of effectiveNInterval with groups; the value and the fixed interval stay',
      'scores outside [0, 1] are refused',
      'all case means 0 or 1: Clopper-Pearson over the cases (population)',
      'all equal: only the second interval, which at a mean of 1 is Clopper-Pearson',
      'a case with one trial and the fixed target: n_eff = N, the largest spread scores can have',
      'one case and the population target: no interval',
    ],
    source: DESIGN,
  }),
  entry({
    name: 'effectiveNInterval',
    answers: 'Where does the mean over cases like these lie, given one value per case?',
    formula:
      'n_eff = min(mean(1-mean)/se^2, 2m (m if m < 10), attempts), n_eff = m if se = 0; Clopper-Pearson on n_eff. With groups: n_eff = min(mean(1-mean)/se^2 * (z/t_{G*-1})^2, attempts) with the CR1 se of clusteredSE; bounds no nearer than s*mean and 1 - s*(1-mean), s = ((1-level)/2)^(1/G*)',
    edges: [
      'all values 0 or 1 without groups: n_eff = m',
      'fewer than two cases or groups are refused',
    ],
    version: 2,
    source: DESIGN,
  }),
  entry({
    name: 'fixedSetInterval',
    answers: 'Where would the mean over exactly these cases lie if they were tried again?',
    formula:
      'se = sqrt(sum of variances)/m, n_eff = min(mean(1-mean)/se^2, 3*attempts), n_eff = attempts if se = 0; Clopper-Pearson on n_eff',
    edges: [
      'says nothing about other cases: it covers the population value 28 to 91 % of the time',
    ],
    source: DESIGN,
  }),
  entry({
    name: 'clusteredSE',
    answers: 'How uncertain is a mean whose members come in groups?',
    unit: 'as the values',
    range: '[0, inf)',
    formula:
      'sqrt(G/(G-1) * sum over groups of (sum of (x - mean))^2) / N, with G* - 1 degrees of freedom, G* = (sum of sizes)^2 / sum of sizes^2',
    edges: ['one group is refused', 'groups of one member each give sd/sqrt(N)'],
    version: 2,
    source: 'Liang and Zeger 1986 (CR1); Carter, Schnepel and Steigerwald 2017 (G*)',
  }),
  entry({
    name: 'wilson',
    answers: 'Which pass rates fit c passes in n trials?',
    formula: '(c/n + z^2/2n +- z sqrt(r(1-r)/n + z^2/4n^2)) / (1 + z^2/n), r = c/n',
    edges: ['low is 0 at c = 0, high is 1 at c = n', 'covers down to about 88 % near 0 and 1'],
    source: `Wilson 1927; ${BROWN}`,
  }),
  entry({
    name: 'wilsonBounds',
    answers: 'The same for a rate in an effective number of trials, with any quantile.',
    formula: 'as wilson, with real n and a t quantile in place of z where given',
    edges: ['n and the quantile must be above 0'],
  }),
  entry({
    name: 'jeffreys',
    answers: 'Which pass rates fit c passes in n trials, by an uninformative prior?',
    formula: 'the (1-level)/2 quantiles of Beta(c + 1/2, n - c + 1/2)',
    edges: ['low is 0 at c = 0, high is 1 at c = n'],
    source: BROWN,
  }),
  entry({
    name: 'clopperPearson',
    answers: 'Which pass rates can not be excluded by c passes in n trials?',
    formula: 'low: (1-level)/2 quantile of Beta(c, n-c+1); high: 1 minus that of Beta(n-c, c+1)',
    edges: ['low is 0 at c = 0, high is 1 at c = n', 'covers at least as often as its level says'],
    source: 'Clopper and Pearson 1934',
  }),
  entry({
    name: 'kornGraubard',
    answers: 'The same for a rate in an effective number of trials.',
    formula: 'clopperPearson with c = rate*n and a real n',
    edges: ['n must be above 0'],
    source: 'Korn and Graubard 1998',
  }),
  entry({
    name: 'newcombeDifference',
    answers: 'By how much do two independent pass rates differ, B minus A?',
    unit: 'probability points',
    range: '[-1, 1]',
    formula:
      'd = b - a; low = d - sqrt((b - bLow)^2 + (aHigh - a)^2), high = d + sqrt((bHigh - b)^2 + (a - aLow)^2), Wilson bounds',
    edges: [
      'positive means B is better',
      'for the same cases under both subjects use pairedDifference',
    ],
    source: 'Newcombe 1998, method 10',
  }),
  entry({
    name: 'betaBinomialPosterior',
    answers: 'What would a beta-shaped mix of difficulties make of the suite, also for k above n?',
    formula:
      'grid over mu, rho in (0, 1), uniform prior; a = mu(1/rho - 1), b = (1-mu)(1/rho - 1); posterior mean and quantiles of a/(a+b), betaPassAtK, betaPassHatK',
    edges: [
      'model-based and labelled so; never a default: with two kinds of cases its pass@k interval covers 29 to 87 %',
      'check.p is small where the histogram of passes does not fit the model; null with fewer than 5 cases of equal n',
    ],
    source: 'Kazdan et al. 2025 for the extrapolation',
  }),
  entry({
    name: 'betaBinomialLogPmf',
    answers: 'How likely are c passes in n trials if pass rates follow Beta(a, b)?',
    unit: 'log-probability',
    range: '(-inf, 0]',
    formula: 'ln C(n, c) + ln B(a + c, b + n - c) - ln B(a, b)',
    edges: ['a and b must be above 0'],
  }),
  entry({
    name: 'betaPassAtK',
    answers: 'How likely is at least one pass in k trials if pass rates follow Beta(a, b)?',
    direction: 'higher',
    formula: '1 - B(a, b + k) / B(a, b)',
    edges: ['k = 0 gives 0'],
  }),
  entry({
    name: 'betaPassHatK',
    answers: 'How likely do all k trials pass if pass rates follow Beta(a, b)?',
    direction: 'higher',
    formula: 'B(a + k, b) / B(a, b)',
    edges: ['k = 0 gives 1'],
  }),
  entry({
    name: 'flakiness',
    answers: 'How often does a case do what it usually does not, and is it proven stable?',
    direction: 'lower',
    range: '[0, 0.5]',
    formula: 'min(c, n-c)/n; interval: min(p, 1-p) over the Clopper-Pearson interval of p',
    edges: [
      'provenStable: the whole interval is at most 0.05, which takes at least 72 equal trials at 95 %',
      'five passes of five allow a pass rate of 0.478: not proven stable',
    ],
  }),
  entry({
    name: 'disagreementProbability',
    answers: 'How likely do two runs of a case disagree?',
    direction: 'lower',
    formula: '2c(n-c) / (n(n-1))',
    edges: ['null for one trial', 'unbiased, so it can exceed 0.5 for small n'],
  }),
  entry({
    name: 'flakeDetectionProbability',
    answers: 'How likely do n trials show both outcomes of a case with pass rate p?',
    formula: '1 - p^n - (1-p)^n',
    edges: ['n = 1 gives 0'],
  }),
]
