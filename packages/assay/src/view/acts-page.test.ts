/** What agents did and changed, next to each other in a browser: from the answers of a run, and from a comparison. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  fakeCall,
  fakeCase,
  fakeDiff,
  fakeSubject,
  fakeSuite,
  fakeTrajectory,
  saying,
} from '../../test/fakes.ts'
import {
  browserPath,
  startBrowser,
  startViewing,
  watchedPage,
  type Viewing,
} from '../../test/view-server.ts'
import { run } from '../run/index.ts'

const HOSTILE = '<img src=x onerror=alert(1)>'

describe.skipIf(browserPath === undefined)('in Chromium', () => {
  let root: string
  let viewing: Viewing

  beforeAll(async () => {
    root = mkdtempSync(join(tmpdir(), 'assay-acts-'))
    const work = (isGood: boolean, name: string) =>
      saying(isGood ? 'right' : 'wrong', {
        trajectory: fakeTrajectory([
          fakeCall('read', { args: { path: HOSTILE } }),
          ...(isGood ? [fakeCall('test', { at: 1000 })] : []),
        ]),
        diff: {
          ...fakeDiff({ 'shared.ts': `${name}\n` }, isGood ? { [`${HOSTILE}.ts`]: 'own\n' } : {}),
          folders: [{ path: `${name}-cache`, change: 'added' }],
          permissions: { 'shared.ts': isGood ? '640' : '600' },
        },
      })
    for (const [i, folder] of ['first', 'second'].entries())
      await run({
        suites: [fakeSuite([fakeCase('fix'), fakeCase('other')])],
        subjects: ['careful', 'quick'].map((id) =>
          fakeSubject(({ case: one }) => work(i === 0 || one.id === 'other', id), { id }),
        ),
        folder: join(root, folder),
      })
    viewing = await startViewing([root])
    viewing.store.list()
    await viewing.store.settled()
  })
  afterAll(async () => {
    await viewing.close()
    rmSync(root, { recursive: true, force: true })
  })

  it('a case shows the steps and the changes of all its agents in columns', async () => {
    const browser = await startBrowser()
    try {
      const { page, seen } = await watchedPage(browser, {
        within: `http://127.0.0.1:${viewing.port}`,
      })
      await page.goto(viewing.addressForOnce(viewing.store.keyOf(join(root, 'first')) ?? ''))
      await page.getByRole('link', { name: 'answers side by side' }).click()
      const folded = page.getByText('What the agents did and changed, side by side')
      await folded.nth(1).waitFor()
      // Nothing is loaded before it is asked for.
      expect(await page.locator('.acts').count()).toBe(0)
      await folded.first().click()
      const did = page.locator('.acts section[aria-label^="What"]')
      await did.nth(1).waitFor()
      expect(await did.first().locator('.step').count()).toBe(2)
      const shared = page.locator('.acts section[aria-label="Changes of shared.ts"]')
      expect(await shared.locator('.patch').allInnerTexts()).toEqual([
        expect.stringContaining('+careful'),
        expect.stringContaining('+quick'),
      ])
      expect(await page.getByText('the same change').count()).toBe(1)
      const others = page.getByLabel('Empty folders and permissions', { exact: true })
      expect((await others.allInnerTexts()).map((text) => text.replaceAll(/\s+/g, ' '))).toEqual([
        'added careful-cache/ empty folder permissions shared.ts 640',
        'added quick-cache/ empty folder permissions shared.ts 640',
      ])

      // From the case that got worse in a comparison, the two runs are the columns.
      await page.evaluate("location.hash = '#/compare'")
      await page.getByRole('link', { name: 'side by side' }).first().click()
      await page.getByText('Only the case fix is shown').waitFor()
      await did.nth(1).waitFor()
      expect(await page.locator('table.matrix > thead small').allInnerTexts()).toEqual([
        expect.stringMatching(/first$/),
        expect.stringMatching(/second$/),
      ])
      for (const [i, steps] of [2, 1].entries())
        expect(await did.nth(i).locator('.step').count()).toBe(steps)
      expect(await page.getByText('It did not change this file.').count()).toBe(1)
      expect(await page.locator('#app img').count()).toBe(0)
      await page.getByRole('button', { name: 'show all cases' }).click()
      await page.getByText('2 of 2 cases').waitFor()
      await page.setViewportSize({ width: 420, height: 900 })
      expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBe(0)
      expect(seen).toEqual([])
    } finally {
      await browser.close()
    }
  })
})
