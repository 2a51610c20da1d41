/** Registry entries of classification. */
import type { MetricEntry } from '../entry.ts'

export const entries: readonly MetricEntry[] = [
  {
    name: 'classification',
    specName: null,
    answers:
      'Which classes are confused, and what are precision, recall and F1, each with its interval?',
    unit: 'probability',
    direction: 'higher',
    range: '[0, 1], or null',
    formula:
      'precision TP/(TP + FP), recall TP/(TP + FN), F1 = 2J/(1 + J) with J = TP/(TP + FP + FN), accuracy: right/all; micro: the same with TP, FP and FN summed over classes; macro: mean over classes. Interval of a share S = sum(hits)/sum(size) over units (cases, or groups): Clopper-Pearson where no unit has more than one trial in the denominator; else kornGraubard with n_eff = S(1-S)/se^2 * (z/t_{G*-1})^2, at most sum(size), se^2 = G/(G-1) * sum((hits - S*size)^2) / sum(size)^2, widened by the unseen share of G* units, G* = sum(size)^2/sum(size^2). F1: the bounds of J. Macro: mean -+ sqrt(sum_ij r_ij d_i d_j)/K, d_i the distance of class i to its bound, r_ij the correlation of the residuals over units, at least 0, and 1 where there is no spread',
    edges: [
      'an answer that names no class is a false negative of the expected class and of no other',
      'a class that was never answered has no precision, and there is no macro precision',
      'one unit with several trials: no interval',
      'if every answer names a class, the micro averages are the accuracy',
    ],
    version: 1,
    source:
      'van Rijsbergen 1979; Sokolova and Lapalme 2009; Korn and Graubard 1998; Zou and Donner 2008',
  },
]
