/**
 * Makes all trust decisions of a plan. It finds which file or command line names each part, what the plan uses
 * (`Use`) and whether that is allowed. It also finds which uses the user's own command line consents to.
 */
import { plain, UsageError, type Suite } from '@assay/contract'
import { ownVariables } from '../../environment/index.ts'
import type { Experiment } from '../../experiment/index.ts'
import { judgesIn, type Setting } from '../../run/index.ts'
import type { NamedSubject } from '../../subject/index.ts'
import { loadSuite, type LoadedSuite, type LoadOptions } from '../../suite/index.ts'
import { isModulePath } from '../../documents/index.ts'
import {
  byUserIn,
  consentedIn,
  hasPrograms,
  isOptional,
  isOutsideRoot,
  namedIn,
  repositoryRoot,
  rootOfRun,
  signConsent,
  withoutRepeats,
  type Consent,
  type NamedBy,
  type Use,
} from '../../trust/index.ts'
import { graderTrust } from './grader-trust.ts'
import type { EarlierRun } from '../settings/earlier-run.ts'
import type { Request, RunFlags } from '../settings/run-flags.ts'
import {
  judgesBy,
  planUses,
  readUses,
  requestedModules,
  requestedSuites,
  suiteReads,
  writeUses,
  type Naming,
  type PlanAt,
} from './plan-uses.ts'
import { trustCommand, type TrustGate } from './require-trust.ts'
import type { LoadedSettings } from '../settings/settings.ts'

export interface PlanTrust {
  readonly uses: readonly Use[]
  readonly allows: (use: Use) => boolean
  /**
   * Whether graders that normally run with the user's permissions run in a sandbox, because the user has not trusted
   * the folder with them.
   */
  readonly sandboxGraders: boolean
  /**
   * Whether setup commands run without network, because the user has not trusted the folder with at least one of
   * them.
   */
  readonly offlineSetup: boolean
  /** Messages for the user about the two restrictions above, and about a price file that is not read. */
  readonly notices: readonly string[]
  /** The price file. Null if there is none or if it may not be read. */
  readonly prices: string | null
  /**
   * The consent that the run's record stores: what the user's command line allows. Null if it names nothing that
   * needs consent.
   */
  readonly consent: Consent | null
}

export interface TrustedPlan {
  readonly flags: RunFlags
  readonly earlier: EarlierRun | null
  readonly request: Request
  readonly experiment: Experiment | null
  readonly loaded: LoadedSettings
  readonly named: Readonly<Record<string, NamedSubject>>
  /** The suites with all of their cases, read without running anything. */
  readonly suites: readonly Suite[]
  /** The suites with only the selected cases and with the judges that will be asked. */
  readonly judged: readonly Suite[]
  /** The folder in which run folders are created. */
  readonly output: Setting<string>
  /** Returns the folder of the run with this name. */
  readonly findRun: PlanAt['findRun']
}

const recordBy = (folder: string): NamedBy => ({
  file: folder,
  root: rootOfRun(folder),
  isCode: false,
})

/**
 * Checks the parts of an earlier run's record that are needed to make the plan. This must happen before these parts
 * are used. Without the user's permission, no program may run and no file outside of the repository may be read.
 */
export async function passRecorded(
  flags: RunFlags,
  earlier: EarlierRun | null,
  gate: TrustGate,
): Promise<void> {
  if (earlier === null) return
  const by = recordBy(earlier.folder)
  const { suites, config } = earlier.request
  const uses = [
    ...(flags.config === undefined ? readUses(config, by, 'the run file') : []),
    ...(namesSuites(flags)
      ? []
      : [...requestedSuites(suites, by), ...requestedModules(suites, by)]),
  ]
  await gate.pass(uses, consentOf(earlier))
}

/** Checks the suites that an experiment names outside of its repository. They must not be read without permission. */
export async function passExperiment(experiment: Experiment, gate: TrustGate): Promise<void> {
  await gate.pass(experimentReads(experiment))
}

