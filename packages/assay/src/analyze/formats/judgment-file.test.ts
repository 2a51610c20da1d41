import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { trialWithOpinions } from '../../../test/trial-with-opinions.ts'
import type { Trial } from '@assay/contract'
import { judgmentOf, writeJudgments } from '../../report/index.ts'
import { readResults } from '../read-results.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'assay-judgment-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

describe('judgments', () => {
  it('that Assay wrote are read from their folder as the trials they were', async () => {
    const trials = [trialWithOpinions(), trialWithOpinions({ index: 0 })]
    await writeJudgments(
      { trials: async (each: (trial: Trial) => void) => trials.forEach(each) },
      folder,
    )
    const { table, files } = await readResults([folder])
    expect(table.rows).toBe(2)
    expect(files).toMatchObject([{ path: folder, rows: 2, kind: '2 judgments', notes: [] }])
    expect([...table.cases.names]).toEqual(['c/1'])
  })

  it.each([
    ['T1/task-3/run_02/judge/judgment.json', 'task-3', 'T1'],
    ['T1/task-3/judgment.json', 'task-3', 'T1'],
  ])('of another program at %s names its case and subject by its path', async (path, one, tier) => {
    const { assay: _, ...foreign } = judgmentOf(trialWithOpinions()) as NonNullable<
      ReturnType<typeof judgmentOf>
    >
    const file = join(folder, path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, JSON.stringify(foreign))
    const { files } = await readResults([file])
    expect(files[0]?.notes).toEqual([
      `the case (${one}) and the subject (${tier}) are taken from the path`,
    ])
  })

  it('with a score out of range is refused', async () => {
    const file = join(folder, 'judgment.json')
    writeFileSync(file, '{"requirements": {}, "summary": {"weighted_score": 82, "passed": true}}')
    await expect(readResults([file])).rejects.toThrow(/weighted_score/)
  })
})
