/**
 * Lists the programs that a subject or judge starts, the keys that it sends and the files that it reads. The list is
 * made from the subject's description alone, and nothing is created or started for it. The table below has an entry
 * for every setting. If a setting is added without an entry, the code does not compile.
 */
import { basename, dirname, resolve } from 'node:path'
import { UsageError } from '@assay/contract'
import {
  agentReach,
  findReplay,
  isLoopback,
  isOwnOrigin,
  isOwnPair,
  splitCommand,
  type NamedSubject,
} from '../subject/index.ts'
import { providerUses, type ProviderReach } from './provider-uses.ts'
import { isOutsideRoot, rootOfRun } from './root.ts'
import type { NamedBy, SendUse, StartUse, Use } from './use.ts'
import { shownWords } from './shell-words.ts'

export interface SubjectAt extends ProviderReach {
  /** The subject's name or, if it has none, its description as the user wrote it. */
  readonly id: string
  readonly subject: NamedSubject
  readonly by: NamedBy
  /** The absolute path of the folder to which the paths in the subject's settings are relative. */
  readonly folder: string
  /** The absolute path of the folder in which a command starts. A command can set another folder. */
  readonly workFolder: string
  /** The suites that the subject answers. Their cases could make an agent leak its keys. */
  readonly cases: readonly NamedBy[]
  /** True with `--sandbox none`. An agent then runs with the user's permissions. */
  readonly unsandboxed: boolean
  /** Returns the folder of the run with this name. Throws a `UsageError` if there is none. */
  readonly findRun: (name: string) => string
}

type Collect = (at: SubjectAt) => readonly Use[] | Promise<readonly Use[]>

const nothing: Collect = () => []
/**
 * The value for a setting that is handled together with another one. The comment behind each such entry names that
 * other setting.
 */
const withAnother: Collect = nothing

const SETTINGS: Readonly<Record<keyof NamedSubject, Collect>> = {
  agent: agentUses,
  model: modelUses,
  command: commandUses,
  replay: replayUses,
  simulated: nothing,
  baseline: nothing,
  temperature: nothing,
  maxTokens: nothing,
  topP: nothing,
  seed: nothing,
  system: nothing,
  reasoningEffort: nothing,
  promptAs: nothing,
  answerAs: nothing,
  cwd: withAnother, // handled by `command`
  env: withAnother, // handled by `agent`, because the variables may contain addresses
  passEnv: passedUses,
  program: withAnother, // handled by `agent`
  args: withAnother, // handled by `agent`
  skills: (at) => outside(at, at.subject.skills ?? []),
  files: (at) => outside(at, Object.values(at.subject.files ?? {})),
  homeFiles: (at) => outside(at, Object.values(at.subject.homeFiles ?? {})),
  mcpServers: serverUses,
  events: nothing,
  // The gateway (a proxy of Assay) changes nothing here: the same keys go to the same addresses.
  gateway: nothing,
  traffic: trafficUses,
  timeoutMs: nothing,
  folder: withAnother, // handled by `skills`, `files` and `program`
}

export async function subjectUses(at: SubjectAt): Promise<Use[]> {
  const uses: Use[] = []
  for (const [key, collect] of Object.entries(SETTINGS))
    if (at.subject[key as keyof NamedSubject] !== undefined) uses.push(...(await collect(at)))
  return uses
}

function modelUses(at: SubjectAt): SendUse[] {
  const { model = '', agent } = at.subject
  // For an agent, nothing is listed here, because the model's name does not show which provider the agent contacts.
  return agent !== undefined ? [] : providerUses(model.split('/')[0]?.trim() ?? '', at, at.id)
}

function commandUses(at: SubjectAt): StartUse[] {
  const { command = '', cwd } = at.subject
  const words = typeof command === 'string' ? splitCommand(command) : command
  const isAgent = at.subject.agent !== undefined
  const where = isAgent ? besides(at) : cwd === undefined ? at.workFolder : resolve(at.folder, cwd)
  return [{ does: 'start', words, in: where, by: at.by, for: at.id }]
}

