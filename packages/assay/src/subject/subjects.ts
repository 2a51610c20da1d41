/**
 * Creates subjects from what the user wrote. Each kind of subject has its own file, which is loaded only when it is
 * needed. A mistake of the user, such as a missing key or recording, throws a `UsageError` before any subject starts.
 */
import { existsSync } from 'node:fs'
import { normalize, resolve } from 'node:path'
import { type Subject, type Suite, UsageError } from '@assay/contract'
import type { AgentState } from './agent/inspect-agents.ts'
import type { ModelParameters } from './model/parameters.ts'
import type { Prices } from './model/prices.ts'
import type { ProviderSources } from './model/providers.ts'
import { BASELINES, SUBJECT_KINDS, type Baseline, type Scheme, type SubjectKind } from './names.ts'
import { readSubject } from './subject-text.ts'
import { NO_TRACES } from './traces.ts'
import type { NamedSubject } from './named-subject.ts'
import type { RecordedTraffic } from './replay/recorded-traffic.ts'

export interface SubjectRequest extends ProviderSources {
  /** The subjects as the user wrote them, one per entry. Use `splitSubjects` to split a comma-separated list. */
  readonly subjects: readonly string[]
  /** Subjects that a file defines, by name. */
  readonly named?: Readonly<Record<string, NamedSubject>>
  /** The folder to which paths of named subjects are relative. Default: Assay's working directory. */
  readonly folder?: string
  /** The folder in which commands start, unless they set their own. Default: Assay's working directory. */
  readonly workFolder?: string
  /** Parameters for every model. They override the parameters of a named subject. */
  readonly parameters?: ModelParameters
  /** Default parameters for every model. */
  readonly defaults?: ModelParameters
  /** If true, the subjects are only inspected. No program is started to learn more about a subject. */
  readonly lookOnly?: boolean
  /** If true, models are asked on another machine, so this machine does not need their keys and addresses. */
  readonly withoutKeys?: boolean
  /** The prices of models. By default, they are loaded when they are first needed. */
  readonly prices?: Prices
  /**
   * Returns the folder of a run by the run's name. It is used if the path of a replay does not exist. Throws if there
   * is no such run.
   */
  readonly findRun?: (name: string) => string
}

/** Creates the subjects in the requested order. If one cannot be created, closes those that were already created. */
export async function makeSubjects(request: SubjectRequest): Promise<Subject[]> {
  const { subjects, named = {} } = request
  const seen = new Set<string>()
  const made: Subject[] = []
  try {
    for (const text of subjects) {
      const id = text.trim()
      if (seen.has(id))
        throw new UsageError(
          `the subject ${id} is there twice; to compare it with itself, name it twice in assay.toml`,
        )
      seen.add(id)
      const { scheme, rest } = readSubject(id, Object.keys(named))
      made.push(
        await make(id, describeSubject(id, named), nameIn(scheme, rest, named) !== null, request),
      )
    }
  } catch (error) {
    for (const subject of made) await subject.close()
    throw error
  }
  return made
}

/** Returns which agents are installed on this machine. */
export async function inspectAgents(): Promise<AgentState[]> {
  const { inspectAgents: inspect } = await import('./agent/inspect-agents.ts')
  return inspect()
}

/** Throws a `UsageError` if a subject cannot answer the cases of the suites. */
export function checkSubjects(subjects: readonly Subject[], suites: readonly Suite[]): void {
  for (const subject of subjects) if (canCheck(subject)) subject.check(suites)
}

const canCheck = (
  subject: Subject,
): subject is Subject & { check(suites: readonly Suite[]): void } =>
  'check' in subject && typeof subject.check === 'function'

/** Converts a subject that the user wrote into the form that a file uses. */
export function describeSubject(
  text: string,
  named: Readonly<Record<string, NamedSubject>>,
): NamedSubject {
  const { scheme, rest } = readSubject(text, Object.keys(named))
  if (scheme === 'name') return named[rest] ?? {}
  if (scheme !== 'replay-agent') return describe(scheme, rest)
  const { run, subject } = splitTraffic(rest)
  return { ...describeSubject(subject, named), traffic: { run, subject } }
}

/**
 * Returns the name in the file that a text refers to, also inside of `replay-agent:RUN#NAME`. Returns null if it refers
 * to none.
 */
export function namedSubjectIn(
  text: string,
  named: Readonly<Record<string, NamedSubject>>,
): string | null {
  const { scheme, rest } = readSubject(text, Object.keys(named))
  return nameIn(scheme, rest, named)
}

