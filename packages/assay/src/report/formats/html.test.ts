/**
 * Opens the HTML report in a browser. Checks that it shows everything, and that hostile text in an answer cannot run
 * code.
 */
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { chromium, type Browser, type Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Step, Trial } from '@assay/contract'
import { fakeSource, fakeTrial, fakeTrials } from '../../../test/fake-source.ts'
import { fakeCase, fakeSuite } from '../../../test/fakes.ts'
import { richDiff, richTrajectory } from '../../../test/rich-trajectory.ts'
import { html } from './html.ts'
import { formatNameFor } from './names.ts'
import type { ReportSource } from './format.ts'

const HOSTILE = [
  '<script>alert(1)</script>',
  '</script><script>alert(2)</script>',
  '<!--<script>alert(3)',
  '<img src=x onerror=alert(4)> <svg onload=alert(5)>',
  '[click](javascript:alert(6)) <a href="javascript:alert(7)">here</a> https://example.com/',
  'red: \u001b[31mred\u001b[0m, title: \u001b]0;owned\u0007',
  'turned: \u202egnp.exe\u2066 lone: \ud800 invalid: \ufffd nul: \u0000',
  '{{constructor.constructor("alert(8)")()}} ${alert(9)}',
]
const SUBJECTS = ['<b>bold</b>', 'plain', '__proto__']
const LONG = 5_000_000

/** The case whose trials were answered by an agent, with recorded steps. */
const ACTED = HOSTILE[0]
const ALL = HOSTILE.join('\n')
const LINE = 'y'.repeat(10_000)

/** A trajectory with every hostile text in every kind of step. */
const hostileActs = richTrajectory({
  model: ALL,
  oddities: [ALL],
  complete: false,
  steps: [
    { kind: 'message', at: 0, turn: 0, role: 'user', text: ALL },
    { kind: 'reasoning', at: 1, turn: 0, text: LINE },
    ...HOSTILE.map((name): Step => {
      const call = {
        kind: 'tool-call',
        id: name,
        name,
        args: { [name]: name },
        result: name,
      } as const
      return { ...call, at: 2, turn: 0, failed: true, ms: 3 }
    }),
    { kind: 'skill', at: 3, turn: 1, name: ALL },
    { kind: 'file-change', at: 3, turn: 1, path: ALL, change: 'added' },
    { kind: 'error', at: 4, turn: 1, text: ALL },
    { kind: 'other', at: 5, turn: 1, type: ALL, raw: `needle ${ALL}` },
  ],
})
const hostileDiff = JSON.stringify(
  richDiff({
    changes: [
      { path: ALL, change: 'changed', text: '', patch: `@@ -1 +1 @@\n-${LINE}\n+${ALL}\n` },
      { path: 'b.bin', change: 'deleted' },
    ],
    unkept: [ALL, 'pipe'],
    oddities: [ALL, 'pipe: neither a file nor a folder nor a link'],
  }),
)

/** Every hostile text as an answer, a case, a grader, evidence and a reason. One more case has a very long line. */
function hostileSource(): ReportSource {
  const cases = [...HOSTILE, 'long']
  const trials = fakeTrials({
    suite: 'suite<i>',
    subjects: SUBJECTS,
    cases,
    trials: 4,
    change: ({ case: text }, passes): Partial<Trial> => ({
      source: 'simulated',
      answer: text === 'long' ? { blob: 'long', bytes: LONG } : text,
      files: { [text]: text },
      ...(!passes && { reason: { code: 'wrong-answer', text } }),
      ...(text === ACTED && { trajectory: JSON.stringify(hostileActs), diff: hostileDiff }),
      grades: [
        {
          name: text,
          type: 'equals',
          score: passes ? 1 : 0,
          passed: passes,
          weight: 1,
          reason: text,
          evidence: text,
          details: [{ name: text, type: 'line', score: 1, passed: null, weight: 1 }],
        },
      ],
    }),
  })
  const suite = fakeSuite(
    cases.map((id) => fakeCase(id, { name: id, turns: [id], tags: [id], reference: id })),
    { id: 'suite<i>' },
  )
  const blobs = { long: 'x'.repeat(LONG) }
  const notes = ['note <script>alert(10)</script>']
  return fakeSource(trials, { notes, sandboxes: ['none'] }, { suites: [suite], blobs })
}

