/**
 * Checks out a commit of a repository or a bundle as a new repository. It contains that commit and as many
 * earlier ones as the case says, on a branch, and nothing else: no remote, no link to the source's objects,
 * no later commit, no hook or setting of the source. The git settings of this machine do not apply.
 */
import { mkdirSync, realpathSync, statSync } from 'node:fs'
import { type GitSource, plainLines } from '@assay/contract'
import { runProcess } from '@assay/sandbox'
import {
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
}

const COMMIT = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/
const SHA_256_LENGTH = 64
const BRANCH = 'main'
const MOST_SAID = 600
/** Accept Assay's own repositories, whoever owns the disk that they are on. */
const OURS = ['-c', 'safe.directory=*']
/** Allow any commit to be fetched, even if no branch leads to it. */
const UPLOAD = `git ${OURS.join(' ')} -c uploadpack.allowAnySHA1InWant=true upload-pack`
/** Allow the single fetch, which is from a repository on this disk. */
const FROM_DISK = ['-c', 'protocol.file.allow=always']

/** Checks out the commit into `folder`, which must exist and be empty. */
export async function checkOut(
  source: GitSource,
  folder: string,
  options: CheckoutOptions,
): Promise<void> {
  const { path, commit, depth } = source
  const { spare } = options
  if (!COMMIT.test(commit)) throw new WorkspaceError(`"${commit}" is no full hash of a commit`)
  const format = commit.length === SHA_256_LENGTH ? 'sha256' : 'sha1'
  const git = (...words: readonly string[]): Promise<void> => run(words, source, options)
  mkdirSync(spare)
  try {
    const from = `${spare}/source`
    if (open(source, from, format) === 'bundle')
      await git(...OURS, '-C', from, 'bundle', 'unbundle', path)
    const init = ['init', '--quiet', '--template=', `--object-format=${format}`]
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
    await git(...here, 'read-tree', '-u', '--reset', 'HEAD')
  } finally {
    removeTree(spare)
  }
}

/**
 * Creates the repository to fetch from and returns the kind of the source. For a bundle, the repository is
 * still empty. The reader of the suite has already checked that the source is in an allowed folder.
 */
function open(source: GitSource, into: string, format: ObjectFormat): 'bundle' | 'repository' {
  const { path } = source
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

const failure = ({ path, commit }: GitSource): string =>
  `commit ${commit} of ${path} could not be checked out`

async function run(
  words: readonly string[],
  source: GitSource,
  { spare, timeoutMs, signal }: CheckoutOptions,
): Promise<void> {
  const what = failure(source)
  const ended = await runProcess({
    argv: [...GIT_WORDS, ...words],
    input: '',
    cwd: spare,
    env: gitEnvironment(realpathSync(spare)),
    timeoutMs: timeoutMs(),
    mostBytes: 1024 * 1024,
    signal,
  }).catch((error: unknown) => {
    if (signal.aborted) throw signal.reason
    if ((error as NodeJS.ErrnoException).code === 'ENOENT')
      throw new WorkspaceError(`${what}: git is not installed`)
    throw error
  })
  if (ended.how === 'ended' && ended.code === 0) return
  const said = plainLines(ended.stderr.toString('utf8')).trim().slice(-MOST_SAID)
  const why = ended.how === 'timeout' ? 'it took too long' : said || `git ended with ${ended.code}`
  throw new WorkspaceError(`${what}: ${why}`)
}
