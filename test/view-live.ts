/**
 * Defines the test of a page of the workbench that follows a run in another process to its end, through a kill and a
 * resume, and then through damage and deletion of its folder.
 */
import { spawn, type ChildProcess } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { summarize } from '../packages/assay/src/report/index.ts'
import {
  browserPath,
  startBrowser,
  startViewing,
  watchedPage,
  type Viewing,
} from '../packages/assay/test/view-server.ts'
import { command, machine } from './command.ts'

const CASES = 20

interface FollowedRun {
  readonly trialsPerCase: number
  readonly parallelism: number
}

export function followRun({ trialsPerCase, parallelism }: FollowedRun): void {
  const PLANNED = CASES * trialsPerCase
  const share = (of: number): number => Math.round(PLANNED * of)

  describe.skipIf(browserPath === undefined)('in Chromium', () => {
    let root: string
    let folder: string
    let browser: Browser
    let viewing: Viewing
    const children: ChildProcess[] = []

    beforeAll(async () => {
      root = mkdtempSync(join(tmpdir(), 'assay-live-'))
      folder = join(root, 'runs', 'live')
      const cases = Array.from({ length: CASES }, (_, i) => ({
        id: `c${i}`,
        prompt: `What is ${i} + 1?`,
        reference: String(i + 1),
        faulty: ['nothing'],
        graders: [{ type: 'equals', value: String(i + 1) }],
      }))
      writeFileSync(join(root, 'suite.json'), JSON.stringify({ id: 'sums', cases }))
      browser = await startBrowser()
    })
    afterAll(async () => {
      for (const child of children) child.kill('SIGKILL')
      await browser.close()
      await viewing.close()
      rmSync(root, { recursive: true, force: true })
    })

    const assay = (...words: readonly string[]): ChildProcess => {
      const child = spawn(process.execPath, [command, 'run', ...words], {
        cwd: root,
        env: machine(),
        stdio: 'ignore',
      })
      children.push(child)
      return child
    }
    const ended = (child: ChildProcess): Promise<number | null> =>
      new Promise((resolve) => child.once('close', (code) => resolve(code)))

    const recorded = async (): Promise<number> => {
      const report = await summarize(folder).catch(() => null)
      return report === null ? 0 : report.counts.planned - report.counts.cancelled
    }
    const untilRecorded = async (least: number): Promise<void> => {
      while ((await recorded()) < least) await sleep(100)
    }

    /** Waits until the page shows the counts of the report of a run that does not change now, and compares its figures. */
    async function agrees(page: Page): Promise<void> {
      const report = await summarize(folder)
      const { planned, passed, failed, unscored, errored, cancelled } = report.counts
      expect(planned).toBe(PLANNED)
      expect(passed + failed + unscored + errored + cancelled).toBe(PLANNED)
      const text = `${PLANNED.toLocaleString('en-US')} planned = ${[
        [passed, 'passed'],
        [failed, 'failed'],
        [unscored, 'unscored'],
        [errored, 'errored'],
        [cancelled, 'cancelled'],
      ]
        .map(([n, word]) => `${Number(n).toLocaleString('en-US')} ${word}`)
        .join(' + ')}`
      const shown = async (): Promise<string> =>
        ((await page.locator('#counts').textContent()) ?? '').replaceAll(/\s+/g, ' ').trim()
      for (let looks = 0; (await shown()) !== text && looks < 600; looks++) await sleep(100)
      expect(await shown()).toBe(text)
      const [row] = report.subjects
      const { low = 0, high = 0 } = row?.passRate.interval ?? {}
      const line = await page.locator('section tbody tr').first().innerText()
      expect(line.replaceAll(',', '')).toContain(`${passed}/${passed + failed}`)
      expect(line).toContain(`${Math.round(low * 100)}–${Math.round((high ?? 1) * 100)}`)
    }

    it(`the page of ${PLANNED} trials agrees with the report at three moments, after a kill and at the end, and names damage`, async () => {
      const first = assay(
        ...['suite.json', '--model', 'simulated:pass=0.7,latency=40,realtime=true'],
        ...['--trials', String(trialsPerCase), '--parallelism', String(parallelism)],
        ...['--output', folder],
      )
      const firstEnd = ended(first)
      await untilRecorded(1)
      viewing = await startViewing([join(root, 'runs')])
      const { page, seen } = await watchedPage(browser, {
        within: `http://127.0.0.1:${viewing.port}`,
      })
      viewing.store.list()
      await page.goto(viewing.addressForOnce(viewing.store.keyOf(folder) ?? ''))
      for (const least of [share(0.1), share(0.25)]) {
        await untilRecorded(least)
        // The run is frozen, so that the page and the report are about the same trials.
        first.kill('SIGSTOP')
        await agrees(page)
        first.kill('SIGCONT')
      }
      await untilRecorded(share(0.4))
      first.kill('SIGKILL')
      await firstEnd
      await agrees(page)
      await page.getByText('STOPPED').waitFor()

      const second = assay('--resume', folder)
      const secondEnd = ended(second)
      await untilRecorded(share(0.6))
      second.kill('SIGSTOP')
      await page.locator('#progress').waitFor()
      await agrees(page)
      second.kill('SIGCONT')
      expect(await secondEnd).toBe(0)
      await agrees(page)
      await page.getByText('· complete ·').waitFor()
      expect(await recorded()).toBe(PLANNED)

      // A torn line, then a record that cannot be read, then no folder at all. What was last read stays on the page.
      const log = join(folder, 'trials.jsonl')
      writeFileSync(log, readFileSync(log).subarray(0, -20))
      await page.getByText('was cut short').first().waitFor()
      const record = join(folder, 'run.json')
      writeFileSync(record, readFileSync(record, 'utf8').slice(0, 200))
      await page.getByText('NOT READABLE').waitFor()
      expect(await page.locator('#counts').count()).toBe(1)
      rmSync(folder, { recursive: true })
      await page.getByText('DELETED').waitFor()
      // The browser itself reports the answers to the requests for the damaged and the deleted run.
      expect(seen.filter((one) => !one.includes('409') && !one.includes('404'))).toEqual([])
      await page.close()
    })
  })
}