function nameIn(
  scheme: Scheme | 'model' | 'name',
  rest: string,
  named: Readonly<Record<string, NamedSubject>>,
): string | null {
  if (scheme === 'name') return rest
  if (scheme !== 'replay-agent') return null
  // The text is read in the same way as in `describeSubject`. Otherwise a name in another spelling, such as with a
  // space before it, would count as a subject that the user wrote on the command line.
  return namedSubjectIn(splitTraffic(rest).subject, named)
}

/** Splits RUN#SUBJECT. The subject is required. The run's record, which lists the run's subjects, is not read here. */
function splitTraffic(rest: string): { readonly run: string; readonly subject: string } {
  const { path, subject } = splitReplay(rest, '.')
  if (path === '' || subject === null || subject === '')
    throw new UsageError(
      `replay-agent:${rest} names no agent: write replay-agent:RUN#SUBJECT, with a subject of that run`,
    )
  return { run: path, subject }
}

/** Converts a subject from the command line into the form that a file uses. */
function describe(scheme: Exclude<Scheme, 'replay-agent'> | 'model', rest: string): NamedSubject {
  const table = {
    model: { model: rest },
    command: { command: rest },
    'command+json': { command: rest, answerAs: 'json' },
    agent: agentOf(rest),
    replay: { replay: rest },
    simulated: { simulated: rest },
    baseline: { baseline: rest as Baseline },
  } as const
  return table[scheme]
}

/** Reads NAME or NAME/MODEL, the text after `agent:`. */
function agentOf(rest: string): NamedSubject {
  const [, agent = rest, model] = /^([^/]*)\/(.*)$/.exec(rest) ?? []
  return model === undefined ? { agent } : { agent, model }
}

/** The settings that name skills and files to copy into a workspace. */
const LAID = ['skills', 'files', 'homeFiles'] as const

/** The settings that each kind of subject allows. `timeoutMs` is only for kinds whose answers take real time. */
const SETTINGS: Readonly<Record<SubjectKind, readonly (keyof NamedSubject)[]>> = {
  model: ['temperature', 'maxTokens', 'topP', 'seed', 'system', 'reasoningEffort', 'timeoutMs'],
  agent: [
    'model',
    'command',
    'program',
    ...LAID,
    'args',
    'mcpServers',
    'env',
    'passEnv',
    'gateway',
    'traffic',
    'timeoutMs',
  ],
  command: [
    'promptAs',
    'answerAs',
    'events',
    ...LAID,
    'cwd',
    'env',
    'passEnv',
    'gateway',
    'traffic',
    'timeoutMs',
  ],
  replay: [],
  simulated: [],
  baseline: [],
}

function kindOf(id: string, subject: NamedSubject): SubjectKind {
  const keys = Object.entries(subject).flatMap(([key, value]) => (value === undefined ? [] : [key]))
  const kinds = SUBJECT_KINDS.filter((kind) => keys.includes(kind)).filter(
    (kind, _, all) => (kind !== 'model' && kind !== 'command') || !all.includes('agent'),
  )
  const [kind] = kinds
  if (kind === undefined || kinds.length > 1)
    throw new UsageError(`${id} must be one of ${SUBJECT_KINDS.join(', ')}, and only one`)
  const stray = keys.find(
    (key) => key !== kind && key !== 'folder' && !SETTINGS[kind].some((one) => one === key),
  )
  if (stray === 'traffic')
    throw new UsageError(`${id}: only an agent or a command can be replayed, not a ${kind}`)
  if (stray === 'mcpServers' && kind === 'command')
    throw new UsageError(
      `${id}: mcpServers is not for a command, because Assay does not know how the command reads its servers. Write the settings file that it reads and lay it with files or homeFiles, or use agent = "acp" if it speaks ACP`,
    )
  if (kind === 'agent') checkAcp(id, subject)
  if (stray === undefined) return kind
  const allowed = SETTINGS[kind].length === 0 ? 'no settings' : SETTINGS[kind].join(', ')
  throw new UsageError(`${id}: ${stray} is not for a ${kind}, which takes ${allowed}`)
}

/** Checks the command of an agent. Only an ACP agent that Assay does not know by name has its own command. */
function checkAcp(id: string, { agent, command, program, args }: NamedSubject): void {
  if (agent !== 'acp') {
    if (command === undefined) return
    throw new UsageError(
      `${id}: command is not for the agent ${agent}, whose program Assay knows: use program and args`,
    )
  }
  if (command === undefined)
    throw new UsageError(
      `${id}: an agent "acp" needs the command that starts it, such as command = ["opencode", "acp"]`,
    )
  if (program !== undefined || args !== undefined)
    throw new UsageError(`${id}: an agent "acp" has its program and arguments in command`)
}

