/**
 * `assay init [DIR]`: writes a suite that passes `--prove`, and a settings file. Comments in the files explain them.
 * The first line of each file names a JSON Schema for editors. It is the schema of the installed package or, if
 * there is none, a copy that is written too. Existing files are never overwritten.
 */
import { lstat, mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { shellPath, UsageError } from '@assay/contract'
import { programName } from '../../output/program-name.ts'
import type { Output } from '../../output/output.ts'
import { SETTINGS_FILE } from '../../settings/settings-file.ts'
import { checkWrittenHere } from '../../../trust/root.ts'
import type { SchemaName } from '../schema/names.ts'
import {
  SETTINGS_SCHEMA,
  SETTINGS_TEMPLATE,
  SUITE_SCHEMA,
  SUITE_TEMPLATE,
} from './init-templates.ts'

const SUITE_FILE = 'suite.toml'
const YAML_FILE = 'suite.yaml'

/** The schemas to which the written files refer, with their paths in the templates. */
const SCHEMAS: readonly (readonly [string, SchemaName])[] = [
  [SUITE_SCHEMA, 'suite'],
  [SETTINGS_SCHEMA, 'settings'],
]

export interface InitOptions {
  /** The folder to write to. It is created if it does not exist. */
  readonly dir: string
  /** Whether to write the suite as YAML instead of TOML. */
  readonly yaml?: boolean
  readonly env?: NodeJS.ProcessEnv
}

export async function initCommand(
  options: InitOptions,
  output: Pick<Output, 'out'>,
): Promise<number> {
  checkWrittenHere(options.dir)
  const files = await filesOf(options)
  const inDir = (file: string): string => path.join(options.dir, file)
  const existing: string[] = []
  for (const file of files.keys()) if (await exists(inDir(file))) existing.push(inDir(file))
  if (existing.length > 0)
    throw new UsageError(
      `${existing.join(', ')} already there: nothing was written. Name another folder: assay init DIR`,
    )

  try {
    await mkdir(options.dir, { recursive: true })
    // 'wx' fails if the file has been created in the meantime.
    for (const [file, text] of files) await writeFile(inDir(file), text, { flag: 'wx' })
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : String(error)
    throw new UsageError(`cannot write to ${options.dir} (${code}); name a folder you may write to`)
  }
  await trusted(options)
  const suite = suiteFile(options)
  const isHere = path.relative('.', options.dir) === ''
  output.out(
    [
      `wrote ${[...files.keys()].map(inDir).join(', ')}`,
      '',
      'next:',
      ...(isHere ? [] : [`  cd ${shellPath(options.dir)}`]),
      `  ${programName()} validate ${suite}`,
      `  ${programName()} run`,
      '',
    ].join('\n'),
  )
  return 0
}

const suiteFile = ({ yaml = false }: InitOptions): string => (yaml ? YAML_FILE : SUITE_FILE)

/** Returns the texts of the files by name. */
async function filesOf(options: InitOptions): Promise<Map<string, string>> {
  const installed = await installedSchemas(options.dir)
  const placed = (text: string): string => {
    if (installed === null) return text
    return SCHEMAS.reduce(
      (changed, [place, name]) => changed.replaceAll(place, `${installed}/${name}.schema.json`),
      text,
    )
  }
  const files = new Map([
    [suiteFile(options), placed(options.yaml === true ? await yamlSuite() : SUITE_TEMPLATE)],
    [SETTINGS_FILE, placed(SETTINGS_TEMPLATE).replace(SUITE_FILE, suiteFile(options))],
  ])
  if (installed !== null) return files
  const { schemaText } = await import('../schema/schema.ts')
  for (const [place, of] of SCHEMAS) files.set(path.basename(place), await schemaText({ of }))
  return files
}

/**
 * Returns the path, relative to the folder, of the schemas in the package that the project has installed. Null if
 * the project has not installed it.
 */
async function installedSchemas(dir: string): Promise<string | null> {
  const from = path.resolve(dir)
  for (let at = from; ; at = path.dirname(at)) {
    const schemas = path.join(at, 'node_modules', 'assay', 'schemas')
    if (await exists(path.join(schemas, 'suite.schema.json'))) {
      const way = path.relative(from, schemas).split(path.sep).join('/')
      return way.startsWith('..') ? way : `./${way}`
    }
    if (at === path.dirname(at)) return null
  }
}

/** Returns the suite as YAML. Only the TOML file has explaining comments. */
async function yamlSuite(): Promise<string> {
  const [{ parse }, { stringify }] = await Promise.all([import('smol-toml'), import('yaml')])
  return [
    `# yaml-language-server: $schema=${SUITE_SCHEMA}`,
    '# A suite: things to do, and how the answers are graded.',
    stringify(parse(SUITE_TEMPLATE), { lineWidth: 100 }),
  ].join('\n')
}

/**
 * Trusts the files that were just written. If the user's configuration cannot be written, Assay asks about the
 * folder later.
 */
async function trusted(options: InitOptions): Promise<void> {
  const { trustOwnFiles } = await import('../trust/trust.ts')
  await trustOwnFiles(
    [suiteFile(options), SETTINGS_FILE].map((file) => path.join(options.dir, file)),
    options.env ?? process.env,
  ).catch((error: unknown) => {
    if (!(error instanceof UsageError)) throw error
  })
}

/**
 * Whether the file exists. A link to a missing file counts, because writing would create the file that it points to.
 */
const exists = async (file: string): Promise<boolean> =>
  await lstat(file).then(
    () => true,
    () => false,
  )