const besides = ({ folder, subject }: SubjectAt): string => resolve(folder, subject.folder ?? '.')

/** Returns the agent's program and the key variables that it gets. */
async function agentUses(at: SubjectAt): Promise<Use[]> {
  const { subject, by, id } = at
  const { agent = '' } = subject
  const reach = await agentReach(agent)
  if (reach === null) return []
  // If Assay does not know the agent by name, the agent's command is listed with the setting `command`.
  const words = [subject.program ?? reach.program, ...(subject.args ?? [])]
  const isNamed = reach.program !== ''
  // A replayed agent (`traffic`) gets no API keys for its models.
  const variables = subject.traffic === undefined ? setOnes(at, reach.variables) : []
  const send = (variable: string | null, to: string, isSafe: boolean): SendUse => ({
    ...{ does: 'send', variable, to, isSafe, by, for: id },
  })
  return [
    ...(isNamed ? [{ does: 'start' as const, words, in: besides(at), by, for: id }] : []),
    ...variables.map((variable) => send(variable, `agent ${agent}${detour(subject)}`, false)),
    ...addressesIn(subject.env ?? {}).flatMap((url) =>
      (variables.length === 0 ? [null] : variables).map((variable) =>
        send(variable, url.origin, isLoopback(url) || isOwn(variable, url.origin)),
      ),
    ),
    // A case could make the agent leak the variables that it gets. So each suite needs trust for these variables
    // too.
    ...at.cases.flatMap((suite) =>
      variables.map((variable) => ({
        ...send(variable, `agent ${agent}`, false),
        by: suite,
        flags: ['--model', id],
      })),
    ),
    ...unsandboxedUses(at, `agent ${agent}`),
  ]
}

/**
 * Returns the uses for the cases that an agent works on without a sandbox. An agent does what a case tells it to do,
 * and then it does so with the user's permissions, even if it has no key. A replayed agent does what the recorded
 * replies tell it (`repliesUse`).
 */
function unsandboxedUses({ cases, id, subject, unsandboxed }: SubjectAt, what: string): StartUse[] {
  if (!unsandboxed || subject.traffic !== undefined) return []
  return cases.map((suite) => ({
    does: 'start',
    ...{ words: [`${what} on the cases of`, basename(suite.file ?? '')] },
    ...{ in: suite.file === null ? suite.root : dirname(resolve(suite.file)), by: suite },
    ...{ for: `${id} without a sandbox`, flags: ['--model', id, '--sandbox', 'none'] },
  }))
}

const isOwn = (variable: string | null, origin: string): boolean =>
  variable === null ? isOwnOrigin(origin) : isOwnPair(variable, origin)

/** Returns those values of the variables that are web addresses. */
const addressesIn = (env: Readonly<Record<string, string>>): URL[] =>
  Object.values(env).flatMap((value) => (isAddress(value) ? [new URL(value)] : []))

const isAddress = (value: string): boolean => /^\s*https?:\/\//iu.test(value) && URL.canParse(value)

/**
 * Matches variables that can change where a program sends data, which certificates it accepts, or which code it
 * loads.
 */
const DIVERTING =
  /proxy|_(?:url|uri|host|endpoint|base|server|origin)$|^NODE_|^SSL_|_CA_|_CERTS?$|TLS|^LD_|^DYLD_|^PYTHON|^BASH_ENV$|^PATH$|^HOME$|^XDG_/iu

/**
 * Describes the variables in a subject's `env` that could redirect a key to another server. The description is part
 * of what the user trusts. So if such a variable is added later, Assay asks the user again. Values that are
 * addresses are listed separately (`addressesIn`). The values of all other variables may be secrets and are not
 * shown.
 */
function detour({ env = {} }: NamedSubject): string {
  const words = Object.entries(env)
    .filter(([name, value]) => DIVERTING.test(name) && !isAddress(value) && value !== '')
    // The part before an @ may contain a password.
    .map(([name, value]) => `${name}=${value.replaceAll(/[^\s,;/=]+@/gu, '…@')}`)
  return words.length === 0 ? '' : ` with ${shownWords(words.toSorted())}`
}

