/**
 * Decides what a run may do on a worker. A run on the queue is like a folder that somebody sent. It may want to start
 * programs with the rights of the worker's user, or send an API key to an address that its settings name. The worker's
 * user must first allow this, with `assay trust` in the worker's project, with `--trust` or with ASSAY_TRUST=1.
 */
import { resolve } from 'node:path'
import type { Suite } from '@assay/contract'
import { isModulePath } from '../../documents/index.ts'
import { ownVariables } from '../../environment/index.ts'
import { describeSubject, type NamedSubject, type ProviderSettings } from '../../subject/index.ts'
import {
  isAllowed,
  isOptional,
  moduleUse,
  readTrust,
  repositoryRoot,
  subjectUses,
  suiteUses,
  useText,
  type NamedBy,
  type Use,
} from '../../trust/index.ts'
import type { Head, Lane } from '../messages.ts'

export interface WorkerTrust {
  /** Whether the user has allowed everything. */
  readonly all: boolean
}

export interface LaneTrust {
  /** A text that says what is not allowed. Null if the worker may run the trials. */
  readonly refusal: string | null
  /** Whether setup commands must run without a network. */
  readonly offlineSetup: boolean
}

export async function trustOf(
  lane: Lane,
  head: Head,
  suites: readonly Suite[],
  { trust, project }: { readonly trust: WorkerTrust; readonly project: string },
): Promise<LaneTrust> {
  const by: NamedBy = {
    file: `the run ${head.name}`,
    root: repositoryRoot(project),
    isCode: false,
  }
  const named = head.recipe.named as Record<string, NamedSubject>
  const unsandboxed = head.sandbox === 'none'
  const uses: Use[] = []
  for (const { id, made } of [...head.subjects, ...head.judges]) {
    if (made === null || ![lane.subject, ...lane.judges].includes(id)) continue
    uses.push(
      ...(await subjectUses({
        id: made,
        subject: describeSubject(made, named),
        by,
        folder: resolve(project, head.recipe.folder),
        workFolder: resolve(project),
        cases: [by],
        providers: head.recipe.providers as Record<string, ProviderSettings>,
        providerBy: () => by,
        env: ownVariables(),
        unsandboxed,
        findRun: (name) => name,
      })),
    )
  }
  for (const suite of suites.filter(({ id }) => id === lane.suite)) {
    if (lane.project && isModulePath(suite.path)) uses.push(moduleUse(suite.path, by))
    uses.push(...suiteUses({ suite, by, unsandboxed, canSandbox: head.sandboxGraders }))
  }
  const options = { store: readTrust(process.env), all: trust.all }
  const missing = uses.filter((use) => !isAllowed(use, options))
  const refused = missing.filter((use) => !isOptional(use))
  return {
    refusal:
      refused.length === 0
        ? null
        : `it does not trust the run to ${refused.map(useText).join(', ')}. Allow it where the worker runs, with assay trust or --trust`,
    offlineSetup: missing.some(isOptional),
  }
}
