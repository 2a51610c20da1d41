import {
  chmodSync,
  mkdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { GRADED_GIT, WorkspaceTooLarge, type WorkspaceDiff } from '@assay/contract'
import { contentOf, hasGit, newFolder, planOf } from '../../../test/workspaces.ts'
import { applyChanges, applyPermissions, stageTexts } from './apply.ts'
import { copyTree } from '../files/copy.ts'
import { diffWorkspace } from './diff.ts'
import { placeFile } from '../files/location.ts'
import { removeTree } from '../files/remove.ts'
import { restore } from '../files/restore.ts'
import { STAMP_TICK_MS, type Stamps } from '../files/fingerprint.ts'
import { tamperedPaths } from './tampered.ts'
import { checkSize } from './too-large.ts'

let root: string
let made = 0
beforeAll(() => {
  root = newFolder()
})
afterAll(() => removeTree(root))

interface Opened {
  readonly start: string
  readonly folder: string
  readonly stamps: Stamps
}

/**
 * Creates a start with these files, and a copy of it. Waits until a later change to the copy is sure to change
 * its stamps.
 */
async function opened(files: Readonly<Record<string, string>>): Promise<Opened> {
  const around = join(root, String(++made))
  const start = join(around, 'start')
  mkdirSync(start, { recursive: true })
  stageTexts(start, files, null)
  const folder = join(around, 'folder')
  const stamps = copyTree(start, folder, { owner: null })
  await sleep(STAMP_TICK_MS)
  return { start, folder, stamps }
}

const diffOf = (
  { start, folder, stamps }: Opened,
  ignore: readonly string[] = [],
  protect: readonly string[] = [],
): WorkspaceDiff =>
  diffWorkspace({ folder, stamps, start, laid: { folder: '', paths: new Set() }, ignore, protect })

function rebuilt({ start }: Opened, diff: WorkspaceDiff): string {
  const folder = join(root, `rebuilt-${++made}`)
  copyTree(start, folder, { owner: null })
  applyChanges(folder, diff, null)
  return folder
}

describe('the difference', () => {
  it('tells what was added, changed and deleted, with modes and patches', async () => {
    const one = await opened({ 'a.txt': 'one\ntwo\n', 'b/c.txt': 'x\n', 'run.sh': 'echo\n' })
    writeFileSync(join(one.folder, 'a.txt'), 'one\n2\n')
    rmSync(join(one.folder, 'b/c.txt'))
    chmodSync(join(one.folder, 'run.sh'), 0o755)
    writeFileSync(join(one.folder, 'new.bin'), Buffer.from([0xff, 0, 1]))
    symlinkSync('a.txt', join(one.folder, 'link'))
    expect(diffOf(one)).toEqual({
      version: 1,
      changes: [
        {
          path: 'a.txt',
          change: 'changed',
          modeBefore: '100644',
          mode: '100644',
          text: 'one\n2\n',
          patch: '@@ -1,2 +1,2 @@\n one\n-two\n+2\n',
        },
        {
          path: 'b/c.txt',
          change: 'deleted',
          modeBefore: '100644',
          patch: '@@ -1,1 +0,0 @@\n-x\n',
        },
        {
          path: 'link',
          change: 'added',
          mode: '120000',
          text: 'a.txt',
          patch: '@@ -0,0 +1,1 @@\n+a.txt\n\\ No newline at end of file\n',
        },
        { path: 'new.bin', change: 'added', mode: '100644', base64: '/wAB' },
        {
          path: 'run.sh',
          change: 'changed',
          modeBefore: '100644',
          mode: '100755',
          text: 'echo\n',
        },
      ],
    })
  })

  it('sees a change of the same size whose time was set back', async () => {
    const one = await opened({ 'a.txt': 'right' })
    const path = join(one.folder, 'a.txt')
    const { atime, mtime } = statSync(path)
    writeFileSync(path, 'wrong')
    utimesSync(path, atime, mtime)
    expect(diffOf(one).changes.map(({ text }) => text)).toEqual(['wrong'])
  })

  it('is empty where files were written with what they held, or moved away and back', async () => {
    const one = await opened({ 'a.txt': 'same', 'b.txt': 'other' })
    writeFileSync(join(one.folder, 'a.txt'), 'same')
    renameSync(join(one.folder, 'b.txt'), join(one.folder, 'c.txt'))
    renameSync(join(one.folder, 'c.txt'), join(one.folder, 'b.txt'))
    expect(diffOf(one)).toEqual({ version: 1, changes: [] })
  })

  it('leaves out what is ignored, on both sides', async () => {
    const one = await opened({ 'node_modules/a.js': '1', 'src/b.ts': '1' })
    rmSync(join(one.folder, 'node_modules'), { recursive: true })
    mkdirSync(join(one.folder, 'src/node_modules'))
    writeFileSync(join(one.folder, 'src/node_modules/x.js'), '')
    mkdirSync(join(one.folder, '.git'))
    writeFileSync(join(one.folder, '.git/HEAD'), '')
    expect(diffOf(one, ['**/node_modules']).changes).toEqual([])
  })

  it('has what is protected by its name, though it is ignored, and not what is only reached', async () => {
    const one = await opened({
      'node_modules/kept/a.js': '1',
      'node_modules/kept/b.js': '1',
      'node_modules/other/a.js': '1',
      'tests/a.py': '1',
    })
    rmSync(join(one.folder, 'node_modules/kept/a.js'))
    writeFileSync(join(one.folder, 'node_modules/kept/b.js'), '2')
    writeFileSync(join(one.folder, 'node_modules/kept/c.js'), '2')
    writeFileSync(join(one.folder, 'node_modules/other/a.js'), '2')
    placeFile(one.folder, 'tests/__pycache__/a.pyc', 'x', '100644', null)
    const ignore = ['**/node_modules/**', '**/__pycache__/**']
    const protect = ['node_modules/kept/**', 'tests/**', '**/*.pyc']
    expect(diffOf(one, ignore, protect).changes.map(({ path, change }) => [path, change])).toEqual([
      ['node_modules/kept/a.js', 'deleted'],
      ['node_modules/kept/b.js', 'changed'],
      ['node_modules/kept/c.js', 'added'],
    ])
  })

  it('shows no patch where finding one would take too long', async () => {
    const lines = (start: number): string =>
      Array.from({ length: 9000 }, (_, i) => `${(i * 7919 + start) % 9001}`).join('\n')
    const one = await opened({ 'a.txt': lines(0) })
    writeFileSync(join(one.folder, 'a.txt'), lines(4000).split('\n').toReversed().join('\n'))
    const [change] = diffOf(one).changes
    expect(change?.text).toBeDefined()
    expect(change?.patch).toBeUndefined()
  })
})

describe('what is too large', () => {
  it('names the folder that most of it is in, and the setting', async () => {
    const one = await opened({})
    placeFile(one.folder, 'packages/app/target/big', 'x', '100644', null)
    // The file is sparse, so it takes no space on the disk.
    truncateSync(join(one.folder, 'packages/app/target/big'), 2 ** 40)
    placeFile(one.folder, 'packages/app/a', 'x', '100644', null)
    expect(() => diffOf(one)).toThrow(WorkspaceTooLarge)
    expect(() => diffOf(one)).toThrow(
      /^left changed files of 1099511627777 bytes, of which at most 33554432 are kept; 1099511627776 bytes of them are in packages\/app\/target: .* workspace\.ignore$/,
    )
  })

  it('counts files too', () => {
    const changes = Array.from({ length: 5001 }, (_, i) => ({ path: `out/${i}`, bytes: 0 }))
    expect(() => checkSize(changes.slice(1))).not.toThrow()
    expect(() => checkSize(changes)).toThrow(
      /^left 5001 changed files, .* 5001 files of them are in out:/,
    )
  })
})

describe('hostile workspaces', () => {
  it('links out of the folder are told and never followed', async () => {
    const outside = await opened({ 'secret.txt': 'secret', 'deep/x': 'secret' })
    const one = await opened({ 'tests/a.ts': '1', 'b.txt': '2' })
    rmSync(join(one.folder, 'tests'), { recursive: true })
    symlinkSync(outside.folder, join(one.folder, 'tests'))
    rmSync(join(one.folder, 'b.txt'))
    symlinkSync(join(outside.folder, 'secret.txt'), join(one.folder, 'b.txt'))
    const before = contentOf(outside.folder)
    const diff = diffOf(one)
    expect(diff.changes.map(({ path, change, text }) => [path, change, text])).toEqual([
      ['b.txt', 'changed', join(outside.folder, 'secret.txt')],
      ['tests', 'added', outside.folder],
      ['tests/a.ts', 'deleted', undefined],
    ])
    const end = rebuilt(one, diff)
    expect(contentOf(end)).toEqual(contentOf(one.folder))
    // Hidden files are written to their own paths, even if the agent put links there.
    stageTexts(end, { 'tests/hidden.ts': 'h', 'b.txt': 'h', 'tests/deep/x': 'h' }, null)
    expect(contentOf(end)).toEqual({
      'b.txt': 'file h',
      'tests/': 'folder',
      'tests/deep/': 'folder',
      'tests/deep/x': 'file h',
      'tests/hidden.ts': 'file h',
    })
    removeTree(end)
    removeTree(one.folder)
    expect(contentOf(outside.folder)).toEqual(before)
  })

  it('pipes, and names that are not valid UTF-8, are left out and told; a pipe for a file is its deletion', async () => {
    const one = await opened({ 'a.txt': '1' })
    rmSync(join(one.folder, 'a.txt'))
    execFileSync('mkfifo', [join(one.folder, 'a.txt'), join(one.folder, 'pipe')])
    writeFileSync(Buffer.concat([Buffer.from(`${one.folder}/`), Buffer.from([0xff, 0xfe])]), 'x')
    const { changes, unkept, oddities = [] } = diffOf(one)
    expect(changes.map(({ path, change }) => [path, change])).toEqual([['a.txt', 'deleted']])
    expect(unkept).toEqual(['a.txt', 'pipe', '\ufffd\ufffd'])
    expect(oddities.toSorted()).toEqual([
      'a.txt: neither a file nor a folder nor a link',
      'pipe: neither a file nor a folder nor a link',
      '\ufffd\ufffd: its name is not valid UTF-8',
    ])
  })

  it('what cannot be kept is tampering where it is protected, and no matter where it is ignored', async () => {
    const one = await opened({ 'tests/a.py': '1' })
    const bad = Buffer.concat([Buffer.from(`${one.folder}/tests/`), Buffer.from([0xff])])
    writeFileSync(Buffer.concat([bad, Buffer.from('bad.py')]), 'x')
    mkdirSync(Buffer.concat([bad, Buffer.from('folder')]))
    execFileSync('mkfifo', [join(one.folder, 'tests/pipe'), join(one.folder, 'other.sock')])
    const diff = diffOf(one, ['*.sock'])
    expect(diff.changes).toEqual([])
    expect(diff.oddities).toHaveLength(3)
    expect(tamperedPaths(planOf({ protect: ['tests/*.py'] }), diff)).toEqual(['tests/\ufffdbad.py'])
    expect(tamperedPaths(planOf({ protect: ['tests'] }), diff)).toEqual([
      'tests/pipe',
      'tests/\ufffdbad.py',
      'tests/\ufffdfolder',
    ])
  })

  it('names with newlines, escapes and quotes are names', async () => {
    const one = await opened({})
    const names = ['a\nb', '\u001b[31mred', '"quoted" \\ name', '-rf', ' ', 'ü', '*']
    for (const name of names) writeFileSync(join(one.folder, name), name)
    const diff = diffOf(one)
    expect(diff.changes.map(({ path }) => path)).toEqual(names.toSorted())
    expect(contentOf(rebuilt(one, diff))).toEqual(contentOf(one.folder))
  })

  it('what is closed to everybody is opened', async () => {
    const one = await opened({ 'a/b.txt': '1' })
    writeFileSync(join(one.folder, 'a/b.txt'), '2')
    chmodSync(join(one.folder, 'a/b.txt'), 0)
    chmodSync(join(one.folder, 'a'), 0)
    expect(diffOf(one).changes.map(({ text }) => text)).toEqual(['2'])
    removeTree(one.folder)
    expect(statSync(one.folder, { throwIfNoEntry: false })).toBeUndefined()
  })

  it('folders deeper than a path can be long are left out, and removed', async () => {
    const one = await opened({ 'a.txt': '1' })
    // The system refuses to create such a long path at once. So two shorter folders are created, and one is
    // moved into the other.
    const half = Array.from({ length: 60 }, () => 'd'.repeat(50)).join('/')
    const other = join(root, 'half')
    for (const folder of [one.folder, other]) mkdirSync(join(folder, half), { recursive: true })
    writeFileSync(join(other, half, 'file'), '')
    renameSync(join(other, 'd'.repeat(50)), join(one.folder, half, 'e'))
    const { changes, unkept, oddities } = diffOf(one)
    expect(changes).toEqual([])
    expect(unkept?.[0]).toMatch(/^ddd.*[^/]$/)
    expect(oddities?.[0]).toMatch(/its path is too long$/)
    removeTree(one.folder)
    expect(statSync(one.folder, { throwIfNoEntry: false })).toBeUndefined()
  })
})

// ── Properties ───────────────────────────────────────────────────────────────────────────────────────

const name = fc.constantFrom('a', 'b', 'c')
const path = fc.array(name, { minLength: 1, maxLength: 3 }).map((steps) => steps.join('/'))
const files = fc.array(fc.tuple(path, fc.constantFrom('', 'x\n', '#!x')), { maxLength: 6 })
const act = fc.record({
  what: fc.constantFrom('write', 'program', 'link', 'remove', 'bytes', 'folder'),
  path,
})

/** Does one random action in the folder. Whatever exists at the path is replaced, as an agent might do. */
function perform(folder: string, { what, path: at }: { what: string; path: string }): void {
  if (what === 'remove') removeTree(join(folder, at))
  else if (what === 'link') placeFile(folder, at, '../a', '120000', null)
  else if (what === 'bytes') placeFile(folder, at, Buffer.from([0xff, 0]), '100644', null)
  else if (what === 'folder') placeFile(folder, `${at}/in`, 'in', '100644', null)
  else placeFile(folder, at, 'written', what === 'program' ? '100755' : '100644', null)
}

const withoutFolders = (content: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(content).filter(([at]) => !at.endsWith('/')))

/**
 * Returns the files without those whose path is inside another file's path, because they could not exist
 * together.
 */
function standing(list: readonly (readonly [string, string])[]): Record<string, string> {
  const kept = new Map<string, string>()
  for (const [at, text] of list)
    if (
      ![...kept.keys()].some(
        (other) => `${other}/`.startsWith(`${at}/`) || `${at}/`.startsWith(`${other}/`),
      )
    )
      kept.set(at, text)
  return Object.fromEntries(kept)
}

it('the start with the difference is the end, and a restored copy is the start', async () => {
  await fc.assert(
    fc.asyncProperty(files, fc.array(act, { maxLength: 8 }), async (list, acts) => {
      const one = await opened(standing(list))
      for (const each of acts) perform(one.folder, each)
      const diff = diffOf(one)
      const end = rebuilt(one, diff)
      expect(withoutFolders(contentOf(end))).toEqual(withoutFolders(contentOf(one.folder)))
      const { folder, start, stamps } = one
      const fresh = restore({ folder, start, stamps, spare: `${folder}-spare`, owner: null })
      expect(contentOf(folder)).toEqual(contentOf(start))
      expect(diffOf({ folder, start, stamps: fresh }).changes).toEqual([])
      // `restore` returns a stamp for every path of a copy. A second `restore` finds them all unchanged.
      expect([...fresh.keys()].toSorted()).toEqual([...stamps.keys()].toSorted())
      expect(
        restore({ folder, start, stamps: fresh, spare: `${folder}-spare`, owner: null }),
      ).toEqual(fresh)
      removeTree(join(folder, '..'))
      removeTree(end)
    }),
    { numRuns: 25 },
  )
})

it.skipIf(!hasGit)('contains commits and branches only if they are graded', async () => {
  const at = await opened({ 'a.txt': 'x\n' })
  const git = (folder: string, ...words: string[]): string =>
    execFileSync('git', ['-c', 'user.name=x', '-c', 'user.email=x@x', '-C', folder, ...words], {
      encoding: 'utf8',
    })
  git(at.folder, 'init', '-q', '-b', 'main')
  git(at.folder, 'add', '.')
  git(at.folder, 'commit', '-qm', 'first')
  git(at.folder, 'branch', 'feature')
  expect(diffOf(at)).toEqual({ version: 1, changes: [] })
  const diff = diffOf(at, [GRADED_GIT])
  expect(diff.changes.map((change) => change.path)).toContain('.git/refs/heads/feature')
  const again = join(root, String(++made))
  copyTree(at.start, again, { owner: null })
  applyChanges(again, diff, null)
  expect(git(again, 'log', '--format=%s', 'feature')).toBe('first\n')
  expect(git(again, 'status', '--porcelain')).toBe('')
})

describe('folders and permissions', () => {
  it('are recorded, and made again', async () => {
    const at = await opened({ 'a.sh': 'x', 'keep/b.txt': 'x', 'src/c.txt': 'x' })
    mkdirSync(join(at.folder, 'new/inner'), { recursive: true })
    mkdirSync(join(at.folder, 'node_modules'))
    chmodSync(join(at.folder, 'a.sh'), 0o600)
    chmodSync(join(at.folder, 'keep'), 0o700)
    rmSync(join(at.folder, 'src/c.txt'))
    const diff = diffOf(at, ['node_modules'])
    expect(diff).toMatchObject({
      changes: [{ path: 'src/c.txt', change: 'deleted' }],
      folders: [{ path: 'new/inner', change: 'added' }],
      permissions: { 'a.sh': '600', keep: '700' },
    })
    const again = join(root, String(++made))
    copyTree(at.start, again, { owner: null })
    applyChanges(again, diff, null)
    applyPermissions(again, diff, {})
    expect(statSync(join(again, 'new/inner')).isDirectory()).toBe(true)
    expect(statSync(join(again, 'a.sh')).mode & 0o777).toBe(0o600)
    // Graders must reach the hidden files, whatever the agent did to the folders.
    expect(statSync(join(again, 'keep')).mode & 0o777).toBe(0o755)
  })

  it('count as deleted if they were empty at the start', async () => {
    const around = join(root, String(++made))
    mkdirSync(join(around, 'start/empty/deep'), { recursive: true })
    const [start, folder] = [join(around, 'start'), join(around, 'folder')]
    const stamps = copyTree(start, folder, { owner: null })
    await sleep(STAMP_TICK_MS)
    rmSync(join(folder, 'empty'), { recursive: true })
    const diff = diffOf({ start, folder, stamps })
    expect(diff.folders).toEqual([{ path: 'empty/deep', change: 'deleted' }])
    expect(tamperedPaths(planOf({ protect: ['empty/**'] }), diff)).toEqual(['empty/deep'])
  })

  it('are tampering where they are protected, unless another umask explains them', async () => {
    const at = await opened({ 'tests/a.js': 'x', 'tests/b.js': 'x', 'tests/c.js': 'x' })
    chmodSync(join(at.folder, 'tests/a.js'), 0o664)
    chmodSync(join(at.folder, 'tests/b.js'), 0o000)
    chmodSync(join(at.folder, 'tests/c.js'), 0o4644)
    mkdirSync(join(at.folder, 'tests/more'))
    const diff = diffOf(at, [], ['tests/**'])
    expect(diff.permissions).toEqual({
      ...{ 'tests/a.js': '664', 'tests/b.js': '0', 'tests/c.js': '4644' },
    })
    expect(tamperedPaths(planOf({ protect: ['tests/**'] }), diff).toSorted()).toEqual([
      ...['tests/b.js', 'tests/c.js', 'tests/more'],
    ])
  })

  it('are not set through a link, and never on hidden files', async () => {
    const at = await opened({ 'a.txt': 'x' })
    const outside = join(root, 'outside')
    mkdirSync(outside, { recursive: true })
    writeFileSync(join(outside, 'f'), 'x', { mode: 0o644 })
    symlinkSync(outside, join(at.folder, 'link'))
    const permissions = { 'link/f': '600', 'a.txt': '600' }
    applyPermissions(at.folder, { changes: [], permissions }, { 'a.txt': 'hidden' })
    expect(statSync(join(outside, 'f')).mode & 0o777).toBe(0o644)
    expect(statSync(join(at.folder, 'a.txt')).mode & 0o777).toBe(0o644)
  })
})
