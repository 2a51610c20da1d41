/**
 * Resolves the workspace of a case while the suite is read: the commit to which a branch points now, and the content
 * of the folder to copy. A suite may be untrusted, so nothing outside the suite's repository is read here. If there
 * is no repository, nothing outside the suite's own folder is read. A git source elsewhere must be named by the full
 * hash of its commit. It is read or fetched when a trial needs it, after the user has trusted the suite with it.
 */
import { execFile } from 'node:child_process'
import { lstat, realpath, rm } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import {
  GRADED_GIT,
  parseDuration,
  type AgentLimits,
  type GitSource,
  type WorkspacePlan,
} from '@assay/contract'
import {
  isWithin,
  makeOwnedFolder,
  nearestRepository,
  repositoryOf,
  SandboxError,
  versionControlFolders,
} from '@assay/sandbox'
import { reachRefusal, sourceRefusal, type Refusal } from './suite-files.ts'
import {
  addressFault,
  emptyRepository,
  GIT_WORDS,
  gitEnvironment,
  GitSourceError,
  ownFolders,
  privateRepository,
} from '../../git/index.ts'
import { hashFolder, UnfitFolder } from './hash-folder.ts'
import type { LimitsGiven, WorkspaceGiven } from './schema.ts'

const run = promisify(execFile)

const DEFAULT_SETUP_MS = 600_000
const GIT_MS = 30_000

/**
 * Files that tools generate. They are left out of the diff and of grading, because they are not the agent's own work.
 */
export const DEFAULT_IGNORE = [
  '**/node_modules/**',
  '**/__pycache__/**',
  '**/.venv/**',
  '**/.pytest_cache/**',
]

interface Told {
  problem(key: keyof WorkspaceGiven, finding: Refusal): void
  warn(key: keyof WorkspaceGiven, text: string): void
}

/**
 * Returns the plan of the workspace. `hidden` contains the hidden files, which are already read. Problems are
 * reported through `told`, and the caller must not use the plan if there are any.
 */
export async function planWorkspace(
  given: WorkspaceGiven,
  hidden: Readonly<Record<string, string>>,
  suitePath: string,
  told: Told,
): Promise<WorkspacePlan> {
  const home = path.dirname(path.resolve(suitePath))
  return {
    git:
      given.git === undefined || given.git === 'graded'
        ? null
        : await readGit(given.git, home, told),
    folder: given.folder === undefined ? null : await readFolder(given.folder, suitePath, told),
    setup: given.setup === undefined ? [] : [given.setup].flat(),
    setupTimeoutMs:
      given.setupTimeout === undefined
        ? DEFAULT_SETUP_MS
        : (parseDuration(given.setupTimeout) ?? DEFAULT_SETUP_MS),
    ignore: [...(given.ignore ?? DEFAULT_IGNORE), ...(isGitGraded(given.git) ? [GRADED_GIT] : [])],
    protect: given.protect ?? [],
    hidden,
    ...(given.network === undefined ? {} : { network: given.network }),
  }
}

const isGitGraded = (given: WorkspaceGiven['git']): boolean =>
  given === 'graded' || (given !== undefined && given.graded === true)

export function limitsOf(given: LimitsGiven): AgentLimits | null {
  const { turns = null, toolCalls = null, tokens = null, usd = null } = given
  const limits = { turns, toolCalls, tokens, usd }
  return Object.values(limits).every((limit) => limit === null) ? null : limits
}

// ── Git ──────────────────────────────────────────────────────────────────────────────────────────────

async function readGit(
  { path: given, url, commit, depth = 1 }: Exclude<WorkspaceGiven['git'], 'graded' | undefined>,
  home: string,
  told: Told,
): Promise<GitSource | null> {
  const refuse = (found: string, expected: string): null => {
    told.problem('git', { found, expected })
    return null
  }
  if (url !== undefined) {
    if (given !== undefined) return refuse('a path and a url', 'one of them')
    const fault = addressFault(url)
    if (fault !== null)
      return refuse(fault, 'an address of https or http, or the path of a clone of your own')
    return HASH.test(commit) ? { url, commit, depth } : refuse(`commit "${commit}"`, FULL_HASH)
  }
  if (given === undefined) return refuse('neither a path nor a url', 'one of them')
  const source = await realpath(path.resolve(home, given)).catch(() => null)
  if (source === null) return refuse(`no ${given}`, 'a repository or bundle that is there')
  const root = await realpath(home)
  const repository = nearestRepository(root)
  const reaches =
    isWithin(source, repositoryOf(root)) || (isWithin(root, source) && isWithin(source, repository))
  if (!reaches)
    return HASH.test(commit)
      ? { path: source, commit, depth, isElsewhere: true }
      : refuse(`commit "${commit}" of ${given}, which is elsewhere`, FULL_HASH)
  const isBundle = (await lstat(source)).isFile()
  const spare = await realpath(makeOwnedFolder('assay-git'))
  try {
    const found = isBundle
      ? await bundled(source, commit, spare)
      : await resolved(source, ownFolders(repository), commit, spare)
    if ('refusal' in found) return refuse(found.refusal, 'a commit that is there')
    return { path: source, commit: found.commit, depth }
  } catch (error) {
    if (!(error instanceof GitSourceError)) throw error
    return refuse(error.message, 'a repository that is entirely in the one that the suite is in')
  } finally {
    await rm(spare, { recursive: true, force: true })
  }
}

type Found = { readonly commit: string } | { readonly refusal: string }

