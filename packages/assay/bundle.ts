/**
 * Bundles built modules into few files. A short command spends most of its time on finding and reading several
 * hundred modules. As a bundle, `assay show` starts in half the time.
 *
 * Packages that few commands use stay outside. The licences of the packages that are bundled are written next to
 * the bundle.
 */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { rolldown, type Plugin } from 'rolldown'

const file = (path: string): string => fileURLToPath(new URL(path, import.meta.url))

const PACKAGES = file('..')
/** Few commands load them, and they are large or come without a licence file. */
const OUTSIDE = [
  ...['ai', /^@ai-sdk\//, '@pydantic/genai-prices', '@cfworker/json-schema'],
  ...['liquidjs', 'hyparquet', 'hyparquet-compressors'],
]

/** An expression for the address of a module before it was bundled, wherever the packages are installed. */
function addressOf(module: string): string {
  const [name = '', ...path] = relative(PACKAGES, module).split(sep)
  const address = (to: string, from: string): string =>
    `new URL(${JSON.stringify(to)}, ${from}).href`
  if (name === 'assay') return address(`../../${path.join('/')}`, 'import.meta.url')
  // Its entry point is dist/index.js.
  return address(`../${path.join('/')}`, `import.meta.resolve('@assay/${name}')`)
}

/** Programs and data files are found from the module that names them, so each keeps its own address. */
const keepAddresses: Plugin = {
  name: 'keep-addresses',
  transform(code, id) {
    if (!code.includes('import.meta') || !id.startsWith(PACKAGES)) return null
    const replaced = code
      .replaceAll(/\bimport\.meta\.url\b/g, addressOf(id))
      .replaceAll(
        /\bimport\.meta\.dirname\b/g,
        `process.getBuiltinModule('node:url').fileURLToPath(new URL('.', ${addressOf(id)}))`,
      )
    const left = /import\.meta\.(?!url\b|resolve\('@assay\/)\w+/.exec(replaced)
    if (left !== null) throw new Error(`${id}: ${left[0]} has no meaning in a bundle`)
    return replaced
  },
}

/** The folder of the package that a module was installed with, or null for Assay's own. */
function packageFolder(module: string): string | null {
  const at = module.lastIndexOf(`${sep}node_modules${sep}`)
  if (at === -1) return null
  const [scope = '', name = ''] = module.slice(at).split(sep).slice(2)
  return join(module.slice(0, at), 'node_modules', scope, scope.startsWith('@') ? name : '')
}

function licenceOf(folder: string): string {
  const { name, version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
    readonly name: string
    readonly version: string
  }
  const licence = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry))
  if (licence === undefined)
    throw new Error(`${folder} has no licence file, so it cannot be bundled`)
  return `${name} ${version}\n\n${readFileSync(join(folder, licence), 'utf8').trim()}\n`
}

/**
 * Writes characters outside of ASCII as escapes. V8 keeps a source in memory with two bytes per character as soon as one
 * character needs them, and the command's sources are megabytes. An escape means the same in strings, templates and
 * regular expressions, but not in `String.raw`.
 */
function inAscii(name: string, code: string): string {
  if (/String\.raw`[^`]*[^\0-\x7f]/.test(code))
    throw new Error(`${name}: String.raw has characters outside of ASCII, which cannot be escaped`)
  return code.replaceAll(
    /[^\0-\x7f]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

export interface BundleOptions {
  /** For inputs outside of the packages. */
  readonly plugins?: readonly Plugin[]
  /** Codes of the bundler's messages that are no fault of this bundle. Any other message stops the build. */
  readonly expected?: readonly string[]
}

/** Bundles the inputs, by name, into the folder `output` of `dist`. */
export async function bundleInto(
  output: string,
  input: Readonly<Record<string, string>>,
  { plugins = [], expected = [] }: BundleOptions = {},
): Promise<void> {
  const folder = file(`dist/${output}`)
  const build = await rolldown({
    input: { ...input },
    platform: 'node',
    external: OUTSIDE,
    plugins: [keepAddresses, ...plugins],
    onLog(_, { code, message }) {
      if (code === undefined || !expected.includes(code)) throw new Error(message)
    },
  })
  const { output: chunks } = await build.generate({ format: 'esm', dir: folder, comments: false })
  await build.close()

  const folders = chunks
    .flatMap((chunk) => (chunk.type === 'chunk' ? chunk.moduleIds : []))
    .map(packageFolder)
    .filter((one) => one !== null)
  const files = new Map(
    chunks.map((chunk) => [
      chunk.fileName,
      chunk.type === 'chunk' ? inAscii(chunk.fileName, chunk.code) : chunk.source,
    ]),
  )
  files.set('LICENSES.txt', [...new Set(folders)].toSorted().map(licenceOf).join('\n---\n\n'))

  mkdirSync(folder, { recursive: true })
  for (const [name, content] of files) writeFileSync(join(folder, name), content)
  for (const name of readdirSync(folder)) if (!files.has(name)) rmSync(join(folder, name))
}
