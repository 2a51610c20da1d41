/**
 * Starts the slowest test files first, so that none of them runs alone at the end. Vitest does this itself after it
 * has run the files once. This list is for a fresh clone.
 */
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** The files that take more than about 2 seconds of processor time or wait for long, the slowest first. */
export const SLOWEST = [
  'test/docs.test.ts',
  'packages/assay/src/view/pages.test.ts',
  'test/code.test.ts',
  'packages/assay/src/cli/commands/mutated-run.test.ts',
  'packages/code/src/check-tests.test.ts',
  'packages/assay/src/run/schedule/faults.test.ts',
  'test/keys.test.ts',
  'packages/code/src/fault/whose-fault.test.ts',
  'test/packed-assay.test.ts',
  'packages/assay/src/queue/queue.test.ts',
  'test/example-agents.test.ts',
  'packages/assay/src/cli/fuzz.test.ts',
  'packages/assay/src/cli/commands/validate/prove.test.ts',
  'packages/assay/src/view/site/site.test.ts',
  'packages/assay/src/cli/commands/validate/check-tests.test.ts',
  'test/closed-output.test.ts',
  'packages/code/src/continuation.test.ts',
  'test/first-contact.test.ts',
  'packages/assay/src/view/review/review-page.test.ts',
  'packages/assay/src/run/agents.test.ts',
  'test/sandboxed-graders.test.ts',
  'packages/code/src/languages/typescript/host/forms.test.ts',
  'packages/code/src/languages/python/features.test.ts',
  'packages/assay/src/report/formats/html.test.ts',
  'packages/code/src/languages/typescript/host/features.test.ts',
  'test/cli.test.ts',
  'test/trust-keys.test.ts',
  'packages/assay/src/report/trial-index.test.ts',
  'packages/code/src/languages/rust/rust.test.ts',
  'packages/code/src/languages/typescript/host/console-assert.test.ts',
  'packages/assay/src/grade/command/custom.test.ts',
  'test/shortage/shortage.test.ts',
  'packages/assay/src/suite/fuzz.test.ts',
  'packages/assay/src/queue/faults.test.ts',
  'packages/code/src/dependencies.test.ts',
  'packages/assay/src/merge/merge-parts.test.ts',
  'packages/assay/src/grade/tests/tests.test.ts',
  'packages/assay/src/suite/load.test.ts',
  'test/ci-action.test.ts',
  'test/acp.test.ts',
  'packages/code/src/module-name.test.ts',
  'test/agent-keys.test.ts',
  'packages/assay/src/workspace/store.test.ts',
  'packages/code/src/languages/typescript/sandboxed/framework/same-as-vitest.test.ts',
  'packages/assay/src/subject/command/command.test.ts',
  'packages/assay/src/cli/settings/precedence.test.ts',
  'packages/assay/src/git/hostile-repository.test.ts',
  'packages/assay/src/run/grade/judges.test.ts',
  'test/trust.test.ts',
  'packages/code/src/languages/rust/crates.test.ts',
  'packages/assay/src/functions/process-host.test.ts',
  'packages/assay/src/run/masking.test.ts',
  'packages/code/src/languages/python/host/in-process.test.ts',
  'packages/assay/src/run/network.test.ts',
  'packages/assay/src/subject/agent/trajectory/readers.fuzz.test.ts',
  'packages/assay/src/grade/worker/threads.test.ts',
  'packages/code/src/languages/typescript/host/references.test.ts',
  'test/pack.test.ts',
]

export default class SlowestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const placeOf = ({ moduleId, project }: TestSpecification): number => {
      // A process that files share ends when the next file in the list needs its own, and what it loaded is lost. So
      // all of these come first.
      if (project.config.isolate) return -1
      const at = SLOWEST.findIndex((name) => moduleId.endsWith(`/${name}`))
      return at === -1 ? SLOWEST.length : at
    }
    return (await super.sort(files)).toSorted((a, b) => placeOf(a) - placeOf(b))
  }
}