const HASH = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/
const FULL_HASH =
  'the full hash of a commit, as the repository is not in the one that the suite is in'

async function resolved(
  repository: string,
  allowed: readonly string[],
  commit: string,
  spare: string,
): Promise<Found> {
  privateRepository(repository, allowed, path.join(spare, 'git'))
  const words = ['rev-parse', '--verify', '--quiet', '--end-of-options', `${commit}^{commit}`]
  const answer = await git(words, spare)
  if ('printed' in answer) return { commit: answer.printed.trim() }
  return { refusal: answer.failed ?? `no commit ${commit} in the repository` }
}

/**
 * Finds a commit in a git bundle. `commit` is the name or hash of one of the bundle's heads, or any full hash.
 * Whether the bundle contains that hash is checked later, when it is unpacked.
 */
async function bundled(bundle: string, commit: string, spare: string): Promise<Found> {
  emptyRepository(path.join(spare, 'git'), 'sha1')
  const said = await git(['bundle', 'list-heads', bundle], spare)
  if ('failed' in said) return { refusal: `a file that is no git bundle (${said.failed})` }
  const heads = said.printed.split('\n').map((line) => line.split(' ') as [string, string?])
  const names = ['', 'refs/heads/', 'refs/tags/'].map((prefix) => `${prefix}${commit}`)
  const head = heads.find(([hash, name = '']) => hash === commit || names.includes(name))
  if (head !== undefined) return { commit: head[0] }
  return HASH.test(commit) ? { commit } : { refusal: `no head ${commit} in the bundle` }
}

type Said = { readonly printed: string } | { readonly failed: string | null }

/**
 * Runs git in the repository `git` inside the temporary folder `spare`. If git fails, `failed` is the last line of
 * its error output, or null if there is none.
 */
async function git(words: readonly string[], spare: string): Promise<Said> {
  const [program = '', ...own] = GIT_WORDS
  try {
    const { stdout } = await run(program, [...own, '--git-dir=git', ...words], {
      cwd: spare,
      timeout: GIT_MS,
      maxBuffer: 16 * 1024 * 1024,
      env: gitEnvironment(spare),
    })
    return { printed: stdout }
  } catch (error) {
    const { code, stderr = '' } = error as { code?: unknown; stderr?: string }
    if (code === 'ENOENT') return { failed: 'git, which is not installed here' }
    return { failed: stderr.trim().split('\n').at(-1) || null }
  }
}

// ── A folder ─────────────────────────────────────────────────────────────────────────────────────────

async function readFolder(
  given: string,
  suitePath: string,
  told: Told,
): Promise<WorkspacePlan['folder']> {
  const wrong = sourceRefusal(given)
  if (wrong !== null) {
    told.problem('folder', wrong)
    return null
  }
  try {
    const root = await realpath(path.dirname(path.resolve(suitePath)))
    const written = path.join(root, given)
    const source = reachRefusal(root, written) === null ? await realpath(written) : written
    const beyond = reachRefusal(root, source)
    if (beyond !== null) {
      told.problem('folder', beyond)
      return null
    }
    if (!(await lstat(source)).isDirectory()) throw new UnfitFolder('a file')
    const own = isWithin(root, source) ? ownPaths(source, root, suitePath) : []
    const logins = (await loginFolders(source)).filter((one) => !own.includes(one))
    if (logins.length > 0) told.warn('folder', leftOut(logins))
    const without = [...own, ...logins]
    const sha256 = await hashFolder(source, { skips: (one) => without.includes(one) }).catch(
      (error: unknown) => {
        if (error instanceof UnfitFolder || (error as NodeJS.ErrnoException).code !== 'ENOENT')
          throw error
        throw new UnfitFolder('a folder with a name in it that is not UTF-8')
      },
    )
    return { path: source, sha256, ...(without.length === 0 ? {} : { without }) }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    const found =
      error instanceof UnfitFolder || error instanceof SandboxError
        ? error.message
        : code === 'ENOENT'
          ? 'no such folder'
          : `a folder that cannot be read (${code ?? String(error)})`
    told.problem('folder', { found, expected: 'a folder by its path from the suite' })
    return null
  }
}

/**
 * Returns the folders for version control in a folder. They are left out of a workspace because they can contain a
 * login, and a grader's command could print it. Bare repositories are kept, because agents may need one to push to.
 */
const loginFolders = async (source: string): Promise<string[]> =>
  (await versionControlFolders(source, 'named'))
    .map((one) => path.relative(source, one).split(path.sep).join('/'))
    .toSorted()

const MOST_NAMED = 3

const leftOut = (paths: readonly string[]): string =>
  `${paths.slice(0, MOST_NAMED).join(', ')}${paths.length > MOST_NAMED ? ` and ${paths.length - MOST_NAMED} more` : ''} of the folder: left out of the workspace, as it can hold a login. For a workspace with history, use git = { path = "…" }`

/**
 * Returns the paths to leave out of a workspace if the copied folder contains the suite itself. The suite is left
 * out because it contains the answers. The data of git and Assay is left out because it changes with every run.
 */
function ownPaths(source: string, home: string, suitePath: string): string[] {
  const inside = (...steps: readonly string[]): string =>
    path
      .relative(source, path.join(...(steps as [string])))
      .split(path.sep)
      .join('/')
  const folders: string[] = []
  for (let at = home; isWithin(at, source); at = path.dirname(at)) {
    folders.push(inside(at, '.git'), inside(at, '.assay'))
    if (at === source) break
  }
  return [inside(home, path.basename(suitePath)), ...folders]
}