function passedUses(at: SubjectAt): SendUse[] {
  const { command, agent, program, passEnv = [] } = at.subject
  const to =
    command === undefined
      ? `agent ${agent ?? program ?? ''}${detour(at.subject)}`
      : shownWords(typeof command === 'string' ? splitCommand(command) : command) +
        detour(at.subject)
  return setOnes(at, passEnv).map((variable) => ({
    ...{ does: 'send', variable, to, isSafe: false, by: at.by, for: at.id },
  }))
}

/** Returns the variables that are set. If `env` is null, returns all of them. */
const setOnes = ({ env }: SubjectAt, names: readonly string[]): readonly string[] =>
  env === null ? names : names.filter((name) => env?.[name] !== undefined)

/** Returns the MCP servers of an agent. They run in the agent's folder, with the agent's variables. */
function serverUses(at: SubjectAt): Use[] {
  const { by, id } = at
  return Object.entries(at.subject.mcpServers ?? {}).map(([name, server]): Use => {
    const common = { by, for: `MCP server ${name} of ${id}` }
    return 'url' in server
      ? { does: 'send', variable: null, ...addressOf(server.url), ...common }
      : {
          does: 'start',
          words: [server.command, ...(server.args ?? [])],
          in: besides(at),
          ...common,
        }
  })
}

const addressOf = (text: string): Pick<SendUse, 'to' | 'isSafe'> => {
  if (!URL.canParse(text)) return { to: text, isSafe: false }
  const url = new URL(text)
  return { to: url.origin, isSafe: isLoopback(url) }
}

/**
 * Returns the folder of the replayed run if it is outside the repository. `latest` or a part of a run's name can
 * mean any folder. So the folder that it resolves to is checked.
 */
function replayUses(at: SubjectAt): Use[] {
  return runUses(at, at.subject.replay ?? '', at.folder)
}

/**
 * Returns the folder of the run whose traffic is replayed. The command line names this run, so its path is relative
 * to the current folder.
 */
function trafficUses(at: SubjectAt): Use[] {
  const run = at.subject.traffic?.run ?? ''
  const folder = replayFolder(at, run, '.')
  return [
    ...runUses(at, run, '.'),
    ...(at.unsandboxed && folder !== null ? [repliesUse(folder, at.id)] : []),
  ]
}

/**
 * Returns the `Use` for recorded replies that an agent or a command gets without a sandbox. The replies say what it
 * does, and it then does so with the user's permissions. Anybody who can change the run folder can change them. So a
 * run that the user recorded needs trust too.
 */
export const repliesUse = (run: string, id: string): StartUse => ({
  does: 'start',
  words: ['what the recorded replies say of', basename(resolve(run))],
  in: dirname(resolve(run)),
  by: { file: run, root: rootOfRun(run), isCode: false },
  for: `${id} without a sandbox`,
  flags: ['--sandbox', 'none'],
})

function runUses(at: SubjectAt, run: string, folder: string): Use[] {
  const path = replayFolder(at, run, folder)
  return path === null ? [] : outside(at, [resolve(path)])
}

function replayFolder(at: SubjectAt, run: string, folder: string): string | null {
  try {
    const { path } = findReplay(run, folder, at.findRun)
    return path === '' ? null : path
  } catch (error) {
    // The code that creates the subject reports later that the run does not exist.
    if (error instanceof UsageError) return null
    throw error
  }
}

/**
 * Returns the paths that are outside the repository. If the user's command line names the subject, returns all
 * paths, because the consent in the run's record must list them.
 */
function outside(at: SubjectAt, paths: readonly string[]): Use[] {
  const { by, id } = at
  return paths
    .map((path) => resolve(besides(at), path))
    .filter((path) => by.file === null || isOutsideRoot(by.root, path))
    .map((path) => ({ does: 'read', path, by, for: id }))
}
