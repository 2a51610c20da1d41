/**
 * The trust rule on a worker. A run on the queue is like a folder that somebody sent: before it starts a program with the
 * rights of the worker's user, or sends a key to an address that its settings name, the worker's user must allow it, with
 * `assay trust` in the worker's project, `--trust` or ASSAY_TRUST=1.
 */
import { resolve } from 'node:path'
import type { Suite } from '@assay/contract'
import { ownVariables } from '../../environment/index.ts'
import { describeSubject, type NamedSubject, type ProviderSettings } from '../../subject/index.ts'
import {
  isAllowed,
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
  /** Whether everything is allowed. */
  readonly all: boolean
}

/** Returns what is not allowed, in words. Null if the worker may serve the lane. */
export async function untrustedUses(
  lane: Lane,
  head: Head,
  suites: readonly Suite[],
  { trust, project }: { readonly trust: WorkerTrust; readonly project: string },
): Promise<string | null> {
  const by: NamedBy = {
    file: `the run ${head.name}`,
    root: repositoryRoot(project),
    isCode: false,
  }
  const named = head.recipe.named as Record<string, NamedSubject>
  const uses: Use[] = []
  for (const id of [lane.subject, ...lane.judges])
    uses.push(
      ...(await subjectUses({
        id,
        subject: describeSubject(id, named),
        by,
        folder: resolve(project),
        workFolder: resolve(project),
        cases: [by],
        providers: head.recipe.providers as Record<string, ProviderSettings>,
        providerBy: () => by,
        env: ownVariables(),
        findRun: (name) => name,
      })),
    )
  for (const suite of suites)
    if (suite.id === lane.suite)
      uses.push(
        ...suiteUses({
          suite,
          by,
          unsandboxed: head.sandbox === 'none',
          canSandbox: head.sandboxGraders,
        }),
      )
  const options = { store: readTrust(process.env), all: trust.all }
  const missing = uses.filter((use) => !isAllowed(use, options))
  if (missing.length === 0) return null
  return `it does not trust the run to ${missing.map(useText).join(', ')}. Allow it where the worker runs, with assay trust or --trust`
}
