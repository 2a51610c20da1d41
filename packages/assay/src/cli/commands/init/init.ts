/**
 * `assay init [DIR]`: writes a suite that passes `--prove`, its schema for editors, and the settings. Comments in the
 * files explain them. Existing files are never overwritten.
 */
import { access, mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { UsageError } from '@assay/contract'
import type { Grader } from '../../../grade/index.ts'
import { suiteJsonSchema } from '../../../suite/index.ts'
import { SETTINGS_TEMPLATE, SUITE_TEMPLATE } from './init-templates.ts'
import type { Output } from '../../output/output.ts'
import { SETTINGS_FILE } from '../../settings/settings-file.ts'

const SUITE_FILE = 'suite.toml'
const SCHEMA_FILE = 'assay.schema.json'

export interface InitOptions {
  /** The folder to write to. It is created if it does not exist. */
  readonly dir: string
  /** The graders in the schema. Default: all. */
  readonly graders?: readonly Grader[]
  readonly env?: NodeJS.ProcessEnv
}

export async function initCommand(
  options: InitOptions,
  output: Pick<Output, 'out'>,
): Promise<number> {
  const graders = options.graders ?? (await import('../../../grade/index.ts')).graders
  const files = new Map([
    [SUITE_FILE, SUITE_TEMPLATE],
    [SCHEMA_FILE, `${JSON.stringify(suiteJsonSchema(graders), null, 2)}\n`],
    [SETTINGS_FILE, SETTINGS_TEMPLATE],
  ])
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
  const suite = inDir(SUITE_FILE)
  output.out(
    [
      `wrote ${[...files.keys()].map(inDir).join(', ')}`,
      '',
      'next:',
      `  assay validate ${shown(suite)}`,
      `  assay run ${shown(suite)} --model simulated:pass=0.8`,
      '',
    ].join('\n'),
  )
  return 0
}

/**
 * Trusts the files just written. If the user's configuration cannot be written, Assay asks about the folder later.
 */
async function trusted({ dir, env = process.env }: InitOptions): Promise<void> {
  const { trustOwnFiles } = await import('../trust/trust.ts')
  await trustOwnFiles(
    [SUITE_FILE, SETTINGS_FILE].map((file) => path.join(dir, file)),
    env,
  ).catch((error: unknown) => {
    if (!(error instanceof UsageError)) throw error
  })
}

const exists = async (file: string): Promise<boolean> =>
  await access(file).then(
    () => true,
    () => false,
  )

/** Quotes a path so that it can be pasted into a shell. */
const shown = (file: string): string => (/^[\w./@-]+$/.test(file) ? file : JSON.stringify(file))
