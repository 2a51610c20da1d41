/** Tests the published package: the packed metrics package, installed in another project. */
import { execFile } from 'node:child_process'
import { cp, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core'
import { publint } from 'publint'
import { formatMessage } from 'publint/utils'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const execute = promisify(execFile)
const root = new URL('..', import.meta.url).pathname
const metrics = join(root, 'packages/metrics')

describe('the packed @assay/metrics', () => {
  let folder: string
  let source: string
  let tarball: string

  // Packing writes to dist, which other tests read. So a copy is packed, with the package's own steps.
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'assay-pack-'))
    source = join(folder, 'metrics')
    await cp(metrics, source, { recursive: true, filter: (path) => !path.includes('node_modules') })
    await execute(process.execPath, [join(metrics, 'pack.ts'), source])
    const pack = ['pack', '--json', '--ignore-scripts', '--pack-destination', folder]
    const { stdout } = await execute('npm', pack, { cwd: source })
    const packed = JSON.parse(stdout) as
      | { filename: string }[]
      | Record<string, { filename: string }>
    const [first] = Object.values(packed)
    tarball = join(folder, (first as { filename: string }).filename)
  })

  afterAll(() => rm(folder, { recursive: true, force: true }))

  it('is under 100 kB and has no dependencies', async () => {
    expect((await stat(tarball)).size).toBeLessThan(100_000)
    const manifest = JSON.parse(await readFile(join(source, 'package.json'), 'utf8')) as Record<
      string,
      unknown
    >
    for (const kind of ['dependencies', 'peerDependencies', 'optionalDependencies'])
      expect(manifest[kind]).toBeUndefined()
  })

  it('has nothing that publint complains about', async () => {
    const { messages, pkg } = await publint({ pkgDir: source, strict: true })
    expect(messages.map((message) => formatMessage(message, pkg))).toEqual([])
  })

  it('has types that resolve for every way of importing an ES module', async () => {
    const data = new Uint8Array(await readFile(tarball))
    const result = await checkPackage(createPackageFromTarballData(data))
    expect(result.types).toMatchObject({ kind: 'included' })
    const problems = result.types ? (result as { problems: { kind: string }[] }).problems : []
    // The package has only ES modules. So it is intended that `require` finds an ES module and that node10 finds no
    // exports.
    const intended = ['CJSResolvesToESM', 'NoResolution']
    expect(problems.filter(({ kind }) => !intended.includes(kind))).toEqual([])
  })

  it('works in a plain JavaScript file', async () => {
    const app = join(folder, 'app')
    await execute(
      'npm',
      ['install', '--prefix', app, '--no-audit', '--no-fund', '--offline', tarball],
      {
        cwd: folder,
      },
    )
    const program = `import { passAtK } from '@assay/metrics'\nconsole.log(passAtK(10, 3, 5))\n`
    await writeFile(join(app, 'use.mjs'), program)
    const { stdout } = await execute(process.execPath, ['use.mjs'], { cwd: app })
    expect(stdout.trim()).toBe('0.9166666666666666')
  })
})

it('tests run on the locked Node, 24 or newer', () => {
  expect(Number(process.versions.node.split('.')[0])).toBeGreaterThanOrEqual(24)
})
