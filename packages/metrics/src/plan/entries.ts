/**
 * Registry entries of the planning functions: the sources of variance, and how many cases and trials
 * are needed.
 */
import type { MetricEntry } from '../entry.ts'

const MILLER = 'Miller 2024, Adding Error Bars to Evals'

export const entries: readonly MetricEntry[] = [
  {
    name: 'varianceComponents',
    specName: null,
    answers: 'How much of the noise is between cases and how much between trials of one case?',
    unit: 'score variance; icc and designEffect have none',
    direction: 'none',
    range: '[0, inf); icc [0, 1]; designEffect [1, inf)',
    formula:
      'm cases, N trials. within = MSW = sum of (sumSq - sum^2/n) / (N - m); MSB = sum of n * (case mean - mean)^2 / (m - 1); n0 = (N - sum(n^2)/N) / (m - 1); between = max(0, (MSB - MSW) / n0); icc = between / (between + within); designEffect = 1 + (sum(n^2)/N - 1) * icc',
    edges: [
      'one trial per case: within, between, icc and designEffect are null',
      'one case: all but within are null',
      'no variance at all: icc and designEffect are null',
      'sumSq below sum^2/n by more than rounding is refused',
    ],
    version: 1,
    source: 'Searle, Casella and McCulloch 1992; Kish 1965',
  },
  {
    name: 'pairedVariance',
    specName: null,
    answers: 'How much of the spread of the per-case differences is real and how much trial noise?',
    unit: 'score variance',
    direction: 'none',
    range: '[0, inf)',
    formula:
      "observed = var(mean_B - mean_A over cases); noise = mean(sA^2/nA) + mean(sB^2/nB), s^2 each case's own trial variance; between (omega^2) = max(0, observed - noise)",
    edges: ['null with fewer than two cases or a case with one trial'],
    version: 1,
    source: MILLER,
  },
  {
    name: 'requiredCases',
    specName: null,
    answers: 'How many cases does it take to detect a difference of this size?',
    unit: 'cases',
    direction: 'lower',
    range: '[1, inf)',
    formula:
      'ceil((z_{1-alpha/2} + z_power)^2 * (omega^2 + sA^2/KA + sB^2/KB) / difference^2), K trials per case',
    edges: [
      'difference = 0 is refused: no number detects it',
      'no variance: 1',
      'a power at or below alpha/2 is refused',
      'normal quantiles: one to four cases too few below about 30',
    ],
    version: 1,
    source: MILLER,
  },
  {
    name: 'minDetectableEffect',
    specName: null,
    answers: 'What difference can this many cases detect?',
    unit: 'score points',
    direction: 'lower',
    range: '[0, inf)',
    formula: '(z_{1-alpha/2} + z_power) * sqrt((omega^2 + sA^2/KA + sB^2/KB) / cases)',
    edges: [
      'the inverse of requiredCases',
      'above 1 for scores in [0, 1]: nothing can be detected',
    ],
    version: 1,
    source: MILLER,
  },
  {
    name: 'moreEvidence',
    specName: null,
    answers: 'How many more cases or trials would decide a comparison?',
    unit: 'cases; trials of each subject on each case',
    direction: 'lower',
    range: '[1, inf), or null',
    formula:
      'se, n cases in u units, room r. Cases: n/u * max(5, requiredCases(r) at between = se^2 * u) - n. Trials: K * o / (S^2 - (se^2 - o)) - K with S = r / (z_{1-alpha/2} + z_0.8), o = noise/n, K trials now',
    edges: [
      'one unit: cases up to the five that any verdict needs',
      'all cases agree on d: zeroFailureTrials(1 - r / (1 + |d|), 1 - alpha/2) cases',
      'trials alone cannot do it, their noise is not given, or fewer than 5 units: trials are null',
    ],
    version: 1,
    source: MILLER,
  },
  {
    name: 'trialsPerCase',
    specName: null,
    answers: 'How many trials per case make the suite mean most precise for the money?',
    unit: 'trials',
    direction: 'none',
    range: '[1, inf)',
    formula:
      'the whole n that minimises (costCase + n * costTrial) * (between + within/n), near sqrt(costCase/costTrial * within/between)',
    edges: [
      'within = 0 or costCase = 0: 1',
      'between = 0: null, all trials on one case would be best',
    ],
    version: 1,
    source: 'Cochran 1977',
  },
  {
    name: 'zeroFailureTrials',
    specName: null,
    answers: 'How many passes in a row prove a pass rate of at least p?',
    unit: 'trials',
    direction: 'lower',
    range: '[1, inf)',
    formula: 'ceil(ln(1 - confidence) / ln p)',
    edges: ['29 for p = 0.9 at 0.95', 'p and confidence strictly between 0 and 1'],
    version: 1,
    source: 'Hanley and Lippman-Hand 1983',
  },
]
