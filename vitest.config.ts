import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'
import { noConfiguration } from './test/no-configuration.ts'
import SlowestFirst from './test/slowest-first.ts'
import { sources } from './test/sources.ts'

/** `npm test` takes the short tests, `npm run test:long` (ASSAY_LONG=1) the long ones. */
const long = process.env['ASSAY_LONG'] === '1'

const SHORT = ['packages/*/src/**/*.test.ts', 'scripts/**/*.test.ts', 'test/**/*.test.ts']
/**
 * Each of these test files has its own process, because the tests look at what their process has started or found
 * so far. All other test files end what they start and leave no state in modules. They share the processes of the
 * workers, because loading the modules again for each file takes longer than most files run.
 */
const ISOLATED = [
  'packages/sandbox/src/**/*.test.ts',
  'packages/code/src/{open-tools,toolchains,time/*}.test.ts',
]
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
    execArgv: ['test/keep-compiled.js', 'test/resolve-sources.ts'].flatMap((file) => [
      '--import',
      new URL(file, import.meta.url).href,
    ]),
    projects: long
      ? [project('long', { include: LONG, exclude })]
      : [
          project('shared', { include: SHORT, exclude: [...exclude, ...ISOLATED], isolate: false }),
          project('isolated', { include: ISOLATED, exclude }),
        ],
    // No test reads or writes what the user of this machine trusts: one that needs a configuration makes its own.
    env: { XDG_CONFIG_HOME: noConfiguration },
    globalSetup: './test/no-configuration.ts',
    testTimeout: long ? 1_200_000 : 180_000,
    // Hooks start browsers, servers and runs, which takes long on a busy machine.
    hookTimeout: long ? 1_200_000 : 180_000,
    // Two more than there are cores, because most slow tests wait for programs or for time to pass. Long tests look at
    // the whole machine.
    ...(long
      ? {}
      : { maxWorkers: availableParallelism() + 2, sequence: { sequencer: SlowestFirst } }),
    reporters: ['default', './test/closing-line.ts'],
    coverage: {
      include: ['packages/metrics/src/**/*.ts'],
      exclude: ['**/*.test.ts', '**/index.ts'],
      reporter: ['text-summary', 'text'],
    },
  },
})
