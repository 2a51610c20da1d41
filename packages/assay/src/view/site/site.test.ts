/** The static site in a browser: from the disk, and from a folder of a server. */
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { runInNewContext } from 'node:vm'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { judgedRun } from '../../../test/review/judged-run.ts'
import { browserPath, startBrowser, watchedPage } from '../../../test/view-server.ts'
import { readRun } from '../../report/index.ts'
import { runsBelow } from '../find-runs.ts'
import { labelsFileSchema } from '../review/label-input.ts'
import { addLabels, checkLabels } from '../review/add-labels.ts'
import { RunIndex } from '../run-index.ts'
import { RunStore } from '../run-store.ts'
import { siteScript } from './site-script.ts'
import { writeSite } from './write-site.ts'

const HOSTILE = '</script><img src=x onerror=alert(1)> "\'&\\\u2028\u202e {{x}} __proto__'
const SUBJECTS = [HOSTILE, 'plain']

let root: string
let site: string
let store: RunStore

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'assay-site-'))
  site = join(root, 'site #1 50%')
  for (const [i, name] of ['first', 'second'].entries())
    await judgedRun({
      folder: join(root, 'runs', name),
      cases: [`${HOSTILE} a`, '__proto__'],
      subjects: SUBJECTS,
      trials: 2,
      answer: ({ index }) => (index === 0 || i === 0 ? `praise ${HOSTILE}` : HOSTILE),
    })
  store = new RunStore({
    find: () => runsBelow([join(root, 'runs')]),
    index: RunIndex.open(null),
  })
  await writeSite(store, site)
})
afterAll(async () => {
  await store.close()
  rmSync(root, { recursive: true, force: true })
})

const keyOf = (name: string): string => store.keyOf(join(root, 'runs', name)) ?? ''

describe.skipIf(browserPath === undefined)('in Chromium', () => {
  let browser: Browser
  let server: Server
  let served: string
  beforeAll(async () => {
    browser = await startBrowser()
    server = createServer((request, response) => {
      const path = decodeURIComponent(
        (request.url ?? '').replace('/deep/er/', '').split('?')[0] ?? '',
      )
      const file = join(site, path === '' ? 'index.html' : path)
      const isThere = request.url?.startsWith('/deep/er/') === true && existsSync(file)
      const type = file.endsWith('.html')
        ? 'text/html'
        : file.endsWith('.js')
          ? 'text/javascript'
          : 'text/css'
      response.writeHead(isThere ? 200 : 404, { 'content-type': type })
      response.end(isThere ? readFileSync(file) : '')
    })
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve)
    })
    served = `http://127.0.0.1:${(server.address() as AddressInfo).port}/deep/er/`
  })
  afterAll(async () => {
    await browser.close()
    server.close()
  })

  const goto = async (page: Page, hash: string, wait: string): Promise<void> => {
    await page.evaluate(`location.hash = ${JSON.stringify(hash)}`)
    await page.locator(wait).first().waitFor()
  }

  for (const from of ['disk', 'server'] as const)
    it(`every page works from a ${from}, and hostile names stay text`, async () => {
      const address = from === 'disk' ? pathToFileURL(join(site, 'index.html')).href : served
      const within = from === 'disk' ? pathToFileURL(site).href : served
      const { page, seen } = await watchedPage(browser, {
        ...{ within, width: from === 'disk' ? 1400 : 420 },
      })
      await page.goto(address)
      await page.getByRole('searchbox').waitFor()
      const [first, second] = [keyOf('first'), keyOf('second')]
      const trial = `suite=suite&case=${encodeURIComponent(`${HOSTILE} a`)}&subject=plain&index=1`
      const pages: readonly (readonly [hash: string, wait: string])[] = [
        [`#/runs/${second}`, '.plot svg'],
        [`#/runs/${second}?${trial}`, 'dialog .verdict'],
        [`#/runs/${second}/trial?${trial}`, 'main .verdict'],
        [`#/runs/${second}/trials`, 'tbody tr'],
        ['#/matrix', 'table.matrix td pre'],
        [`#/compare?a=${first}&b=${second}`, '#regressions'],
        [`#/compare?a=${second}&as=${encodeURIComponent(HOSTILE)}&b=${second}&bs=plain`, 'h1'],
        [`#/case?suite=suite&case=${encodeURIComponent(`${HOSTILE} a`)}`, 'main table'],
        [`#/runs/${second}/review`, 'pre[aria-label=answer]'],
      ]
      for (const [hash, wait] of pages) {
        await goto(page, hash, wait)
        expect(await page.locator('#app').innerText()).toContain('onerror=alert(1)')
        expect(await page.locator('#app img').count()).toBe(0)
        const wider = await page.evaluate('document.documentElement.scrollWidth - innerWidth')
        expect([hash, wider]).toEqual([hash, 0])
      }
      expect(await page.evaluate('Object.keys(Object.prototype).length')).toBe(0)
      await goto(page, `#/compare?a=${second}&b=${first}`, '[role=alert]')
      expect(await page.locator('[role=alert]').textContent()).toContain('no comparison of these')
      await goto(page, '#/runs/missing', '.message')
      expect(await page.locator('.message').textContent()).toContain('no such run on this site')
      expect(seen).toEqual([])
      await page.close()
    })

  it('all trials are a table with a search, filters and an order, as on the server', async () => {
    const { page, seen } = await watchedPage(browser, { within: pathToFileURL(site).href })
    await page.goto(pathToFileURL(join(site, 'index.html')).href)
    await page.getByRole('searchbox').waitFor()
    await goto(page, `#/runs/${keyOf('second')}`, '.plot svg')
    await page.getByRole('link', { name: 'all trials' }).click()
    await page.getByText('8 of 8 trials').waitFor()
    expect(await page.locator('tbody tr').count()).toBe(8)
    await page.getByLabel('Outcome').selectOption('failed')
    await page.getByText('4 of 8 trials').waitFor()
    await page.getByLabel('Subject').selectOption('plain')
    await page.getByText('2 of 8 trials').waitFor()
    await page.getByRole('searchbox').fill('onerror')
    await page.getByText('1 of 8 trials').waitFor()
    expect(await page.locator('tbody tr').innerText()).toContain('failed')
    await page.locator('tbody a').click()
    await page.locator('main .verdict').waitFor()
    await page.goBack()
    await page.getByRole('button', { name: 'score' }).click()
    await page.locator('th[aria-sort=ascending]').waitFor()
    expect(seen).toEqual([])
    await page.close()
  })

  it('labels are given on the site, saved as a file, and added to the run folder', async () => {
    const within = pathToFileURL(site).href
    const { page, seen } = await watchedPage(browser, { within: 'file:///' })
    expect(within).toContain('%231')
    await page.goto(pathToFileURL(join(site, 'index.html')).href)
    await page.getByRole('searchbox').waitFor()
    await goto(page, `#/runs/${keyOf('second')}/review?blind=1`, 'pre[aria-label=answer]')
    await page.getByLabel('Your name').fill('ann')
    await page.locator('h1').click()
    for (const [i, key] of ['p', 'f', 'u'].entries()) {
      await page.locator('.say-pass:not(:disabled)').waitFor()
      await page.keyboard.press(key)
      await page.getByRole('heading', { name: `Trial ${i + 2} of 8` }).waitFor()
    }
    await page.getByText('3 labels in this browser').waitFor()
    await page.getByText('1 pass, 1 fail, 1 unsure').waitFor()
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download the labels' }).click(),
    ])
    const file = join(root, 'labels.json')
    await download.saveAs(file)
    const { run, labels } = labelsFileSchema.parse(JSON.parse(readFileSync(file, 'utf8')))
    const source = await readRun(join(root, 'runs', 'second'))
    expect(run).toBe(source.record.id)
    expect(checkLabels(source, labels)).toEqual({ faults: [], outdated: 0 })
    expect(await addLabels(source.folder, labels)).toEqual({ added: 3, known: 0, older: 0 })
    expect(labels.map(({ verdict, blind, picked }) => [verdict, blind, picked])).toEqual(
      ['pass', 'fail', 'unsure'].map((verdict) => [verdict, true, 'random']),
    )
    expect(seen.filter((one) => !one.startsWith('request: blob:'))).toEqual([])
    await page.close()
  })
})

