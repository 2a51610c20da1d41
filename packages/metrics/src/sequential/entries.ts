/**
 * Registry entries of the sequential methods: planned interim looks, e-values and confidence
 * sequences, and pass rates of runs that stopped early.
 */
import type { MetricEntry } from '../entry.ts'

const VILLE = 'Robbins 1970; Howard et al. 2021'

export const entries: readonly MetricEntry[] = [
  {
    name: 'obrienFlemingBoundaries',
    specName: null,
    answers: 'How large must a difference be at each of several planned looks?',
    unit: '|z|',
    direction: 'none',
    range: 'above z_{1-alpha/2}',
    formula:
      'z_k = C * sqrt(K/k), K equally spaced looks, C such that P(|Z_k| >= z_k for some k) = alpha without a difference',
    edges: ['K = 1 is the usual test', 'K from 1 to 100', 'two-sided'],
    version: 1,
    source: "O'Brien and Fleming 1979; Jennison and Turnbull 2000, table 2.3",
  },
  {
    name: 'spendingBoundaries',
    specName: null,
    answers: 'How large must a difference be at looks that come when they come?',
    unit: '|z|',
    direction: 'none',
    range: 'above 0',
    formula:
      'z_k such that P(first crossing by look k) = 4 - 4*Phi(z_{1-alpha/4} / sqrt(t_k)), t_k the share of the planned information',
    edges: [
      'shares rise from above 0 to at most 1; the last may be below 1',
      'a share too small to spend anything on is refused',
    ],
    version: 1,
    source: 'Lan and DeMets 1983',
  },
  {
    name: 'logMixtureLikelihoodRatio',
    specName: null,
    answers: 'How strongly do the trials so far speak against a pass rate of p0, at any time?',
    unit: 'natural logarithm of an e-value',
    direction: 'none',
    range: '(-Infinity, Infinity)',
    formula: 'ln( B(a+c, b+n-c) / B(a, b) / (p0^c * (1-p0)^(n-c)) ), Beta(a, b) mixing',
    edges: ['n = 0 gives 0', 'p0 = 0 and p0 = 1 are refused'],
    version: 1,
    source: VILLE,
  },
  {
    name: 'discordantEValue',
    specName: null,
    answers: 'How strong is the evidence that two subjects differ, looked at after every pair?',
    unit: 'e-value',
    direction: 'none',
    range: '(0, Infinity]',
    formula: 'B(1/2+W, 1/2+L) / B(1/2, 1/2) * 2^(W+L), W and L pairs in which only one passed',
    edges: [
      'no pairs gives 1; 20 rejects at 5 %, whenever one looked',
      'Infinity only beyond 1.8e308; logDiscordantEValue goes on',
    ],
    version: 1,
    source: VILLE,
  },
  {
    name: 'logDiscordantEValue',
    specName: null,
    answers: 'The same where it is too large for a number.',
    unit: 'natural logarithm of an e-value',
    direction: 'none',
    range: '(-Infinity, Infinity)',
    formula: 'ln discordantEValue',
    edges: ['no pairs gives 0'],
    version: 1,
    source: VILLE,
  },
  {
    name: 'betaConfidenceSequence',
    specName: null,
    answers: 'Where is the pass rate of a case, if one looks after every trial?',
    unit: 'probability',
    direction: 'none',
    range: '[0, 1]',
    formula: '{ p : logMixtureLikelihoodRatio(n, c, p) < ln(1/(1-level)) }',
    edges: [
      'n = 0 gives [0, 1]; c = 0 has low 0; c = n has high 1',
      'the prior must be chosen before the first trial',
      'about 1.4 to 1.8 times as wide as an interval for a fixed n',
    ],
    version: 1,
    source: VILLE,
  },
  {
    name: 'inverseSamplingRate',
    specName: null,
    answers: 'What is the pass rate when trials went on until c passes?',
    unit: 'probability',
    direction: 'higher',
    range: '[0, 1]',
    formula: '(c - 1) / (n - 1), n the trial of the c-th pass',
    edges: ['c = n gives 1, also 1 of 1', 'c = 1 gives 0 or 1: average it over many cases'],
    version: 1,
    source: 'Haldane 1945',
  },
  {
    name: 'stoppedRate',
    specName: null,
    answers: 'What is the pass rate, given the rule that ended the run, and is it free of bias?',
    unit: 'probability',
    direction: 'higher',
    range: '[0, 1]',
    formula:
      'until r passes and reached: inverseSamplingRate(n, c), else c/n; unbiased for fixed trials and for a number of passes, with or without a budget',
    edges: ['after planned or open-ended looks c/n is biased and marked so'],
    version: 1,
    source: 'Girshick, Mosteller and Savage 1946',
  },
]
