/**
 * A commit of a repository, or of a bundle, as a repository of its own. It has that commit and as many
 * before it as the case says, on a branch, and nothing else: no remote, no objects of its source, no later
 * commit, no hook or setting that came along. The machine's own settings of git play no part in it.
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
  /** A path where nothing is; nothing is there afterwards. */
  readonly spare: string
  readonly timeoutMs: () => number
  readonly signal: AbortSignal
}

const COMMIT = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/
const SHA_256_LENGTH = 64
const BRANCH = 'main'
const MOST_SAID = 600
/** Our own repositories, whoever owns the disk that they are on. */
const OURS = ['-c', 'safe.directory=*']
/** Any commit may be asked for, whether or not a branch leads to it. */
const UPLOAD = `git ${OURS.join(' ')} -c uploadpack.allowAnySHA1InWant=true upload-pack`
/** The one fetch is from a repository on this disk. */
const FROM_DISK = ['-c', 'protocol.file.allow=always']

/** `folder` is there and empty. */
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
 * Makes the repository that is fetched from; that of a bundle is empty as yet. The suite's reader has seen to
 * it that the source lies where it may.
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
