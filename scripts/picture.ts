/**
 * Writes the pictures in docs/images: what `npm start` prints, and its page in light and dark. Run it with `npm run
 * picture`. The page needs a browser on the PATH.
 */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { chromium } from 'playwright-core'

const root = new URL('..', import.meta.url).pathname
const folder = mkdtempSync(join(tmpdir(), 'assay-picture-'))
const printed = execFileSync(
  process.execPath,
  [
    join(root, 'packages/assay/bin/assay.js'),
    ...['run', 'suites/typescript-basics.toml', '--config', 'examples/simulated.toml'],
    ...['--output', join(folder, 'run'), '--report', join(folder, 'report.html')],
  ],
  {
    cwd: root,
    encoding: 'utf8',
    env: { ...process.env, FORCE_COLOR: '1' },
    stdio: ['ignore', 'pipe', 'ignore'],
  },
)
const [summary = ''] = printed.split('\nrun folder')
const lines = ['$ npm start', '', ...summary.trimEnd().split('\n')]

const CHARACTER = 8.43
const LINE = 19
const MARGIN = 20
const STYLES: Readonly<Record<string, string>> = { 1: 'b', 2: 'd', 33: 'y' }

const escape = (text: string): string =>
  text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    // A renderer may merge ordinary spaces into one, so they are replaced by no-break spaces.
    .replaceAll(' ', '\u00a0')

/** Returns one line as text elements. The escape sequences for bold, dim and yellow become classes. */
function spans(line: string): string {
  let style = ''
  let out = ''
  // eslint-disable-next-line no-control-regex
  for (const part of line.split(/(\u001b\[\d+m)/)) {
    // eslint-disable-next-line no-control-regex
    const code = /^\u001b\[(\d+)m$/.exec(part)?.[1]
    if (code !== undefined) style = STYLES[code] ?? ''
    else if (part !== '')
      out += style === '' ? escape(part) : `<tspan class="${style}">${escape(part)}</tspan>`
  }
  return out
}

// eslint-disable-next-line no-control-regex
const plain = lines.map((line) => line.replaceAll(/\u001b\[\d+m/g, ''))
const width = Math.ceil(Math.max(...plain.map((line) => line.length)) * CHARACTER + 2 * MARGIN)
const height = lines.length * LINE + 2 * MARGIN
const text = lines
  .map((line, i) => `<text x="${MARGIN}" y="${MARGIN + 14 + i * LINE}">${spans(line)}</text>`)
  .join('\n')
mkdirSync(join(root, 'docs/images'), { recursive: true })
writeFileSync(
  join(root, 'docs/images/summary.svg'),
  `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">
<style>
text { font: 14px ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace; fill: #d7dae0; white-space: pre }
.b { font-weight: 700 } .d { fill: #8b919c } .y { fill: #e5c07b }
</style>
<rect width="100%" height="100%" rx="8" fill="#1d2026"/>
${text}
</svg>
`,
)
console.log('wrote docs/images/summary.svg')

const BROWSERS = ['chromium', 'chromium-browser', 'google-chrome']
const browserPath = (process.env['PATH'] ?? '')
  .split(delimiter)
  .flatMap((directory) => BROWSERS.map((name) => join(directory, name)))
  .find((path) => existsSync(path))
if (browserPath === undefined) throw new Error(`no browser on the PATH: ${BROWSERS.join(', ')}`)
const browser = await chromium.launch({ executablePath: browserPath, args: ['--no-sandbox'] })
for (const colorScheme of ['light', 'dark'] as const) {
  const page = await browser.newPage({ viewport: { width: 1240, height: 1500 }, colorScheme })
  await page.goto(pathToFileURL(join(folder, 'report.html')).href)
  await page.waitForSelector('svg')
  await page.screenshot({ path: join(root, `docs/images/report-${colorScheme}.png`) })
  console.log(`wrote docs/images/report-${colorScheme}.png`)
}
await browser.close()
rmSync(folder, { recursive: true })
