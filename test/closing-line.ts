/**
 * Closes a test run with one plain line, and fails it where a skipped test is not allowed: a machine
 * without a toolchain may skip that toolchain's tests, the pull-request check (ASSAY_NO_SKIP=1) may not.
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
    // After the default reporter's summary.
    setImmediate(() => {
      console.log(`\n${count.passed} passed, ${count.failed} failed${skipped}`)
    })
    if (count.skipped > 0 && process.env['ASSAY_NO_SKIP'] === '1') {
      console.error('Skipped tests are not allowed here (ASSAY_NO_SKIP=1).')
      process.exitCode = 1
    }
  }
}
