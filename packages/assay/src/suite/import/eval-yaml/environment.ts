/**
 * Reads the environments of a stimulus (a case in an eval YAML file): files, a git checkout and setup commands. The
 * whole file has an environment, and each stimulus can have one too. Together they become the files and the
 * workspace of a case. The files of a grading environment become the hidden files of the workspace. A part that
 * cannot be converted is an error, because the stimulus would be a different task without it. Skills and MCP servers
 * belong to the agent, which is the subject in Assay. So a warning says where to name them instead.
 */
import { z } from 'zod'
import type { WorkspacePlan } from '@assay/contract'
import { pathRefusal } from '../../native/suite-files.ts'
import type { Reading } from '../../native/native.ts'
import { type Finding, type Notes, type Path, isRecord } from '../../../documents/index.ts'
import type { WorkspaceGiven } from '../../native/schema.ts'
import { planWorkspace } from '../../native/workspace.ts'

export const environmentSchema = z.looseObject({
  files: z.array(z.looseObject({ src: z.string().min(1), dest: z.string().min(1) })).optional(),
  commands: z.array(z.unknown()).optional(),
  git: z.unknown().optional(),
  skills: z.unknown().optional(),
  mcpServers: z.unknown().optional(),
})

type Environment = z.infer<typeof environmentSchema>

const MOST_SHOWN = 200

/**
 * Warns that skills and MCP servers of an environment have no effect in a suite, and says where to name them
 * instead.
 */
export function noteAgentKeys(given: Environment | undefined, path: Path, notes: Notes): void {
  const { skills, mcpServers } = given ?? {}
  const names = z.array(z.string()).safeParse(skills).data ?? null
  if (skills !== undefined && names?.length !== 0) {
    const list = names === null ? '[…]' : JSON.stringify(names)
    const shown = list.length > MOST_SHOWN ? '[…]' : list
    notes.unread(
      [...path, 'skills'],
      `is not acted on: skills belong to the agent. Write skills = ${shown} under [subjects.NAME] of assay.toml, with paths from there`,
    )
  }
  if (mcpServers === undefined || (isRecord(mcpServers) && Object.keys(mcpServers).length === 0))
    return
  notes.unread(
    [...path, 'mcpServers'],
    'is not acted on: MCP servers belong to the agent. Copy them to mcpServers under [subjects.NAME] of assay.toml',
  )
}

type Refuse = (path: Path, finding: Finding) => void

/** An environment and its path in the file. */
interface PlacedEnvironment {
  readonly given: Environment | undefined
  readonly path: Path
}

interface Surroundings {
  readonly files: Readonly<Record<string, string>>
  readonly workspace: WorkspacePlan | null
}

/**
 * Merges environments. Later ones add files and commands, and replace a git source. A case gets a workspace if the
 * environments set anything up, or if an agent has to act in one (`acts`).
 */
export async function readEnvironments(
  environments: readonly PlacedEnvironment[],
  grading: readonly PlacedEnvironment[],
  acts: boolean,
  reading: Reading,
  refuse: Refuse,
): Promise<Surroundings> {
  const hidden = await readHidden(grading, reading, refuse)
  const files: Record<string, string> = {}
  const setup: string[] = []
  let named: { given: unknown; path: Path } | null = null
  for (const { given, path } of environments) {
    if (given === undefined) continue
    Object.assign(files, await readFiles(given, path, reading, refuse))
    setup.push(...commandsOf(given, path, refuse))
    if (given.git !== undefined) named = { given: given.git, path: [...path, 'git'] }
  }
  const isPlain = !acts && named === null && setup.length === 0 && Object.keys(hidden).length === 0
  if (isPlain) return { files, workspace: null }
  const at = named?.path ?? []
  const git = named === null ? null : gitOf(named.given, at, refuse)
  const workspace = await planWorkspace(
    { setup, ...(git === null ? {} : { git }) },
    hidden,
    reading.path,
    // These environments name no folder, so there is nothing to warn about.
    { problem: (_, refusal) => refuse(at, refusal), warn: () => {} },
  )
  return { files, workspace }
}

/** For each part that a grading environment cannot have: the reason, and what to write instead. */
const NOT_FOR_GRADING: Readonly<Record<string, string>> = {
  commands:
    'no commands here: a grader of the type run-command runs a command after the work, in a copy of it',
  git: 'no git here: name it in the environment of the stimulus, or give the files that grading needs as files',
  skills: 'no skills here, as no agent works while it is graded',
  mcpServers: 'no MCP servers here, as no agent works while it is graded',
}

/** Reads the files of grading environments. They are added to the workspace only when the work is graded. */
async function readHidden(
  grading: readonly PlacedEnvironment[],
  reading: Reading,
  refuse: Refuse,
): Promise<Record<string, string>> {
  const hidden: Record<string, string> = {}
  for (const { given, path } of grading) {
    if (given === undefined) continue
    Object.assign(hidden, await readFiles(given, path, reading, refuse))
    for (const [key, expected] of Object.entries(NOT_FOR_GRADING))
      if (given[key] !== undefined) refuse([...path, key], { at: 'key', expected })
  }
  return hidden
}

async function readFiles(
  { files = [] }: Environment,
  path: Path,
  reading: Reading,
  refuse: Refuse,
): Promise<Record<string, string>> {
  const read: Record<string, string> = {}
  for (const [index, { src, dest }] of files.entries()) {
    const here = plainPath(dest)
    const refusal = pathRefusal(here)
    const found = refusal === null ? await reading.beside.text(plainPath(src)) : { refusal }
    if ('text' in found) read[here] = found.text
    else refuse([...path, 'files', index], found.refusal)
  }
  return read
}

const plainPath = (given: string): string => given.replace(/^(?:\.\/)+/, '')

function commandsOf({ commands = [] }: Environment, path: Path, refuse: Refuse): string[] {
  return commands.flatMap((command, index) => {
    if (typeof command === 'string' && command.trim() !== '') return [command]
    refuse([...path, 'commands', index], { expected: 'a shell command as text' })
    return []
  })
}

/** Returns a repository, as a path or an address, and the commit. */
function gitOf(
  git: unknown,
  path: Path,
  refuse: Refuse,
): NonNullable<WorkspaceGiven['git']> | null {
  const named = (...keys: readonly string[]): string | undefined =>
    keys.map((key) => (isRecord(git) ? git[key] : undefined)).find(isText)
  const source = named('path', 'source', 'repo', 'repository', 'url')
  const commit = named('commit', 'ref', 'sha', 'revision')
  if (source === undefined || commit === undefined) {
    refuse(path, { expected: 'a repository, by its path or address, and a commit' })
    return null
  }
  return isRemote(source) ? { url: source, commit } : { path: source, commit }
}

const isText = (value: unknown): value is string => typeof value === 'string' && value !== ''

/** Whether the source is remote: `https://…`, `git@host:…`. */
const isRemote = (source: string): boolean => /^[a-z][\w+.-]*:\/\/|^[^/]+@[^/]+:/i.test(source)
