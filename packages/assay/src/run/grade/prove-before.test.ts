import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Case, GraderConfig, Subject, Suite } from '@assay/contract'
import { openSandbox, type Sandbox } from '@assay/sandbox'
import { fakeCase, fakeSubject, fakeSuite, saying } from '../../../test/fakes.ts'
import { hasGit, planOf } from '../../../test/workspaces.ts'
import { hasBubblewrap } from '../../../../sandbox/test/sandboxed.ts'
import { closeGraders } from '../../grade/index.ts'
import { openWorkspaceStore, type WorkspaceStore } from '../../workspace/index.ts'
import type { RunEvent } from '../schedule/events.ts'
import { proveBefore } from './prove-before.ts'

let sandbox: Sandbox
let workspaces: WorkspaceStore

beforeAll(async () => {
  if (!hasBubblewrap) return
  sandbox = await openSandbox('bubblewrap')
  workspaces = await openWorkspaceStore({ sandbox, keep: null })
})
afterAll(async () => {
  await closeGraders()
  await workspaces.close()
  await sandbox.close()
})

const grader = (type: string, options: object): GraderConfig => ({
  ...{ name: type, type, weight: 1, required: false, negate: false },
  options: options as GraderConfig['options'],
})
const CONTAINS = grader('file-contains', { path: 'a.txt', value: '1' })

const DIFF = '--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-one\n+1\n'
const WRONG = DIFF.replace('\n+1', '\n+2')

const caseOf = (id: string, change: Partial<Case> = {}): Case =>
  fakeCase(id, {
    files: { 'a.txt': 'one\n' },
    workspace: planOf(),
    reference: DIFF,
    graders: [CONTAINS],
    ...change,
  })

const live = fakeSubject(() => saying('done'))

async function told(
  cases: readonly Case[],
  subjects: readonly Subject[] = [live],
  change: { readonly mostMs?: number; readonly signal?: AbortSignal } = {},
): Promise<string[]> {
  const events: RunEvent[] = []
  const suite: Suite = fakeSuite(cases)
  await proveBefore([suite], subjects, {
    ...{ sandbox, workspaces, gradeTimeoutMs: 10_000, signal: new AbortController().signal },
    onEvent: (event) => events.push(event),
    ...change,
  })
  const [first, ...texts] = events.flatMap((event) =>
    event.type === 'note' || event.type === 'warning' ? [`${event.type}: ${event.text}`] : [],
  )
  if (first !== undefined) expect(first).toMatch(/^note: grading the references of \d+ cases?, and/)
  return texts
}

describe.runIf(hasBubblewrap && hasGit)('before the first trial of an agent', () => {
  it('the references and doing nothing are graded, and the user sees what passes', async () => {
    const one = await told([caseOf('a'), caseOf('b'), caseOf('c', { reference: null })])
    expect(one.at(-1)).toBe(
      'note: before the first trial: 2 of 2 references pass, doing nothing passes 0 of 3 cases with a workspace; 1 case has no reference',
    )
  })

  it('cases that do not hold are warnings', async () => {
    const found = await told([
      caseOf('a', { reference: WRONG }),
      caseOf('b', { files: { 'a.txt': '1 one\n' }, reference: null }),
      caseOf('c', { workspace: planOf({ setup: ['exit 3'] }) }),
    ])
    expect(found.filter((text) => text.startsWith('note: before'))).toEqual([
      'note: before the first trial: 0 of 1 reference passes, doing nothing passes 1 of 2 cases with a workspace; 1 case has no reference',
    ])
    expect(found.filter((text) => text.startsWith('warning'))).toEqual([
      expect.stringMatching(
        /^warning: case a: its reference does not pass, so perhaps nothing can/,
      ),
      'warning: case b: doing nothing passes, so a pass says little',
      expect.stringMatching(
        /^warning: case c: .*the setup command "exit 3" ended with exit code 3/,
      ),
    ])
  })

  it('a workspace that could not be made proves nothing about doing nothing', async () => {
    const lost = { path: '/nowhere/repository', commit: 'a'.repeat(40), depth: 1 }
    const git = { workspace: planOf({ git: lost }) }
    const found = await told([
      caseOf('a', { reference: null }),
      caseOf('b', { ...git, reference: null }),
      caseOf('c', { ...git, reference: '=== file: a.txt\n1\n' }),
    ])
    const [summary, ...warnings] = found.slice(-4)
    expect(summary).toBe(
      'note: before the first trial: 0 of 1 reference passes, doing nothing passes 0 of 1 case with a workspace; 2 cases have no reference',
    )
    expect(warnings).toEqual([
      expect.stringMatching(/^warning: case b could not be graded: .*repository/),
      expect.stringMatching(/^warning: case c could not be graded: .*repository/),
      expect.stringMatching(/^warning: case c: its reference does not pass, .*repository/),
    ])
  })

  it('names a few of many, and says how many were not graded in time', async () => {
    const many = Array.from({ length: 7 }, (_, i) => caseOf(`c${i}`, { reference: WRONG }))
    const warnings = (await told(many)).filter((text) => text.startsWith('warning'))
    expect(warnings).toHaveLength(6)
    expect(warnings.at(-1)).toMatch(/and 2 more such cases: `assay validate --prove` names them/)
    const late = await told(
      [caseOf('slow', { workspace: planOf({ setup: ['sleep 1'] }) })],
      [live],
      {
        mostMs: 1,
      },
    )
    expect(late).toEqual([
      'note: before the first trial: 1 case with a workspace was not graded in time: `assay validate --prove` grades all',
    ])
  })

  it('nothing is graded where it would say nothing', async () => {
    const simulated = { ...live, source: 'simulated' as const }
    expect(await told([caseOf('a')], [simulated])).toEqual([])
    expect(await told([caseOf('a', { workspace: null })])).toEqual([])
    const judged = grader('judge', { rubric: ['x'] })
    const steps = grader('tool-calls', { required: ['x'] })
    expect(await told([caseOf('a', { graders: [judged, steps] })])).toEqual([])
    expect(await told([caseOf('a')], [live], { signal: AbortSignal.abort() })).toEqual([])
  })
})
