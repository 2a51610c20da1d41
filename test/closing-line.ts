/**
 * Prints one line at the end of a test run. Fails the run if a test was skipped that must not be skipped. A machine
 * without a toolchain may skip the tests of that toolchain. With ASSAY_NO_SKIP=1, which the check of pull requests
 * sets, no test may be skipped.
 */
import type { Reporter, TestModule } from 'vitest/node'

export default class ClosingLine implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const count = { passed: 0, failed: 0, skipped: 0 }
    for (const module of modules) {
      for (const test of module.children.allTests()) {
        const { state } = test.result()
        if (state !== 'pending') count[state]++
      }
      if (module.errors().length > 0) count.failed++
    }
    const skipped = count.skipped > 0 ? `, ${count.skipped} skipped` : ''
    // Is printed after the summary of the default reporter.
    setImmediate(() => {
      console.log(`\n${count.passed} passed, ${count.failed} failed${skipped}`)
    })
    if (count.skipped > 0 && process.env['ASSAY_NO_SKIP'] === '1') {
      console.error('Skipped tests are not allowed here (ASSAY_NO_SKIP=1).')
      process.exitCode = 1
    }
  }
}