async function make(
  id: string,
  subject: NamedSubject,
  isNamed: boolean,
  request: SubjectRequest,
): Promise<Subject> {
  const { workFolder = '.' } = request
  const folder = isNamed ? (request.folder ?? '.') : workFolder
  const makers: Readonly<Record<SubjectKind, () => Promise<Subject>>> = {
    model: () => makeModel(id, subject, request),
    agent: () => makeAgent(id, subject, resolve(folder, subject.folder ?? '.'), request),
    command: () => makeCommand(id, subject, folder, request),
    replay: () => makeReplay(id, subject.replay ?? '', folder, request),
    simulated: () => makeSimulated(id, subject),
    baseline: () => makeBaseline(id, subject),
  }
  return makers[kindOf(id, subject)]()
}

async function makeBaseline(id: string, { baseline }: NamedSubject): Promise<Subject> {
  const { baselineSubject } = await import('./baseline/baseline.ts')
  const known = BASELINES.find((one) => one === baseline)
  if (known === undefined)
    throw new UsageError(`${id}: a baseline is one of ${BASELINES.join(', ')}`)
  return baselineSubject(id, known)
}

async function makeModel(
  id: string,
  subject: NamedSubject,
  request: SubjectRequest,
): Promise<Subject> {
  const { modelSubject } = await import('./model/model.ts')
  const { model = '', timeoutMs, ...settings } = subject
  const { reasoningEffort, temperature, maxTokens, topP, seed, system } = settings
  const own = { temperature, maxTokens, topP, seed, system, effort: reasoningEffort }
  const { providers, env, defaults, parameters } = request
  const made = modelSubject({
    id,
    model,
    prices: request.prices ?? (await loadedPrices()),
    lookOnly: request.lookOnly === true || request.withoutKeys === true,
    parameters: { ...set(defaults ?? {}), ...set(own), ...set(parameters ?? {}) },
    ...(providers === undefined ? {} : { providers }),
    ...(env === undefined ? {} : { env }),
  })
  return timeoutMs === undefined ? made : withTimeout(made, timeoutMs)
}

async function loadedPrices(): Promise<Prices> {
  const { loadPrices } = await import('./model/prices.ts')
  return loadPrices()
}

/** Removes undefined settings, so that they do not override a default. */
function set(settings: {
  readonly [Key in keyof ModelParameters]: ModelParameters[Key] | undefined
}): ModelParameters {
  return Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined))
}

/** Returns the subject with its own time limit. If the run has a smaller limit, that one applies. */
function withTimeout(subject: Subject, timeoutMs: number): Subject {
  const { id, kind, source, pool, concurrency, config, secrets } = subject
  return {
    id,
    kind,
    source,
    pool,
    concurrency,
    config: { subject: config, timeoutMs },
    secrets,
    // This function is used only for models, which record no traces.
    traces: () => NO_TRACES,
    estimateUsd: (one) => subject.estimateUsd(one),
    answer: (ask) => subject.answer({ ...ask, timeoutMs: Math.min(timeoutMs, ask.timeoutMs) }),
    close: () => subject.close(),
  }
}

async function makeAgent(
  id: string,
  subject: NamedSubject,
  folder: string,
  request: SubjectRequest,
): Promise<Subject> {
  const [{ agentSubject }, { agentKind }, { splitCommand }] = await Promise.all([
    import('./agent/agent.ts'),
    import('./agent/agents.ts'),
    import('./command/argv.ts'),
  ])
  const { agent = '', model = null, program, args = [], mcpServers = {}, timeoutMs } = subject
  const { command } = subject
  return agentSubject({
    id,
    kind: agentKind(agent),
    folder,
    ...(command === undefined
      ? {}
      : { command: typeof command === 'string' ? splitCommand(command) : command }),
    model,
    args,
    mcpServers: Object.fromEntries(
      Object.entries(mcpServers).map(([name, server]) => [
        name,
        'url' in server
          ? { url: server.url, headers: server.headers ?? {} }
          : { command: server.command, args: server.args ?? [], env: server.env ?? {} },
      ]),
    ),
    ...laidOf(subject, folder),
    env: subject.env ?? {},
    passEnv: subject.passEnv ?? [],
    prices: request.prices ?? (await loadedPrices()),
    lookOnly: request.lookOnly ?? false,
    ...(subject.gateway === undefined ? {} : { gateway: subject.gateway }),
    ...(await trafficOf(id, subject, request)),
    ...(program === undefined ? {} : { program: resolve(folder, program) }),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
  })
}

/** Returns the skills and files to copy into a workspace, with absolute paths. */
const laidOf = ({ skills = [], files = {}, homeFiles = {} }: NamedSubject, folder: string) => ({
  skills: skills.map((path) => resolve(folder, path)),
  files: fromFolder(files, folder),
  homeFiles: fromFolder(homeFiles, folder),
})

