/**
 * Lists the programs that a suite starts: graders that run with the user's permissions, setup commands that use the
 * network and, without a sandbox, all other programs of the suite. It also lists the outside repositories from which
 * its workspaces start. The table below has an entry for every field of a case. If a field is added without an
 * entry, the code does not compile.
 */
import { basename, dirname, resolve } from 'node:path'
import {
  eachGrader,
  type Case,
  type GraderConfig,
  type Json,
  type Suite,
  type WorkspacePlan,
} from '@assay/contract'
import { graderByType } from '../grade/index.ts'
import { isShipped } from '../suite/index.ts'
import { shownWords } from './shell-words.ts'
import type { NamedBy, SendUse, StartUse, Use } from './use.ts'
import { withoutRepeats } from './decide.ts'

export interface SuiteAt {
  readonly suite: Pick<Suite, 'path' | 'cases'>
  readonly by: NamedBy
  /** True with `--sandbox none`. Programs that would run in the sandbox then run with the user's permissions. */
  readonly unsandboxed: boolean
  /** Whether graders that run with the user's permissions can be put into a sandbox instead. */
  readonly canSandbox: boolean
}

type Collect = (one: Case, at: SuiteAt) => readonly Use[]

const nothing: Collect = () => []

const CASE: Readonly<Record<keyof Case, Collect>> = {
  id: nothing,
  name: nothing,
  description: nothing,
  turns: nothing,
  system: nothing,
  examples: nothing,
  vars: nothing,
  row: nothing,
  // The functions get these values. The program that contains the functions is listed as a program of the suite.
  input: nothing,
  expected: nothing,
  language: nothing,
  tests: codeUses,
  calls: codeUses,
  entryPoint: nothing,
  module: nothing,
  continuation: nothing,
  stop: nothing,
  // The expectation `customCheck` is a shell command, but Assay never runs it.
  expectations: nothing,
  reference: nothing,
  faulty: nothing,
  files: nothing,
  tags: nothing,
  group: nothing,
  metadata: nothing,
  graders: graderUses,
  threshold: nothing,
  trials: nothing,
  timeoutMs: nothing,
  maxTokens: nothing,
  // Dependencies are built together with the tests, so one entry stands for both.
  dependencies: codeUses,
  lint: nothing,
  allowUnsafe: nothing,
  includeIgnored: nothing,
  edition: nothing,
  format: nothing,
  workspace: workspaceUses,
  limits: nothing,
  hash: nothing,
}

const COLLECTORS = [...new Set(Object.values(CASE))].filter((collect) => collect !== nothing)

type CollectWorkspace = (workspace: WorkspacePlan, at: SuiteAt) => readonly Use[]

const WORKSPACE: Readonly<Record<keyof WorkspacePlan, CollectWorkspace>> = {
  git: gitUses,
  folder: () => [],
  setup: setupUses,
  setupTimeoutMs: () => [],
  ignore: () => [],
  protect: () => [],
  // Hidden files are added only for graders, and the graders' commands are listed separately.
  hidden: () => [],
  // This setting can only remove network access.
  network: () => [],
}

export function suiteUses(at: SuiteAt): Use[] {
  const uses = at.suite.cases
    .filter((one) => !isShipped(one))
    .flatMap((one) => COLLECTORS.flatMap((collect) => collect(one, at)))
  return withoutRepeats(uses)
}

/**
 * Returns the `Use` (an entry of the trust list) for a suite or experiment that is a module. Loading a module starts
 * a program.
 */
export const moduleUse = (file: string, by: NamedBy): StartUse => ({
  does: 'start',
  words: [basename(file)],
  in: dirname(resolve(file)),
  by,
  for: `${file}, which is a program`,
})

const folderOf = ({ suite }: SuiteAt): string => dirname(resolve(suite.path))

const start = (words: readonly string[], what: string, at: SuiteAt): StartUse => ({
  ...{ does: 'start', words, in: folderOf(at), by: at.by, for: `${what} of ${at.suite.path}` },
})

/** Like `start`, but for programs that run outside the sandbox only because of `--sandbox none`. */
const startFreely = (words: readonly string[], what: string, at: SuiteAt): StartUse => ({
  ...start(words, `${what} without a sandbox`, at),
  flags: ['--sandbox', 'none'],
})

/** If there is no sandbox, returns one entry for all tests of the suite and the code that they load. */
function codeUses(one: Case, at: SuiteAt): StartUse[] {
  if (!at.unsandboxed || !one.graders.some(({ type }) => graderByType(type)?.runsTests === true))
    return []
  return [startFreely(['tests of', basename(at.suite.path)], 'tests', at)]
}

