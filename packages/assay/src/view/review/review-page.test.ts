/** The Review page in a browser, from a real server. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { judgedRun } from '../../../test/review/judged-run.ts'
import {
  browserPath,
  startBrowser,
  startViewing,
  watchedPage,
  type Viewing,
} from '../../../test/view-server.ts'
import { readLabels } from '../../log/index.ts'

const HOSTILE = '</script><img src=x onerror=alert(1)> "\'&\u202e {{x}}'

describe.skipIf(browserPath === undefined)('in Chromium', () => {
  let root: string
  let folder: string
  let browser: Browser
  let viewing: Viewing
  let origin: string

  beforeAll(async () => {
    root = mkdtempSync(join(tmpdir(), 'assay-review-page-'))
    folder = join(root, 'run')
    browser = await startBrowser()
    await judgedRun({
      folder,
      cases: Array.from({ length: 6 }, (_, i) => `${HOSTILE} ${i}`),
      subjects: [HOSTILE, 'plain'],
      trials: 2,
      answer: ({ index }) => (index === 0 ? `praise ${HOSTILE}` : HOSTILE),
    })
    viewing = await startViewing([root])
    origin = `http://127.0.0.1:${viewing.port}`
  })
  afterAll(async () => {
    await browser.close()
    await viewing.close()
    rmSync(root, { recursive: true, force: true })
  })

  const openReview = async (page: Page, query = ''): Promise<void> => {
    await page.goto(viewing.addressForOnce())
    await page.getByRole('searchbox').waitFor()
    const key = viewing.store.keyOf(folder) ?? ''
    await page.evaluate(`location.hash = ${JSON.stringify(`#/runs/${key}/review${query}`)}`)
    await page.getByLabel('Your name').waitFor()
  }
  const labels = async () => (await readLabels(folder)).labels

  it('takes verdicts by keyboard, blind, and shows what they say about the judge', async () => {
    const { page, seen } = await watchedPage(browser, { within: origin })
    await openReview(page, '?blind=1')
    await page.getByText('subject hidden').waitFor()
    expect(await page.getByRole('button', { name: 'Pass' }).isDisabled()).toBe(true)
    await page.getByLabel('Your name').fill(`ann ${HOSTILE}`)
    await page.locator('pre[aria-label=answer]').waitFor()
    // Nothing says who answered, or what a grader thinks.
    expect(await page.locator('.verdict, .grades, .said').count()).toBe(0)
    await page.locator('h2').first().click()
    await page.keyboard.press('n')
    await page.keyboard.type(`a note ${HOSTILE}`)
    await page.keyboard.press('p')
    await page.keyboard.press('Escape')
    for (const [i, key] of ['f', 'p', 'u', 'f', 'p'].entries()) {
      // A verdict on an answer that is not shown yet is not taken.
      await page.locator('.say-pass:not(:disabled)').waitFor()
      await page.keyboard.press(key)
      await page.getByRole('heading', { name: `Trial ${i + 2} of 24` }).waitFor()
    }
    expect(await page.locator('#saved').textContent()).toMatch(/you say pass · all graders/)
    const given = await labels()
    expect(given.map(({ verdict }) => verdict)).toEqual(['fail', 'pass', 'unsure', 'fail', 'pass'])
    expect(given[0]).toMatchObject({
      ...{ reviewer: `ann ${HOSTILE}`, note: `a note ${HOSTILE}p`, blind: true, picked: 'random' },
    })
    await page.getByRole('heading', { name: 'By the labels of' }).waitFor()
    await page.getByText('2 pass, 2 fail, 1 unsure · 5 given blind').waitFor()
    await page.getByText('The corrected rates rest on 4 labels').first().waitFor()
    await page.getByText('needed for an interval').first().waitFor()
    // Back to the last one: the person's own label and the judge's verdict are shown now.
    await page.keyboard.press('ArrowLeft')
    await page.getByRole('heading', { name: 'Trial 5 of 24' }).waitFor()
    await page.locator('.said').getByText('you (ann').waitFor()
    // The trial's own page, its drawer and the table of trials show the label, and the rubric of the judge.
    const [first] = given
    const key = viewing.store.keyOf(folder) ?? ''
    const at = [first?.case, first?.subject].map((name) => encodeURIComponent(name ?? ''))
    const query = `suite=suite&case=${at[0]}&subject=${at[1]}&index=${first?.index}`
    for (const hash of [`#/runs/${key}/trial?${query}`, `#/runs/${key}?${query}`]) {
      await page.evaluate(`location.hash = ${JSON.stringify(hash)}`)
      const shown = page.getByRole('list', { name: 'Verdicts of people' })
      await shown.getByText('you (ann').waitFor()
      expect(await shown.textContent()).toContain(`: fail — a note </script><img`)
      await page.getByText('What the judge is asked').click()
      expect(await page.getByLabel('criterion').textContent()).toBe('Is it good?')
    }
    await page.evaluate(`location.hash = ${JSON.stringify(`#/runs/${key}/trials?words=`)}`)
    await page.getByRole('columnheader', { name: 'people' }).waitFor()
    expect(await page.locator('tbody td div').count()).toBe(5)
    await page.evaluate(`location.hash = ${JSON.stringify(`#/runs/${key}/review?blind=1`)}`)
    await page.getByRole('heading', { name: 'Trial 6 of 24' }).waitFor()
    // In a blind review, too, it is known what the judge is asked.
    expect(await page.getByLabel('criterion').textContent()).toBe('Is it good?')
    await page.keyboard.press('ArrowLeft')
    await page.getByRole('heading', { name: 'Trial 5 of 24' }).waitFor()
    await page.locator('.said').getByText('you (ann').waitFor()
    await page.getByRole('button', { name: 'withdraw your label' }).click()
    await page.getByText('1 pass, 2 fail, 1 unsure').waitFor()
    expect(await page.locator('#app img').count()).toBe(0)
    expect(seen).toEqual([])
    await page.close()
  })

  it('keeps a second person apart, at 420 px in the dark, and a chosen trial out of the rates', async () => {
    const { page, seen } = await watchedPage(browser, {
      ...{ within: origin, width: 420, colorScheme: 'dark' },
    })
    await openReview(page)
    await page.getByLabel('Your name').fill('bob')
    await page.locator('.verdict').waitFor()
    await page.getByRole('button', { name: 'Fail' }).click()
    await page.getByRole('heading', { name: 'Trial 2 of 24' }).waitFor()
    await page.getByRole('button', { name: 'Pass' }).click()
    await page.getByRole('heading', { name: 'Do people agree?' }).waitFor()
    await page.getByRole('cell', { name: '2 of 2', exact: true }).waitFor()
    const key = viewing.store.keyOf(folder) ?? ''
    // One that has not come up at random.
    const seenAtRandom = new Set(
      (await labels())
        .filter(({ reviewer }) => reviewer === 'bob')
        .map(({ case: one, subject, index }) => `${one} ${subject} ${index}`),
    )
    const index = [0, 1, 2].find((at) => !seenAtRandom.has(`${HOSTILE} 0 plain ${at}`)) ?? 0
    const trial = `suite=suite&case=${encodeURIComponent(`${HOSTILE} 0`)}&subject=plain&index=${index}`
    await page.evaluate(`location.hash = ${JSON.stringify(`#/runs/${key}/trial?${trial}`)}`)
    await page.getByRole('link', { name: 'Review this trial' }).click()
    await page.getByRole('heading', { name: 'A chosen trial' }).waitFor()
    await page.locator('pre[aria-label=answer]').waitFor()
    await page.getByRole('button', { name: 'Fail' }).click()
    await page.getByText('1 of chosen trials, which correct no rate').waitFor()
    expect((await labels()).at(-1)).toMatchObject({ reviewer: 'bob', picked: 'chosen', index })
    const wider = await page.evaluate('document.documentElement.scrollWidth - innerWidth')
    expect(wider).toBe(0)
    expect(seen).toEqual([])
    await page.close()
  })
})
