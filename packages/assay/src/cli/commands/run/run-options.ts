/** Converts the flags and the settings of `assay run` to the options of the run itself. */
import type { Json } from '@assay/contract'
import type { AccessRecord } from '../../../log/index.ts'
import { isStronger, strongest, type Setting } from '../../../run/index.ts'
import { accessRecord, isShown } from '../../../trust/index.ts'
import { requestJson } from '../../settings/plan-run.ts'
import type { PlannedRun } from '../../settings/planned-run.ts'
import type { RunFlags } from '../../settings/run-flags.ts'

export const set = <K extends string, V>(key: K, value: V | undefined) =>
  (value === undefined ? {} : { [key]: value }) as { [P in K]?: V }

/**
 * Returns the options of the run. Settings that override the suites are set directly. Settings that the suites
 * override are put into `defaults`.
 */
export function optionsOf(flags: RunFlags, planned: PlannedRun) {
  const { resolved, request } = planned
  const { trials, passK, timeoutMs, agentTimeoutMs } = resolved.cases
  const strong = <T>(all: readonly Setting<T>[]): T | undefined =>
    strongest(all.filter(({ place }) => isStronger({ place }, { place: 'case' })))?.value
  const weak = <T>(all: readonly Setting<T>[]): T | undefined =>
    strongest(all.filter(({ place }) => isStronger({ place: 'suite' }, { place })))?.value
  return {
    suites: planned.suites,
    subjects: planned.subjects,
    judges: planned.judges,
    ...set('regrade', request.regrade),
    ...set('trials', strong(trials)),
    ...set('passK', strong([passK])),
    ...set('timeoutMs', strong(timeoutMs)),
    defaults: {
      ...set('trials', weak(trials)),
      ...set('passK', weak([passK])),
      ...set('timeoutMs', weak(timeoutMs)),
      ...set('agentTimeoutMs', weak(agentTimeoutMs)),
    },
    request: requestJson(request),
    prices: planned.prices,
    ...set('access', accessOf(planned)),
    ...set('consent', (planned.trust.consent ?? undefined) as Json | undefined),
    ...set('experiment', planned.experiment),
    ...set('leftOut', planned.leftOut),
    ...set('shard', flags.shard),
    seed: resolved.seed.value,
    ...set('parallelism', resolved.parallelism?.value),
    ...set('rate', flags.rate),
    ...set('budgetUsd', resolved.budgetUsd.value ?? undefined),
    proveFirst: flags.proof !== false,
    ...set('keepWorkspaces', flags.keep),
    ...set('recordTraffic', flags.record),
    gradeTimeoutMs: resolved.gradeTimeoutMs.value,
    maxErrors: resolved.maxErrors.value,
    maxWaitMs: resolved.maxWaitMs.value,
    ...set('sandbox', flags.sandbox),
    sandboxGraders: planned.trust.sandboxGraders,
    offlineSetup: planned.trust.offlineSetup,
    ...set('keepErrors', flags.keepErrors),
    ...set('allowChanged', flags.allowChanged),
    ...set('acceptEdited', flags.acceptEdited),
  }
}

function accessOf({ trust }: PlannedRun): readonly AccessRecord[] | undefined {
  const access = trust.uses.filter(isShown).map(accessRecord)
  return access.length === 0 ? undefined : access
}
