/**
 * Reads the environment of a stimulus in an eval YAML file: files, a git checkout and setup commands. The whole
 * file has an environment, and each stimulus can have one too. Together they become the files and the workspace of
 * a case. If a part cannot be converted, that is an error in the suite, because the stimulus would be a different
 * task without it. Skills and MCP servers belong to the agent, which is the subject in Assay, so a warning says
 * that they have no effect.
 */
import { z } from 'zod'
import type { WorkspacePlan } from '@assay/contract'
import { pathRefusal } from '../../native/suite-files.ts'
import type { Reading } from '../../native/native.ts'
import { type Finding, type Path, isRecord } from '../../../documents/index.ts'
import type { WorkspaceGiven } from '../../native/schema.ts'
import { planWorkspace } from '../../native/workspace.ts'

export const environmentSchema = z.looseObject({
  files: z.array(z.looseObject({ src: z.string().min(1), dest: z.string().min(1) })).optional(),
  commands: z.array(z.unknown()).optional(),
  git: z.unknown().optional(),
})

type Environment = z.infer<typeof environmentSchema>

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
 * Merges environments. Later ones add files and commands, and replace a git source. A case gets a workspace if an agent
 * has to act in one (`acts`) or if the environments set anything up.
 */
export async function readEnvironments(
  environments: readonly PlacedEnvironment[],
  acts: boolean,
  reading: Reading,
  refuse: Refuse,
): Promise<Surroundings> {
  const files: Record<string, string> = {}
  const setup: string[] = []
  let named: { given: unknown; path: Path } | null = null
  for (const { given, path } of environments) {
    if (given === undefined) continue
    Object.assign(files, await readFiles(given, path, reading, refuse))
    setup.push(...commandsOf(given, path, refuse))
    if (given.git !== undefined) named = { given: given.git, path: [...path, 'git'] }
  }
  if (!acts && named === null && setup.length === 0) return { files, workspace: null }
  const at = named?.path ?? []
  const git = named === null ? null : gitOf(named.given, at, refuse)
  const workspace = await planWorkspace(
    { setup, ...(git === null ? {} : { git }) },
    {},
    reading.path,
    { problem: (_, refusal) => refuse(at, refusal) },
  )
  return { files, workspace }
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

/** Returns a repository, by its path or address, and its commit. */
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

/** True if the source is remote: `https://…`, `git@host:…`. */
const isRemote = (source: string): boolean => /^[a-z][\w+.-]*:\/\/|^[^/]+@[^/]+:/i.test(source)
