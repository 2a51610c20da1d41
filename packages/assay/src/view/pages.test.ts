/** Opens the pages of the workbench in a browser, from a real server. */
import { mkdtempSync, rmSync, writeFileSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Answer, Ask } from '@assay/contract'
import { fakeCase, fakeSubject, fakeSuite, saying } from '../../test/fakes.ts'
import {
  browserPath,
  startBrowser,
  startViewing,
  watchedPage,
  type Viewing,
} from '../../test/view-server.ts'
import { summarize } from '../report/index.ts'
import { run } from '../run/index.ts'

const HOSTILE = '</script><img src=x onerror=alert(1)> "\'&\u202e {{x}} %2F..'
const SUBJECTS = ['<b>bold</b>', 'plain']

/** For each table of the page: its name, whether a part of it is to the right of what is shown, and whether a line says so. */
const TABLES = `[...document.querySelectorAll('.scrolls')].filter((one) => one.checkVisibility()).map((one) => {
  const region = one.querySelector('.scroll')
  const hidden = region.scrollWidth - region.clientWidth - region.scrollLeft
  return [region.ariaLabel, hidden > 2, one.querySelector('.more-right').checkVisibility()]
})`
type ShownTable = readonly [name: string, isCut: boolean, isSaid: boolean]

describe.skipIf(browserPath === undefined)('in Chromium', () => {
  let root: string
  let browser: Browser
  let viewing: Viewing
  let origin: string

  beforeAll(async () => {
    root = mkdtempSync(join(tmpdir(), 'assay-pages-'))
    browser = await startBrowser()
    for (const [i, folder] of ['first', 'second'].entries())
      await run({
        suites: [
          fakeSuite(
            [HOSTILE, 'steady'].map((id) => fakeCase(id)),
            { name: HOSTILE },
          ),
        ],
        subjects: SUBJECTS.map((id) =>
          fakeSubject(
            ({ case: one }) =>
              saying(
                one.id !== HOSTILE || i === 0
                  ? 'right'
                  : id === 'plain'
                    ? HOSTILE
                    : `${HOSTILE} ins`,
              ),
            { id },
          ),
        ),
        folder: join(root, 'runs', folder),
        trials: 3,
      })
    viewing = await startViewing([join(root, 'runs')])
    origin = `http://127.0.0.1:${viewing.port}`
    viewing.store.list()
    await viewing.store.settled()
  })
  afterAll(async () => {
    await browser.close()
    await viewing.close()
    rmSync(root, { recursive: true, force: true })
  })

  const keyOf = (folder: string): string => viewing.store.keyOf(join(root, 'runs', folder)) ?? ''
  const goto = async (page: Page, hash: string, wait: string): Promise<void> => {
    await page.evaluate(`location.hash = ${JSON.stringify(hash)}`)
    await page.locator(wait).first().waitFor()
  }
  const trialQuery = (one: string, subject: string): string =>
    `suite=suite&case=${encodeURIComponent(one)}&subject=${encodeURIComponent(subject)}&index=0`

  const LOOKS = [
    { width: 1400, colorScheme: 'light' },
    { width: 420, colorScheme: 'dark' },
  ] as const

  for (const look of LOOKS)
    it(`every page is drawn at ${look.width} px, ${look.colorScheme}, and hostile names stay text`, async () => {
      const { page, seen } = await watchedPage(browser, { ...look, within: origin })
      await page.goto(viewing.addressForOnce())
      const list = page.locator('section[aria-labelledby=runs]')
      await list.locator('tbody tr').first().waitFor()
      expect(await list.locator('tbody tr').count()).toBe(2)
      expect(await list.locator('tbody th').first().textContent()).toContain('<img src=x onerror')
      // The figures of a run are on the page, also on a narrow one.
      expect(await page.evaluate<ShownTable[]>(TABLES)).toContainEqual(['Runs', false, false])
      // The trend has a chart for each subject, and its data.
      const trend = page.locator('section[aria-labelledby=trend]')
      await trend.locator('.plot svg').nth(1).waitFor()
      expect(await trend.innerText()).toContain('<b>bold</b>')
      await trend.getByText('Data').first().click()
      await trend.locator('tbody tr').nth(1).waitFor()
      const second = keyOf('second')
      const pages: readonly (readonly [hash: string, wait: string])[] = [
        [`#/runs/${second}`, '.plot svg'],
        [`#/runs/${second}?${trialQuery(HOSTILE, 'plain')}`, 'dialog .verdict'],
        [`#/runs/${second}/trial?${trialQuery(HOSTILE, SUBJECTS[0] ?? '')}`, 'main .verdict'],
        [`#/runs/${second}/trials`, 'tbody tr'],
      ]
      const first = keyOf('first')
      const others: typeof pages = [
        ['#/matrix', 'table.matrix td pre'],
        ['#/compare', '#regressions'],
        [
          `#/compare?a=${first}&as=plain&b=${second}&bs=${encodeURIComponent('<b>bold</b>')}`,
          '#others',
        ],
        [`#/case?suite=suite&case=${encodeURIComponent(HOSTILE)}`, 'main table'],
      ]
      let cut = 0
      for (const [hash, wait] of [...pages, ...others]) {
        await goto(page, hash, wait)
        const text = await page.locator('#app').innerText()
        expect(text).toContain('onerror=alert(1)')
        expect(await page.locator('#app img, #app b b').count()).toBe(0)
        // Wide tables scroll inside of the page, the page itself does not.
        const wider = await page.evaluate('document.documentElement.scrollWidth - innerWidth')
        expect([hash, wider]).toEqual([hash, 0])
        // Nothing is cut off without a sign.
        for (const [name, isCut, isSaid] of await page.evaluate<ShownTable[]>(TABLES)) {
          expect([hash, name, isSaid]).toEqual([hash, name, isCut])
          cut += isCut ? 1 : 0
        }
      }
      if (look.width === 420) expect(cut).toBeGreaterThan(0)
      await goto(page, '#/nothing', '.message')
      await goto(page, '#/runs/missing', '.message')
      expect(await page.locator('.message').textContent()).toContain('no such run')
      // The request for the run that is missing is reported by the browser itself.
      expect(seen.filter((one) => !one.includes('404'))).toEqual([])
      await page.close()
    })

  it('goes from the list to a trial and back by keyboard', async () => {
    const { page, seen } = await watchedPage(browser, { within: origin })
    await page.goto(viewing.addressForOnce())
    await page.getByRole('searchbox').fill('runs/second')
    await page.getByRole('row').nth(1).getByRole('link').focus()
    expect(await page.getByRole('row').count()).toBe(2)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Cases', exact: true }).waitFor()
    await page.locator('table .link').first().focus()
    await page.keyboard.press('Enter')
    await page.getByText('Trial 0 of 3').waitFor()
    await page.keyboard.press('ArrowRight')
    await page.getByText('Trial 1 of 3').waitFor()
    for (const name of ['This case in all runs', 'Review this trial'])
      expect(await page.getByRole('dialog').getByRole('link', { name }).count()).toBe(1)
    await page.getByRole('link', { name: 'Open as a page' }).focus()
    await page.keyboard.press('Enter')
    await page.locator('main h1').waitFor()
    expect(await page.getByRole('heading', { level: 1 }).textContent()).toContain('onerror')
    await page.getByText('Trial 1 of 3').waitFor()
    await page.keyboard.press('ArrowRight')
    await page.getByText('Trial 2 of 3').waitFor()
    // The hostile name of this case has control characters.
    await page.getByText('No command can run this trial again').waitFor()
    await page.goBack()
    await page.getByText('Trial 1 of 3').waitFor()
    const steady = `#/runs/${keyOf('second')}/trial?${trialQuery('steady', 'plain')}`
    await goto(page, steady, 'main .verdict')
    await page.getByText('Run this case again').click()
    expect(await page.getByLabel('command').textContent()).toBe(
      'assay run suite.toml --case steady --model plain --trials 1 --seed 1',
    )
    expect(seen).toEqual([])
    await page.close()
  })

  it('says what got worse, and since when a case fails', async () => {
    const { page, seen } = await watchedPage(browser, { within: origin })
    await page.goto(viewing.addressForOnce())
    await page.getByRole('link', { name: 'Compare two runs' }).click()
    await page.locator('#regressions').waitFor()
    expect(await page.locator('h1').textContent()).toMatch(
      /^(.*: .* \(mean score 1\.000 → 0\.500\)( · )?){2}$/,
    )
    expect(await page.locator('#compared').textContent()).toMatch(
      /From .*first to .*second: 2 cases got worse and 0 cases better/,
    )
    const choices = page.getByRole('combobox')
    expect(await choices.count()).toBe(4)
    await choices.nth(1).selectOption('plain')
    await choices.nth(3).selectOption('<b>bold</b>')
    await page.getByRole('heading', { name: 'plain → <b>bold</b>', exact: true }).waitFor()
    expect(await page.locator('h1').textContent()).toContain('plain → <b>bold</b>: ')
    await page.locator('section[aria-labelledby=regressions] tbody a').first().click()
    await page.getByText('Fails').first().waitFor()
    const text = await page.locator('main').innerText()
    expect(text).toMatch(/Fails since the run of .*\. All trials last passed in the run of/)
    await page.locator('tbody a').first().click()
    await page.locator('main .verdict').waitFor()
    await page.getByRole('link', { name: 'This case in all runs' }).click()
    await page.getByText('Fails').first().waitFor()
    expect(seen).toEqual([])
    await page.close()
  })

  it('shows answers side by side, with the difference to one column', async () => {
    const { page, seen } = await watchedPage(browser, { within: origin })
    await page.goto(viewing.addressForOnce(keyOf('second')))
    await page.getByRole('link', { name: 'answers side by side' }).click()
    await page.locator('table.matrix tbody tr').nth(1).waitFor()
    expect(await page.locator('table.matrix thead th').count()).toBe(3)
    expect(await page.getByText('the same answer').count()).toBe(1)
    expect(await page.locator('del').textContent()).toContain('ins')
    await page.getByRole('button', { name: 'show differences to this' }).click()
    expect(await page.locator('ins').textContent()).toContain('ins')
    // A subject of another run: its answer to the hostile case was right.
    const added = page.getByLabel('Add a column')
    await added.selectOption('plain, first')
    await page.locator('table.matrix thead th').nth(3).waitFor()
    await page.getByText('unlike the other answer').first().waitFor()
    await page.getByRole('button', { name: 'hide differences' }).click()
    await page.getByText('unlike the other answer').first().waitFor({ state: 'detached' })
    await page.getByLabel('Show').selectOption('different')
    await page.getByText('1 of 2 cases').waitFor()
    await page.getByLabel('Show').selectOption('failed')
    await page.getByText('1 of 2 cases').waitFor()
    await page.getByRole('button', { name: 'remove the column plain' }).first().click()
    await page.locator('table.matrix thead th').nth(3).waitFor({ state: 'detached' })
    await page.locator('[data-at="0 0"]').focus()
    await page.keyboard.press('ArrowRight')
    await page.keyboard.press('Enter')
    await page.locator('main .verdict').waitFor()
    expect(page.url()).toContain('subject=plain')
    expect(seen).toEqual([])
    await page.close()
  })

  it('deletes a run after a question', async () => {
    await run({
      suites: [fakeSuite(1)],
      subjects: [fakeSubject(() => saying('right'))],
      folder: join(root, 'runs', 'old'),
    })
    const { page, seen } = await watchedPage(browser, { within: origin })
    await page.goto(viewing.addressForOnce())
    const row = page.getByRole('row').filter({ hasText: 'runs/old' })
    await row.getByRole('button').click()
    await page.getByRole('button', { name: 'Keep it' }).click()
    await row.getByRole('button').click()
    await page.getByRole('button', { name: 'Delete it' }).click()
    await row.waitFor({ state: 'detached' })
    expect(await page.getByRole('row').count()).toBe(3)
    expect(seen).toEqual([])
    await page.close()
  })

  it('follows a run of 100 trials: its counts and intervals, a stop, a resume, its end, its deletion', async () => {
    const folder = join(root, 'runs', 'live')
    let allowed = 30
    let asked = 0
    const waiting: (() => void)[] = []
    const allow = (upTo: number): void => {
      allowed = upTo
      for (const go of waiting.splice(0)) go()
    }
    const subject = fakeSubject(async ({ index }: Ask): Promise<Answer> => {
      const mine = asked++
      const isHeld = (): boolean => mine >= allowed
      while (isHeld()) await new Promise<void>((resolve) => waiting.push(resolve))
      return saying(index % 3 === 0 ? 'wrong' : 'right')
    })
    const stop = new AbortController()
    const start = (options: { resume?: boolean; signal?: AbortSignal }) =>
      run({
        suites: [fakeSuite(10)],
        subjects: [subject],
        folder,
        trials: 10,
        parallelism: 4,
        ...options,
      })
    const first = start({ signal: stop.signal })
    const { page, seen } = await watchedPage(browser, { within: origin })
    // A run that has just begun has a record, but no plan yet.
    while ((await summarize(folder).catch(() => null)) === null) await sleep(20)
    await page.goto(viewing.addressForOnce(keyOf('live')))

    /** Waits until the page shows the counts of the report, and compares the table of subjects with it. */
    const agrees = async (recorded: number): Promise<void> => {
      let report = await summarize(folder)
      while (report.counts.planned - report.counts.cancelled < recorded) {
        await sleep(20)
        report = await summarize(folder)
      }
      const { passed, failed, cancelled } = report.counts
      const text = `100 planned = ${passed} passed + ${failed} failed + 0 unscored + 0 errored + ${cancelled} cancelled`
      const shownCounts = async (): Promise<string> =>
        ((await page.locator('#counts').textContent()) ?? '').replaceAll(/\s+/g, ' ').trim()
      while ((await shownCounts()) !== text) await sleep(50)
      const [row] = report.subjects
      const { low = 0, high = 0 } = row?.passRate.interval ?? {}
      const shown = await page.locator('section tbody tr').first().innerText()
      expect(shown).toContain(`${passed}/${passed + failed}`)
      expect(shown).toContain(`${Math.round(low * 100)}–${Math.round((high ?? 1) * 100)}`)
    }
    await agrees(30)
    await page.locator('#progress').waitFor()
    stop.abort()
    allow(40)
    await first
    await page.getByText('interrupted').first().waitFor()
    await agrees(30)
    const second = start({ resume: true })
    allow(80)
    await page.locator('#progress').waitFor()
    await agrees(80)
    allow(1000)
    await second
    await agrees(100)
    await page.getByText('· complete ·').waitFor()

    // A torn line, then a record that cannot be read, then no folder at all.
    const log = readFileSync(join(folder, 'trials.jsonl'))
    writeFileSync(join(folder, 'trials.jsonl'), log.subarray(0, -20))
    await page.getByText('was cut short').first().waitFor()
    const record = readFileSync(join(folder, 'run.json'), 'utf8')
    writeFileSync(join(folder, 'run.json'), record.slice(0, 200))
    await page.getByText('NOT READABLE').waitFor()
    expect(await page.locator('#counts').count()).toBe(1)
    rmSync(folder, { recursive: true })
    await page.getByText('DELETED').waitFor()
    // The browser itself reports the answer to the request for the damaged run.
    expect(seen.filter((one) => !one.includes('409') && !one.includes('404'))).toEqual([])
    await page.close()
  })
})
