/**
 * Builds the viewer. The report is one page, `packages/assay/dist/viewer.html`: script and style are inside, so nothing
 * is fetched, and there is a place for the data of a run. The workbench is a page with its script and its style in
 * `packages/assay/dist/workbench`, because its policy allows no script inside of a page. Every build of the project calls this file. It does nothing
 * if nothing changed. To know that, it keeps a stamp file, which lists all input files, with a hash of them and of
 * the output.
 */
import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../..', import.meta.url))
const file = (path: string): string => fileURLToPath(new URL(path, import.meta.url))

const PAGE = file('../assay/dist/viewer.html')
const WORKBENCH = file('../assay/dist/workbench')
const OUTPUTS = [
  PAGE,
  ...['index.html', 'workbench.js', 'workbench.css'].map((name) => `${WORKBENCH}/${name}`),
]
const STAMP = file('dist/stamp.json')
/**
 * Input files that are not modules of the bundles. The lockfile is one of them, because it changes whenever a package
 * in node_modules changes.
 */
const ALWAYS = [
  'packages/viewer/build.ts',
  'packages/viewer/tsconfig.json',
  'packages/viewer/src/page.html',
  'packages/viewer/src/workbench.html',
  'package-lock.json',
]

interface Stamp {
  /** The input files, as paths from the root of the project. */
  readonly inputs: readonly string[]
  readonly hash: string
}

function hashOf(inputs: readonly string[]): string {
  const hash = createHash('sha256')
  for (const path of [...inputs.map((input) => `${root}/${input}`), ...OUTPUTS]) {
    const content = readFileSync(path)
    hash.update(`${content.length} `).update(content)
  }
  return hash.digest('hex')
}

function isCurrent(): boolean {
  try {
    const { inputs, hash } = JSON.parse(readFileSync(STAMP, 'utf8')) as Stamp
    return hashOf(inputs) === hash
  } catch {
    // The stamp file, the page or an input file is missing, so the page must be built.
    return false
  }
}

interface Bundle {
  readonly script: string
  readonly style: string
  readonly modules: readonly string[]
}

async function bundle(entry: string): Promise<Bundle> {
  const { build } = await import('vite')
  const result = await build({
    root: file('.'),
    configFile: false,
    logLevel: 'warn',
    build: {
      write: false,
      target: ['chrome123', 'firefox120', 'safari17.5'],
      modulePreload: false,
      cssMinify: true,
      lib: { entry: file(`src/${entry}`), formats: ['iife'], name: 'assay', cssFileName: 'viewer' },
    },
  })
  const outputs = (Array.isArray(result) ? result : [result]).flatMap((one) =>
    'output' in one ? one.output : [],
  )
  const chunk = outputs.find((one) => one.type === 'chunk')
  const style = outputs.find((one) => one.type === 'asset' && one.fileName.endsWith('.css'))
  if (chunk?.type !== 'chunk' || style?.type !== 'asset')
    throw new Error('vite made no script or no style of packages/viewer')
  return { script: chunk.code, style: String(style.source), modules: Object.keys(chunk.modules) }
}

/**
 * Puts the script and the style into the page. A content security policy in the page allows only this script, and no
 * requests.
 */
function compose(code: string, css: string): string {
  // An end tag inside the script or the style would close its element early, so it is escaped.
  const script = code.trim().replaceAll(/<(?=\/script|!--)/gi, '\\x3c')
  const style = css.trim().replaceAll('</', '<\\/')
  const hash = createHash('sha256').update(script).digest('base64')
  const policy = `default-src 'none'; script-src 'sha256-${hash}'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'`
  const parts: Readonly<Record<string, string>> = {
    policy: `<meta http-equiv="Content-Security-Policy" content="${policy}" />`,
    style: `<style>${style}</style>`,
    // `assay report` replaces this text with the data of a run.
    data: '<script type="application/json" id="assay-data">"assay:data"</script>',
    script: `<script>${script}</script>`,
  }
  return readFileSync(file('src/page.html'), 'utf8').replaceAll(
    /<!-- (\w+) -->/g,
    (comment, name: string) => parts[name] ?? comment,
  )
}

const inProject = (path: string): boolean =>
  path.startsWith(root) && !path.includes(`${sep}node_modules${sep}`)

/** Replaces a file by renaming a temporary one, because another process may be reading the old file. */
function put(path: string, content: string): void {
  const temporary = `${path}.${process.pid}.tmp`
  writeFileSync(temporary, content)
  renameSync(temporary, path)
}

if (!isCurrent()) {
  const report = await bundle('main.tsx')
  const workbench = await bundle('workbench.tsx')
  put(PAGE, compose(report.script, report.style))
  mkdirSync(WORKBENCH, { recursive: true })
  put(`${WORKBENCH}/index.html`, readFileSync(file('src/workbench.html'), 'utf8'))
  put(`${WORKBENCH}/workbench.js`, workbench.script)
  put(`${WORKBENCH}/workbench.css`, workbench.style)
  const bundled = [...report.modules, ...workbench.modules]
    .map((id) => id.replace(/\?.*$/, ''))
    .filter(inProject)
    .map((path) => relative(root, path))
  const inputs = [...new Set([...ALWAYS, ...bundled])].sort()
  mkdirSync(file('dist'), { recursive: true })
  writeFileSync(STAMP, JSON.stringify({ inputs, hash: hashOf(inputs) } satisfies Stamp, null, 1))
}
