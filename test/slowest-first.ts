/**
 * Starts the slowest test files first, so that none of them runs alone at the end. Vitest does this itself after it
 * has run the files once. This list is for a fresh clone.
 */
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** The files that take more than 8 seconds on two cores, the slowest first. */
export const SLOWEST = [
  'test/docs.test.ts',
  'test/code.test.ts',
  'test/trust-elsewhere.test.ts',
  'packages/assay/src/cli/commands/mutated-run.test.ts',
  'packages/assay/src/run/schedule/faults.test.ts',
  'test/trust.test.ts',
  'test/cli.test.ts',
  'test/first-contact.test.ts',
  'test/trust-keys.test.ts',
  'test/keys.test.ts',
  'packages/code/src/check-tests.test.ts',
  'packages/code/src/fault/whose-fault.test.ts',
  'packages/assay/src/cli/commands/validate/prove.test.ts',
  'test/closed-output.test.ts',
  'packages/assay/src/grade/command/custom.test.ts',
  'test/latest.test.ts',
  'packages/code/src/languages/typescript/host/features.test.ts',
  'packages/code/src/continuation.test.ts',
  'packages/code/src/time/alone.test.ts',
  'packages/code/src/languages/rust/rust.test.ts',
  'test/shortage/shortage.test.ts',
  'packages/assay/src/run/agents.test.ts',
  'packages/assay/src/workspace/store.test.ts',
  'packages/code/src/languages/typescript/host/forms.test.ts',
  'packages/code/src/languages/typescript/host/console-assert.test.ts',
  'packages/assay/src/report/trial-index.test.ts',
  'packages/assay/src/cli/commands/validate/check-tests.test.ts',
  'test/sandboxed-graders.test.ts',
  'packages/assay/src/git/hostile-repository.test.ts',
  'packages/code/src/module-name.test.ts',
  'packages/assay/src/suite/load.test.ts',
  'packages/assay/src/subject/command/command.test.ts',
  'test/example-agents.test.ts',
  'packages/assay/src/cli/fuzz.test.ts',
  'packages/assay/src/suite/fuzz.test.ts',
  'packages/assay/src/workspace/git-source.test.ts',
]

export default class SlowestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const placeOf = ({ moduleId }: TestSpecification): number => {
      const at = SLOWEST.findIndex((name) => moduleId.endsWith(`/${name}`))
      return at === -1 ? SLOWEST.length : at
    }
    return (await super.sort(files)).toSorted((a, b) => placeOf(a) - placeOf(b))
  }
}