async function written(source: ReportSource): Promise<string> {
  const parts: string[] = []
  await html.write(source, (part) => parts.push(part))
  return parts.join('')
}

test('file names that end in .html or .htm ask for it', () => {
  expect(['out.html', 'OUT.HTM', 'a.html.json', 'html'].map(formatNameFor)).toEqual([
    'html',
    'html',
    'json',
    null,
  ])
})

test('the page without data is below 400 kB, and hostile data adds no element', async () => {
  const page = await written(hostileSource())
  const at = fakeTrial({ suite: 's', case: 'c', subject: 'x', index: 0 })
  expect(Buffer.byteLength(await written(fakeSource([at])))).toBeLessThan(400_000)
  expect(Buffer.byteLength(page)).toBeLessThan(2_000_000)
  // The page has two scripts: the data and the viewer.
  expect(page.match(/<script/g)).toHaveLength(2)
  expect(page.match(/<\/script/g)).toHaveLength(2)
  expect(page).not.toMatch(/<(?:img|a|iframe|svg)[ >]/)
})

const BROWSERS = ['chromium', 'chromium-browser', 'google-chrome']
const browserPath = (process.env['PATH'] ?? '')
  .split(delimiter)
  .flatMap((folder) => BROWSERS.map((name) => join(folder, name)))
  .find((path) => existsSync(path))

/** Runs in the page. Unfolds the first trial of each visible row, with everything inside it that can be unfolded. */
const UNFOLD = `(async () => {
  const texts = []
  for (const link of document.querySelectorAll('table .link')) {
    link.click()
    const found = () => document.querySelector('dialog .verdict')
    while (found() === null) await new Promise(requestAnimationFrame)
    for (const one of document.querySelectorAll('dialog details')) one.open = true
    const [name, text] = ['dialog h2', 'dialog'].map((one) => document.querySelector(one).textContent)
    texts.push({ name, text })
    document.querySelector('dialog .close').click()
    while (document.querySelector('dialog') !== null) await new Promise(requestAnimationFrame)
  }
  return texts
})()`

