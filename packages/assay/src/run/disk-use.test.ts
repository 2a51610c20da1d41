/** The disk that the workspaces of a run take. */
import { mkdtempSync, readdirSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { fakeCase, fakeSubject, fakeSuite, saying } from '../../test/fakes.ts'
import { planOf } from '../../test/workspaces.ts'
import { run } from './run.ts'

const { TMPDIR } = process.env
let folder: string
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'disk-use-')))
  process.env['TMPDIR'] = folder
})
afterEach(() => {
  if (TMPDIR === undefined) delete process.env['TMPDIR']
  else process.env['TMPDIR'] = TMPDIR
  rmSync(folder, { recursive: true, force: true })
})

it('does not grow with the number of cases: the start of a case goes with its last trial', async () => {
  const starts = (): number =>
    readdirSync(folder)
      .filter((name) => name.startsWith('work'))
      .flatMap((name) => readdirSync(join(folder, name)))
      .filter((name) => /^s\d+$/u.test(name)).length
  const seen: number[] = []
  const cases = Array.from({ length: 4 }, (_, i) =>
    fakeCase(`c${i}`, { files: { 'a.txt': `${i}` }, workspace: planOf() }),
  )
  const subject = fakeSubject(async ({ openWorkspace }) => {
    const workspace = await openWorkspace?.()
    // The starts of earlier cases are removed in the background.
    await expect.poll(starts, { timeout: 20_000 }).toBe(1)
    seen.push(starts())
    await workspace?.close()
    return saying('done')
  })
  const options = { suites: [fakeSuite(cases)], subjects: [subject], parallelism: 1, trials: 1 }
  await run({ ...options, sandbox: 'none', folder: join(folder, 'run') })
  expect(seen).toEqual([1, 1, 1, 1])
})
