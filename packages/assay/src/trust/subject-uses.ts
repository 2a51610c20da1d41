/**
 * What a subject or judge starts, sends and reads, from its description alone: nothing is made or started to find out.
 * Every setting has its line in the table, so a new one does not compile until somebody has decided what it can do.
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
  /** As it is written, or its name. */
  readonly id: string
  readonly subject: NamedSubject
  readonly by: NamedBy
  /** What the paths of its settings are relative to. Absolute. */
  readonly folder: string
  /** Where a command starts unless it says so itself. Absolute. */
  readonly workFolder: string
  /** The suites that it answers. */
  readonly cases: readonly NamedBy[]
  /** The folder of a run that is called so; throws a `UsageError` where there is none. */
  readonly findRun: (name: string) => string
}

type Collect = (at: SubjectAt) => readonly Use[] | Promise<readonly Use[]>

const nothing: Collect = () => []
/** Part of what another setting names. */
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
  cwd: withAnother, // command
  env: withAnother, // agent: addresses
  passEnv: passedUses,
  program: withAnother, // agent
  args: withAnother, // agent
  skills: (at) => outside(at, at.subject.skills ?? []),
  files: (at) => outside(at, Object.values(at.subject.files ?? {})),
  mcpServers: serverUses,
  events: nothing,
  timeoutMs: nothing,
  folder: withAnother, // skills, files, program
}

export async function subjectUses(at: SubjectAt): Promise<Use[]> {
  const uses: Use[] = []
  for (const [key, collect] of Object.entries(SETTINGS))
    if (at.subject[key as keyof NamedSubject] !== undefined) uses.push(...(await collect(at)))
  return uses
}

function modelUses(at: SubjectAt): SendUse[] {
  const { model = '', agent } = at.subject
  // What an agent calls its model says nothing of where it asks.
  return agent !== undefined ? [] : providerUses(model.split('/')[0]?.trim() ?? '', at, at.id)
}

function commandUses(at: SubjectAt): StartUse[] {
  const { command = '', cwd } = at.subject
  const words = typeof command === 'string' ? splitCommand(command) : command
  const where = cwd === undefined ? at.workFolder : resolve(at.folder, cwd)
  return [{ does: 'start', words, in: where, by: at.by, for: at.id }]
}

const besides = ({ folder, subject }: SubjectAt): string => resolve(folder, subject.folder ?? '.')

/** The agent's program, and the variables that it gets: its own, whoever names it, and those of `passEnv`. */
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
    // What an agent reads in a case can make it give away what it has.
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

/** Variables that say where a server is. */
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

/** They run where the agent runs, with what it gets. */
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

/** `latest` and the start of a run's name stand for a folder, which may be anywhere: the folder is what is checked. */
function replayUses(at: SubjectAt): Use[] {
  try {
    const { path } = findReplay(at.subject.replay ?? '', at.folder, at.findRun)
    return path === '' ? [] : outside(at, [resolve(path)])
  } catch (error) {
    // Whoever makes the subject says that there is no such run.
    if (error instanceof UsageError) return []
    throw error
  }
}

/** Paths outside of the repository. Those that the user names are listed all, for the run's consent. */
function outside(at: SubjectAt, paths: readonly string[]): Use[] {
  const { by, id } = at
  return paths
    .map((path) => resolve(besides(at), path))
    .filter((path) => by.file === null || isOutsideRoot(by.root, path))
    .map((path) => ({ does: 'read', path, by, for: id }))
}