describe.skipIf(browserPath === undefined)('in Chromium, from a file', () => {
  let browser: Browser
  let page: Page
  let folder: string
  /** Events that must not happen: console output, errors, dialogs and network requests. */
  const seen: string[] = []

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'assay-html-'))
    writeFileSync(join(folder, 'report.html'), await written(hostileSource()))
    browser = await chromium.launch({
      ...(browserPath !== undefined && { executablePath: browserPath }),
      // Chromium's own sandbox cannot start as root.
      args: process.getuid?.() === 0 ? ['--no-sandbox'] : [],
    })
    page = await browser.newPage({
      viewport: { width: 1400, height: 900 },
      colorScheme: 'dark',
      reducedMotion: 'reduce',
    })
    page.on('console', (message) => seen.push(`console: ${message.text()}`))
    page.on('pageerror', (error) => seen.push(`error: ${error.message}`))
    page.on('dialog', (dialog) => {
      seen.push(`dialog: ${dialog.message()}`)
      void dialog.dismiss()
    })
    page.on('request', (request) => {
      if (!request.url().startsWith('file:')) seen.push(`request: ${request.url()}`)
    })
    page.setDefaultTimeout(20_000)
    await page.goto(pathToFileURL(join(folder, 'report.html')).href)
    await page.waitForSelector('.grid svg')
    await page.waitForSelector('.plot svg')
  })
  afterAll(async () => {
    await browser.close()
    rmSync(folder, { recursive: true })
  })

  const textOf = async (selector: string): Promise<string> =>
    (await page.locator(selector).first().textContent()) ?? ''

  test('tables, pictures, stamps and the denominator are there', async () => {
    const tables = page.locator(
      'section:not([aria-labelledby=statistics], [aria-labelledby=pictures]) table',
    )
    expect(await tables.count()).toBe(3)
    // Three subjects, two of them compared with the best, and the cases of each subject.
    expect(await tables.locator('tbody tr').count()).toBe(3 + 2 + 3 * (HOSTILE.length + 1))
    expect(await page.locator('.plot > svg').count()).toBe(4)
    // Each picture has its data below it, and so has the grid.
    const data = page.locator('section[aria-labelledby=pictures] figure summary')
    expect(await data.count()).toBe(5)
    for (const one of await data.all()) await one.click()
    const dataTables = page.locator('section[aria-labelledby=pictures] figure details table')
    await dataTables.nth(4).waitFor()
    expect(await page.locator('.grid path.fill-failed').getAttribute('d')).toMatch(/^M\d/)
    const head = (await textOf('header')).replaceAll(/\s+/g, ' ')
    expect(await page.locator('h1').count()).toBe(1)
    expect(await textOf('h1')).toBe(hostileSource().report.headline?.sentence)
    expect(head).toContain('SIMULATED')
    expect(head).toContain('NO SANDBOX')
    expect(head).toMatch(
      /108 planned = \d+ passed \+ \d+ failed \+ 0 unscored \+ 0 errored \+ 0 cancelled/,
    )
    expect(await textOf('main')).toContain('95 % interval for cases like these')
    expect(seen).toEqual([])
  })

  test('hostile texts stay text, hidden characters are shown, the endless line is cut', async () => {
    const unfolded = await page.evaluate<{ name: string; text: string }[]>(UNFOLD)
    expect(unfolded).toHaveLength(3 * (HOSTILE.length + 1))
    expect(new Set(unfolded.map(({ name }) => name))).toEqual(
      new Set([...HOSTILE, 'long'].map(shown)),
    )
    for (const { name, text } of unfolded) {
      // The name must appear as name, tag, prompt, answer, file, grade, reason, evidence, detail and reference.
      expect(text.split(name).length).toBeGreaterThan(name === 'long' ? 8 : 10)
      expect(text.length).toBeLessThan(30_000)
      if (name === 'long') expect(text).toContain('… 4.98 MB more')
    }
    const made = await page.locator('a, img, iframe, object, [onerror], [onload], script').count()
    expect(made).toBe(2)
    expect(seen).toEqual([])
  })

  test('an agent’s steps unfold, are found with their folded texts, and stay text', async () => {
    const place = ['suite<i>', ACTED ?? '', 'plain', '0'].map(encodeURIComponent).join('/')
    await page.evaluate(`location.hash = ${JSON.stringify(`#${place}`)}`)
    const steps = page.locator('dialog .step')
    await expect.poll(() => steps.count()).toBe(6 + HOSTILE.length + 2)
    expect(await textOf('.facts')).toContain(
      `3 turns${HOSTILE.length} tool calls (8 failed)$0.0081`,
    )
    expect(await page.locator('.step-turn').allInnerTexts()).toHaveLength(2)
    // Unknown events are folded, and the page does not create elements for folded content.
    const unknown = page.locator('.step-other')
    expect(await unknown.locator('pre').count()).toBe(0)
    await unknown.locator('summary').press('Enter')
    await expect.poll(() => unknown.locator('pre').textContent()).toContain(shown(ALL))
    expect(await unknown.locator('pre').textContent()).toContain('<img src=x')
    const left = await page.locator('section[aria-labelledby=trial-diff]').innerText()
    expect(left).toContain(
      '2 files with unreadable names or of a special kind are not part of the result',
    )
    expect(left).toContain('pipe: neither a file')
    await page.locator('.trajectory button', { hasText: 'unfold all' }).first().click()
    await expect.poll(() => page.locator('.steps details:not([open])').count()).toBe(0)
    expect(await page.locator('.step-reasoning').textContent()).toContain('… 6.0 kB more')
    expect(await page.locator('.patch .plus').first().textContent()).toBe(`+${HOSTILE[0]}`)
    await page.setViewportSize({ width: 400, height: 800 })
    expect(await page.evaluate('document.querySelector("dialog").scrollWidth')).toBeLessThan(401)
    await page.setViewportSize({ width: 1400, height: 900 })
    await page.locator('.trajectory input').fill('NEEDLE')
    await expect.poll(() => page.locator('ol .step').count()).toBe(1)
    expect(await textOf('ol .step mark')).toBe('needle')
    expect(await page.locator('a, img, iframe, object, [onerror], [onload], script').count()).toBe(
      2,
    )
    await page.keyboard.press('Escape')
    await page.keyboard.press('Escape')
    await page.waitForSelector('dialog', { state: 'detached' })
    expect(seen).toEqual([])
  })

  test('columns sort and say so; the search finds', async () => {
    const table = page.locator('section[aria-labelledby=cases] table')
    const rates = async (): Promise<number[]> =>
      (await table.locator('tbody td:nth-of-type(4)').allInnerTexts()).map(Number.parseFloat)
    const header = table.locator('th', { hasText: 'pass rate' })
    expect(await header.getAttribute('aria-sort')).toBe('ascending')
    const up = await rates()
    expect(up).toEqual(up.toSorted((a, b) => a - b))
    await header.locator('button').press('Enter')
    await expect.poll(() => header.getAttribute('aria-sort')).toBe('descending')
    expect(await rates()).toEqual(up.toSorted((a, b) => b - a))
    await page.locator('input[type=search]').fill('long')
    await expect.poll(() => table.locator('tbody tr').count()).toBe(3)
    expect(seen).toEqual([])
  })

  test('the grid is walked with the keys, and a trial has an address', async () => {
    await page.locator('.grid svg').focus()
    for (const key of ['ArrowDown', 'ArrowRight', 'ArrowRight', 'Enter'])
      await page.keyboard.press(key)
    await page.waitForSelector('dialog[open]')
    expect(await textOf('dialog h2')).toBe(HOSTILE[1])
    expect(await page.locator('dialog [aria-current]').getAttribute('title')).toBe('trial 2')
    expect(page.url()).toMatch(/\/2$/)
    await page.reload()
    await page.waitForSelector('dialog[open]')
    expect(await textOf('dialog h2')).toBe(HOSTILE[1])
    await page.keyboard.press('Escape')
    await page.waitForSelector('dialog', { state: 'detached' })
    expect(page.url()).not.toContain('#')
    expect(seen).toEqual([])
  })

  test('a phone sees it all; dark follows the system, light can be chosen', async () => {
    await page.setViewportSize({ width: 400, height: 800 })
    const paper = (): Promise<string> =>
      page.evaluate<string>('getComputedStyle(document.body).backgroundColor')
    const dark = await paper()
    await page.locator('button', { hasText: /^light$/ }).click()
    await expect.poll(paper).not.toBe(dark)
    await page.locator('button', { hasText: /^dark$/ }).click()
    await expect.poll(paper).toBe(dark)
    await expect.poll(() => page.evaluate('document.documentElement.scrollWidth')).toBe(400)
    expect(seen).toEqual([])
  })
})

/** Returns a text as the page shows it, where invisible characters are made visible. */
const shown = (text: string): string =>
  text
    .replaceAll('\u001b', '␛')
    .replaceAll('\u0007', '␇')
    .replaceAll('\u0000', '␀')
    .replaceAll(
      /[\u202e\u2066\ud800]/g,
      (one) => `<U+${one.charCodeAt(0).toString(16).toUpperCase()}>`,
    )
