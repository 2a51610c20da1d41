/** Tests of the functions that read files: size limits, links, and files that are not what they seem. */
import { execFileSync } from 'node:child_process'
import { mkdir, open, symlink } from 'node:fs/promises'
import path from 'node:path'
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { loadText, suiteFolder, testGraders } from '../../test/suite-folder.ts'
import { SuiteFiles, pathRefusal, sourceRefusal } from '../suite/native/suite-files.ts'
import { loadSuite } from '../suite/load.ts'

const SUITE = 'id: s\ncases: [{id: a, prompt: p, graders: [{type: equals, value: x}]}]'
const load = async (file: string) => await loadSuite(file, { graders: testGraders })

describe('a suite file', () => {
  it('may be gzipped', async () => {
    expect((await loadText('s.yaml.gz', gzipSync(SUITE))).suite.id).toBe('s')
  })

  it.each([
    ['a folder', async (folder: string) => folder, 'a folder; expected a file'],
    ['nothing', async (folder: string) => path.join(folder, 'x'), 'there is no such file'],
    [
      'a file with a similar name',
      async (folder: string) => {
        await mkdir(path.join(folder, 'suite.toml'))
        return path.join(folder, 'siute.toml')
      },
      /expected a readable file; did you mean .*suite\.toml\?$/,
    ],
    ['no file name', async () => 'a\0b', 'this is not a file name'],
    [
      'a pipe',
      async (folder: string) => {
        const pipe = path.join(folder, 'pipe.yaml')
        execFileSync('mkfifo', [pipe])
        return pipe
      },
      'not a regular file',
    ],
    [
      'a link in a circle',
      async (folder: string) => {
        await symlink('loop.yaml', path.join(folder, 'loop.yaml'))
        return path.join(folder, 'loop.yaml')
      },
      'the link leads in a circle',
    ],
  ])('is not %s', async (_, make, message) => {
    const folder = await suiteFolder()
    await expect(load(await make(folder))).rejects.toThrow(message)
  })

  it('is not other bytes', async () => {
    await expect(loadText('s.yaml', new Uint8Array([0x69, 0x64, 0xff]))).rejects.toThrow(
      'not UTF-8 text',
    )
    await expect(loadText('s.yaml', gzipSync(SUITE).subarray(0, 30))).rejects.toThrow(
      'damaged gzip data',
    )
    await expect(loadText('s.yaml', new Uint8Array([0x1f, 0x8b, 1, 2]))).rejects.toThrow(
      'damaged gzip data',
    )
  })

  it('is not huge', async () => {
    const folder = await suiteFolder()
    const file = path.join(folder, 'huge.yaml')
    const handle = await open(file, 'w')
    await handle.truncate(600 * 1024 * 1024)
    await handle.close()
    await expect(load(file)).rejects.toThrow('the file is too large; expected at most 512 MB')
    const text = path.join(folder, 'text.yaml')
    const other = await open(text, 'w')
    await other.truncate(40 * 1024 * 1024)
    await other.close()
    await expect(load(text)).rejects.toThrow('expected at most 32 MB')
  })

  it('does not unpack to something huge', async () => {
    const bomb = gzipSync(Buffer.alloc(40 * 1024 * 1024, 0x20))
    expect(bomb.length).toBeLessThan(100_000)
    await expect(loadText('s.yaml', bomb)).rejects.toThrow(
      'the unpacked file is too large; expected at most 32 MB',
    )
    await expect(loadText('s.jsonl', bombOf(70))).rejects.toThrow(/line 1 is too large/)
  })

  it('does not hold millions of short rows, which would fill the memory as cases', async () => {
    const row = '{"task_id":"a","prompt":"p","test":"t"}\n'
    const rows = gzipSync(Buffer.concat([Buffer.from(row), Buffer.alloc(1_000_000, '\n')]))
    await expect(loadText('s.jsonl', rows)).rejects.toThrow('more than 1000000 lines')
  })
})

/** Repeats one gzip member many times. A gzip file may consist of several members, one after the other. */
const bombOf = (megabytes: number): Uint8Array => {
  const one = gzipSync(Buffer.alloc(1024 * 1024, 0x20))
  return Buffer.concat(Array.from({ length: megabytes }, () => one))
}