/**
 * Returns the suites that an experiment reads from outside of its repository. Empty if the experiment is a program,
 * because the user allowed it to run and it could read any file itself.
 */
export const experimentReads = ({ file, suites, isProgram }: Experiment): Use[] =>
  isProgram ? [] : suiteReads(suites, namedIn(file))

const namesSuites = ({ suites, evalSet = [] }: RunFlags): boolean =>
  suites.length + evalSet.length > 0

const consentOf = (earlier: EarlierRun | null): ReadonlySet<string> =>
  earlier === null ? new Set() : consentedIn(process.env, repositoryRoot('.'), earlier.consent)

/**
 * Returns the uses of the plan, and what is restricted because of missing trust. Throws a `UsageError` if a required
 * use is not allowed. For a dry run, only reading files must be allowed.
 */
export async function trustPlan(plan: TrustedPlan, gate: TrustGate): Promise<PlanTrust> {
  const { flags, earlier, request, experiment, loaded, named, suites, judged } = plan
  const { output, findRun } = plan
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
  const at: PlanAt = {
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
    findRun,
  }
  const uses = withoutRepeats([
    ...(await planUses(at)),
    ...(experiment === null ? [] : experimentReads(experiment)),
    ...(output.place === 'file' || output.place === 'project'
      ? writeUses(output.value, fileBy(output.from))
      : []),
  ])
  await gate.pass(flags.dryRun === true ? await readsOf(at) : askedOf(uses, allows), consented)
  if (output.place === 'default') checkUsualOutput(output.value)
  const offline = uses.filter((use) => isOptional(use) && !allows(use))
  const pricesBarred = readUses(request.prices, naming.prices, 'prices').some((use) => !allows(use))
  const own = uses.filter((use) => use.by.file === null || (!gate.allows(use) && allows(use)))
  return {
    uses: flags.dryRun === true ? uses : uses.filter((use) => !offline.includes(use)),
    allows,
    sandboxGraders,
    offlineSetup: offline.length > 0,
    notices: [
      ...(notice === null ? [] : [notice]),
      ...(offline.length === 0 ? [] : [offlineNotice(offline)]),
      ...(pricesBarred ? [pricesNotice(request.prices ?? '')] : []),
    ],
    prices: pricesBarred ? null : request.prices,
    consent: flags.dryRun === true ? null : signConsent(process.env, repositoryRoot('.'), own),
  }
}

/**
 * Returns the uses to ask the user about. Optional uses are included only if the user must be asked about a required
 * one anyway.
 */
export const askedOf = (uses: readonly Use[], allows: (use: Use) => boolean): readonly Use[] => {
  const needed = uses.filter((use) => !isOptional(use))
  return needed.every(allows) ? needed : uses
}

export const offlineNotice = (uses: readonly Use[]): string =>
  `the folder is not trusted, so its setup commands run without network: \`${trustCommand(uses)}\` allows it`

/**
 * Throws if the default folder for runs is a link that leads out of the repository. The user cannot trust such a
 * folder, because trust is given to a file that names a path, and no file names this one.
 */
function checkUsualOutput(folder: string): void {
  if (isOutsideRoot(repositoryRoot('.'), folder))
    throw new UsageError(
      `${folder} is a link that leads out of the repository: no run folder is made there. Say where with --output`,
    )
}

/**
 * Returns the files that are read to make the plan, even for a dry run. The price file is left out, because it is
 * optional.
 */
const readsOf = async (at: PlanAt): Promise<Use[]> =>
  (await planUses({ ...at, request: { ...at.request, prices: null } })).filter(
    (use) => use.does === 'read' && use.isReadLater !== true,
  )

/** Returns the message about a price file outside the folder that was not read. */
export const pricesNotice = (file: string): string =>
  `the price file ${plain(file)} is outside of the folder, which is not trusted: it was not read`

/**
 * Returns which source names each part: the user for flags, otherwise the earlier run's record, otherwise the
 * settings file.
 */
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

/**
 * Loads suites with grader programs again. Now these programs are run to read their options, which was not done
 * before trust was decided.
 */
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
