/** The plan as the record keeps it: suites whole, subjects and judges with their hashes, what was asked for. */
import type { Subject, Suite } from '../contract.ts'
import { isCode } from '../grade/index.ts'
import type { Revision, RunFolder, SubjectRecord, SuiteRecord } from '../log/index.ts'
import { hashOf } from '../suite/index.ts'
import type { CodeSetup } from './code-setup.ts'
import type { Plan } from './plan.ts'
import { agentTimeoutOf, RUN_DEFAULTS, trialsOf, type RunOptions } from './run-options.ts'
import { needsWorkspaces } from './workspaces.ts'

export async function revision(
  options: RunOptions,
  plan: Plan<Suite, Subject>,
  folder: RunFolder,
  at: string,
  code: CodeSetup | null,
): Promise<Revision> {
  const trials = trialsOf(options)
  const suites: SuiteRecord[] = []
  for (const suite of plan.suites)
    suites.push({
      id: suite.id,
      name: suite.name,
      path: suite.path,
      format: suite.format,
      hash: suite.hash,
      threshold: suite.threshold,
      cases: suite.cases.map((one) => ({
        id: one.id,
        hash: one.hash,
        trials: one.trials ?? trials,
        ...(isCode(one) ? { code: true as const } : {}),
      })),
      text: await folder.blobs.store(JSON.stringify(suite)),
    })
  const judges = options.judges ?? []
  return {
    at,
    suites,
    subjects: plan.subjects.map(subjectRecord),
    ...(judges.length === 0 ? {} : { judges: judges.map(subjectRecord) }),
    passK: [...(options.passK ?? RUN_DEFAULTS.passK)],
    timeoutMs: options.timeoutMs ?? RUN_DEFAULTS.timeoutMs,
    ...(needsWorkspaces(options.suites, options.subjects)
      ? { agentTimeoutMs: agentTimeoutOf(options) }
      : {}),
    gradeTimeoutMs: options.gradeTimeoutMs ?? RUN_DEFAULTS.gradeTimeoutMs,
    budgetUsd: options.budgetUsd ?? null,
    request: options.request ?? null,
    prices: options.prices ?? 'none',
    ...(code === null ? {} : { sandbox: code.sandbox.name, toolchains: code.toolchains }),
    ...(options.experiment === undefined ? {} : { experiment: options.experiment }),
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
