/** The score of one piece of generated code: does it compile, do its tests pass, does it have warnings? */
import { checkBoolean, checkInteger, checkNumber } from '../../domain.ts'
import { Sum } from '../../fsum.ts'

export interface CodeResult {
  readonly compiled: boolean
  /**
   * The number of tests that passed. Skipped and ignored tests count neither as passed nor as
   * failed.
   */
  readonly passed: number
  readonly failed: number
  readonly warnings: number
}

export interface CodeWeights {
  readonly compilation: number
  readonly tests: number
  readonly lint: number
  /** How much each warning subtracts from the lint score, which starts at 1 and is never below 0. */
  readonly perWarning: number
}

export const CODE_WEIGHTS: CodeWeights = {
  compilation: 0.4,
  tests: 0.5,
  lint: 0.1,
  perWarning: 0.1,
}

function checkCode({ compiled, passed, failed, warnings }: CodeResult): void {
  checkBoolean('compiled', compiled)
  checkInteger('passed', passed, 0)
  checkInteger('failed', failed, 0)
  checkInteger('warnings', warnings, 0)
}

/**
 * Returns 0 if the code does not compile. Otherwise, with the default weights, it returns 0.4 + 0.5
 * · passed/(passed + failed) + 0.1 · max(0, 1 − 0.1 · warnings). If no test ran, the test term is
 * 0, so untested code scores at most 0.5.
 *
 * @example codeScore({ compiled: true, passed: 7, failed: 3, warnings: 2 }) // 0.83
 */
export function codeScore(result: CodeResult, weights: CodeWeights = CODE_WEIGHTS): number {
  checkCode(result)
  for (const [name, weight] of Object.entries(weights)) checkNumber(`weights.${name}`, weight, 0)
  const { compilation, tests, lint, perWarning } = weights
  const total = new Sum().add(compilation).add(tests).add(lint).value
  if (total <= 0) throw new RangeError('weights must not sum to 0')
  if (!result.compiled) return 0
  const score = new Sum()
    .add(compilation)
    .add(tests * testPassRate(result))
    .add(lint * lintScore(result.warnings, perWarning))
  return Math.min(1, score.value / total)
}

/**
 * Returns passed/(passed + failed), the share of the tests that passed. The result is 0 if the code
 * does not compile or no test ran.
 *
 * @example testPassRate({ compiled: true, passed: 3, failed: 1, warnings: 0 }) // 0.75
 */
export function testPassRate(result: CodeResult): number {
  checkCode(result)
  const ran = result.passed + result.failed
  return result.compiled && ran > 0 ? result.passed / ran : 0
}

/**
 * Returns 1 minus `perWarning` for each warning, but never less than 0.
 *
 * @example lintScore(5) // 0.5
 */
export function lintScore(warnings: number, perWarning: number = CODE_WEIGHTS.perWarning): number {
  checkInteger('warnings', warnings, 0)
  checkNumber('perWarning', perWarning, 0)
  return Math.max(0, 1 - warnings * perWarning)
}

/**
 * Whether the code counts as correct for pass@k: it compiles, at least one test ran, and all tests
 * that ran passed.
 *
 * @example isCorrect({ compiled: true, passed: 0, failed: 0, warnings: 0 }) // false
 */
export function isCorrect(result: CodeResult): boolean {
  checkCode(result)
  return result.compiled && result.passed > 0 && result.failed === 0
}
