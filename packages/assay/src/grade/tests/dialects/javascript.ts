/** The test runners of JavaScript: node:test, vitest and jest. Their reporters run in the process of the runner. */
import { JEST_FORM, NODE_TEST_FORM, VITEST_FORM } from '../canary-forms.ts'
import type { Dialect, ReporterPaths } from '../dialect.ts'

const SEPARATOR = ' > '

/**
 * Code of a reporter that opens the channel, reads its key and deletes its path before a test file is loaded. So
 * code that is loaded later cannot find the channel. If the path is already gone, another process reports the
 * results, and this process reports nothing.
 */
const opening = ({ channel }: ReporterPaths): string => `
const write = fs.writeSync
let at = null, key = ''
try {
  at = fs.openSync(${JSON.stringify(channel)}, 'a+')
  const read = Buffer.alloc(256)
  key = read.toString('latin1', 0, fs.readSync(at, read, 0, 256, 0)).split('\\n')[0]
  fs.unlinkSync(${JSON.stringify(channel)})
} catch { at = null }
const join = Array.prototype.join, stringify = JSON.stringify
const tell = (names, status) => {
  if (at !== null) write(at, key + ' ' + stringify({ id: join.call(names, ${JSON.stringify(SEPARATOR)}), status }) + '\\n')
}
`

export const nodeTest: Dialect = {
  name: 'node-test',
  separator: SEPARATOR,
  canaries: NODE_TEST_FORM,
  reporter: (paths) => ({
    files: {
      'reporter.mjs': `import fs from 'node:fs'
${opening(paths)}
export default async function* report(events) {
  const names = []
  for await (const { type, data } of events) {
    if (type === 'test:start') names[data.nesting] = data.name
    if (type !== 'test:pass' && type !== 'test:fail') continue
    if (data.details?.type === 'suite') continue
    const skipped = (data.skip !== undefined && data.skip !== false) || (data.todo !== undefined && data.todo !== false)
    tell([...names.slice(0, data.nesting), data.name], skipped ? 'skipped' : type === 'test:pass' ? 'passed' : 'failed')
    if (type === 'test:fail') yield data.name + ': ' + (data.details?.error?.cause?.message ?? data.details?.error?.message ?? '') + '\\n'
  }
}
`,
    },
    words: [],
    env: { NODE_OPTIONS: `--test-reporter=file://${paths.folder}/reporter.mjs` },
  }),
}

export const vitest: Dialect = {
  name: 'vitest',
  separator: SEPARATOR,
  canaries: VITEST_FORM,
  reporter: (paths) => ({
    files: {
      'reporter.mjs': `import fs from 'node:fs'
${opening(paths)}
const STATUS = { passed: 'passed', pass: 'passed', failed: 'failed', fail: 'failed' }
export default class Report {
  modern = false
  onTestCaseResult(test) {
    this.modern = true
    const { state, errors } = test.result()
    tell([test.fullName], STATUS[state] ?? 'skipped')
    if (state === 'failed') console.log(test.fullName + ': ' + (errors?.[0]?.message ?? ''))
  }
  onTestModuleCollected() {}
  onFinished(files = []) {
    if (this.modern) return
    const visit = (task, names) => {
      if (task.tasks) for (const one of task.tasks) visit(one, [...names, one.name])
      else tell(names, task.mode === 'run' ? (STATUS[task.result?.state] ?? 'failed') : 'skipped')
    }
    for (const file of files) visit(file, [])
  }
}
`,
    },
    words: [`--reporter=${paths.folder}/reporter.mjs`],
    env: {},
  }),
}

export const jest: Dialect = {
  name: 'jest',
  separator: SEPARATOR,
  canaries: JEST_FORM,
  reporter: (paths) => ({
    files: {
      'reporter.cjs': `const fs = require('node:fs')
${opening(paths)}
module.exports = class Report {
  onTestResult(_test, { testResults }) {
    for (const { ancestorTitles, title, status, failureMessages } of testResults) {
      tell([...ancestorTitles, title], status === 'passed' || status === 'failed' ? status : 'skipped')
      if (status === 'failed') console.log(title + ': ' + (failureMessages?.[0] ?? ''))
    }
  }
}
`,
    },
    words: [`--reporters=${paths.folder}/reporter.cjs`],
    env: {},
  }),
}