const fromFolder = (files: Readonly<Record<string, string>>, folder: string) =>
  Object.fromEntries(
    Object.entries(files).map(([to, from]) => [to, { from: resolve(folder, from) }]),
  )

async function makeCommand(
  id: string,
  subject: NamedSubject,
  folder: string,
  request: SubjectRequest,
): Promise<Subject> {
  const [{ splitCommand }, { commandSubject }] = await Promise.all([
    import('./command/argv.ts'),
    import('./command/command.ts'),
  ])
  const { prices, lookOnly = false, workFolder } = request
  const { command = '', promptAs, answerAs, events, cwd, env, passEnv, timeoutMs } = subject
  const beside = resolve(folder, subject.folder ?? '.')
  return commandSubject({
    id,
    argv: typeof command === 'string' ? splitCommand(command) : command,
    ...(promptAs === undefined ? {} : { promptAs }),
    ...(answerAs === undefined ? {} : { answerAs }),
    ...(events === undefined ? {} : { events }),
    ...laidOf(subject, beside),
    folder: beside,
    lookOnly,
    prices: async () => prices ?? (await loadedPrices()),
    ...(cwd === undefined ? {} : { cwd: resolve(folder, cwd) }),
    ...(workFolder === undefined ? {} : { workFolder }),
    ...(env === undefined ? {} : { env }),
    ...(passEnv === undefined ? {} : { passEnv }),
    ...(subject.gateway === undefined ? {} : { gateway: subject.gateway }),
    ...(await trafficOf(id, subject, request)),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
  })
}

/** Opens the recorded traffic that answers the subject's requests. Returns null if the subject is not replayed. */
async function trafficOf(
  id: string,
  { traffic }: NamedSubject,
  { findRun }: SubjectRequest,
): Promise<{ readonly traffic?: RecordedTraffic }> {
  if (traffic === undefined) return {}
  const { openRecordedTraffic } = await import('./replay/recorded-traffic.ts')
  const { path } = findReplay(traffic.run, '.', findRun)
  return { traffic: await openRecordedTraffic(id, path, traffic.subject) }
}

async function makeReplay(
  id: string,
  text: string,
  folder: string,
  { findRun }: SubjectRequest,
): Promise<Subject> {
  const { openReplay } = await import('./replay/replay.ts')
  const { path, subject } = findReplay(text, folder, findRun)
  if (path === '') throw new UsageError(`${id} names no run folder or file: write replay:PATH`)
  return openReplay(id, path, subject)
}

/**
 * Returns the path to open, and the subject whose answers are replayed. The path is empty if the text contains no path.
 */
export function findReplay(
  text: string,
  folder: string,
  findRun: SubjectRequest['findRun'],
): { readonly path: string; readonly subject: string | null } {
  const { path: written, subject } = splitReplay(text, folder)
  if (written === '') return { path: '', subject }
  // The path is normalized here, so that the path that is checked is also the path that is opened. Otherwise, for
  // `link/..`, the operating system would first follow the link and then go to the parent of its target.
  const path = normalize(written)
  // `latest` always means the latest run, even if a file or folder has that name.
  const isName = findRun !== undefined && (path === 'latest' || !existsSync(resolve(folder, path)))
  return { path: isName ? normalize(findRun(path)) : relative(folder, path), subject }
}

/** Keeps a relative path as the user wrote it, so that records do not depend on the project's location. */
const relative = (folder: string, path: string): string =>
  folder === '.' ? path : resolve(folder, path)

/** Splits PATH#SUBJECT. If a path that contains a # exists, that # belongs to the path. */
function splitReplay(text: string, folder: string): { path: string; subject: string | null } {
  const isLatest = /^latest(?:#|$)/u.test(text)
  for (let at = isLatest ? 0 : text.length; at > 0; at = text.lastIndexOf('#', at - 1)) {
    const path = text.slice(0, at)
    if (existsSync(resolve(folder, path)))
      return { path, subject: at === text.length ? null : text.slice(at + 1) }
  }
  const at = text.indexOf('#')
  return at === -1
    ? { path: text, subject: null }
    : { path: text.slice(0, at), subject: text.slice(at + 1) }
}

async function makeSimulated(id: string, { simulated }: NamedSubject): Promise<Subject> {
  const [{ simulatedSubject }, { checkSimulated, parseSimulated }] = await Promise.all([
    import('./simulated/simulated.ts'),
    import('./simulated/simulated-options.ts'),
  ])
  return simulatedSubject(
    typeof simulated === 'string'
      ? parseSimulated(id, simulated)
      : checkSimulated(id, simulated === true ? {} : simulated),
  )
}
