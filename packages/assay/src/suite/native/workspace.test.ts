import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { GRADED_GIT, type Case } from '@assay/contract'
import { findProgram } from '../../../../sandbox/src/find-program.ts'
import { loadSuite } from '../load.ts'

let folder = ''

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'assay-plan-'))
})

afterEach(() => {
  rmSync(folder, { recursive: true, force: true })
})

const write = (path: string, text: string): void => {
  mkdirSync(join(folder, path, '..'), { recursive: true })
  writeFileSync(join(folder, path), text)
}

async function load(workspace: string, rest = '', at = 'suite.toml'): Promise<Case> {
  write(
    at,
    `id = "s"\n${rest}\n[[cases]]\nid = "c"\nprompt = "Do it."\n[cases.workspace]\n${workspace}\n`,
  )
  const { suite } = await loadSuite(join(folder, at), { graders: [] })
  return suite.cases[0] as Case
}

describe('a folder to start from', () => {
  it('is hashed with all that is in it, wherever it lies', async () => {
    write('app/a.txt', 'one')
    const first = await load('folder = "app"')
    expect(first.workspace?.folder?.path).toBe(join(folder, 'app'))
    expect((await load('folder = "app"')).hash).toBe(first.hash)
    write('app/a.txt', 'two')
    expect((await load('folder = "app"')).hash).not.toBe(first.hash)
    write('app/a.txt', 'one')
    write('elsewhere/app/a.txt', 'one')
    expect((await load('folder = "app"', '', 'elsewhere/suite.toml')).hash).toBe(first.hash)
  })

  it('is copied without the data of version control, which can hold logins, and says so', async () => {
    for (const name of ['.git/config', 'lib/.hg/hgrc', 'lib/a/.git/config', 'lib/.jj/x'])
      write(`app/${name}`, 'login')
    write('app/lib/code.txt', 'code')
    for (const name of ['HEAD', 'config', 'objects/x', 'refs/x'])
      write(`app/remote.git/${name}`, '')
    const one = await load('folder = "app"')
    const without = ['.git', 'lib/.hg', 'lib/.jj', 'lib/a/.git']
    expect(one.workspace?.folder?.without).toEqual(without)
    const { warnings } = await loadSuite(join(folder, 'suite.toml'), { graders: [] })
    expect(warnings.map(({ text }) => text)).toContainEqual(
      expect.stringContaining('.git, lib/.hg, lib/.jj and 1 more of the folder: left out'),
    )
  })

  it('may be the suite’s own (folder = "."), without the suite, .git and .assay', async () => {
    write('a.txt', 'one')
    const first = await load('folder = "."')
    expect(first.workspace?.folder).toMatchObject({
      path: folder,
      without: ['suite.toml', '.git', '.assay'],
    })
    write('.assay/runs.jsonl', 'changes with every run')
    write('.git/HEAD', 'and with every commit')
    expect((await load('folder = "."', 'name = "another text of the suite"')).hash).toBe(first.hash)
    write('a.txt', 'two')
    expect((await load('folder = "."')).hash).not.toBe(first.hash)
  })

  it('may be anywhere in the repository that the suite is in', async () => {
    write('.git/HEAD', '')
    write('app/a.txt', 'one')
    const one = await load('folder = "../app"', '', 'suites/suite.toml')
    expect(one.workspace?.folder?.path).toBe(join(folder, 'app'))
    const above = await load('folder = ".."', '', 'suites/suite.toml')
    expect(above.workspace?.folder?.without).toEqual([
      'suites/suite.toml',
      ...['suites/.git', 'suites/.assay', '.git', '.assay'],
    ])
    await expect(load('folder = "../.."', '', 'suites/suite.toml')).rejects.toThrow(
      /a path that leaves the repository/,
    )
  })

  it('must be there, a folder, and inside the suite’s own', async () => {
    write('file', '')
    mkdirSync(join(folder, 'suite'))
    symlinkSync(tmpdir(), join(folder, 'out'))
    await expect(load('folder = "none"')).rejects.toThrow(/no such folder/)
    await expect(load('folder = "file"')).rejects.toThrow(/found a file/)
    await expect(load('folder = "out"')).rejects.toThrow(/a path that leaves the folder/)
    mkdirSync(join(folder, 'holds'))
    symlinkSync('../file', join(folder, 'holds/link'))
    await expect(load('folder = "holds"')).rejects.toThrow(/link, a link that leads out/)
    await expect(load('folder = "../x"')).rejects.toThrow(/leaves the folder/)
  })
})

