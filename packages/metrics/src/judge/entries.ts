/** Registry entries of the agreement and the errors of judges. */
import type { MetricEntry } from '../entry.ts'

const KRIPPENDORFF = "Krippendorff 2011, Computing Krippendorff's Alpha-Reliability"

export const entries: readonly MetricEntry[] = [
  {
    name: 'consensus',
    specName: null,
    answers: 'Which score do several runs of a judge give together?',
    unit: 'score',
    direction: 'higher',
    range: '[0, 1], or null',
    formula: 'sum(score * confidence) / sum(confidence) over the runs',
    edges: ['all confidences 0: the plain mean', 'no run: null'],
    version: 1,
    source: 'the judge protocol of the tiered experiments (metrics-formulas)',
  },
  {
    name: 'meanDifference',
    specName: null,
    answers: 'How far are the runs of a judge apart?',
    unit: 'score',
    direction: 'lower',
    range: '[0, 1] for scores in [0, 1], or null',
    formula: 'mean of |a - b| over all pairs of scores',
    edges: ['fewer than two scores: null'],
    version: 1,
    source: 'Gini 1912',
  },
  {
    name: 'krippendorffAlpha',
    specName: null,
    answers: 'How far do judges agree beyond chance?',
    unit: 'alpha',
    direction: 'higher',
    range: '(-1, 1], or null',
    formula:
      '1 - (n-1) * sum over items of pairs(item)/(m-1) / pairs(all), n pairable ratings, m ratings of the item, pairs = sum of distances over ordered pairs: nominal 0 or 1, ordinal (difference of mid-ranks)^2, interval (a-b)^2, ratio ((a-b)/(a+b))^2',
    edges: [
      'items with fewer than two ratings are left out',
      'no pairable ratings, or all of them the same: null',
      'ratio scales refuse negative ratings',
    ],
    version: 1,
    source: KRIPPENDORFF,
  },
  {
    name: 'krippendorffAlphaEstimate',
    specName: null,
    answers: 'How sure is that agreement, over items like these?',
    unit: 'alpha',
    direction: 'higher',
    range: '(-1, 1], or null',
    formula:
      'bootstrap of krippendorffAlpha over items; interval: hull of BCa (percentile if there is none) and alpha +- t_{G*-1} * se * sqrt(G/(G-1)), cut at 1, se of the bootstrap',
    edges: [
      'with groups, groups are resampled instead of items',
      'resamples whose ratings are all the same have no alpha and count against both ends',
      'full agreement: no interval, degenerate is true',
    ],
    version: 1,
    source: KRIPPENDORFF,
  },
  {
    name: 'cohenKappa',
    specName: null,
    answers: "How far do two judges agree beyond what each one's own habits bring about?",
    unit: 'kappa',
    direction: 'higher',
    range: '[-1, 1], or null',
    formula:
      '1 - O/E, O mean disagreement of the pairs, E that of all crossed pairs; disagreement 0 or 1, |x-y|, or (x-y)^2; se = sqrt(mean((d_i - O/E*(h_a + h_b) + O)^2) / n) / E, h the mean disagreement of a rating with all of the other judge; normal interval, cut to [-1, 1]',
    edges: [
      'with groups, the CR1 standard error of the groups and the quantile of t',
      'both judges gave one and the same value throughout: null',
      'no disagreement at all, or the same in all items: no interval, and the reason',
      'weights go by the values, so a scale of 1, 2, 5 has unequal steps',
    ],
    version: 1,
    source: 'Cohen 1960 and 1968; Fleiss, Cohen and Everitt 1969',
  },
  {
    name: 'roganGladen',
    specName: null,
    answers: 'What is the true pass rate behind a judge who errs?',
    unit: 'probability',
    direction: 'higher',
    range: '[0, 1], or null',
    formula:
      '(p + spec - 1) / (sens + spec - 1); variance (p(1-p)/n + r^2*sens(1-sens)/n_sens + (1-r)^2*spec(1-spec)/n_spec) / (sens + spec - 1)^2; interval the same after adding z^2 observations to p and 2 to sens and spec, half of them passes, its centre shifted by 2*z^2*(r*sens(1-sens)/n_sens - (1-r)*spec(1-spec)/n_spec)',
    edges: [
      'sens + spec <= 1: null, the judge does no better than chance',
      'limited to [0, 1]; clipped and the raw value are reported with it',
      'no rate in [0, 1] fits, or too few gold labels: no interval, and the reason',
    ],
    version: 1,
    source: 'Rogan and Gladen 1978; Lang and Reiczigel 2014',
  },
]
