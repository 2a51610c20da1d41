/**
 * Tests that docs/reference/graders.md describes every grader with an example: a suite in which this grader passes the
 * reference and fails a faulty answer. `docs.test.ts` runs the commands of the page. This test checks that the
 * verdict comes from the grader that the section describes. Graders of agents' work are tested on trials of the two
 * scripted agents of the page, with their events and the files that they leave.
 */
import { execFileSync } from 'node:child_process'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Case, FileChange, Grade, Trajectory, WorkspaceDiff } from '@assay/contract'
import { closeGraders, gradeAnswer, graders } from '../packages/assay/src/grade/index.ts'
import { proveSuite } from '../packages/assay/src/run/index.ts'
import { assayReader } from '../packages/assay/src/subject/agent/own-command/assay-events.ts'
import { TrajectoryBuilder } from '../packages/assay/src/subject/agent/trajectory/trajectory-builder.ts'
import { loadSuite } from '../packages/assay/src/suite/index.ts'
import { gradedAnswer } from '../packages/assay/test/grade-answer.ts'

const page = await readFile(
  fileURLToPath(new URL('../docs/reference/graders.md', import.meta.url)),
  'utf8',
)

const sections = new Map(
  page
    .split(/^## /m)
    .slice(1)
    .map((text) => [text.slice(0, text.indexOf('\n')).trim(), text] as const),
)

/** Sections about several graders. */
const OTHER_SECTIONS = new Set(['A part of the answer', 'From eval YAML'])

/** Graders that have their own page, or that grade resources, which a reference does not have. */
const ELSEWHERE: Readonly<Record<string, RegExp>> = {
  judge: /\]\(\.\.\/guides\/judges\.md\)/,
  'token-budget': /^assay run \S+\.toml .*\n[^]*1 passed \+ 1 failed/m,
  'cost-budget': /^assay run \S+\.toml .*\n[^]*1 passed \+ 1 failed/m,
  'time-budget': /^assay run \S+\.toml .*\n[^]*1 passed \+ 1 failed/m,
}

/** Their examples need a sandbox. The commands of the page show them. */
const SANDBOXED = new Set(['code', 'run', 'tests'])

/** Graders that are tested with the two scripted agents of the page. */
const ACTED = new Set([
  'tool-calls',
  'skill-invocation',
  'completed',
  'diff-contains',
  'diff-empty',
  'diff-size',
  'files-touched',
  'turn-count',
  'tool-call-count',
  'error-count',
])

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

/** Runs one of the page's scripts on a case. */
async function acts(
  script: string,
  { turns: [prompt = ''], files }: Case,
): Promise<{ trajectory: Trajectory; diff: WorkspaceDiff }> {
  const workspace = await mkdtemp(join(tmpdir(), 'assay-acting-'))
  try {
    for (const [name, text] of Object.entries(files)) await writeFile(join(workspace, name), text)
    const said = execFileSync('sh', [join(folder, script), prompt], {
      cwd: workspace,
      encoding: 'utf8',
      timeout: 20_000,
    })
    const builder = new TrajectoryBuilder({ now: () => 0, price: () => null, folder: workspace })
    builder.beginTurn(0, prompt)
    const reader = assayReader(builder)
    for (const line of said.trimEnd().split('\n')) reader.line(line)
    reader.turnEnded()
    return { trajectory: builder.build('assay'), diff: await difference(files, workspace) }
  } finally {
    await rm(workspace, { recursive: true, force: true })
  }
}

/** A diff that never looks for unchanged lines. Files with one line have none. */
async function difference(
  before: Readonly<Record<string, string>>,
  workspace: string,
): Promise<WorkspaceDiff> {
  const names = new Set([...Object.keys(before), ...(await readdir(workspace))])
  const changes: FileChange[] = []
  for (const path of names) {
    const was = before[path] ?? null
    const text = await readFile(join(workspace, path), 'utf8').catch(() => null)
    if (text === was) continue
    const marked = (mark: string, lines: string | null): string =>
      (lines ?? '').replaceAll(/^(?=[^])/gm, mark)
    const patch = `@@ -1 +1 @@\n${marked('-', was)}${marked('+', text)}`
    const change = was === null ? 'added' : text === null ? 'deleted' : 'changed'
    changes.push({ path, change, ...(text === null ? {} : { text, mode: '100644' }), patch })
  }
  return { version: 1, changes }
}

/** Returns the verdicts that graders of this type give for the work of a script. */
async function verdictsOn(script: string, one: Case, type: string): Promise<(boolean | null)[]> {
  const grades = await gradeAnswer(
    gradedAnswer('done', { case: one, ...(await acts(script, one)) }),
    {
      timeoutMs: 20_000,
      signal: new AbortController().signal,
      random: () => 0.5,
      text: (text) => Promise.resolve(text),
    },
  )
  return grades.filter((grade) => grade.type === type).map(({ passed }) => passed)
}

/** The types of graders, also of those that another one combines. */
function typesIn(given: readonly Pick<Case['graders'][number], 'type' | 'options'>[]): string[] {
  return given.flatMap(({ type, options }) => {
    const members = (options as { readonly graders?: Case['graders'] } | null)?.graders ?? []
    return [type, ...typesIn(members)]
  })
}

/** The grades of this type, also below a combination. */
const gradesOf = (grades: readonly Grade[], type: string): readonly Grade[] =>
  grades.flatMap((grade) => (grade.type === type ? [grade] : gradesOf(grade.details ?? [], type)))

describe('docs/reference/graders.md', () => {
  it('has a section for each grader, and for nothing that is none', () => {
    const told = [...sections.keys()].filter((name) => !OTHER_SECTIONS.has(name))
    expect(told).toEqual(graders.map(({ type }) => type))
  })

  it.each(graders.map(({ type }) => type))('shows %s at work', async (type) => {
    const section = sections.get(type) ?? ''
    const elsewhere = ELSEWHERE[type]
    if (elsewhere !== undefined) {
      expect(section).toMatch(elsewhere)
      return
    }
    if (ACTED.has(type)) {
      expect(section).toContain(`<!-- file: acting/${type}.toml -->`)
      const { suite } = await loadSuite(join(folder, 'acting', `${type}.toml`), { graders })
      for (const one of suite.cases) {
        const good = await verdictsOn('careful.sh', one, type)
        expect(good).not.toEqual([])
        expect(new Set(good)).toEqual(new Set([true]))
        expect(await verdictsOn('careless.sh', one, type)).toContain(false)
      }
      return
    }
    const [, name = ''] = /^assay validate (\S+\.toml) --prove$/m.exec(section) ?? []
    const { suite } = await loadSuite(join(folder, name), { graders, allowModules: true })
    for (const one of suite.cases) {
      expect(typesIn(one.graders)).toContain(type)
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
        own: gradesOf(grades, type).map(({ passed }) => passed),
      }))
      for (const { right, holds, own } of verdicts) {
        expect(holds).toBe(true)
        expect(own.every((passed) => passed === true)).toBe(right)
      }
    }
  })
})
