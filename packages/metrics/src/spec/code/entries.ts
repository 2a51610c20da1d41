/** Registry entries of the scores of generated code. */
import type { MetricEntry } from '../../entry.ts'

export const codeEntries: readonly MetricEntry[] = [
  {
    name: 'codeScore',
    specName: 'code-scoring: overall',
    answers: 'How good is one piece of generated code?',
    unit: 'score',
    direction: 'higher',
    range: '[0, 1]',
    formula:
      '0 if it does not compile, else 0.4 + 0.5 * passed/(passed+failed) + 0.1 * max(0, 1 - 0.1 * warnings)',
    edges: [
      'no tests: the tests part is 0, so 0.5 is the most',
      'skipped and ignored tests count in neither passed nor failed',
      'other weights are divided by their sum',
    ],
    version: 1,
  },
  {
    name: 'testPassRate',
    specName: 'code-scoring: test_score',
    answers: 'Which share of the tests passed?',
    unit: 'share',
    direction: 'higher',
    range: '[0, 1]',
    formula: 'passed / (passed + failed)',
    edges: ['0 when it does not compile or no test ran'],
    version: 1,
  },
  {
    name: 'lintScore',
    specName: 'code-scoring: clippy_score',
    answers: 'How clean is the code?',
    unit: 'score',
    direction: 'higher',
    range: '[0, 1]',
    formula: 'max(0, 1 - 0.1 * warnings)',
    edges: ['0 from ten warnings on'],
    version: 1,
  },
  {
    name: 'isCorrect',
    specName: 'code-scoring: correct sample',
    answers: 'Does the sample count as correct for pass@k?',
    unit: 'yes or no',
    direction: 'higher',
    range: 'true, false',
    formula: 'compiled and passed > 0 and failed = 0',
    edges: ['no test ran: not correct'],
    version: 1,
  },
  {
    name: 'classifyChange',
    specName: 'code-scoring: regression, improvement',
    answers: 'Did a score move by more than a threshold?',
    unit: 'verdict',
    direction: 'none',
    range: 'regression, improvement, unchanged',
    formula:
      'regression: baseline - current > threshold; improvement: current - baseline > threshold',
    edges: [
      'strict, in absolute points, in decimal (1e-9): a drop of exactly the threshold is unchanged',
      'with few trials it cries wolf; gateVerdict is the statistical counterpart',
    ],
    version: 1,
  },
  {
    name: 'codeCaseStats',
    specName: 'code-scoring: per-case stats',
    answers: 'How did one case of a code suite do?',
    unit: 'several',
    direction: 'none',
    range: '[0, 1] each',
    formula:
      'pass@k for each k; mean of codeScore; share compiled; mean test pass rate, over scored trials',
    edges: ['pass@k is null where n < k'],
    version: 1,
  },
  {
    name: 'codeModelStats',
    specName: 'code-scoring: per-model stats',
    answers: 'How did one model do over a code suite?',
    unit: 'several',
    direction: 'none',
    range: 'rates in [0, 1], dollars, milliseconds',
    formula:
      'pass@k: mean over cases with n >= k; compilation rate: over trials; test pass rate: mean over cases; cost: sum; latency: mean over trials',
    edges: [
      'an unknown cost makes the total null, with the count',
      'lint: mean over trials that compile, null if none does',
    ],
    version: 1,
  },
]
