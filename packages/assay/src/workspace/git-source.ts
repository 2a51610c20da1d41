/**
 * A commit of a repository, or of a bundle, as a repository of its own. It has that commit and as many
 * before it as the case says, on a branch, and nothing else: no remote, no objects of its source, no later
 * commit, no hook or setting that came along. The machine's own settings of git play no part in it.
 */
import { mkdirSync, statSync } from 'node:fs'
import { type GitSource, plainLines } from '@assay/contract'
import { runProcess } from '@assay/sandbox'
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
/** Whoever the source belongs to: of its settings none is heeded that could start a program. */
const TRUSTING = ['-c', 'safe.directory=*', '-c', 'protocol.file.allow=always']
/** Any commit may be asked for, whether or not a branch leads to it. */
const UPLOAD = `git ${TRUSTING.slice(0, 2).join(' ')} -c uploadpack.allowAnySHA1InWant=true upload-pack`
/** Nothing is noted of how the repository came about, and no hook is run. */
const QUIET = ['-c', 'core.logAllRefUpdates=false', '-c', 'core.hooksPath=/dev/null']

/** `folder` is there and empty. */
export async function checkOut(
  source: GitSource,
  folder: string,
  options: CheckoutOptions,
): Promise<void> {
  const { path, commit, depth } = source
  const { spare } = options
  if (!COMMIT.test(commit)) throw new WorkspaceError(`"${commit}" is no full hash of a commit`)
  const format = `--object-format=${commit.length === SHA_256_LENGTH ? 'sha256' : 'sha1'}`
  const git = (...words: readonly string[]): Promise<void> => run(words, source, options)
  mkdirSync(spare)
  try {
    let from = path
    if (isBundle(path)) {
      from = `${spare}/bundled`
      await git('init', '--quiet', '--bare', '--template=', format, from)
      await git('-C', from, 'bundle', 'unbundle', path)
    }
    await git('init', '--quiet', '--template=', format, `--initial-branch=${BRANCH}`, folder)
    const here = ['-C', folder, ...TRUSTING, ...QUIET]
    const fetch = [
      'fetch',
      '--quiet',
      '--no-tags',
      '--no-write-fetch-head',
      '--upload-pack',
      UPLOAD,
    ]
    const bounds = ['--no-recurse-submodules', '--no-auto-maintenance', `--depth=${depth}`]
    await git(...here, ...fetch, ...bounds, '--', from, commit)
    await git(...here, 'update-ref', `refs/heads/${BRANCH}`, commit)
    await git(...here, 'read-tree', '-u', '--reset', 'HEAD')
  } finally {
    removeTree(spare)
  }
}

function isBundle(path: string): boolean {
  const stats = statSync(path, { throwIfNoEntry: false })
  if (stats === undefined) throw new WorkspaceError(`there is no repository or bundle at ${path}`)
  return stats.isFile()
}

async function run(
  words: readonly string[],
  { path, commit }: GitSource,
  { spare, timeoutMs, signal }: CheckoutOptions,
): Promise<void> {
  const what = `commit ${commit} of ${path} could not be checked out`
  const ended = await runProcess({
    argv: ['git', ...words],
    input: '',
    cwd: spare,
    env: {
      PATH: process.env['PATH'] ?? '/usr/local/bin:/usr/bin:/bin',
      HOME: spare,
      LANG: 'C',
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_CONFIG_GLOBAL: '/dev/null',
      GIT_ATTR_NOSYSTEM: '1',
      GIT_TERMINAL_PROMPT: '0',
      // A source that lacks objects is not to fetch them from wherever it came from.
      GIT_NO_LAZY_FETCH: '1',
    },
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
