/**
 * Checks out a commit of a repository or a git bundle as a new repository. The new repository contains this commit and
 * as many earlier commits as the case says, on one branch. It contains nothing else of the source: no remote, no link
 * to its objects, no later commit, no hook and no setting. The git settings of this machine do not apply.
 */
import { mkdirSync, realpathSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { type GitSource, type LocalCommit, plainLines } from '@assay/contract'
import { runProcess } from '@assay/sandbox'
import { cacheFolder } from '../environment/index.ts'
import {
  cachedCommit,
  emptyRepository,
  GIT_WORDS,
  gitEnvironment,
  GitSourceError,
  privateRepository,
  type ObjectFormat,
  sourceError,
} from '../git/index.ts'
import { removeTree } from './files/remove.ts'
import { WorkspaceError } from './workspace-error.ts'

export interface CheckoutOptions {
  /** A path at which nothing exists. Temporary files are put there and removed at the end. */
  readonly spare: string
  readonly timeoutMs: () => number
  readonly signal: AbortSignal
  /** Called before a commit is fetched from the network. The text tells the user what is fetched. */
  readonly onFetch?: ((text: string) => void) | undefined
  /** The folder in which fetched commits are kept. Default: in the user's cache folder. */
  readonly cache?: string | undefined
}

const COMMIT = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/
const SHA_256_LENGTH = 64
const BRANCH = 'main'
const MOST_SAID = 600
const MOST_PRINTED = 1024 * 1024
const GB = 1024 ** 3
/**
 * The most bytes that a checkout may have. A repository of a few kB can contain files of many GB and billions of files.
 */
const MOST_BYTES = 4 * GB
/** The most bytes of git's list of files and folders. The list has about 100 bytes for each of them. */
const MOST_LISTED = 64 * 1024 * 1024
/**
 * Git refuses repositories that belong to another user. With this option it accepts Assay's own repositories, even if
 * the disk belongs to another user.
 */
const OURS = ['-c', 'safe.directory=*']
/** Git's command for sending objects, with a setting that allows any commit, even one that no branch leads to. */
const UPLOAD = `git ${OURS.join(' ')} -c uploadpack.allowAnySHA1InWant=true upload-pack`
/** An option that lets git fetch from a repository on this disk. */
const FROM_DISK = ['-c', 'protocol.file.allow=always']

/** Checks out the commit into `folder`, which must exist and be empty. */
export async function checkOut(
  source: GitSource,
  folder: string,
  options: CheckoutOptions,
): Promise<void> {
  const here = await fetched(source, folder, [], options)
  const list = [...here, 'ls-tree', '-r', '-t', '-z']
  // The spare folder was removed after the fetch. It is created again, because git is started in it.
  mkdirSync(options.spare)
  try {
    // The first list has no sizes, because sizes take git much longer. It fails early if there are too many files.
    await run([...list, 'HEAD'], source, options, MOST_LISTED)
    checkSizes(await run([...list, '-l', 'HEAD'], source, options, 2 * MOST_LISTED), source)
    await run([...here, 'read-tree', '-u', '--reset', 'HEAD'], source, options)
  } finally {
    removeTree(options.spare)
  }
}

/**
 * Creates a repository without checked-out files at `folder`, where nothing may exist yet. It contains the same commits
 * as the repository that `checkOut` creates.
 */
export async function fetchCommit(
  source: GitSource,
  folder: string,
  options: CheckoutOptions,
): Promise<void> {
  await fetched(source, folder, ['--bare'], options)
}

/** Fetches the commit into a new repository. Returns the first arguments for git commands in that repository. */
async function fetched(
  source: GitSource,
  folder: string,
  kind: readonly string[],
  options: CheckoutOptions,
): Promise<string[]> {
  const { commit, depth } = source
  const { spare } = options
  if (!COMMIT.test(commit)) throw new WorkspaceError(`"${commit}" is not a full hash of a commit`)
  const { path } = await localCommit(source, options)
  const format = commit.length === SHA_256_LENGTH ? 'sha256' : 'sha1'
  const git = async (...words: readonly string[]): Promise<void> =>
    void (await run(words, source, options))
  mkdirSync(spare)
  try {
    const from = `${spare}/source`
    if (open(source, path, from, format) === 'bundle')
      await git(...OURS, '-C', from, 'bundle', 'unbundle', path)
    const init = ['init', '--quiet', ...kind, '--template=', `--object-format=${format}`]
    await git(...init, `--initial-branch=${BRANCH}`, folder)
    const here = ['-C', folder, ...OURS]
    const fetch = [
      'fetch',
      '--quiet',
      '--no-tags',
      '--no-write-fetch-head',
      '--upload-pack',
      UPLOAD,
    ]
    const bounds = ['--no-recurse-submodules', '--no-auto-maintenance', `--depth=${depth}`]
    await git(...here, ...FROM_DISK, ...fetch, ...bounds, '--', from, commit)
    await git(...here, 'update-ref', `refs/heads/${BRANCH}`, commit)
    return here
  } catch (error) {
    if (!('url' in source) || !(error instanceof WorkspaceError)) throw error
    // The cached commit may be damaged: git checks every object again when it fetches from the cache. So the message
    // tells the user how to fetch the commit anew.
    throw new WorkspaceError(
      `${error.message}. It was fetched before: remove ${path} to fetch it again`,
    )
  } finally {
    removeTree(spare)
  }
}

/**
 * Returns the source itself if it is on this machine. Otherwise fetches the commit into the cache, unless it is there.
 */
async function localCommit(
  source: GitSource,
  { cache, timeoutMs, signal, onFetch }: CheckoutOptions,
): Promise<LocalCommit> {
  if ('path' in source) return source
  const { commit, depth, url } = source
  try {
    const path = await cachedCommit(source, {
      cache: cache ?? join(cacheFolder(process.env), 'git'),
      ...{ timeoutMs, signal, onFetch },
    })
    return { path, commit, depth }
  } catch (error) {
    if (!(error instanceof GitSourceError)) throw error
    throw new WorkspaceError(`commit ${commit} of ${url} could not be fetched: ${error.message}`)
  }
}

/**
 * Creates the private repository from which the commit is fetched. Returns the kind of the source. If the source is a
 * bundle, the private repository is still empty, and the caller unpacks the bundle into it. The code that reads suites
 * has already checked that the source is in an allowed folder.
 */
function open(
  source: GitSource,
  path: string,
  into: string,
  format: ObjectFormat,
): 'bundle' | 'repository' {
  try {
    const stats = statSync(path, { throwIfNoEntry: false })
    if (stats === undefined) throw new WorkspaceError(`there is no repository or bundle at ${path}`)
    if (!stats.isFile()) {
      privateRepository(realpathSync(path), null, into)
      return 'repository'
    }
    emptyRepository(into, format)
    return 'bundle'
  } catch (error) {
    const reason = sourceError(error)
    if (!(reason instanceof GitSourceError)) throw error
    throw new WorkspaceError(`${failure(source)}: ${reason.message}`)
  }
}

const failure = (source: GitSource): string =>
  `commit ${source.commit} of ${'url' in source ? source.url : source.path} could not be checked out`

/**
 * Throws if the listed files are too large. Each entry has the form `mode type hash size TAB path NUL`, and only files
 * have a size.
 */
function checkSizes(list: Buffer, source: GitSource): void {
  let bytes = 0
  for (const [, size] of list.toString('latin1').matchAll(/(?:^|\0)\d+ \w+ \w+ +(\d+)\t/g))
    bytes += Number(size)
  if (bytes > MOST_BYTES)
    throw new WorkspaceError(
      `${failure(source)}: its files have ${(bytes / GB).toFixed(1)} GB, and at most ${MOST_BYTES / GB} GB are taken`,
    )
}

/** Runs git and returns what it printed. */
async function run(
  words: readonly string[],
  source: GitSource,
  { spare, timeoutMs, signal }: CheckoutOptions,
  mostBytes = MOST_PRINTED,
): Promise<Buffer> {
  const what = failure(source)
  const ended = await runProcess({
    argv: [...GIT_WORDS, ...words],
    input: '',
    cwd: spare,
    env: gitEnvironment(realpathSync(spare)),
    timeoutMs: timeoutMs(),
    mostBytes,
    signal,
  }).catch((error: unknown) => {
    if (signal.aborted) throw signal.reason
    if ((error as NodeJS.ErrnoException).code === 'ENOENT')
      throw new WorkspaceError(`${what}: git is not installed`)
    throw error
  })
  if (ended.how === 'ended' && ended.code === 0) return ended.stdout
  const said = plainLines(ended.stderr.toString('utf8')).trim().slice(-MOST_SAID)
  const why =
    ended.how === 'timeout'
      ? 'it took too long'
      : ended.how === 'too-much'
        ? 'it has too many files'
        : said || `git ended with ${ended.code}`
  throw new WorkspaceError(`${what}: ${why}`)
}
