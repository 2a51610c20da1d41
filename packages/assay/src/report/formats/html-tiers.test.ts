/**
 * Opens an HTML report in a browser and checks the section about tiers: its tables and charts, with names that contain
 * hostile HTML.
 */
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { chromium } from 'playwright-core'
import { expect, test } from 'vitest'
import { fakeSource, fakeTrials } from '../../../test/fake-source.ts'
import { reportOf } from '../../../test/report-of.ts'
import { written } from '../../../test/written.ts'
import { withGates } from '../gates/gates-report.ts'
import { html } from './html.ts'

const BROWSERS = ['chromium', 'chromium-browser', 'google-chrome']
const browserPath = (process.env['PATH'] ?? '')
  .split(delimiter)
  .flatMap((folder) => BROWSERS.map((name) => join(folder, name)))
  .find((path) => existsSync(path))

const SUBJECTS = ['<img src=x onerror=alert(1)>', 'T1', '__proto__']

const ANY = { suite: null, subject: null, tag: null, case: null, per: null }
const GATE = { ...ANY, k: null, target: null }

async function page(): Promise<string> {
  const cases = ['a', 'b', 'c<i>', 'd', 'e']
  const trials = fakeTrials({
    subjects: SUBJECTS,
    cases,
    trials: 4,
    change: (_, passes) => ({ implRate: passes ? 0.9 : 0.2 }),
  })
  const report = reportOf(
    [{ id: 'suite', threshold: 0.5, cases: cases.map((id) => ({ id, trials: 4 })) }],
    SUBJECTS.map((id) => ({ id })),
    trials,
    { passK: [1, 2], tiers: { order: SUBJECTS, baseline: SUBJECTS[0] as string } },
  )
  const asked = {
    gates: [{ ...GATE, metric: 'passRate', kind: 'min', bound: 0.99 } as const],
    strict: false,
    requirePass: true,
  }
  const { tiers, subjects, provenance, gates } = withGates(report, asked, [])
  const scoring = { ...provenance.scoring, impl: 'score' as const }
  const shown = {
    ...provenance,
    scoring,
    agentTimeoutMs: 1_800_000,
    experiment: '<b>Which prompt</b>?',
  }
  return written(html, fakeSource(trials, { tiers, subjects, gates, provenance: shown }))
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
      expect(await view.locator('.kicker').textContent()).toBe(
        'Assay report · <b>Which prompt</b>?',
      )
      expect(await view.title()).toBe('<b>Which prompt</b>? · Assay report')
      // The first table has one row for each of 3 tiers. The second has one row for each tier on each of 2 metrics.
      expect(await section.locator('tbody tr').count()).toBe(3 + 3 * 2)
      expect(await section.locator('thead').first().innerText()).toMatch(
        /passed\s+score\s+composite/,
      )
      const limits = view.locator('section[aria-labelledby=provenance] dd', { hasText: 'grading' })
      expect(await limits.innerText()).toMatch(/^answer .+, agent 30 min.*, grading /)
      expect(await section.innerText()).toContain('<img src=x onerror=alert(1)>')
      // The data of each chart, with whole names, is one click away.
      await section.locator('summary', { hasText: 'Data' }).last().click()
      const data = section.getByRole('region', { name: 'Data of the chart' })
      await data.waitFor()
      expect(await data.locator('thead th').allInnerTexts()).toEqual(['case', ...SUBJECTS])
      expect(await data.locator('tbody tr').count()).toBe(5)
      // One cell for each of 5 cases on 3 tiers.
      expect(await section.locator('g[aria-label=cell] rect').count()).toBe(15)
      expect(await section.innerText()).toMatch(/prompt (?:in)?sensitive/)
      expect(await section.innerText()).toContain('cost delta $')
      const textOf = async (name: string): Promise<string> =>
        (await view.locator(`section[aria-labelledby=${name}]`).innerText()).replaceAll(/\s+/g, ' ')
      const gated = await textOf('gates')
      expect(gated).toContain('Failed: ')
      expect(gated).toMatch(/pass rate ≥ 99\.0%: \d+\.\d% \(.* 95 % interval/)
      expect(gated).toMatch(/skill: score 0\.\d+, (?:at least|below) the threshold of 0\.5/)
      const skills = await textOf('skills')
      expect(skills).toMatch(/(?:PASSED|FAILED): score 0\.\d+/)
      expect(skills).toMatch(/stimulus k score pass rate pass@4 p\^4 flaky/)
      const statistics = await textOf('statistics')
      expect(statistics).toMatch(/total cost per trial judges duration answering waiting grading/)
      expect(statistics).toMatch(/subject k pass@k pass\^k p\^k/)
      expect(statistics).toMatch(/metric median mean mode min max std dev count/)
      expect(statistics).toMatch(/grade [A-F] (?:Excellent|Good|Satisfactory|Marginal|Failing)/)
      expect(statistics).toContain('medians of its parts: passed ')
      for (const name of ['pass_rate', 'impl_rate', 'cost_usd', 'duration_seconds', 'composite'])
        expect(statistics).toContain(name)
      await view.evaluate(`location.hash = '#suite/a/T1/0'`)
      const facts = view.locator('dialog .verdict')
      await facts.waitFor()
      for (const name of [
        'composite ',
        'cost of pass ',
        'duration ',
        'answer ',
        'waiting ',
        'grading ',
      ])
        expect(await facts.innerText()).toContain(name)
      expect(await view.locator('img').count()).toBe(0)
      expect(seen).toEqual([])
    } finally {
      await browser.close()
      rmSync(folder, { recursive: true })
    }
  },
)
