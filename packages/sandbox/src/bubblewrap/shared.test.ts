import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { SandboxError } from '../sandbox.ts'
import { folderArguments } from './shared.ts'

const base = realpathSync(mkdtempSync(join(tmpdir(), 'shared-')))
const from = join(base, 'from')
const outside = join(base, 'outside')
/** A folder of the machine that has the same path as a folder inside the one shared at `base`. */
const tools = join(base, 'tools')
const link = join(base, 'tools', 'link')

beforeEach(() => {
  rmSync(base, { recursive: true, force: true })
  for (const folder of [from, outside, join(tools, 'bin')]) mkdirSync(folder, { recursive: true })
  for (const file of [join(outside, 'bin'), join(tools, 'program')]) writeFileSync(file, 'kept')
})

afterAll(() => rmSync(base, { recursive: true, force: true }))

/** Returns the arguments for sharing `from` at `at`, while the program also sees the paths `seen` of the machine. */
function sharing(at: string, seen: readonly string[] = [], cwd: string | null = '/work') {
  const links = seen.includes(link) ? [[link, 'program'] as const] : []
  const bound = new Set(seen.filter((path) => path !== link))
  return folderArguments([{ from, at }], { bound, links: new Map(links) }, cwd)
}

describe.skipIf(process.platform === 'win32')('a folder to write to', () => {
  it('is bound where it is wanted, in folders that all may enter', () => {
    const args = ['--perms', '0755', '--dir', '/home', '--bind', from, '/home/agent']
    expect(sharing('/home/agent')).toEqual({ before: args, after: [] })
    expect(sharing('/home/agent', [], '/home/agent/x')).toEqual({ before: [], after: args })
    expect(sharing('/home/agent', [], null)).toEqual({ before: [], after: args })
  })

  it('has no place in what is seen, nor where the sandbox has its own', () => {
    expect(() => sharing(join(tools, 'x'), [tools])).toThrow(SandboxError)
    expect(() => sharing(tools, [tools])).toThrow(/cannot share a folder at .*tools/)
    for (const at of ['/dev/x', '/etc', '/scratch', '/proc'])
      expect(() => sharing(at), at).toThrow(/cannot share a folder/)
    const folders = ['/a', '/a/b'].map((at) => ({ from, at }))
    expect(() => folderArguments(folders, { bound: new Set(), links: new Map() }, '/')).toThrow(
      /cannot share a folder at \/a\/b/,
    )
  })

  it('is refused, by name, where it is none, or its place is not a path', () => {
    symlinkSync(outside, join(base, 'linked'))
    for (const wrong of [join(base, 'linked'), join(outside, 'bin'), 'from', join(base, 'none')])
      expect(
        () =>
          folderArguments([{ from: wrong, at: '/w' }], { bound: new Set(), links: new Map() }, '/'),
        wrong,
      ).toThrow(/shares folders, and/)
    for (const at of ['w', '/', '/w/', '/w/../x', '/w//x', ''])
      expect(() => sharing(at), at).toThrow(/plain absolute paths/)
  })

  it('holds nothing else where the program works in it', () => {
    expect(() => sharing(base, [tools], base)).toThrow(/cannot share a folder/)
    expect(() => sharing(base, [tools], join(base, 'deep'))).toThrow(/cannot share a folder/)
    expect(() => sharing(base, [tools], null)).toThrow(/cannot share a folder/)
    expect(sharing(base, [tools], '/work').before).toContain(base)
  })

  it.each<[string, () => void, string[]]>([
    ['a link to elsewhere', () => symlinkSync(outside, join(from, 'tools')), []],
    ['a file', () => writeFileSync(join(from, 'tools'), ''), []],
    [
      'a link at the end of the way',
      () => {
        mkdirSync(join(from, 'tools'))
        symlinkSync(outside, join(from, 'tools', 'bin'))
      },
      ['tools'],
    ],
    [
      'a folder in place of a file, and of a link',
      () => {
        mkdirSync(join(from, 'tools', 'program', 'deep'), { recursive: true })
        mkdirSync(join(from, 'tools', 'link', 'deep'), { recursive: true })
      },
      ['tools'],
    ],
    [
      'a closed folder',
      () => {
        mkdirSync(join(from, 'tools', 'bin'), { recursive: true })
        for (const path of ['tools/bin', 'tools', '.']) chmodSync(join(from, path), 0)
      },
      ['tools', 'tools/bin'],
    ],
  ])('has a clear way to what it holds, though a program left %s', (_, lay, left) => {
    lay()
    sharing(base, [join(tools, 'bin'), join(tools, 'program'), link])
    expect(readdirSync(from, { recursive: true, encoding: 'utf8' }).sort()).toEqual(left)
    for (const path of ['', ...left]) expect(lstatSync(join(from, path)).mode & 0o700).toBe(0o700)
    expect(existsSync(join(outside, 'bin'))).toBe(true)
    expect(existsSync(join(tools, 'program'))).toBe(true)
  })
})
