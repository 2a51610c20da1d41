/**
 * Builds the plan in the form that `run.json` stores: complete suites, subjects and judges with their hashes, and what
 * the user asked for.
 */
import { isCodeGrade, type Subject, type Suite } from '@assay/contract'
import { isCode, type CodeProfile } from '@assay/code'
import type {
  Revision,
  RunFolder,
  SubjectRecord,
  SuiteRecord,
  Unmasked,
  Plan,
} from '../../log/index.ts'
import { hashOf } from '@assay/contract/hash'
import type { CodeSetup } from '../grade/code-setup.ts'
import { agentTimeoutOf, withDefaults, type RunOptions } from '../run-options.ts'
import { needsWorkspaces } from '../workspaces.ts'

/** The facts about a run that are known before it starts, in addition to its options. */
export interface RunFacts {
  readonly secrets: readonly string[]
  readonly unmasked: Unmasked | null
  readonly code: CodeSetup | null
}

export async function revision(
  options: RunOptions,
  plan: Plan<Suite, Subject>,
  folder: RunFolder,
  at: string,
  { code, unmasked }: RunFacts,
): Promise<Revision> {
  const given = withDefaults(options)
  const trials = new Map(plan.cells.map((cell) => [cell.case, cell.trialsOfAllParts]))
  const suites: SuiteRecord[] = []
  for (const suite of plan.suites)
    suites.push({
      id: suite.id,
      name: suite.name,
      path: suite.path,
      format: suite.format,
      hash: suite.hash,
      threshold: suite.threshold,
      ...codeWeightsOf(suite),
      ...(suite.subjects === undefined ? {} : { subjects: suite.subjects }),
      cases: suite.cases.map((one) => ({
        id: one.id,
        hash: one.hash,
        trials: trials.get(one) ?? 0,
        ...(isCode(one) ? { code: true as const } : {}),
        ...(one.group === undefined ? {} : { group: one.group }),
      })),
      text: await folder.blobs.store(JSON.stringify(suite)),
    })
  const judges = options.judges ?? []
  return {
    at,
    suites,
    subjects: plan.subjects.map(subjectRecord),
    ...(judges.length === 0 ? {} : { judges: judges.map(subjectRecord) }),
    passK: [...given.passK],
    timeoutMs: given.timeoutMs,
    ...(needsWorkspaces(options.suites, options.subjects)
      ? { agentTimeoutMs: agentTimeoutOf(options) }
      : {}),
    gradeTimeoutMs: given.gradeTimeoutMs,
    budgetUsd: options.budgetUsd ?? null,
    ...(options.parallelism === undefined ? {} : { parallelism: options.parallelism }),
    request: options.request ?? null,
    prices: options.prices ?? 'none',
    ...(code === null ? {} : { sandbox: code.sandbox.name, toolchains: code.toolchains }),
    ...(code === null || code.programLimits === null ? {} : { programLimits: code.programLimits }),
    ...(options.experiment === undefined ? {} : { experiment: options.experiment }),
    ...(options.leftOut === undefined ? {} : { leftOut: options.leftOut }),
    ...(unmasked === null ? {} : { unmasked }),
    ...(options.access === undefined ? {} : { access: options.access }),
    ...(options.consent === undefined ? {} : { consent: options.consent }),
  }
}

const subjectRecord = ({ id, kind, source, config }: Subject): SubjectRecord => ({
  id,
  kind,
  source,
  config,
  hash: hashOf(config),
})

/**
 * Returns the different weights that the suite's code graders use. Absent if all cases use the default weights of
 * code-scoring.
 */
function codeWeightsOf({ cases }: Suite): Pick<SuiteRecord, 'codeWeights'> {
  const found = new Map<string, CodeProfile>()
  for (const { graders } of cases)
    for (const config of graders) {
      const { parts } = config.options as { readonly parts?: CodeProfile }
      if (isCodeGrade(config) && parts !== undefined) found.set(JSON.stringify(parts), parts)
    }
  return found.size === 0 ? {} : { codeWeights: [...found.values()] }
}
