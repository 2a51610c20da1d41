/**
 * Tests repositories from an untrusted author. None of their settings may start a program, and none may lead to
 * another repository of the user. The tests check:
 *
 * - a missing commit with a promisor remote, in a native suite, in an imported suite, and when the commit is
 *   checked out;
 * - a `.git` file, a `commondir` file, an alternates file (`objects/info/alternates`), and symbolic links inside
 *   `objects` or `refs`, each of which leads to another repository;
 * - alternates files that git can read and Assay does not accept (too long, not UTF-8, with NUL, with quoted
 *   paths, or in a folder of objects that is itself an alternate), when a suite is read and when a commit is
 *   checked out;
 * - files in place of folders, pipes, and folders that are too deep or have too long a path.
 *
 * Ordinary repositories must still be read: packed, shallow, SHA-256, with settings, as a linked worktree and as
 * a submodule.
 */
import { execFileSync } from 'node:child_process'
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { hasGit } from '../../test/workspaces.ts'
import { checkOut } from '../workspace/git-source.ts'
import { WorkspaceError } from '../workspace/workspace-error.ts'
import { loadSuite } from '../suite/index.ts'
import { privateRepository } from './private-repository.ts'

const MISSING = '1234567890123456789012345678901234567890'

let folder = ''
/** `secret` is another repository of the user. `project` is the repository with the suite. */
let secret = ''
let project = ''

function git(at: string, ...words: string[]): string {
  mkdirSync(at, { recursive: true })
  return execFileSync('git', ['-C', at, '-c', 'protocol.file.allow=always', ...words], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH: process.env['PATH'],
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_CONFIG_GLOBAL: '/dev/null',
      GIT_AUTHOR_NAME: 'a',
      GIT_AUTHOR_EMAIL: 'a@x.example',
      GIT_COMMITTER_NAME: 'a',
      GIT_COMMITTER_EMAIL: 'a@x.example',
    },
  }).trim()
}

/** Creates a repository with one commit and returns the commit's hash. */
function newRepository(at: string, ...options: string[]): string {
  git(at, 'init', '-q', '-b', 'main', ...options)
  git(at, 'commit', '-q', '--allow-empty', '-m', 'first')
  return git(at, 'rev-parse', 'HEAD')
}

const read = async (path: string, commit: string, at = project): Promise<string | undefined> => {
  mkdirSync(at, { recursive: true })
  const file = join(at, 'suite.toml')
  writeFileSync(
    file,
    `id = "s"\n[[cases]]\nid = "c"\nprompt = "x"\nworkspace = { git = { path = "${path}", commit = "${commit}" } }\n`,
  )
  const { suite } = await loadSuite(file, { graders: [] })
  return suite.cases[0]?.workspace?.git?.commit
}

beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'assay-hostile-')))
  secret = join(folder, 'secret')
  project = join(folder, 'project')
  if (!hasGit) return
  newRepository(secret)
  newRepository(project)
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

describe.skipIf(!hasGit)('a repository whose settings start a program', () => {
  const started = (): boolean => existsSync(join(folder, 'started'))
  beforeEach(() => {
    const bare = join(project, 'repo.git')
    git(bare, 'init', '-q', '--bare')
    writeFileSync(join(folder, 'payload.sh'), `touch '${folder}/started'\n`)
    const command = `sh ${folder}/payload.sh`
    appendFileSync(
      join(bare, 'config'),
      `[core]\n\trepositoryformatversion = 1\n\tfsmonitor = "${command}"\n[extensions]\n\tpartialClone = origin\n[remote "origin"]\n\turl = .\n\tpromisor = true\n\tuploadpack = "${command}"\n`,
    )
  })

  it('starts nothing when a native suite is read', async () => {
    await expect(read('repo.git', MISSING)).rejects.toThrow(/no commit 1234/)
    expect(started()).toBe(false)
  })

  it('starts nothing when an imported suite is read', async () => {
    const file = join(project, 'eval.yaml')
    writeFileSync(
      file,
      `name: e\nstimuli:\n  - name: s\n    prompt: x\n    environment: { git: { path: repo.git, commit: "${MISSING}" } }\n    graders: [{ type: output-contains, config: { substring: x } }]\n`,
    )
    await expect(loadSuite(file, { graders: [] })).rejects.toThrow(/graders|unknown|no commit/)
    expect(started()).toBe(false)
  })

  it('starts nothing when it is checked out', async () => {
    const to = join(folder, 'out')
    mkdirSync(to)
    const source = { path: join(project, 'repo.git'), commit: MISSING, depth: 1 }
    const options = {
      spare: join(folder, 'spare'),
      timeoutMs: () => 60_000,
      signal: new AbortController().signal,
    }
    await expect(checkOut(source, to, options)).rejects.toThrow(/could not be checked out/)
    expect(started()).toBe(false)
  })
})