it('is data that no name can end, and the same value when it is read', () => {
  const data = JSON.parse(`{"__proto__":{"x":1},"a":${JSON.stringify(HOSTILE)}}`) as unknown
  const script = siteScript('x', data)
  expect(script).not.toMatch(/<|\u2028/)
  let got: unknown = null
  runInNewContext(script, { assaySite: (_: string, json: string) => (got = JSON.parse(json)) })
  expect(JSON.stringify(got)).toBe(JSON.stringify(data))
})

it('replaces an earlier site, and nothing else', async () => {
  const before = readdirSync(join(site, 'data')).length
  await writeSite(store, site)
  expect(readdirSync(join(site, 'data'))).toHaveLength(before)
  const own = join(root, 'own')
  mkdirSync(own)
  writeFileSync(join(own, 'index.html'), '<h1>mine</h1>')
  await expect(writeSite(store, own)).rejects.toThrow('not a site of Assay')
  await expect(writeSite(store, join(own, 'index.html'))).rejects.toThrow('not a folder')
  expect(readFileSync(join(own, 'index.html'), 'utf8')).toBe('<h1>mine</h1>')
})

it('replaces neither a link nor a folder that has more than a site', async () => {
  const clone = join(root, 'clone')
  mkdirSync(join(clone, 'src'), { recursive: true })
  writeFileSync(join(clone, 'index.html'), readFileSync(join(site, 'index.html')))
  await expect(writeSite(store, clone)).rejects.toThrow('such as src')
  symlinkSync('.', join(clone, 'site'))
  for (const name of ['site', 'site/'])
    await expect(writeSite(store, `${clone}/${name}`)).rejects.toThrow('is a link')
  expect(readdirSync(clone).toSorted()).toEqual(['index.html', 'site', 'src'])
})
