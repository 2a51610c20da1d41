import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { RemoteCommit } from '@assay/contract'
import { gitIn, serveGit, type GitServer } from '../../test/git-server.ts'
import { hasGit, newFolder } from '../../test/workspaces.ts'
import { checkOut } from '../workspace/git-source.ts'
import { removeTree } from '../workspace/files/remove.ts'
import { addressFault, cachedCommit } from './remote-commit.ts'

const MISSING = 'a'.repeat(40)

let root: string
let server: GitServer
let commits: string[]
let made = 0

/** Serves a repository with three commits, of which the second has a submodule, a hook and a filter. */
beforeAll(async () => {
  root = newFolder()
  if (!hasGit) return
  const source = join(root, 'served/app')
  mkdirSync(source, { recursive: true })
  gitIn(source, 'init', '--quiet', '-b', 'trunk')
  commits = ['one', 'two', 'three'].map((text) => {
    writeFileSync(join(source, 'a.txt'), text)
    writeFileSync(join(source, '.gitattributes'), '* filter=lfs\n')
    writeFileSync(join(source, '.gitmodules'), '[submodule "x"]\n\tpath = x\n\turl = ../other\n')
    gitIn(source, 'add', '.')
    gitIn(source, 'update-index', '--add', '--cacheinfo', `160000,${MISSING},x`)
    gitIn(source, 'commit', '--quiet', '-m', text)
    return gitIn(source, 'rev-parse', 'HEAD')
  })
  // The last commit is on no branch.
  gitIn(source, 'update-ref', 'refs/heads/trunk', commits[1] ?? '')
  server = await serveGit(join(root, 'served'), (request, response) => {
    const [, first] = (request.url ?? '').split('/')
    const status = { private: 401, moved: 302, broken: 500 }[first ?? '']
    if (first === 'silent') return true
    if (first === 'dumb') {
      response.end(`${commits[1]}\trefs/heads/trunk\n`)
      return true
    }
    if (status === undefined) return false
    response.writeHead(status, {
      location: `${server.url}/app/info/refs?service=git-upload-pack`,
      'www-authenticate': 'Basic realm="x"',
    })
    response.end()
    return true
  })
})
afterAll(async () => {
  await server.close()
  removeTree(root)
})

const newCache = (): string => join(root, `cache-${++made}`)

const remote = (change: Partial<RemoteCommit> = {}): RemoteCommit => ({
  url: `${server.url}/app`,
  commit: commits[1] ?? '',
  depth: 1,
  ...change,
})

async function checkedOut(
  source: RemoteCommit,
  cache: string,
  told: string[] = [],
): Promise<string> {
  const folder = join(root, `out-${++made}`)
  mkdirSync(folder)
  await checkOut(source, folder, {
    spare: join(root, `spare-${made}`),
    timeoutMs: () => 60_000,
    signal: new AbortController().signal,
    onFetch: (text) => told.push(text),
    cache,
  })
  return folder
}

