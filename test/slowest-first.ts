/**
 * Starts the slowest test files first, so that none of them runs alone at the end. Vitest does this itself after it
 * has run the files once. This list is for a fresh clone.
 */
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** The files that take more than 3 seconds of processor time, the slowest first. */
export const SLOWEST = [
  'test/docs.test.ts',
  'test/keys.test.ts',
  'test/packed-assay.test.ts',
  'packages/assay/src/cli/commands/mutated-run.test.ts',
  'packages/assay/src/run/schedule/faults.test.ts',
  'test/code.test.ts',
  'packages/code/src/fault/whose-fault.test.ts',
  'packages/code/src/check-tests.test.ts',
  'packages/assay/src/cli/commands/validate/prove.test.ts',
  'test/closed-output.test.ts',
  'packages/assay/src/cli/fuzz.test.ts',
  'packages/code/src/continuation.test.ts',
  'test/example-agents.test.ts',
  'test/acp.test.ts',
  'test/agent-keys.test.ts',
  'packages/assay/src/run/agents.test.ts',
  'packages/assay/src/cli/commands/validate/check-tests.test.ts',
  'packages/code/src/languages/typescript/host/features.test.ts',
  'test/first-contact.test.ts',
  'packages/code/src/languages/typescript/host/forms.test.ts',
  'packages/assay/src/report/formats/html.test.ts',
  'packages/assay/src/view/site/site.test.ts',
  'packages/assay/src/view/review/review-page.test.ts',
  'packages/code/src/languages/rust/rust.test.ts',
  'test/shortage/shortage.test.ts',
  'packages/assay/src/queue/deploy.test.ts',
  'packages/code/src/languages/typescript/host/console-assert.test.ts',
  'test/sandboxed-graders.test.ts',
  'test/cli.test.ts',
  'packages/assay/src/grade/command/custom.test.ts',
  'packages/assay/src/suite/fuzz.test.ts',
  'packages/code/src/module-name.test.ts',
  'packages/code/src/dependencies.test.ts',
  'packages/code/src/languages/typescript/sandboxed/framework/same-as-vitest.test.ts',
  'packages/code/src/time/alone.test.ts',
  'packages/assay/src/report/trial-index.test.ts',
  'packages/assay/src/suite/load.test.ts',
  'packages/assay/src/git/hostile-repository.test.ts',
  'test/trust-keys.test.ts',
  'packages/sandbox/src/bubblewrap/refusals.test.ts',
  'packages/code/src/languages/python/features.test.ts',
  'test/pack.test.ts',
  'test/ci-action.test.ts',
  'packages/code/src/open-tools.test.ts',
  'packages/assay/src/workspace/store.test.ts',
  'packages/sandbox/src/bubblewrap/hosts.test.ts',
  'packages/assay/src/report/formats/html-tiers.test.ts',
  'packages/assay/src/workspace/git-source.test.ts',
  'packages/assay/src/documents/source.test.ts',
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
