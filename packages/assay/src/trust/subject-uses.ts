/**
 * Lists what a subject or judge starts, sends and reads, from its description alone: nothing is created or started
 * for this. The table has a line for every setting, so a new setting does not compile until it is added.
 */
import { resolve } from 'node:path'
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
import { isOutsideRoot } from './root.ts'
import type { NamedBy, SendUse, StartUse, Use } from './use.ts'
import { shownWords } from './shell-words.ts'

export interface SubjectAt extends ProviderReach {
  /** The subject as it is written, or its name. */
  readonly id: string
  readonly subject: NamedSubject
  readonly by: NamedBy
  /** The folder that the paths of its settings are relative to. Absolute. */
  readonly folder: string
  /** Where a command starts unless it sets its own folder. Absolute. */
  readonly workFolder: string
  /** The suites that the subject answers. */
  readonly cases: readonly NamedBy[]
  /** Returns the folder of the run with this name. Throws a `UsageError` if there is none. */
  readonly findRun: (name: string) => string
}

type Collect = (at: SubjectAt) => readonly Use[] | Promise<readonly Use[]>

const nothing: Collect = () => []
/** For a setting that another setting covers. The comment at its line names that one. */
const withAnother: Collect = nothing

const SETTINGS: Readonly<Record<keyof NamedSubject, Collect>> = {
  agent: agentUses,
  model: modelUses,
  command: commandUses,
  replay: replayUses,
  simulated: nothing,
  temperature: nothing,
  maxTokens: nothing,
  topP: nothing,
  seed: nothing,
  system: nothing,
  reasoningEffort: nothing,
  promptAs: nothing,
  answerAs: nothing,
  cwd: withAnother, // see command
  env: withAnother, // see agent: it may contain addresses
  passEnv: passedUses,
  program: withAnother, // see agent
  args: withAnother, // see agent
  skills: (at) => outside(at, at.subject.skills ?? []),
  files: (at) => outside(at, Object.values(at.subject.files ?? {})),
  mcpServers: serverUses,
  events: nothing,
  timeoutMs: nothing,
  folder: withAnother, // see skills, files, program
}

export async function subjectUses(at: SubjectAt): Promise<Use[]> {
  const uses: Use[] = []
  for (const [key, collect] of Object.entries(SETTINGS))
    if (at.subject[key as keyof NamedSubject] !== undefined) uses.push(...(await collect(at)))
  return uses
}

function modelUses(at: SubjectAt): SendUse[] {
  const { model = '', agent } = at.subject
  // An agent's model name does not say which provider it contacts.
  return agent !== undefined ? [] : providerUses(model.split('/')[0]?.trim() ?? '', at, at.id)
}

function commandUses(at: SubjectAt): StartUse[] {
  const { command = '', cwd } = at.subject
  const words = typeof command === 'string' ? splitCommand(command) : command
  const where = cwd === undefined ? at.workFolder : resolve(at.folder, cwd)
  return [{ does: 'start', words, in: where, by: at.by, for: at.id }]
}

const besides = ({ folder, subject }: SubjectAt): string => resolve(folder, subject.folder ?? '.')

/** Returns the agent's program and the variables that it gets: its own ones, and those in `passEnv`. */
async function agentUses(at: SubjectAt): Promise<Use[]> {
  const { subject, by, id } = at
  const { agent = '' } = subject
  const reach = await agentReach(agent)
  if (reach === null) return []
  const words = [subject.program ?? reach.program, ...(subject.args ?? [])]
  const variables = setOnes(at, reach.variables)
  const send = (variable: string | null, to: string, isSafe: boolean): SendUse => ({
    ...{ does: 'send', variable, to, isSafe, by, for: id },
  })
  return [
    { does: 'start', words, in: besides(at), by, for: id },
    ...variables.map((variable) => send(variable, `agent ${agent}`, false)),
    ...addressesIn(subject.env ?? {}).flatMap((url) =>
      (variables.length === 0 ? [null] : variables).map((variable) =>
        send(variable, url.origin, isLoopback(url) || isOwn(variable, url.origin)),
      ),
    ),
    // A case that the agent reads can make it leak what it has, so each suite needs trust for these variables.
    ...at.cases.flatMap((suite) =>
      variables.map((variable) => ({
        ...send(variable, `agent ${agent}`, false),
        by: suite,
        flags: ['--model', id],
      })),
    ),
  ]
}

const isOwn = (variable: string | null, origin: string): boolean =>
  variable === null ? isOwnOrigin(origin) : isOwnPair(variable, origin)

/** Returns the values of variables that are addresses of servers. */
const addressesIn = (env: Readonly<Record<string, string>>): URL[] =>
  Object.values(env).flatMap((value) =>
    /^https?:\/\//iu.test(value) && URL.canParse(value) ? [new URL(value)] : [],
  )

function passedUses(at: SubjectAt): SendUse[] {
  const { command, agent, program, passEnv = [] } = at.subject
  const to =
    command === undefined
      ? `agent ${agent ?? program ?? ''}`
      : shownWords(typeof command === 'string' ? splitCommand(command) : command)
  return setOnes(at, passEnv).map((variable) => ({
    ...{ does: 'send', variable, to, isSafe: false, by: at.by, for: at.id },
  }))
}

const setOnes = ({ env }: SubjectAt, names: readonly string[]): readonly string[] =>
  env === null ? names : names.filter((name) => env?.[name] !== undefined)

/** Returns the MCP servers of an agent. They run where the agent runs, with the same variables. */
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
 * Returns the folder that is replayed. `latest` or the start of a run's name may resolve to any folder, so the folder
 * itself is checked.
 */
function replayUses(at: SubjectAt): Use[] {
  try {
    const { path } = findReplay(at.subject.replay ?? '', at.folder, at.findRun)
    return path === '' ? [] : outside(at, [resolve(path)])
  } catch (error) {
    // The code that creates the subject reports that there is no such run.
    if (error instanceof UsageError) return []
    throw error
  }
}

/**
 * Returns the paths outside the repository. Paths that the user names are all listed, for the consent in the run's
 * record.
 */
function outside(at: SubjectAt, paths: readonly string[]): Use[] {
  const { by, id } = at
  return paths
    .map((path) => resolve(besides(at), path))
    .filter((path) => by.file === null || isOutsideRoot(by.root, path))
    .map((path) => ({ does: 'read', path, by, for: id }))
}
