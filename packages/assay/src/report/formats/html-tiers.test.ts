/** The tiers of an HTML report in a browser: their tables and pictures, with names that mean harm. */
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { chromium } from 'playwright-core'
import { expect, test } from 'vitest'
import { fakeSource, fakeTrials } from '../../../test/fake-source.ts'
import { reportOf } from '../../../test/report-of.ts'
import { written } from '../../../test/written.ts'
import { html } from './html.ts'

const BROWSERS = ['chromium', 'chromium-browser', 'google-chrome']
const browserPath = (process.env['PATH'] ?? '')
  .split(delimiter)
  .flatMap((folder) => BROWSERS.map((name) => join(folder, name)))
  .find((path) => existsSync(path))

const SUBJECTS = ['<img src=x onerror=alert(1)>', 'T1', '__proto__']

async function page(): Promise<string> {
  const cases = ['a', 'b', 'c<i>', 'd', 'e']
  const trials = fakeTrials({
    subjects: SUBJECTS,
    cases,
    trials: 4,
    change: (_, passes) => ({ implRate: passes ? 0.9 : 0.2 }),
  })
  const { tiers, subjects, provenance } = reportOf(
    [{ id: 'suite', cases: cases.map((id) => ({ id, trials: 4 })) }],
    SUBJECTS.map((id) => ({ id })),
    trials,
    { tiers: { order: SUBJECTS, baseline: SUBJECTS[0] as string } },
  )
  const scoring = { ...provenance.scoring, impl: 'score' as const }
  const shown = { ...provenance, scoring, agentTimeoutMs: 1_800_000 }
  return written(html, fakeSource(trials, { tiers, subjects, provenance: shown }))
}

test.skipIf(browserPath === undefined)(
  'uplift, distribution and cases by tier are drawn, and names stay names',
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'assay-html-tiers-'))
    const browser = await chromium.launch({
      ...(browserPath !== undefined && { executablePath: browserPath }),
      args: process.getuid?.() === 0 ? ['--no-sandbox'] : [],
    })
    try {
      writeFileSync(join(folder, 'report.html'), await page())
      const view = await browser.newPage({ viewport: { width: 1200, height: 900 } })
      const seen: string[] = []
      view.on('console', (message) => seen.push(message.text()))
      view.on('pageerror', (error) => seen.push(error.message))
      view.on('dialog', (dialog) => {
        seen.push(dialog.message())
        void dialog.dismiss()
      })
      view.setDefaultTimeout(20_000)
      await view.goto(pathToFileURL(join(folder, 'report.html')).href)
      const section = view.locator('section[aria-labelledby=tiers]')
      await section.locator('.plot > svg').first().waitFor()
      expect(await section.locator('h3').allInnerTexts()).toEqual([
        'Uplift in pass rate',
        'Uplift in composite',
        'Composites of trials',
        'Cases by tier',
      ])
      expect(await section.locator('.plot > svg').count()).toBe(4)
      // One row for each tier, and for each tier on each of two metrics.
      expect(await section.locator('tbody tr').count()).toBe(3 + 3 * 2)
      expect(await section.locator('thead').first().innerText()).toMatch(
        /passed\s+score\s+composite/,
      )
      const limits = view.locator('section[aria-labelledby=provenance] dd', { hasText: 'grading' })
      expect(await limits.innerText()).toMatch(/^answer .+, agent 30 min.*, grading /)
      expect(await section.innerText()).toContain('<img src=x onerror=alert(1)>')
      // 5 cases on 3 tiers.
      expect(await section.locator('g[aria-label=cell] rect').count()).toBe(15)
      expect(await view.locator('img').count()).toBe(0)
      expect(seen).toEqual([])
    } finally {
      await browser.close()
      rmSync(folder, { recursive: true })
    }
  },
)
