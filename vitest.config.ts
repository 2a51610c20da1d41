import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { defineConfig } from 'vitest/config'
import { sources } from './test/sources.ts'

/** `npm test` takes the short tests, `npm run test:long` (ASSAY_LONG=1) the long ones. */
const long = process.env['ASSAY_LONG'] === '1'

/** Modules that only compute: their tests share one process, which saves loading them for every file. */
const PURE = [
  'packages/{metrics,contract,viewer}/src/**/*.test.ts',
  'packages/assay/src/{text,documents,suite,report,compare,analyze,experiment}/**/*.test.ts',
]
const SHORT = ['packages/*/src/**/*.test.ts', 'scripts/**/*.test.ts', 'test/**/*.test.ts']
const LONG = ['packages/*/src/**/*.long.test.ts', 'test/**/*.long.test.ts']

const exclude = ['**/node_modules/**', ...(long ? [] : ['**/*.long.test.ts'])]

const project = (name: string, test: object) => ({
  extends: true as const,
  test: { name, ...test },
})

export default defineConfig({
  resolve: { alias: sources },
  test: {
    // Threads that inherit it load the sources too.
    execArgv: ['--import', new URL('test/resolve-sources.ts', import.meta.url).href],
    projects: long
      ? [project('long', { include: LONG, exclude })]
      : [
          project('pure', { include: PURE, exclude, isolate: false }),
          project('other', { include: SHORT, exclude: [...exclude, ...PURE] }),
        ],
    // No test reads or writes what the user of this machine trusts: one that needs a configuration makes its own.
    env: { XDG_CONFIG_HOME: join(tmpdir(), `assay-no-config-${process.pid}`) },
    testTimeout: long ? 1_200_000 : 180_000,
    // Otherwise one core is kept free, which on two cores is half of them. Long tests look at the whole machine.
    ...(long ? {} : { maxWorkers: availableParallelism() }),
    reporters: ['default', './test/closing-line.ts'],
    coverage: {
      include: ['packages/metrics/src/**/*.ts'],
      exclude: ['**/*.test.ts', '**/index.ts'],
      reporter: ['text-summary', 'text'],
    },
  },
})
