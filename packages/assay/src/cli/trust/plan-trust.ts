/**
 * The trust of a plan, in one place: who names its parts, what it uses, whether that is allowed, and what of it the
 * user's own command line consents to.
 */
import type { Suite } from '@assay/contract'
import { ownVariables } from '../../environment/index.ts'
import type { Experiment } from '../../experiment/index.ts'
import { judgesIn } from '../../run/index.ts'
import type { NamedSubject } from '../../subject/index.ts'
import { loadSuite, type LoadedSuite, type LoadOptions } from '../../suite/index.ts'
import { isModulePath } from '../../documents/index.ts'
import {
  byUserIn,
  consentedIn,
  hasPrograms,
  namedIn,
  repositoryRoot,
  rootOfRun,
  signConsent,
  type Consent,
  type NamedBy,
  type Use,
} from '../../trust/index.ts'
import { graderTrust } from './grader-trust.ts'
import type { EarlierRun } from '../settings/earlier-run.ts'
import type { Request, RunFlags } from '../settings/run-flags.ts'
import { judgesBy, planUses, requestedModules, type Naming } from './plan-uses.ts'
import type { TrustGate } from './require-trust.ts'
import type { LoadedSettings } from '../settings/settings.ts'

export interface PlanTrust {
  readonly uses: readonly Use[]
  readonly allows: (use: Use) => boolean
  /** Graders that would run with the user's rights run in a sandbox: the folder is not trusted with them. */
  readonly sandboxGraders: boolean
  /** What follows from it, for people. */
  readonly notices: readonly string[]
  /** For the record; null where the user's command line names nothing that needs it. */
  readonly consent: Consent | null
}

export interface TrustedPlan {
  readonly flags: RunFlags
  readonly earlier: EarlierRun | null
  readonly request: Request
  readonly experiment: Experiment | null
  readonly loaded: LoadedSettings
  readonly named: Readonly<Record<string, NamedSubject>>
  /** As they are read without running anything: all of their cases. */
  readonly suites: readonly Suite[]
  /** With the judges that will be asked: the cases that are selected. */
  readonly judged: readonly Suite[]
}

const recordBy = (folder: string): NamedBy => ({
  file: folder,
  root: rootOfRun(folder),
  isCode: false,
})

/** Programs that an earlier run's record names must not run before they are allowed, not even to make the plan. */
export async function passRecordedModules(
  files: readonly string[],
  flags: RunFlags,
  earlier: EarlierRun | null,
  gate: TrustGate,
): Promise<void> {
  if (earlier === null || namesSuites(flags)) return
  const uses = requestedModules(files, recordBy(earlier.folder))
  await gate.pass(uses, consentOf(earlier))
}

const namesSuites = ({ suites, evalSet = [] }: RunFlags): boolean =>
  suites.length + evalSet.length > 0

const consentOf = (earlier: EarlierRun | null): ReadonlySet<string> =>
  earlier === null ? new Set() : consentedIn(process.env, repositoryRoot('.'), earlier.consent)

/** What the plan uses. Throws a `UsageError` where that is not allowed, unless the plan is only looked at. */
export async function trustPlan(plan: TrustedPlan, gate: TrustGate): Promise<PlanTrust> {
  const { flags, earlier, request, experiment, loaded, named, suites, judged } = plan
  const naming = namingOf(plan)
  const isCode = experiment?.isProgram === true && naming.suites.file === null
  const fileBy = (file: string): NamedBy => namedIn(file, isCode && file === experiment?.file)
  const suiteBy = (path: string): NamedBy =>
    namedIn(path, isModulePath(path) && (isCode || naming.suites.file === null))
  const consented = consentOf(earlier)
  const allows = (use: Use): boolean => gate.allows(use, consented)
  const { sandboxGraders, notice } = await graderTrust(
    suites.map((suite) => ({ suite, by: suiteBy(suite.path) })),
    allows,
    flags.sandbox,
  )
  const uses = await planUses({
    request,
    naming,
    loaded,
    named,
    suites,
    suiteBy,
    judges: judgesBy(judged, judgesIn, request.judges === undefined ? null : naming.judges),
    fileBy,
    env: ownVariables(),
    unsandboxed: flags.sandbox === 'none',
    canSandbox: sandboxGraders,
  })
  if (flags.dryRun !== true) await gate.pass(uses, consented)
  const own = uses.filter((use) => use.by.file === null || (!gate.allows(use) && allows(use)))
  return {
    uses,
    allows,
    sandboxGraders,
    notices: notice === null ? [] : [notice],
    consent: flags.dryRun === true ? null : signConsent(process.env, repositoryRoot('.'), own),
  }
}

/** Flags are the user's; else it is the earlier run's record, else the file that the setting came from. */
function namingOf({ flags, earlier, experiment, loaded, request }: TrustedPlan): Naming {
  const user = byUserIn('.')
  const record = earlier === null ? null : recordBy(earlier.folder)
  const suites = namesSuites(flags) ? user : (record ?? user)
  const isCode = experiment?.isProgram === true && suites === user
  const file = (key: string): NamedBy => {
    const origin = loaded.origins.get(key)
    return origin === undefined ? user : namedIn(origin, isCode && origin === experiment.file)
  }
  const given = (isFlag: boolean, isRecorded: boolean, key: string): NamedBy =>
    isFlag ? user : isRecorded && record !== null ? record : file(key)
  return {
    suites,
    subjects:
      experiment === null
        ? given((flags.model ?? flags.models) !== undefined, earlier !== null, 'model')
        : file('model'),
    judges: given(flags.judge !== undefined, earlier?.request.judges !== undefined, 'judges'),
    prices: given(
      flags.prices !== undefined,
      typeof earlier?.request.prices === 'string',
      'prices',
    ),
    config: flags.config === undefined && request.config !== null ? (record ?? user) : user,
    regrade: flags.regrade === undefined ? (record ?? user) : user,
  }
}

/** Loads again, with everything that runs, those suites that were only looked at. */
export async function loadPrograms(
  read: readonly LoadedSuite[],
  options: LoadOptions,
): Promise<LoadedSuite[]> {
  const all: LoadedSuite[] = []
  for (const one of read)
    all.push(
      hasPrograms(one.suite)
        ? await loadSuite(one.suite.path, { ...options, programs: 'run' })
        : one,
    )
  return all
}