describe.skipIf(!hasGit)('a repository that leads to another', () => {
  const bare = (): string => {
    const at = join(project, 'repo.git')
    git(at, 'init', '-q', '--bare', '-b', 'main')
    return at
  }
  /** Tries to read a commit of the `secret` repository. */
  const reading = (path: string, at = project): Promise<unknown> =>
    read(path, git(secret, 'rev-parse', 'HEAD'), at)

  it('is refused where .git points there, even where the suite is beside it', async () => {
    mkdirSync(join(project, 'ws'))
    writeFileSync(join(project, 'ws/.git'), `gitdir: ${secret}/.git\n`)
    await expect(reading('ws')).rejects.toThrow(/keeps a part of itself elsewhere/)
    await expect(reading('.', join(project, 'ws'))).rejects.toThrow(
      /keeps a part of itself elsewhere/,
    )
    rmSync(join(project, 'ws/.git'))
    symlinkSync(join(secret, '.git'), join(project, 'ws/.git'))
    await expect(reading('ws')).rejects.toThrow(/is a link/)
  })

  it('is refused where its common folder or its borrowed objects are there', async () => {
    const at = bare()
    writeFileSync(join(at, 'objects/info/alternates'), `${secret}/.git/objects\n`)
    await expect(reading('repo.git')).rejects.toThrow(/keeps a part of itself elsewhere/)
    rmSync(join(at, 'objects/info/alternates'))
    writeFileSync(join(at, 'commondir'), `${secret}/.git\n`)
    await expect(reading('repo.git')).rejects.toThrow(/keeps a part of itself elsewhere/)
  })

  it('is refused where it makes itself look like a worktree', async () => {
    const fake = join(project, 'ws/worktrees/x')
    mkdirSync(fake, { recursive: true })
    writeFileSync(join(project, 'ws/.git'), 'gitdir: worktrees/x\n')
    writeFileSync(join(fake, 'HEAD'), 'ref: refs/heads/main\n')
    writeFileSync(join(fake, 'gitdir'), join(project, 'ws/.git'))
    writeFileSync(join(fake, 'commondir'), `${secret}/.git\n`)
    await expect(reading('.', join(project, 'ws'))).rejects.toThrow(
      /keeps a part of itself elsewhere/,
    )
  })

  it.each(['objects', 'objects/pack', 'refs/heads', 'packed-refs', 'HEAD', 'config'])(
    'is refused where %s is a link',
    async (name) => {
      const at = bare()
      rmSync(join(at, name), { recursive: true, force: true })
      git(secret, 'pack-refs')
      symlinkSync(join(secret, '.git', name), join(at, name))
      await expect(reading('repo.git')).rejects.toThrow(/link/)
    },
  )

  describe('by a list of borrowed objects that Assay cannot read as git does', () => {
    const lists = {
      'longer than a list may be': (other: string) => `#${'x'.repeat(1024 * 1024)}\n${other}\n`,
      'with a byte that is not UTF-8': (other: string) =>
        Buffer.from(`${other}\n#\u00ff\n`, 'latin1'),
      'with a NUL': (other: string) => `${other}\n#\0\n`,
      'in quotes': (other: string) => `"${other}"\n`,
    }

    it.each(Object.entries(lists))('is refused with one %s', async (_, list) => {
      writeFileSync(join(bare(), 'objects/info/alternates'), list(join(secret, '.git/objects')))
      await expect(reading('repo.git')).rejects.toThrow(/alternates|are missing/)
    })

    it('is not read by git, whatever it says', async () => {
      const at = bare()
      const ours = join(folder, 'private')
      privateRepository(at, null, ours)
      writeFileSync(join(at, 'objects/info/alternates'), `${secret}/.git/objects\n`)
      const commit = git(secret, 'rev-parse', 'HEAD')
      expect(() => git(ours, '--git-dir=.', 'cat-file', 'commit', commit)).toThrow(/bad file/)
      expect(git(at, 'cat-file', '-t', commit)).toBe('commit')
    })

    it('has no name that is not UTF-8 and leads there', async () => {
      const at = bare()
      const other = Buffer.concat([Buffer.from(`${folder}/other`), Buffer.from([0xff])])
      symlinkSync(join(secret, '.git/objects'), other)
      const list = Buffer.concat([other, Buffer.from('\n')])
      writeFileSync(join(at, 'objects/info/alternates'), list)
      await expect(reading('repo.git')).rejects.toThrow(/alternates is not valid UTF-8/)
    })
  })

  it('is not read above the repository that the suite is in', async () => {
    newRepository(join(secret, 'inner'))
    await expect(read('..', 'main', join(secret, 'inner'))).rejects.toThrow(/full hash of a commit/)
    // With a full hash it is not looked at, so that the hash may even be wrong. Trust is asked before it is used.
    expect(await read('..', MISSING, join(secret, 'inner'))).toBe(MISSING)
  })
})

