/**
 * docs/graders.md tells of every grader, with an example that shows it: a suite in which this grader passes
 * the reference and fails a faulty answer. `docs.test.ts` runs the commands of the page as they are printed;
 * here it is the grader of the section that must make the difference.
 */
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Grade } from '../packages/assay/src/contract.ts'
import { closeGraders, graders } from '../packages/assay/src/grade/index.ts'
import { proveSuite } from '../packages/assay/src/run/index.ts'
import { loadSuite } from '../packages/assay/src/suite/index.ts'

const page = await readFile(fileURLToPath(new URL('../docs/graders.md', import.meta.url)), 'utf8')

const sections = new Map(
  page
    .split(/^## /m)
    .slice(1)
    .map((text) => [text.slice(0, text.indexOf('\n')).trim(), text] as const),
)

/** Told on pages of their own, or shown by what an answer took, which no reference says. */
const ELSEWHERE: Readonly<Record<string, RegExp>> = {
  judge: /\]\(judges\.md\)/,
  'token-budget': /^assay run \S+\.toml .*\n[^]*1 passed \+ 1 failed/m,
  'cost-budget': /^assay run \S+\.toml .*\n[^]*1 passed \+ 1 failed/m,
  'time-budget': /^assay run \S+\.toml .*\n[^]*1 passed \+ 1 failed/m,
}

/** Their examples need a sandbox: the commands of the page show them. */
const SANDBOXED = new Set(['code', 'run'])

const FILE = /<!-- file: (\S+) -->\n+```\w*\n([^]*?)^```$/gm
let folder: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'assay-graders-'))
  for (const [, name = '', text = ''] of page.matchAll(FILE)) {
    await mkdir(dirname(join(folder, name)), { recursive: true })
    await writeFile(join(folder, name), text)
  }
})

afterAll(async () => {
  await closeGraders()
  await rm(folder, { recursive: true, force: true })
})

describe('docs/graders.md', () => {
  it('has a section for each grader, and for nothing that is none', () => {
    const told = [...sections.keys()].filter((name) => name !== 'From eval YAML')
    expect(told).toEqual(graders.map(({ type }) => type))
  })

  it.each(graders.map(({ type }) => type))('shows %s at work', async (type) => {
    const section = sections.get(type) ?? ''
    const elsewhere = ELSEWHERE[type]
    if (elsewhere !== undefined) {
      expect(section).toMatch(elsewhere)
      return
    }
    const [, name = ''] = /^assay validate (\S+\.toml) --prove$/m.exec(section) ?? []
    const { suite } = await loadSuite(join(folder, name), { graders, allowModules: true })
    for (const one of suite.cases) {
      expect(one.graders.map((grader) => grader.type)).toContain(type)
      expect(one.reference).not.toBeNull()
      expect(one.faulty).not.toEqual([])
    }
    if (SANDBOXED.has(type)) return
    const proofs = await proveSuite(suite, {
      sandbox: null,
      gradeTimeoutMs: 20_000,
      signal: new AbortController().signal,
    })
    for (const { answers } of proofs) {
      const verdicts = answers.map(({ answer, holds, grades }) => ({
        right: answer === 'reference',
        holds,
        own: grades.filter((grade: Grade) => grade.type === type).map(({ passed }) => passed),
      }))
      for (const { right, holds, own } of verdicts) {
        expect(holds).toBe(true)
        expect(own.every((passed) => passed === true)).toBe(right)
      }
    }
  })
})
