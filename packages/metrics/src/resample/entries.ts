/**
 * Registry entries of the resampling functions: random streams, random counts, quantiles and the case
 * bootstrap.
 */
import type { MetricEntry } from '../entry.ts'

const TOOL = { specName: null, direction: 'none', version: 1 } as const

export const entries: readonly MetricEntry[] = [
  {
    ...TOOL,
    name: 'random',
    answers: 'Which random numbers belong to this seed and this purpose?',
    unit: 'number',
    range: '[0, 1)',
    formula:
      'xoshiro128**, two 32-bit words per number; state from splitmix64 over a 64-bit key into which the length of the stream, the seed and each part of the stream are folded with splitmix64 mixing',
    edges: [
      'seed and stream are integers from 0 to 2^53 - 1',
      'stream (1) and stream (1, 0) are different generators',
    ],
    source: 'Blackman and Vigna 2021; Steele, Lea and Flood 2014',
  },
  {
    ...TOOL,
    name: 'uniformInteger',
    answers: 'Which of n equally likely integers comes up?',
    unit: 'integer',
    range: '[0, n)',
    formula: 'a 53-bit integer modulo n, drawn again beyond the last whole multiple of n',
    edges: ['n = 1 gives 0'],
  },
  {
    ...TOOL,
    name: 'binomialDraw',
    answers: 'How many of n trials pass, in one random try?',
    unit: 'trials',
    range: '[0, n]',
    formula:
      'inversion by walking up from 0 where n*min(p, 1-p) < 10, else transformed rejection (BTRS)',
    edges: ['p = 0 gives 0, p = 1 gives n, n = 0 gives 0'],
    source: 'Hormann 1993, The generation of binomial random variates',
  },
  {
    ...TOOL,
    name: 'multinomialCounts',
    answers: 'How often does each outcome come up in n draws, in one random try?',
    unit: 'draws per outcome',
    range: '[0, n], summing to n',
    formula: 'count_i ~ Binomial(draws left, weight_i / weight left), one after the other',
    edges: ['a weight of 0 is never drawn', 'the last outcome with weight takes what is left'],
  },
  {
    ...TOOL,
    name: 'quantile',
    answers: 'Below which value does a share p of the values lie?',
    unit: 'unit of the values',
    range: 'between the smallest and the largest value',
    formula: 'linear between order statistics at position p*(n-1) from 0 (type 7)',
    edges: [
      'unsorted values and NaN are refused',
      'next to an infinite value it is infinite; between -Infinity and Infinity it is refused',
    ],
    source: 'Hyndman and Fan 1996',
  },
  {
    ...TOOL,
    name: 'distinctRows',
    answers: 'Which different rows of statistics do the cases have, and how many cases each?',
    unit: 'rows with multiplicities',
    range: 'one row to one per case',
    formula: 'rows sorted and counted, so that the order of the cases does not matter',
    edges: ['-0 counts as 0', 'NaN and Infinity are refused'],
  },
  {
    ...TOOL,
    name: 'ofSums',
    answers: 'How is a ratio or mean of totals resampled quickly?',
    unit: 'statistic for bootstrap',
    range: 'any',
    formula:
      'f(sum over rows of weight*column, cases); with one case left out, f(sum - row, cases - 1)',
    edges: ['a column that the rows do not have is refused'],
  },
  {
    ...TOOL,
    name: 'bootstrap',
    answers: 'How much would this figure vary over other cases like these?',
    unit: 'unit of the statistic',
    range: 'any; an end may be Infinity',
    formula:
      'cases drawn with replacement as multinomial counts of distinct rows; percentile: the (1-level)/2 and (1+level)/2 quantiles of the resampled values; BCa: the same at Phi(z0 + (z0+z)/(1 - a*(z0+z))), z0 = Phi^-1(share below, ties half), a = sum d^3 / (6*(sum d^2)^1.5) over values with one case left out',
    edges: [
      'all resamples agree (to 1e-12): no interval, degenerate is true, the reason is said',
      'infinite resamples count as Infinity in the order of values',
      'resamples without a value count against both ends; above the tail share there is no interval',
      'BCa is null where all resamples lie on one side, a value with one case left out is not finite, or a is too large',
      'the same seed and rows give the same weights, so statistics and subjects in one row are paired',
      'for means and pass rates of suites near 0 or 1 the closed intervals cover far better',
    ],
    source: 'Efron 1987, Better bootstrap confidence intervals',
  },
  {
    ...TOOL,
    name: 'bootstrapBlock',
    answers: 'What does one block of resamples give, on any worker?',
    unit: 'values of the statistic, resample by resample',
    range: 'any; NaN where the statistic has no value',
    formula: '256 resamples from the random stream (seed, block)',
    edges: ['the last block holds the rest', 'does not depend on any other block'],
  },
  {
    ...TOOL,
    name: 'bootstrapBlocks',
    answers: 'How many blocks does a bootstrap have?',
    unit: 'blocks',
    range: 'at least 1',
    formula: 'ceil(resamples / 256)',
    edges: [],
  },
  {
    ...TOOL,
    name: 'bootstrapSummary',
    answers: 'What do all blocks together say?',
    unit: 'unit of the statistic',
    range: 'as bootstrap',
    formula: 'as bootstrap, from blocks in the order of their numbers',
    edges: ['blocks that do not hold exactly the resamples asked for are refused'],
  },
]
