import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { isVersionControl, versionControlFolders } from './version-control.ts'

let root: string

beforeEach(() => (root = realpathSync(mkdtempSync(join(tmpdir(), 'assay-version-control-')))))
afterEach(() => rmSync(root, { recursive: true, force: true }))

function write(path: string, text = ''): void {
  mkdirSync(dirname(join(root, path)), { recursive: true })
  writeFileSync(join(root, path), text)
}

const found = async (): Promise<string[]> =>
  (await versionControlFolders(root)).map((path) => path.slice(root.length + 1)).sort()

describe('the folders for version control', () => {
  it('are found at the top and in repositories inside of it', async () => {
    write('.git/config')
    write('.jj/repo/config.toml')
    write('lib/.hg/hgrc')
    write('lib/deep/er/.git/config')
    write('lib/.svn/entries')
    write('src/git/config')
    expect(await found()).toEqual(['.git', '.jj', 'lib/.hg', 'lib/.svn', 'lib/deep/er/.git'])
  })

  it('are found where a file or a link names them, and without files', async () => {
    write('a/.git', 'gitdir: ../data/a\n')
    write('data/a/config')
    write('data/b/config')
    mkdirSync(join(root, 'b'))
    symlinkSync('../data/b', join(root, 'b/.git'))
    for (const name of ['HEAD', 'config', 'objects/x', 'refs/x']) write(`mirror/${name}`)
    expect(await found()).toEqual(['data/a', 'data/b', 'mirror'])
    const named = await versionControlFolders(root, 'named')
    expect(named).not.toContain(join(root, 'mirror'))
    expect(named).toHaveLength(2)
  })

  it('are found also if the repository itself looks like the data of one', async () => {
    for (const name of ['HEAD', 'config', 'objects/x', 'refs/x', 'own/.git/config']) write(name)
    expect(await found()).toEqual(['own/.git'])
  })

  it('are not those outside, nor the repository itself', async () => {
    write('a/.git', 'gitdir: ..\n')
    write('b/.git', 'gitdir: /usr\n')
    write('c/.git', 'nothing')
    symlinkSync('/usr', join(root, 'link'))
    symlinkSync('.', join(root, 'self'))
    expect(await found()).toEqual([])
  })
})

it('names that a file system may treat as one are known', () => {
  for (const name of [
    '.git',
    '.GIT',
    '.git. ',
    'git~1',
    '.g\u200cit',
    '.hg',
    '.jj',
    '.svn',
    'HG~1',
  ])
    expect(isVersionControl(name), name).toBe(true)
  for (const name of ['.github', '.gitignore', 'git', '.hgignore', 'jj', '.hgtags'])
    expect(isVersionControl(name), name).toBe(false)
})
