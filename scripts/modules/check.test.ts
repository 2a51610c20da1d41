/**
 * Tests that this repository follows the rules for modules and names, and that the check refuses a violation of
 * each kind.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { languages } from '../../packages/code/src/index.ts'
import { graders } from '../../packages/assay/src/grade/index.ts'
import { checkModules, type Tree } from './check.ts'
import { withModules } from './diagram.ts'
import { comparedNames, judgeFaults, nameFaults } from './names.ts'
import { packageFiles, root, sourceTree } from './read-tree.ts'

const files = packageFiles()
const sources = sourceTree(files)

const declared = {
  graders: graders.map(({ type }) => type),
  languages: languages.map(({ name }) => name),
}

const planted = (entries: Record<string, string>): Tree => new Map(Object.entries(entries))

describe('the modules of this repository', () => {
  it('import in one direction, through indexes, in no circle, from folders of a size to read', () => {
    expect(checkModules(sources, files)).toEqual([])
  })

  it('have no coined names', () => {
    expect(nameFaults(sources)).toEqual([])
  })

  it('do not compare the names of graders and languages', () => {
    expect(comparedNames(sources, declared)).toEqual([])
  })

  it('are listed in CONTRIBUTING.md as the table has them', () => {
    const page = readFileSync(join(root, 'CONTRIBUTING.md'), 'utf8')
    expect(withModules(page)).toBe(page)
  })

  it('have "judge" in the paths of LLM judges alone', () => {
    const own = files.filter((file) => /^packages\/[^/]+\/src\//.test(file))
    expect(judgeFaults(own)).toEqual([])
  })
})

describe('a planted violation is refused', () => {
  it('an import in the wrong direction', () => {
    const tree = planted({
      'packages/assay/src/report/x.ts': `import { run } from '../run/index.ts'\nexport const x = run\n`,
    })
    expect(checkModules(tree)).toEqual([
      'packages/assay/src/report/x.ts imports packages/assay/src/run/index.ts: report must not import run',
    ])
  })

  it('one of a type, of a package, by a dynamic import and by a re-export', () => {
    const tree = planted({
      'packages/code/src/a.ts': `import type { Suite } from '../../assay/src/suite/index.ts'\nexport type A = Suite\n`,
      'packages/contract/src/b.ts': `export const b = () => import('@assay/sandbox')\n`,
      'packages/assay/src/log/c.ts': `export { buildReport } from '../report/index.ts'\n`,
    })
    expect(checkModules(tree).map((fault) => fault.split(': ')[1])).toEqual([
      'code must not import suite',
      'contract must not import sandbox',
      'log must not import report',
    ])
  })

  it('an import past an index', () => {
    const tree = planted({
      'packages/assay/src/report/x.ts': `import { Tally } from '../log/tally/tally.ts'\nexport const x = Tally\n`,
    })
    expect(checkModules(tree)).toEqual([
      'packages/assay/src/report/x.ts imports packages/assay/src/log/tally/tally.ts: import log through index.ts',
    ])
  })

  it('a circle, of types too', () => {
    const tree = planted({
      'packages/assay/src/text/a.ts': `import type { B } from './b.ts'\nexport type A = B\n`,
      'packages/assay/src/text/b.ts': `import type { A } from './a.ts'\nexport type B = A[]\n`,
    })
    expect(checkModules(tree)).toEqual([
      'these files import each other: packages/assay/src/text/a.ts, packages/assay/src/text/b.ts',
    ])
  })

  it('a folder with more than 25 files directly in it', () => {
    const names = Array.from({ length: 26 }, (_, i) => `packages/assay/src/text/f${i}.ts`)
    expect(checkModules(new Map(), names)).toEqual([
      'packages/assay/src/text has 26 files, at most 25 are allowed',
    ])
    expect(checkModules(new Map(), names.slice(1))).toEqual([])
  })

  it('a coined word as a file name or an exported name', () => {
    expect(nameFaults(planted({ 'packages/assay/src/text/beside.ts': '' }))).toHaveLength(1)
    const exported = 'export function layFiles(): void {}\nexport type Twin = string\n'
    expect(nameFaults(planted({ 'packages/assay/src/text/x.ts': exported }))).toHaveLength(2)
    const layout = 'export const layout = 1\nexport const relay = 2\n'
    expect(nameFaults(planted({ 'packages/assay/src/text/x.ts': layout }))).toEqual([])
  })

  it('a comparison with the name of a grader or a language', () => {
    const asks = "export const isCode = ({ type }) => type === 'code' || type === 'text'\n"
    const language = "export const mark = (language) => (language.name !== 'rust' ? '#' : '//')\n"
    const faults = (path: string): string[] =>
      comparedNames(planted({ [path]: asks + language }), declared)
    expect(faults('packages/assay/src/log/x.ts')).toEqual([
      "packages/assay/src/log/x.ts: ask for what it declares, not type === 'code'",
      "packages/assay/src/log/x.ts: ask for what it declares, not name !== 'rust'",
    ])
    expect(faults('packages/code/src/languages/rust/x.ts')).toHaveLength(1)
  })

  it('"judge" in a path that is not on the list', () => {
    expect(judgeFaults(['packages/code/src/languages/rust/host/judge.ts'])).toHaveLength(1)
    expect(judgeFaults(['packages/assay/src/grade/judge/rubric.ts'])).toEqual([])
  })
})
