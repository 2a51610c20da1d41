/** The size of the static site of a large run, and what it says about what it leaves out. */
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { fakeCase, fakeSubject, fakeSuite, saying } from '../../../test/fakes.ts'
import { browserPath, startBrowser, watchedPage } from '../../../test/view-server.ts'
import { run } from '../../run/index.ts'
import { runsBelow } from '../find-runs.ts'
import { RunIndex } from '../run-index.ts'
import { RunStore } from '../run-store.ts'
import { writeSite, type SiteWritten } from './write-site.ts'

let root: string
let site: string
let written: SiteWritten

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'assay-site-long-'))
  site = join(root, 'site')
  // 10,000 trials with 3 kB of text each: 30 MB of answers, a third of them wrong.
  const text = (seed: number): string =>
    Array.from({ length: 400 }, (_, i) => `${(seed * 7919 + i * 104_729) % 99_991}`).join(' ')
  await run({
    suites: [
      fakeSuite(
        Array.from({ length: 500 }, (_, i) => fakeCase(`case ${i}`, { turns: [text(i)] })),
        {},
      ),
    ],
    subjects: ['a', 'b'].map((id) =>
      fakeSubject(
        ({ index, case: one }) =>
          saying(index % 3 === 0 ? text(index + one.id.length) : 'right'.padEnd(3000)),
        { id },
      ),
    ),
    folder: join(root, 'runs', 'large'),
    trials: 10,
    parallelism: 16,
  })
  const store = new RunStore({
    find: () => runsBelow([join(root, 'runs')]),
    index: RunIndex.open(null),
  })
  written = await writeSite(store, site)
  await store.close()
}, 300_000)
afterAll(() => rmSync(root, { recursive: true, force: true }))

const sizeOf = (folder: string): number =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0)

it('a run of 10,000 trials takes less than 15 MB', () => {
  expect(written.bytes).toBe(sizeOf(site))
  expect(written.bytes).toBeLessThan(15_000_000)
  expect(written.bytes).toBeGreaterThan(3_000_000)
})

it.skipIf(browserPath === undefined)(
  'the page says what is left out, shows what is kept, and offers a random sample for review',
  async () => {
    const browser = await startBrowser()
    try {
      const { page, seen } = await watchedPage(browser, { within: 'file:///' })
      await page.goto(pathToFileURL(join(site, 'index.html')).href)
      await page.locator('tbody th a:visible').first().click()
      await page
        .getByText(/the texts of [\d,]+ trials are not on this site/)
        .first()
        .waitFor()
      expect(await page.locator('#counts').innerText()).toMatch(/10,000 planned/)
      const hash = new URL(page.url()).hash
      await page.evaluate(`location.hash = ${JSON.stringify(`${hash}/trials`)}`)
      await page.getByText('10,000 of 10,000 trials').waitFor()
      await page.getByRole('searchbox').fill('499')
      await page.getByText('20 of 10,000 trials').waitFor()
      await page.evaluate(`location.hash = ${JSON.stringify(`${hash}/review`)}`)
      await page.locator('pre[aria-label=answer]').waitFor()
      const review = await page.locator('main').innerText()
      expect(review).toMatch(/These are a random \d+ of 10,000 trials/)
      expect(Number(/Trial 1 of (\d+)/.exec(review)?.[1])).toBeGreaterThan(50)
      await page.evaluate("location.hash = '#/matrix'")
      await page.locator('table.matrix td .cell-head').first().waitFor()
      expect(seen).toEqual([])
    } finally {
      await browser.close()
    }
  },
)
