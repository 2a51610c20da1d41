/**
 * Fetches a commit from an address and keeps it in the user's cache folder, so that it is fetched only once. The caller
 * must already have asked the user whether Assay may contact the address.
 *
 * Git sends no login: it does not get the user's settings, passwords or cookies, and it does not ask for a password. It
 * does not follow redirects, because they could lead to an address that the user has not seen. It fetches only the
 * commit and its history, without submodules and without Git LFS files. It computes the hash of every object that it
 * receives, so a server cannot send other content under the hash of the commit.
 */
import { createHash, randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { plainLines, type RemoteCommit } from '@assay/contract'
import { type ProcessEnd, runProcess } from '@assay/sandbox'
import { GIT_WORDS, gitEnvironment } from './git-command.ts'
import { GitSourceError } from './git-source-error.ts'
import { emptyRepository } from './private-repository.ts'

export interface RemoteOptions {
  /** The folder in which fetched commits are kept. It need not exist yet. */
  readonly cache: string
  readonly timeoutMs: () => number
  readonly signal: AbortSignal
  /** Called before the network is used. The text tells the user what is fetched. */
  readonly onFetch?: ((text: string) => void) | undefined
  /** The environment from which the variables for the user's proxy and certificates are taken. */
  readonly env?: Readonly<Record<string, string | undefined>>
}

const SHA_256_LENGTH = 64
const MOST_SAID = 600
const DAY_MS = 24 * 60 * 60 * 1000
/** The largest file that git may write: 4 GB. `ulimit` counts in blocks of 512 bytes. */
const MOST_BLOCKS = 8 * 1024 * 1024
/**
 * Variables of the user that git needs in some company networks: its proxy and certificates. They are not sent to the
 * address.
 */
const NETWORK_VARIABLES = [
  ...['http_proxy', 'https_proxy', 'no_proxy', 'all_proxy'].flatMap((name) => [
    name,
    name.toUpperCase(),
  ]),
  ...['SSL_CERT_FILE', 'SSL_CERT_DIR', 'GIT_SSL_CAINFO', 'GIT_SSL_CAPATH', 'CURL_CA_BUNDLE'],
]
const FETCH_SETTINGS = [
  'protocol.http.allow=always',
  'protocol.https.allow=always',
  'http.followRedirects=false',
  'credential.helper=',
  // Git gives up if the server sends nothing for a minute.
  'http.lowSpeedLimit=1',
  'http.lowSpeedTime=60',
  // Git stores all objects in one file, so that the limit on file sizes applies to all of them together.
  'fetch.unpackLimit=1',
  'gc.auto=0',
  'safe.directory=*',
].flatMap((setting) => ['-c', setting])

/** The fetches of this process that have not finished. Cases that need the same commit wait for the same fetch. */
const underWay = new Map<string, Promise<string>>()

/**
 * Matches addresses that git and `URL` read in the same way. They read others differently: after `\\@`, for example,
 * one of them reads a path and the other one a host. Then the user would be asked about another host than git contacts.
 */
const AS_GIT_READS = /^https?:\/\/[^\s\\@?#/]+(?:\/[^\s\\?#]*)?$/u

/**
 * Returns null if commits can be fetched from this address. Otherwise returns a text that says what is wrong with it.
 */
export function addressFault(url: string): string | null {
  let parsed: URL
  try {
    parsed = new URL(url)
  } catch {
    return 'a text that is not an address'
  }
  const { protocol, username, password, search, hash } = parsed
  if (protocol !== 'https:' && protocol !== 'http:')
    return `an address of ${protocol.slice(0, -1)}, for which Assay would need a login`
  if (username !== '' || password !== '') return 'an address with a name or a password in it'
  if (search !== '' || hash !== '') return 'an address with a query or a fragment'
  if (!AS_GIT_READS.test(url)) return 'an address that git would read as another one'
  return null
}

/**
 * Returns the path of a repository that has the commit. Throws a `GitSourceError` if the commit cannot be fetched, and
 * the signal's reason if it aborts.
 */
export async function cachedCommit(source: RemoteCommit, options: RemoteOptions): Promise<string> {
  const { url, commit, depth } = source
  const key = createHash('sha256')
    .update(JSON.stringify([url, commit, depth]))
    .digest('hex')
  const folder = join(options.cache, key.slice(0, 40))
  if (existsSync(folder)) return folder
  const known = underWay.get(folder)
  if (known !== undefined) return known
  const fetching = fetchInto(source, folder, options).finally(() => underWay.delete(folder))
  underWay.set(folder, fetching)
  return fetching
}

async function fetchInto(
  source: RemoteCommit,
  folder: string,
  options: RemoteOptions,
): Promise<string> {
  const { url, commit, depth } = source
  const fault = addressFault(url)
  if (fault !== null) throw new GitSourceError(fault)
  const { cache } = options
  const temporary = `${folder}.${process.pid}-${randomBytes(4).toString('hex')}.tmp`
  try {
    mkdirSync(cache, { recursive: true, mode: 0o700 })
    removeLeft(cache)
    emptyRepository(temporary, commit.length === SHA_256_LENGTH ? 'sha256' : 'sha1')
  } catch (error) {
    throw new GitSourceError(`the cache folder ${cache} cannot be used: ${String(error)}`)
  }
  options.onFetch?.(`fetching commit ${commit} of ${url}`)
  try {
    const bounds = ['--no-tags', '--no-recurse-submodules', '--no-auto-maintenance']
    const fetch = ['fetch', '--quiet', '--no-write-fetch-head', ...bounds, `--depth=${depth}`]
    await git([...fetch, '--', url, commit], temporary, source, options)
    // This command fails if the hash belongs to an object that is not a commit.
    await git(['update-ref', 'refs/heads/main', commit], temporary, source, options)
    keep(temporary, folder)
    return folder
  } finally {
    rmSync(temporary, { recursive: true, force: true })
  }
}

/** Moves the fetched commit to its final path in the cache. Does nothing if another process has already done so. */
function keep(temporary: string, folder: string): void {
  try {
    renameSync(temporary, folder)
  } catch (error) {
    if (!existsSync(folder)) throw error
  }
}

/** Removes temporary folders that are older than a day. Processes that were killed during a fetch left them. */
function removeLeft(cache: string): void {
  for (const name of readdirSync(cache)) {
    if (!name.endsWith('.tmp')) continue
    const path = join(cache, name)
    const stats = statSync(path, { throwIfNoEntry: false })
    if (stats !== undefined && Date.now() - stats.mtimeMs > DAY_MS)
      rmSync(path, { recursive: true, force: true })
  }
}

async function git(
  words: readonly string[],
  repository: string,
  source: RemoteCommit,
  { timeoutMs, signal, env = process.env }: RemoteOptions,
): Promise<void> {
  const own = [...GIT_WORDS, ...FETCH_SETTINGS, '--git-dir=.', ...words]
  const bounded = ['/bin/sh', '-c', `ulimit -f ${MOST_BLOCKS} 2>&-; exec "$@"`, 'sh', ...own]
  const passed = NETWORK_VARIABLES.flatMap((name) => {
    const value = env[name]
    return value === undefined ? [] : [[name, value] as const]
  })
  const ended = await runProcess({
    argv: process.platform === 'win32' ? own : bounded,
    input: '',
    cwd: repository,
    env: { ...Object.fromEntries(passed), ...gitEnvironment(repository) },
    timeoutMs: timeoutMs(),
    mostBytes: 1024 * 1024,
    signal,
  }).catch((error: unknown) => {
    throw signal.aborted ? signal.reason : error
  })
  signal.throwIfAborted()
  if (ended.how !== 'ended' || ended.code !== 0) throw new GitSourceError(reasonOf(ended, source))
}

/** Patterns for git's error output, and what each error means for the user. The first pattern that matches is used. */
const REASONS: readonly (readonly [RegExp, (source: RemoteCommit) => string])[] = [
  [
    /not our ref|couldn't find remote ref|non-commit object|unadvertised object/iu,
    ({ commit }) => `the repository has no commit ${commit}, or its server does not give it out`,
  ],
  [
    /returned error: 30\d|unable to update url base/iu,
    () =>
      'the address leads to another address, and redirects are not followed: name that one instead',
  ],
  [
    /could not read (?:Username|Password)|returned error: 40[13]|Authentication failed/iu,
    () =>
      'the server wants a login, and Assay sends none: clone the repository yourself and give its path instead of the address',
  ],
  [/returned error: 404|repository .* not found/iu, () => 'there is no repository at this address'],
  [/Could not resolve/iu, () => 'the name of the server cannot be resolved: is there a network?'],
  [
    /Failed to connect|Couldn't connect|Connection refused|timed out|unreachable/iu,
    () => 'the server cannot be reached',
  ],
  [
    /dumb http|shallow capabilities|does not support shallow/iu,
    () => 'the server does not speak git’s smart protocol, which is needed to fetch one commit',
  ],
  [/File size limit|signal 25/iu, () => 'it has more than 4 GB'],
  [/git: not found|No such file or directory.*git/iu, () => 'git is not installed'],
]

function reasonOf({ how, stderr, code }: ProcessEnd, source: RemoteCommit): string {
  if (how === 'timeout') return 'it took too long'
  const said = plainLines(stderr.toString('utf8')).trim().slice(-MOST_SAID)
  const known = REASONS.find(([pattern]) => pattern.test(said))
  if (known === undefined) return said || `git ended with ${code}`
  return `${known[1](source)} (${said.split('\n').at(-1)})`
}
