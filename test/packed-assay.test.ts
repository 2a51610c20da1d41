/** Tests the published package `assay`: packed, and used in projects of both module types. */
import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { installPacked, packAll, type Packed } from './packed.ts'

const execute = promisify(execFile)
const root = new URL('..', import.meta.url).pathname

const EVALS = `import { suite } from 'assay'
import { double } from './double'
export default suite({
  id: 'doubles',
  cases: [{ id: 'two', input: { n: 2 }, expected: 4 }],
  subjects: { ours: ({ input }) => double(input.n) },
  graders: [({ output, expected }) => output === expected],
})
`
const DOUBLE = 'export const double = (n: number): number => n * 2\n'
const TYPED = `import { compare, gate, run, suite, summarize } from 'assay'
import { compareReports } from 'assay/compare'
import { readForeignReport } from 'assay/analyze'
import { renderReport } from 'assay/report'
const made = suite({
  cases: [{ input: { n: 2 }, expected: 4 }],
  // @ts-expect-error the input has no m
  subjects: { ours: ({ input }) => input.m },
  graders: [({ output, expected }) => output === expected],
})
export { compare, compareReports, gate, made, readForeignReport, renderReport, run, summarize }
`
const TSCONFIG = {
  compilerOptions: { module: 'nodenext', target: 'es2024', strict: true, noEmit: true, types: [] },
  files: ['typed.mts'],
}

let folder: string
let packed: Packed

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'assay-packed-'))
  packed = await packAll(folder)
}, 120_000)
afterAll(() => rm(folder, { recursive: true, force: true }))

describe('the packed assay', () => {
  it('has a README, the suites and the schemas, and no tests', async () => {
    const tarball = packed.tarballs.find((path) => /\/assay-\d/.test(path)) ?? ''
    const { stdout } = await execute('tar', ['-tzf', tarball])
    const files = stdout.split('\n')
    for (const file of ['README.md', 'schemas/gates.schema.json', 'suites/typescript-basics.toml'])
      expect(files).toContain(`package/${file}`)
    expect(files.filter((file) => /\.test\.|tsbuildinfo|dist\/compiled/.test(file))).toEqual([])
  })
})

describe.each(['commonjs', 'module'])('in a project of type %s', (type) => {
  let project: string
  const assay = async (...words: string[]): Promise<string> => {
    const { stdout } = await execute(
      process.execPath,
      [join(project, 'node_modules/assay/bin/assay.js'), ...words],
      { cwd: project, env: { ...process.env, XDG_CONFIG_HOME: join(project, 'config') } },
    )
    return stdout
  }

  beforeAll(async () => {
    project = join(folder, type)
    await mkdir(project)
    await writeFile(join(project, 'package.json'), JSON.stringify({ name: 'app', type }))
    await installPacked(packed, project)
  }, 60_000)

  it('init and run work without arguments, and editors find the schemas of the package', async () => {
    await assay('init')
    expect(await assay('run')).toContain('first-steps · 12 cases · 1 subject · 5 trials each')
    const [line = ''] = (await readFile(join(project, 'suite.toml'), 'utf8')).split('\n')
    const schema = join(project, line.replace('#:schema ', ''))
    expect(JSON.parse(await readFile(schema, 'utf8'))).toMatchObject({ title: 'Assay suite' })
  })

  it('functions run from TypeScript files that import each other as the project does', async () => {
    await writeFile(join(project, 'doubles.eval.ts'), EVALS)
    await writeFile(join(project, 'double.ts'), DOUBLE)
    expect(await assay('run', 'doubles.eval.ts')).toContain('1 planned = 1 passed')
  })

  it('the library loads', async () => {
    // A CommonJS project requires it, which Node allows for ES modules.
    const program =
      type === 'module'
        ? "import { run } from 'assay'\nconsole.log(typeof run)\n"
        : "const { run } = require('assay')\nconsole.log(typeof run)\n"
    await writeFile(join(project, 'use.js'), program)
    const { stdout } = await execute(process.execPath, ['use.js'], { cwd: project })
    expect(stdout).toBe('function\n')
  })
})

it('its types need no @types/node, also where libraries are checked', async () => {
  const project = join(folder, 'module')
  await writeFile(join(project, 'typed.mts'), TYPED)
  await writeFile(join(project, 'tsconfig.json'), JSON.stringify(TSCONFIG))
  const tsc = join(root, 'node_modules/typescript/bin/tsc')
  const { stdout } = await execute(process.execPath, [tsc, '-p', project]).catch(
    (error: unknown) => error as { stdout: string },
  )
  expect(stdout).toBe('')
}, 60_000)
