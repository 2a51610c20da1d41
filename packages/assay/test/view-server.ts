/** Starts the server of the workbench for a test, and a browser if there is one. */
import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { chromium, type Browser, type Page } from 'playwright-core'
import { RunIndex, runsBelow, RunStore, serve, type ViewServer } from '../src/view/index.ts'

export interface Viewing extends ViewServer {
  readonly store: RunStore
  /** The cookie of a browser that followed the address. */
  readonly cookie: string
  /** Sends a request as a page of the server would. */
  readonly ask: (path: string, change?: Pick<RequestInit, 'method' | 'body'>) => Promise<Response>
}

/** Serves the runs below these folders on any free port. The index is in memory unless a file is given. */
export async function startViewing(
  folders: readonly string[],
  indexFile: string | null = null,
): Promise<Viewing> {
  const store = new RunStore({ find: () => runsBelow(folders), index: RunIndex.open(indexFile) })
  const server = await serve({ services: { store }, port: 0 })
  const entered = await fetch(server.address)
  const [cookie = ''] = (entered.headers.get('set-cookie') ?? '').split(';')
  const origin = `http://127.0.0.1:${server.port}`
  return {
    ...server,
    store,
    cookie,
    ask: (path, change = {}) =>
      fetch(`${origin}${path}`, {
        ...change,
        headers: { cookie, origin, 'x-assay-view': '1', 'content-type': 'application/json' },
      }),
    close: async () => {
      await server.close()
      await store.close()
    },
  }
}

const BROWSERS = ['chromium', 'chromium-browser', 'google-chrome']
export const browserPath = (process.env['PATH'] ?? '')
  .split(delimiter)
  .flatMap((folder) => BROWSERS.map((name) => join(folder, name)))
  .find((path) => existsSync(path))

export const startBrowser = (): Promise<Browser> =>
  chromium.launch({
    ...(browserPath !== undefined && { executablePath: browserPath }),
    // Chromium's own sandbox cannot start as root.
    args: process.getuid?.() === 0 ? ['--no-sandbox'] : [],
  })

export interface Watched {
  readonly page: Page
  /** Events that must not happen: console output, errors, dialogs and requests to other places. */
  readonly seen: string[]
}

export interface WatchOptions {
  readonly width?: number
  readonly colorScheme?: 'light' | 'dark'
  /** Requests may go only to addresses that begin with this. */
  readonly within: string
}

/** Opens an empty page that records everything that must not happen. */
export async function watchedPage(
  browser: Browser,
  { width = 1400, colorScheme = 'light', within }: WatchOptions,
): Promise<Watched> {
  const page = await browser.newPage({
    viewport: { width, height: 900 },
    colorScheme,
    reducedMotion: 'reduce',
  })
  const seen: string[] = []
  page.on('console', (message) => seen.push(`console: ${message.text()}`))
  page.on('pageerror', (error) => seen.push(`error: ${error.message}`))
  page.on('dialog', (dialog) => {
    seen.push(`dialog: ${dialog.message()}`)
    void dialog.dismiss()
  })
  page.on('request', (request) => {
    const url = request.url()
    if (!url.startsWith(within) && !url.startsWith('data:')) seen.push(`request: ${url}`)
  })
  page.setDefaultTimeout(20_000)
  return { page, seen }
}
