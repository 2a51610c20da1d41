/**
 * Dependencies of TypeScript and JavaScript cases. The solution and the tests can import the packages that the case
 * declares, whatever the suite is called. An import of an undeclared package fails with an error that names it, even if
 * the package is in the vendored folder.
 */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Case, Suite } from '@assay/contract'
import { inspectSandbox, openSandbox, type Sandbox } from '@assay/sandbox'
import { equalsGrader, fakeCase } from '../../assay/test/fakes.ts'
import { lookAtTests, runTests } from './check-tests.ts'
import { codeDefaults, codeOptions, gradeCode } from './grade-code.ts'
import { closeTools } from './open-tools.ts'

const isReady = (await inspectSandbox()).ready

const MODULES: Readonly<
  Record<string, readonly [manifest: string, source: string, types?: string]>
> = {
  leftish: [
    '{"name":"leftish","version":"1.0.0","type":"module","exports":{".":{"types":"./index.d.ts","import":"./index.js"}}}',
    "import { width } from 'deeper'; export const left = (s, n) => s.padStart(n * width)",
    'export declare const left: (s: string, n: number) => string',
  ],
  deeper: ['{"name":"deeper","version":"1.0.0","main":"index.js"}', 'exports.width = 1'],
  '@of/common': [
    '{"name":"@of/common","version":"1.0.0","main":"index.js"}',
    'module.exports = class Box { constructor(n) { this.n = n } }',
  ],
}

const SOLUTION =
  "import { left } from 'leftish'\nexport const pad = (s: string): string => left(s, 3)\n"
const TESTS =
  "import { expect, it } from 'vitest'\nimport { left } from 'leftish'\nimport { pad } from './solution'\nit('pads', () => { expect(pad('a')).toBe(left('a', 3)) })\n"

const on = (...names: string[]): Case['dependencies'] =>
  names.map((name) => ({ name, version: null, features: [] }))

describe.skipIf(!isReady)('dependencies of TypeScript', () => {
  let folder: string
  let sandbox: Sandbox
  beforeAll(async () => {
    sandbox = await openSandbox('bubblewrap')
    folder = await mkdtemp(join(tmpdir(), 'assay-dependencies-'))
    for (const [name, [manifest, source, types]] of Object.entries(MODULES)) {
      const into = join(folder, 'vendor', 'node_modules', name)
      await mkdir(into, { recursive: true })
      await writeFile(join(into, 'package.json'), manifest)
      await writeFile(join(into, 'index.js'), source)
      if (types !== undefined) await writeFile(join(into, 'index.d.ts'), types)
    }
  })
  afterAll(async () => {
    await closeTools()
    await sandbox.close()
    await rm(folder, { recursive: true })
  })

  let cases = 0
  const caseOf = (over: Partial<Case>): Case =>
    fakeCase('c', {
      hash: `dependencies-${++cases}`,
      lint: 'off',
      language: 'typescript',
      tests: TESTS,
      reference: SOLUTION,
      dependencies: on('leftish'),
      graders: [{ ...equalsGrader(''), type: 'code', options: codeDefaults() }],
      ...over,
    })
  const grade = async (over: Partial<Case>, answer: string, from = folder) =>
    gradeCode({ case: caseOf(over), answer, files: {}, folder: from }, codeOptions.parse({}), {
      signal: new AbortController().signal,
      timeoutMs: 5000,
      sandbox,
    })

  it.each(['absolute', 'relative'] as const)(
    'the tests and the solution import what is declared, with an %s folder',
    async (kind) => {
      const from = kind === 'absolute' ? folder : relative(process.cwd(), folder)
      expect(await grade({}, SOLUTION, from)).toMatchObject({ passed: true })
      const wrong = SOLUTION.replace('3', '4')
      expect(await grade({}, wrong, from)).toMatchObject({ passed: false })
    },
  )

  it.each(['isolated', 'in-process'] as const)(
    'tests require a package that is CommonJS: %s',
    async (integrity) => {
      const tests =
        "const Box = require('@of/common')\nconst { box } = require('./solution')\nit('x', () => { expect(box(2)).toEqual(new Box(2)); expect(box(2).n).toBe(2) })"
      const graded = await gradeCode(
        {
          case: caseOf({
            tests,
            reference: null,
            language: 'javascript',
            dependencies: on('@of/common'),
          }),
          answer: 'export const box = (n) => ({ n })',
          files: {},
          folder,
        },
        codeOptions.parse({ integrity }),
        { signal: new AbortController().signal, timeoutMs: 5000, sandbox },
      )
      expect(graded).toMatchObject({ passed: true })
    },
  )

  const found = async (one: Case): Promise<string[]> => {
    const suite = { id: 's', path: join(folder, 's.toml'), cases: [one] } as unknown as Suite
    const { findings, unclear } = lookAtTests([suite], { every: true })
    const ran = await runTests(unclear, {
      sandbox,
      folderOf: () => folder,
      timeoutMs: 5000,
      signal: new AbortController().signal,
    })
    return [...findings, ...ran].map(({ text }) => text)
  }

  it('a package that the tests import and the case does not declare is refused by name before the run', async () => {
    expect(await found(caseOf({}))).toEqual([])
    expect(await found(caseOf({ dependencies: [] }))).toEqual([
      expect.stringContaining('the tests import leftish, which the case does not declare'),
    ])
    const deeper = TESTS.replace("'leftish'", "'deeper'")
    expect(await found(caseOf({ tests: deeper }))).toEqual([
      expect.stringContaining('the tests import deeper'),
    ])
    await expect(grade({ tests: deeper }, SOLUTION)).rejects.toThrow(
      'the tests import deeper, which is not there: the case does not declare it',
    )
  })

  it('a package that an answer imports and the case does not declare is refused by name', async () => {
    const answer =
      "import { width } from 'deeper'\nexport const pad = (s: string): string => s.padStart(width * 3)\n"
    const graded = await grade({}, answer)
    expect(graded).toMatchObject({ passed: false })
    expect(JSON.stringify(graded)).toContain('imports deeper, which the case does not declare')
  })
})
