/**
 * `assay validate PATH...`: reads every suite that the user names, or that is in a named folder or experiment. It
 * prints every problem, including tests that test nothing. With --prove it also grades the answers in the suites.
 * The exit code is 0 if everything is valid, otherwise 2.
 */
import { programName } from '../../output/program-name.ts'
import { basename, dirname } from 'node:path'
import { plain, plainLines, type Case, type Suite, UsageError, shellPath } from '@assay/contract'
import { checkVary, loadExperiment } from '../../../experiment/index.ts'
import { counted } from '../../../text/index.ts'
import type { SandboxChoice } from '@assay/sandbox'
import { describedTraces, describeSubject, type NamedSubject } from '../../../subject/index.ts'
import type { Tracing } from '../../../run/index.ts'
import { findSuites, loadSuite, type LoadOptions, type SuiteGrader } from '../../../suite/index.ts'
import { isModulePath, formatWarning, SuiteError } from '../../../documents/index.ts'
import { hasPrograms, isOptional, namedIn, suiteUses, type Use } from '../../../trust/index.ts'
import { checkReadHere } from '../../../trust/root.ts'
import { graderTrust } from '../../trust/grader-trust.ts'
import { askedOf, offlineNotice } from '../../trust/plan-trust.ts'
import { warn, type Output } from '../../output/output.ts'
import { passExperiment } from '../../trust/plan-trust.ts'
import { trustGate, type TrustGate } from '../../trust/require-trust.ts'
import { SETTINGS_FILE } from '../../settings/settings-file.ts'
import { milliseconds } from '../../settings/run-settings.ts'
import { loadSettings } from '../../settings/settings.ts'

export interface ValidateOptions {
  readonly paths: readonly string[]
  /** The graders that suites may use. Default: all. */
  readonly graders?: readonly SuiteGrader[]
  readonly signal?: AbortSignal
  /** Whether `--prove` was given. It also grades the answers in the suites. */
  readonly prove?: boolean
  readonly sandbox?: SandboxChoice
  /** A duration such as `30s`. */
  readonly gradeTimeout?: string
  readonly parallelism?: number
  /** Whether `--trust` was given. It allows everything that needs trust, for this command only. */
  readonly trust?: boolean
}

export async function validateCommand(
  options: ValidateOptions,
  output: Pick<Output, 'out' | 'err' | 'colors'>,
): Promise<number> {
  const grade = await import('../../../grade/index.ts')
  const graders = options.graders ?? grade.graders
  const load = {
    graders,
    functionGraders: [grade.functionGrader],
    ...(options.signal === undefined ? {} : { signal: options.signal }),
  }
  const gate = trustGate(options, output)
  let sound = true
  const seen = new Map<string, string>()
  for (const target of options.paths) {
    const files = await told(output, () => filesOf(target, gate, output, options.signal))
    if (files === null) sound = false
    for (const { file, allowModules, subjects } of files ?? [])
      if (
        !(await validateFile(file, { ...load, allowModules }, output, seen, options, {
          subjects,
          gate,
        }))
      )
        sound = false
  }
  return sound ? 0 : 2
}

interface Target {
  readonly file: string
  readonly allowModules: boolean
  /** The subjects that will answer the suite. They are known only for the suites of an experiment. */
  readonly subjects: readonly Tracing[]
}

/**
 * Returns the suites that a path names: those of an experiment, those in a folder, or the file itself. A settings
 * file contains no suites. It is checked here.
 */
async function filesOf(
  target: string,
  gate: TrustGate,
  output: Pick<Output, 'out'>,
  signal: AbortSignal | undefined,
): Promise<Target[]> {
  checkReadHere(target)
  if (basename(target) === SETTINGS_FILE) {
    await loadSettings({ folder: dirname(target), file: target })
    output.out(`ok ${plain(target)}: settings\n`)
    return []
  }
  const found = await findSuites(target, signal)
  const [only] = found
  const experiment = only === target ? await loadExperiment(target) : null
  if (experiment === null)
    return found.map((file) => ({ file, allowModules: file === target, subjects: [] }))
  await passExperiment(experiment, gate)
  const { subjects: ours } = (await loadSettings({ folder: '.' })).settings
  const named = { ...ours, ...experiment.described } as Record<string, NamedSubject>
  checkVary(experiment, named)
  const subjects = experiment.subjects.map((id) => ({
    id,
    traces: (one: Case) => describedTraces(describeSubject(id, named), one),
  }))
  const tiers = experiment.tiers.reduce((sum, { order }) => sum + order.length, 0)
  output.out(
    `ok ${plain(target)}: an experiment of ${counted(tiers, 'tier')} on ${counted(experiment.suites.length, 'suite')}\n`,
  )
  return experiment.suites.map((file) => ({ file, allowModules: experiment.isProgram, subjects }))
}