describe.skipIf(!hasGit)('a repository that git did not make is no bug', () => {
  /**
   * Creates folders whose path is longer than the system allows. Each folder is created from inside the previous
   * one.
   */
  const tooLong = (at: string): void => {
    const step = 'd'.repeat(250)
    const script = `for i in $(seq 20); do mkdir ${step} && cd -P ${step}; done`
    execFileSync('sh', ['-c', script], { cwd: at })
  }
  const kinds: Record<string, (at: string) => void> = {
    'whose common folder is a file': (at) => writeFileSync(join(at, 'commondir'), 'HEAD'),
    'with a file in place of objects': (at) => {
      rmSync(join(at, 'objects'), { recursive: true })
      writeFileSync(join(at, 'objects'), '')
    },
    'with a file in place of some objects': (at) => writeFileSync(join(at, 'objects/ab'), ''),
    'whose .git points to a file': (at) => {
      rmSync(at, { recursive: true })
      mkdirSync(at)
      writeFileSync(join(at, 'x'), '')
      writeFileSync(join(at, '.git'), 'gitdir: x\n')
    },
    'that is a pipe': (at) => {
      rmSync(at, { recursive: true })
      execFileSync('mkfifo', [at])
    },
    'with branches in too long a path': (at) => tooLong(join(at, 'refs')),
    'with branches 200 folders deep': (at) =>
      mkdirSync(join(at, 'refs', ...Array.from({ length: 200 }, () => 'd')), { recursive: true }),
  }

  it.each(Object.entries(kinds))('%s', async (_, change) => {
    const at = join(project, 'repo.git')
    git(at, 'init', '-q', '--bare', '-b', 'main')
    change(at)
    await expect(read('repo.git', MISSING)).rejects.toThrow(
      /expected a repository that is entirely in the one that the suite is in/,
    )
    mkdirSync(join(folder, 'out'))
    const options = {
      spare: join(folder, 'spare'),
      timeoutMs: () => 60_000,
      signal: new AbortController().signal,
    }
    const checking = checkOut({ path: at, commit: MISSING, depth: 1 }, join(folder, 'out'), options)
    await expect(checking).rejects.toThrow(WorkspaceError)
  })

  it('with other folders among its objects, which are not looked at', async () => {
    const at = join(project, 'repo.git')
    git(at, 'init', '-q', '--bare', '-b', 'main')
    tooLong(join(at, 'objects'))
    await expect(read('repo.git', MISSING)).rejects.toThrow(/no commit 1234/)
  })
})

describe.skipIf(!hasGit)('a repository of everyday work', () => {
  it('may have remotes and settings, and packed refs and objects', async () => {
    const commit = git(project, 'rev-parse', 'HEAD')
    git(project, 'tag', '-a', 'v1', '-m', 'v1')
    git(project, 'remote', 'add', 'origin', 'https://x.example/p.git')
    git(project, 'config', 'filter.lfs.process', 'git-lfs filter-process')
    git(project, 'gc', '-q')
    git(project, 'pack-refs', '--all')
    for (const name of ['main', 'HEAD', 'v1', commit.slice(0, 9)])
      expect(await read('..', name, join(project, 'evals'))).toBe(commit)
  })

  it('may be shallow, or of SHA-256', async () => {
    git(project, 'commit', '-q', '--allow-empty', '-m', 'second')
    git(project, 'clone', '-q', '--depth=1', `file://${project}`, 'shallow')
    expect(await read('shallow', 'main')).toBe(git(project, 'rev-parse', 'HEAD'))
    const long = newRepository(join(project, 'long'), '--object-format=sha256')
    expect(await read('long', 'main')).toBe(long)
  })

  it('may be a linked worktree that the suite is in', async () => {
    const worktree = join(folder, 'worktree')
    git(project, 'worktree', 'add', '-q', '-b', 'side', worktree)
    git(worktree, 'commit', '-q', '--allow-empty', '-m', 'on the side')
    const commit = git(worktree, 'rev-parse', 'HEAD')
    expect(await read('..', 'HEAD', join(worktree, 'evals'))).toBe(commit)
    expect(await read('..', 'main', join(worktree, 'evals'))).not.toBe(commit)
    // Without its entry in `.git/worktrees`, the worktree does not belong to the project any more. It counts as
    // another repository, which the suite must not read.
    renameSync(join(project, '.git/worktrees'), join(project, '.git/gone'))
    await expect(read('..', 'HEAD', join(worktree, 'evals'))).rejects.toThrow(/repository/)
  })

  it('may be a submodule, named from outside and from inside', async () => {
    git(project, 'submodule', '--quiet', 'add', secret, 'sub')
    const commit = git(secret, 'rev-parse', 'HEAD')
    expect(await read('sub', 'main')).toBe(commit)
    expect(await read('..', 'main', join(project, 'sub/evals'))).toBe(commit)
  })
})