describe('files beside a suite', () => {
  it.each([
    ['/etc/passwd', 'an absolute path'],
    ['C:/x', 'an absolute path'],
    ['../x', 'a path that leaves the folder'],
    ['a/../../x', 'a path that leaves the folder'],
    ['a\\b', 'a backslash'],
    ['a//b', 'an empty step in the path'],
    ['./a', 'an empty step in the path'],
    ['', 'an empty step in the path'],
    ['a\0b', 'a control character'],
    ['x'.repeat(501), 'a path that is too long'],
  ])('are not read from %j', (file, found) => {
    expect(pathRefusal(file)?.found).toBe(found)
  })

  it.each(['a', 'a/b.c', '.hidden', 'a..b', 'é ü/x'])('may be called %j', (file) => {
    expect(pathRefusal(file)).toBeNull()
  })

  it.each(['.git/config', 'a/.GIT/config', '.git./config', '.g\u200cit/config', 'GIT~1/config'])(
    'are not those of git, by whatever name a file system gives them: %j',
    async (file) => {
      const folder = await suiteFolder({ [file]: 'key' })
      const read = await new SuiteFiles(path.join(folder, 's.toml')).text(file)
      expect(read).toMatchObject({ refusal: { found: 'a path in .git' } })
      expect(sourceRefusal('a/.github/x.git')).toBeNull()
    },
  )

  it('are not read through links that lead out, nor from folders, nor as bytes', async () => {
    const outside = await suiteFolder({ 'secret.txt': 'secret' })
    const folder = await suiteFolder({ 'ok.txt': 'ok', bytes: new Uint8Array([0xff, 0xfe, 0x80]) })
    await symlink(path.join(outside, 'secret.txt'), path.join(folder, 'link.txt'))
    await symlink(outside, path.join(folder, 'out'))
    await symlink('ok.txt', path.join(folder, 'inside.txt'))
    await mkdir(path.join(folder, 'folder'))
    const beside = new SuiteFiles(path.join(folder, 'suite.toml'))
    const found = async (file: string) => {
      const read = await beside.text(file)
      return 'text' in read ? read.text : read.refusal.found
    }
    expect(await found('ok.txt')).toBe('ok')
    expect(await found('inside.txt')).toBe('ok')
    expect(await found('link.txt')).toBe('a path that leaves the folder')
    expect(await found('out/secret.txt')).toBe('a path that leaves the folder')
    expect(await found('folder')).toBe('not a regular file')
    expect(await found('bytes')).toBe('not UTF-8 text')
    expect(await found('missing')).toBe('no such file')
  })

  it('may be anywhere in the repository that the suite is in, and never beyond it', async () => {
    const outside = await suiteFolder({ 'secret.txt': 'secret' })
    const repository = await suiteFolder({
      '.git/config': 'token',
      'prompts/ask.txt': 'ask',
      'suites/near.txt': 'near',
    })
    await symlink(path.join(outside, 'secret.txt'), path.join(repository, 'prompts/link.txt'))
    await symlink('../.git/config', path.join(repository, 'prompts/git.txt'))
    const files = new SuiteFiles(path.join(repository, 'suites/suite.toml'))
    const read = async (file: string): Promise<unknown> => {
      const found = await files.text(file)
      return 'text' in found ? found.text : found.refusal.found
    }
    expect(await read('../prompts/ask.txt')).toBe('ask')
    expect(await read('./near.txt')).toBe('near')
    const beyond = path.join('../..', path.basename(outside), 'secret.txt')
    for (const file of [beyond, '../../missing', '../prompts/link.txt'])
      expect(await read(file)).toBe('a path that leaves the repository')
    for (const file of ['../.git/config', '../prompts/git.txt'])
      expect(await read(file)).toBe('a path in .git')
    expect(await files.text(beyond)).toMatchObject({
      refusal: { expected: 'a path inside the repository that the suite is in' },
    })
  })

  it('change the hash of a case when they change', async () => {
    const text = 'id: s\ncases: [{id: a, prompt: p, tests: {file: t.ts}}]'
    const one = await loadText('s.yaml', text, { 't.ts': 'one' })
    const two = await loadText('s.yaml', text, { 't.ts': 'two' })
    const inline = await loadText('s.yaml', 'id: s\ncases: [{id: a, prompt: p, tests: one}]')
    expect(two.suite.cases[0]?.hash).not.toBe(one.suite.cases[0]?.hash)
    expect(inline.suite.cases[0]?.hash).toBe(one.suite.cases[0]?.hash)
  })

  it('are bounded in their sum', async () => {
    const folder = await suiteFolder({ big: 'x'.repeat(8 * 1024 * 1024) })
    const beside = new SuiteFiles(path.join(folder, 'suite.toml'))
    for (let i = 0; i < 32; i++) expect(await beside.text('big')).toHaveProperty('text')
    expect(await beside.text('big')).toHaveProperty('refusal')
  })
})