/**
 * Returns whether the file is a valid suite. A suite that is a program runs only if the user named it. Its grader
 * programs run only if the user trusts them. With `--prove`, the user is asked for that trust.
 */
async function validateFile(
  file: string,
  options: LoadOptions,
  output: Pick<Output, 'out' | 'err' | 'colors'>,
  seen: Map<string, string>,
  { prove, sandbox = 'auto', signal, gradeTimeout, parallelism }: ValidateOptions,
  { subjects, gate }: { readonly subjects: readonly Tracing[]; readonly gate: TrustGate },
): Promise<boolean> {
  const loaded = await told(output, async () => {
    const looked = await loadSuite(file, { ...options, programs: 'check' })
    const by = namedIn(file, isModulePath(file))
    const { suite } = looked
    // The tests are run to check them, even if no answer is graded.
    const unsandboxed = sandbox === 'none'
    const asked = await graderTrust([{ suite, by }], (use) => gate.allows(use), sandbox)
    const uses = suiteUses({ suite, by, unsandboxed, canSandbox: asked.sandboxGraders })
    const allows = (use: Use): boolean => gate.allows(use)
    if (prove === true || unsandboxed) await gate.pass(askedOf(uses, allows))
    const offline = uses.filter((use) => isOptional(use) && !allows(use))
    const offlineSetup = offline.length > 0
    if (prove === true && offlineSetup) warn(output, offlineNotice(offline))
    // If not all graders were trusted before, this is decided again, because the user may have allowed them in
    // `gate.pass` above.
    const { sandboxGraders, isTrusted } = asked.isTrusted
      ? asked
      : await graderTrust([{ suite, by }], (use) => gate.allows(use), sandbox)
    const isChecked = isTrusted || (prove === true && sandboxGraders)
    if (!hasPrograms(suite) || !isChecked)
      return { ...looked, isChecked: !hasPrograms(suite), sandboxGraders, offlineSetup }
    if (asked.notice !== null && sandboxGraders) warn(output, asked.notice)
    const read = await loadSuite(file, { ...options, programs: 'run', sandboxGraders })
    return { ...read, isChecked, sandboxGraders, offlineSetup }
  })
  if (loaded === null) return false
  const { suite, warnings, isChecked, sandboxGraders, offlineSetup } = loaded
  const missing = await missingTraces(suite, subjects)
  if (missing !== null) {
    output.err(`${plain(file)}: ${plainLines(missing)}\n`)
    return false
  }
  const checking = await import('./check-tests.ts')
  const gradeTimeoutMs =
    gradeTimeout === undefined ? undefined : milliseconds('--grade-timeout', gradeTimeout)
  if (!(await checking.checkSuiteTests(suite, sandbox, output, { signal, gradeTimeoutMs })))
    return false
  output.out(`ok ${plain(file)}: ${counts(suite)}\n`)
  for (const warning of warnings) output.err(`${formatWarning(warning)}\n`)
  if (!isChecked)
    output.err(
      `note: ${programName()} trust ${shellPath(file)} shows what it would run, and allows it\n`,
    )
  const other = seen.get(suite.id)
  if (other !== undefined && other !== file) {
    const text = `has the same id as ${plain(other)}: they cannot be in one run`
    output.err(`${formatWarning({ file, text })}\n`)
  }
  seen.set(suite.id, file)
  if (prove !== true) return true
  const proving = await import('./prove.ts')
  const proven = await proving.prove(suite, sandbox, output, {
    sandboxGraders,
    offlineSetup,
    signal,
    gradeTimeoutMs,
    parallelism,
  })
  if (!proven) output.err(`${plain(file)}: not proven\n`)
  return proven
}

/**
 * Returns a message if the suite's graders need a trajectory or a diff that the subjects do not provide. Otherwise
 * null.
 */
async function missingTraces(suite: Suite, subjects: readonly Tracing[]): Promise<string | null> {
  if (subjects.length === 0) return null
  const { checkTraces } = await import('../../../run/index.ts')
  try {
    checkTraces([suite], subjects)
    return null
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    return error.message
  }
}

/**
 * Returns the result of `work`. If `work` throws a `SuiteError`, prints the error and returns null. Other errors are
 * thrown again.
 */
async function told<T>(output: Pick<Output, 'err'>, work: () => Promise<T>): Promise<T | null> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof SuiteError)) throw error
    output.err(`${plainLines(error.message)}\n`)
    return null
  }
}

function counts({ cases, format }: Suite): string {
  const graded = cases.filter(({ graders }) => graders.length > 0).length
  const proven = cases.filter(
    ({ reference, faulty }) => reference !== null && faulty.length > 0,
  ).length
  const all = `${cases.length} ${cases.length === 1 ? 'case' : 'cases'}`
  const kind = format === 'assay' ? '' : `, read as ${format}`
  return `${all}, ${graded} graded, ${proven} with reference and faulty answers${kind}`
}