describe.skipIf(!hasGit)('a commit at an address', () => {
  it('is fetched once, alone, and then taken from the cache without the network', async () => {
    const [cache, told] = [newCache(), [] as string[]]
    const folder = await checkedOut(remote(), cache, told)
    expect(readFileSync(join(folder, 'a.txt'), 'utf8')).toBe('two')
    expect(gitIn(folder, 'rev-parse', 'HEAD')).toBe(commits[1])
    expect(gitIn(folder, 'rev-list', '--all', '--count')).toBe('1')
    expect(gitIn(folder, 'remote')).toBe('')
    expect(told).toEqual([`fetching commit ${commits[1]} of ${server.url}/app`])
    const before = server.requests.length
    const again = await checkedOut(remote(), cache, told)
    expect(readFileSync(join(again, 'a.txt'), 'utf8')).toBe('two')
    expect([server.requests.length, told.length]).toEqual([before, 1])
    expect(readdirSync(cache)).toHaveLength(1)
  })

  it('has the history that is asked for, and may be on no branch', async () => {
    const folder = await checkedOut(remote({ commit: commits[2] ?? '', depth: 2 }), newCache())
    expect(gitIn(folder, 'log', '--format=%s').split('\n')).toEqual(['three', 'two'])
  })

  it('brings no submodule and applies no filter', async () => {
    const before = server.requests.length
    const folder = await checkedOut(remote(), newCache())
    expect(readdirSync(join(folder, 'x'))).toEqual([])
    expect(server.requests.slice(before).some(({ line }) => line.includes('other'))).toBe(false)
  })

  it('is fetched by one of several cases that need it at once', async () => {
    const cache = newCache()
    const told: string[] = []
    const options = {
      cache,
      timeoutMs: () => 60_000,
      signal: new AbortController().signal,
      onFetch: (text: string) => told.push(text),
    }
    const paths = await Promise.all([1, 2, 3].map(() => cachedCommit(remote(), options)))
    expect(new Set(paths).size).toBe(1)
    expect(told).toHaveLength(1)
  })

  it('is never taken from a damaged cache', async () => {
    const cache = newCache()
    await checkedOut(remote(), cache)
    const [name = ''] = readdirSync(cache)
    const packs = join(cache, name, 'objects/pack')
    const pack = join(packs, readdirSync(packs).find((one) => one.endsWith('.pack')) ?? '')
    const bytes = readFileSync(pack)
    bytes[40] = (bytes[40] ?? 0) ^ 0xff
    chmodSync(pack, 0o600)
    writeFileSync(pack, bytes)
    await expect(checkedOut(remote(), cache)).rejects.toThrow(
      /could not be checked out: [^]*\. It was fetched before: remove \S+ to fetch it again/u,
    )
  })

  it.each([
    ['a commit that is not there', () => ({ commit: MISSING }), /the repository has no commit a+/],
    ['a hash of a file', () => ({ commit: blobOf() }), /the repository has no commit/],
    ['no repository', () => ({ url: `${server.url}/none` }), /no repository at this address/],
    ['a login', () => ({ url: `${server.url}/private` }), /wants a login, and Assay sends none/],
    ['a redirect', () => ({ url: `${server.url}/moved` }), /leads to another address/],
    ['a server that only has files', () => ({ url: `${server.url}/dumb` }), /smart protocol/],
    ['an error', () => ({ url: `${server.url}/broken` }), /returned error: 500/],
    ['no server', () => ({ url: 'http://127.0.0.1:1/x' }), /the server cannot be reached/],
    ['a file', () => ({ url: `file://${root}/served/app` }), /an address of file/],
    ['an option', () => ({ url: '--upload-pack=touch x' }), /is not an address/],
  ])('is refused with the reason: %s', async (_, change, message) => {
    const cache = newCache()
    await expect(checkedOut(remote(change()), cache)).rejects.toThrow(message)
    expect(existsSync(cache) ? readdirSync(cache) : []).toEqual([])
  })

  it('is given up at the time limit, and when the run stops', async () => {
    const stop = new AbortController()
    const source = remote({ url: `${server.url}/silent` })
    const options = { cache: newCache(), timeoutMs: () => 300, signal: stop.signal }
    await expect(cachedCommit(source, options)).rejects.toThrow('it took too long')
    const fetching = cachedCommit(source, { ...options, timeoutMs: () => 60_000 })
    stop.abort(new Error('stopped'))
    await expect(fetching).rejects.toThrow('stopped')
  })

  it('is asked for without a login', () => {
    expect(server.requests.length).toBeGreaterThan(5)
    expect(server.requests.filter(({ authorization }) => authorization !== undefined)).toEqual([])
  })
})

const blobOf = (): string => gitIn(join(root, 'served/app'), 'rev-parse', 'HEAD:a.txt')

it.each([
  ['https://x.example/a.git', null],
  ['http://x.example/a.git', null],
  ['ssh://git@x.example/a.git', /of ssh/],
  ['git@x.example:a.git', /not an address/],
  ['https://me:secret@x.example/a.git', /a name or a password/],
  ['https://me@x.example/a.git', /a name or a password/],
  ['https://x.example/a.git?token=1', /a query or a fragment/],
  ['ext::sh -c x', /of ext/],
  [String.raw`https://x.example\@other.example/a.git`, /as another one/],
  [String.raw`https:\\x.example/a.git`, /as another one/],
  ['https:x.example/a.git', /as another one/],
  [' https://x.example/a.git', /as another one/],
  ['ht\ttps://x.example/a.git', /as another one/],
  ['https://x.example/a.git?', /as another one/],
  ['https://x.example/a.git#', /as another one/],
  ['https://x.example/@scope/a.git', null],
])('takes addresses that need no login: %s', (url, fault) => {
  if (fault === null) expect(addressFault(url)).toBeNull()
  else expect(addressFault(url)).toMatch(fault)
})
