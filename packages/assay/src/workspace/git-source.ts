/**
 * Checks out a commit of a repository or a bundle as a new repository. The new repository contains that commit
 * and as many earlier commits as the case says, on one branch. It contains nothing else: no remote, no link to
 * the source's objects, no later commit, no hook or setting of the source. The git settings of this machine do
 * not apply.
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
  /** A path where nothing exists. It is used for temporary files, which are removed afterwards. */
  readonly spare: string
  readonly timeoutMs: () => number
  readonly signal: AbortSignal
  /** Called before a commit is fetched from its address, with a text for the user. */
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
/** Limits of a checkout: a repository of a few kB can have trees with billions of files, and files of many GB. */
const MOST_BYTES = 4 * GB
/** Of the list of files and folders, which has about 100 bytes for each. */
const MOST_LISTED = 64 * 1024 * 1024
/**
 * Git refuses repositories that another user owns. This option accepts Assay's own repositories even if another
 * user owns the disk.
 */
const OURS = ['-c', 'safe.directory=*']
/** The upload-pack command with which any commit can be fetched, even if no branch leads to it. */
const UPLOAD = `git ${OURS.join(' ')} -c uploadpack.allowAnySHA1InWant=true upload-pack`
/** Git option that allows fetching from a repository on this disk. The only fetch needs it. */
const FROM_DISK = ['-c', 'protocol.file.allow=always']

/** Checks out the commit into `folder`, which must exist and be empty. */
export async function checkOut(
  source: GitSource,
  folder: string,
  options: CheckoutOptions,
): Promise<void> {
  const here = await fetched(source, folder, [], options)
  const list = [...here, 'ls-tree', '-r', '-t', '-z']
  // Git runs in the spare folder.
  mkdirSync(options.spare)
  try {
    // First without sizes, which take much longer: this ends soon if there are too many files.
    await run([...list, 'HEAD'], source, options, MOST_LISTED)
    checkSizes(await run([...list, '-l', 'HEAD'], source, options, 2 * MOST_LISTED), source)
    await run([...here, 'read-tree', '-u', '--reset', 'HEAD'], source, options)
  } finally {
    removeTree(options.spare)
  }
}

/** Makes a repository without files at `folder`, where nothing may exist yet, with what `checkOut` would have. */
export async function fetchCommit(
  source: GitSource,
  folder: string,
  options: CheckoutOptions,
): Promise<void> {
  await fetched(source, folder, ['--bare'], options)
}

/** Fetches the commit into a new repository. Returns the words with which git works in it. */
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
    // Git checks every object again on the way out of the cache.
    throw new WorkspaceError(
      `${error.message}. It was fetched before: remove ${path} to fetch it again`,
    )
  } finally {
    removeTree(spare)
  }
}

/** Returns the source itself if it is on this machine. Otherwise fetches it, unless that was done before. */
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
 * Creates the private repository from which the commit is fetched, and returns the kind of the source. For a
 * bundle, the private repository is still empty. The code that reads suites has already checked that the source
 * is in an allowed folder.
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

/** Throws if the files of a list are too large. An entry is `mode type hash size TAB path NUL`; only files have a size. */
function checkSizes(list: Buffer, source: GitSource): void {
  let bytes = 0
  for (const [, size] of list.toString('latin1').matchAll(/(?:^|\0)\d+ \w+ \w+ +(\d+)\t/g))
    bytes += Number(size)
  if (bytes > MOST_BYTES)
    throw new WorkspaceError(
      `${failure(source)}: its files have ${(bytes / GB).toFixed(1)} GB, and at most ${MOST_BYTES / GB} GB are taken`,
    )
}

/** Returns what git printed. */
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