describe('the rest of a plan', () => {
  it('has defaults, which a case overrides one by one', async () => {
    const one = await load(
      'setup = "make"\nhidden = { "t/x.txt" = "secret" }\n[cases.limits]\nturns = 3',
      '[defaults.workspace]\nprotect = ["tests/**"]\nsetup = ["never"]\n[defaults.limits]\nusd = 0.5\nturns = 9',
    )
    expect(one.workspace).toEqual({
      git: null,
      folder: null,
      setup: ['make'],
      setupTimeoutMs: 600_000,
      ignore: ['**/node_modules/**', '**/__pycache__/**', '**/.venv/**', '**/.pytest_cache/**'],
      protect: ['tests/**'],
      hidden: { 't/x.txt': 'secret' },
    })
    expect(one.limits).toEqual({ turns: 3, toolCalls: null, tokens: null, usd: 0.5 })
  })

  it('refuses a hidden file that leaves the folder', async () => {
    await expect(load('hidden = { "../x" = "" }')).rejects.toThrow(/leaves the folder/)
  })
})

it('grades commits and branches only if the case says so', async () => {
  const [plain, graded] = [await load('folder = "."'), await load('git = "graded"')]
  expect(plain.workspace?.ignore).not.toContain(GRADED_GIT)
  expect(graded.workspace).toMatchObject({ git: null })
  expect(graded.workspace?.ignore).toContain(GRADED_GIT)
  await expect(load('git = "ignored"')).rejects.toThrow(/"graded", or a table/u)
})

describe.skipIf(findProgram('git') === null)('a git source', () => {
  const git = (...words: string[]): string =>
    execFileSync('git', ['-C', join(folder, 'repo'), ...words], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        PATH: process.env['PATH'],
        GIT_CONFIG_GLOBAL: '/dev/null',
        GIT_AUTHOR_NAME: 'a',
        GIT_AUTHOR_EMAIL: 'a@example.com',
        GIT_COMMITTER_NAME: 'a',
        GIT_COMMITTER_EMAIL: 'a@example.com',
      },
    }).trim()

  beforeEach(() => {
    mkdirSync(join(folder, 'repo'))
    git('init', '-q', '-b', 'main')
    write('repo/a.txt', 'one')
    git('add', '.')
    git('commit', '-qm', 'first')
  })

  it('is the commit that a branch or a short hash stands for', async () => {
    const commit = git('rev-parse', 'HEAD')
    const one = await load('git = { path = "repo", commit = "main" }')
    expect(one.workspace?.git).toEqual({ path: join(folder, 'repo'), commit, depth: 1 })
    const short = await load(`git = { path = "repo", commit = "${commit.slice(0, 8)}" }`)
    expect(short.hash).toBe(one.hash)
  })

  it('may be a bundle, by the name of a head or a full hash', async () => {
    git('bundle', 'create', '-q', '../repo.bundle', 'main')
    const commit = git('rev-parse', 'HEAD')
    const one = await load('git = { path = "repo.bundle", commit = "main" }')
    expect(one.workspace?.git).toMatchObject({ path: join(folder, 'repo.bundle'), commit })
    await expect(load('git = { path = "repo.bundle", commit = "v9" }')).rejects.toThrow(
      /no head v9 in the bundle/,
    )
  })

  it('may be the repository that the suite is in', async () => {
    const one = await load('git = { path = "..", commit = "HEAD" }', '', 'repo/evals/suite.toml')
    expect(one.workspace?.git).toMatchObject({ path: join(folder, 'repo') })
  })

  it('may be elsewhere or at an address, by the full hash of its commit, and is not read', async () => {
    const commit = 'b'.repeat(40)
    const beside = (text: string): Promise<Case> => load(text, '', 'beside/suite.toml')
    const one = await beside(`git = { path = "../repo", commit = "${commit}" }`)
    const path = join(folder, 'repo')
    expect(one.workspace?.git).toEqual({ path, commit, depth: 1, isElsewhere: true })
    const url = 'https://x.example/r.git'
    const other = await load(`git = { url = "${url}", commit = "${commit}", depth = 3 }`)
    expect(other.workspace?.git).toEqual({ url, commit, depth: 3 })
    const again = await load(`git = { url = "https://y.example", commit = "${commit}", depth = 3 }`)
    expect(again.hash).toBe(other.hash)
    await expect(beside('git = { path = "../repo", commit = "HEAD" }')).rejects.toThrow(
      /found commit "HEAD" of \.\.\/repo, which is elsewhere/,
    )
    for (const [keys, message] of [
      [`url = "${url}", commit = "main"`, /expected the full hash of a commit/],
      [`url = "${url}", path = "repo", commit = "${commit}"`, /found a path and a url/],
      [`commit = "${commit}"`, /neither a path nor a url/],
      [`url = "git@x.example:r.git", commit = "${commit}"`, /a clone of your own/],
    ] as const)
      await expect(load(`git = { ${keys} }`)).rejects.toThrow(message)
  })

  it('is refused without its commit, or as a part of another repository', async () => {
    await expect(load('git = { path = "repo", commit = "v1" }')).rejects.toThrow(/no commit v1/)
    await expect(load('git = { path = "none", commit = "v1" }')).rejects.toThrow(/no none/)
    mkdirSync(join(folder, 'repo/sub'))
    await expect(load('git = { path = "repo/sub", commit = "HEAD" }')).rejects.toThrow(
      /not a repository of its own/,
    )
    await expect(load('git = { path = "repo", commit = "--all" }')).rejects.toThrow(/a commit:/)
  })
})