function graderUses(one: Case, at: SuiteAt): StartUse[] {
  const sandboxed = eachGrader(one.graders).filter(
    ({ type }) => graderByType(type)?.needsSandbox === true,
  )
  return [
    ...asUser(one, at),
    ...(at.unsandboxed ? sandboxed : []).flatMap(({ type, name, options }) =>
      (graderByType(type)?.starts?.(options) ?? []).map((words) =>
        startFreely(words, `grader ${name}`, at),
      ),
    ),
  ]
}

/**
 * Returns the programs of graders that run with the user's permissions by default. A program that can run in a
 * sandbox is marked with `isSandboxed`, because it needs no trust. A grader that does not list its programs is
 * identified by all of its options.
 */
function asUser({ graders }: Case, at: SuiteAt): StartUse[] {
  return eachGrader(graders)
    .filter(({ type }) => graderByType(type)?.runsAsUser === true)
    .flatMap((config) => {
      const programs = graderByType(config.type)?.starts?.(config.options) ?? [unknown(config)]
      const sandboxed = graderNeedsTrust(config, at) ? {} : { isSandboxed: true as const }
      return programs.map((words) => ({
        ...start(words, `grader ${config.name}`, at),
        ...sandboxed,
      }))
    })
}

/**
 * Returns the programs that graders would start with the user's permissions if only graders with `sandbox = true`
 * got a sandbox.
 */
export const programGraderUses = (at: Pick<SuiteAt, 'suite' | 'by'>): StartUse[] =>
  at.suite.cases
    .flatMap((one) => asUser(one, { ...at, unsandboxed: false, canSandbox: false }))
    .filter(({ isSandboxed }) => isSandboxed !== true)

const unknown = ({ type, options }: GraderConfig): readonly string[] => [
  type,
  JSON.stringify(options),
]

/**
 * Whether a grader needs trust before it may run. A grader with `sandbox = false` always needs trust. If no sandbox
 * is available, every grader without `sandbox = true` needs it too. All other graders run in the sandbox until the
 * folder is trusted. No other code decides this.
 */
export function graderNeedsTrust(
  { options }: Pick<GraderConfig, 'options'>,
  { canSandbox }: Pick<SuiteAt, 'canSandbox'>,
): boolean {
  const asked = sandboxOf(options)
  return asked === false || (asked !== true && !canSandbox)
}

/** Whether the case has a grader with `sandbox = false`, which must run with the user's permissions. */
export const insistsOnRights = ({ graders }: Pick<Case, 'graders'>): boolean =>
  eachGrader(graders).some(
    ({ type, options }) => graderByType(type)?.runsAsUser === true && sandboxOf(options) === false,
  )

const sandboxOf = (options: Json): unknown =>
  (options as { readonly sandbox?: unknown } | null)?.sandbox

function workspaceUses({ workspace }: Case, at: SuiteAt): Use[] {
  if (workspace === null) return []
  return Object.values(WORKSPACE).flatMap((collect) => collect(workspace, at))
}

function setupUses({ setup }: WorkspacePlan, at: SuiteAt): Use[] {
  return setup
    .map((command) => ['/bin/sh', '-c', command])
    .map((words) => (at.unsandboxed ? startFreely(words, 'setup', at) : reachOut(words, at)))
}

/**
 * Lists the git source of a workspace. A repository inside the suite's own needs no trust, because git never reads
 * its configuration (git/private-repository.ts). A git server on this machine does need trust, because a suite could
 * name the address of any local service. A model's server on this machine does not.
 */
function gitUses({ git }: WorkspacePlan, { suite, by }: SuiteAt): Use[] {
  if (git === null) return []
  const what = { by, for: `workspaces of ${suite.path}` }
  if ('url' in git)
    return [{ does: 'send', variable: null, to: git.url, isSafe: by.isCode, ...what }]
  return git.isElsewhere === true
    ? [{ does: 'read', path: git.path, isReadLater: true, ...what }]
    : []
}

/**
 * Returns the `Use` for a setup command with network access. Such a command can also reach servers that only this
 * machine can reach.
 */
const reachOut = (words: readonly string[], { suite, by }: SuiteAt): SendUse => ({
  ...{ does: 'send', variable: null, to: `any address, by ${shownWords(words)}` },
  ...{ by, for: `setup of ${suite.path}`, isSafe: by.isCode, isOptional: true },
})

/** Whether the suite has a grader program that must run before its options can be read. */
export const hasPrograms = ({ cases }: Pick<Suite, 'cases'>): boolean =>
  cases.some(({ graders }) =>
    eachGrader(graders).some(({ type }) => {
      const grader = graderByType(type)
      return grader?.runsAsUser === true && grader.resolve !== undefined
    }),
  )
