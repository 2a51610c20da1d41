/**
 * What a stimulus of an eval YAML finds when it begins: files, a git checkout and setup commands, of the
 * file's own environment and of the stimulus's, as the files and the workspace of a case here. Skills and
 * MCP servers belong to the agent: they are the subject's, and named as not acted on. So is whatever cannot
 * be brought along.
 */
import { z } from 'zod'
import type { WorkspacePlan } from '../contract.ts'
import { pathRefusal } from './beside.ts'
import type { Reading } from './native.ts'
import type { Notes } from './notes.ts'
import type { Path } from './problem.ts'
import { isRecord } from './plain.ts'
import type { WorkspaceGiven } from './schema.ts'
import { planWorkspace } from './workspace.ts'

export const environmentSchema = z.looseObject({
  files: z.array(z.looseObject({ src: z.string().min(1), dest: z.string().min(1) })).optional(),
  commands: z.array(z.unknown()).optional(),
  git: z.unknown().optional(),
})

type Environment = z.infer<typeof environmentSchema>

/** An environment and where it stands in the file. */
interface PlacedEnvironment {
  readonly given: Environment | undefined
  readonly path: Path
}

interface Surroundings {
  readonly files: Readonly<Record<string, string>>
  readonly workspace: WorkspacePlan | null
}

/**
 * Of several environments the later ones add files and commands, and replace a git source. A case has a
 * workspace where there is something to do in one: `acts`, or it has to be set up.
 */
export async function readEnvironments(
  environments: readonly PlacedEnvironment[],
  acts: boolean,
  reading: Reading,
  notes: Notes,
): Promise<Surroundings> {
  const files: Record<string, string> = {}
  const setup: string[] = []
  let git: { given: NonNullable<WorkspaceGiven['git']>; path: Path } | null = null
  for (const { given, path } of environments) {
    if (given === undefined) continue
    Object.assign(files, await readFiles(given, path, reading, notes))
    setup.push(...commandsOf(given, path, notes))
    const source = gitOf(given, [...path, 'git'], notes)
    if (source !== null) git = { given: source, path: [...path, 'git'] }
  }
  if (!acts && git === null && setup.length === 0) return { files, workspace: null }
  const at = git?.path ?? []
  const workspace = await planWorkspace(
    { setup, ...(git === null ? {} : { git: git.given }) },
    {},
    reading.path,
    { problem: (_, { found }) => notes.unread(at, `is not brought along: ${found}`) },
  )
  return { files, workspace }
}

async function readFiles(
  { files = [] }: Environment,
  path: Path,
  reading: Reading,
  notes: Notes,
): Promise<Record<string, string>> {
  const read: Record<string, string> = {}
  for (const [index, { src, dest }] of files.entries()) {
    const here = plainPath(dest)
    const refusal = pathRefusal(here)
    const found = refusal === null ? await reading.beside.text(plainPath(src)) : { refusal }
    if ('text' in found) read[here] = found.text
    else notes.unread([...path, 'files', index], `is not brought along: ${found.refusal.found}`)
  }
  return read
}

const plainPath = (given: string): string => given.replace(/^(?:\.\/)+/, '')

function commandsOf({ commands = [] }: Environment, path: Path, notes: Notes): string[] {
  return commands.flatMap((command, index) => {
    if (typeof command === 'string' && command.trim() !== '') return [command]
    notes.unread([...path, 'commands', index], 'is not acted on: it is no command as text')
    return []
  })
}

/** A repository here, by its commit; whatever else it names would have to be fetched. */
function gitOf(
  { git }: Environment,
  path: Path,
  notes: Notes,
): NonNullable<WorkspaceGiven['git']> | null {
  if (git === undefined) return null
  const named = (...keys: readonly string[]): string | undefined =>
    keys.map((key) => (isRecord(git) ? git[key] : undefined)).find(isText)
  const source = named('path', 'source', 'repo', 'repository', 'url')
  const commit = named('commit', 'ref', 'sha', 'revision')
  if (source === undefined || commit === undefined || isRemote(source)) {
    notes.unread(path, 'is not acted on: only a repository beside the suite, with a commit, is')
    return null
  }
  return { path: source, commit }
}

const isText = (value: unknown): value is string => typeof value === 'string' && value !== ''

/** `https://…`, `git@host:…`. */
const isRemote = (source: string): boolean => /^[a-z][\w+.-]*:\/\/|^[^/]+@[^/]+:/i.test(source)
