/**
 * `assay.toml`: the settings that all runs of a project share. Flags override them, and they override the defaults.
 * The file may contain API keys. So error messages never quote text below `providers` or around a syntax error.
 */
import { existsSync } from 'node:fs'
import path from 'node:path'
import { z } from 'zod'
import { pathSchema, subjectNameSchema, subjectSchema } from '../../experiment/index.ts'
import { APIS } from '../../subject/index.ts'
import { findSettingsFile, pathFrom } from './settings-file.ts'
import { checkInRepository, checkReadHere } from '../../trust/root.ts'
import { durationSchema } from '../../suite/index.ts'
import {
  check,
  isModulePath,
  readDocument,
  readText,
  takeNotes,
  type Notes,
  type Path,
} from '../../documents/index.ts'

const providerSchema = z
  .strictObject({
    baseUrl: z
      .url({ protocol: /^https?$/, error: 'an address that begins with http:// or https://' })
      .optional()
      .describe('Address of the server, with its version: "http://127.0.0.1:8000/v1".'),
    apiKeyEnv: z
      .string()
      .regex(/^[A-Za-z_]\w*$/, 'the name of an environment variable')
      .optional()
      .describe('The environment variable that holds the key.'),
    apiKey: z.string().min(1).optional().describe('The key itself; better kept out of files.'),
    api: z
      .enum(APIS)
      .optional()
      .describe('What the server speaks; "chat" (OpenAI-compatible) unless given.'),
  })
  .describe('A provider of models: a new one, or changes to one that is known by name.')

/**
 * The path of a suite. Suites that are programs are refused here. The user must name them, or they must be
 * `*.eval.ts` files in a folder that the user trusts.
 */
const suitePath = pathSchema
  .refine((file) => !isModulePath(file), {
    error:
      'a .toml, .yaml, .json or .jsonl file, or a folder (*.eval.ts files are found without it)',
  })
  .refine((file) => !path.isAbsolute(file) && !file.split(/[\\/]/).includes('..'), {
    error: 'a path inside the folder of this file',
  })

export const settingsSchema = z
  .strictObject({
    $schema: z.string().optional().describe('For editors; ignored.'),
    suites: z
      .union([suitePath, z.array(suitePath).min(1)], 'a suite file or folder, or a list of them')
      .optional()
      .describe(
        'Suites of `assay run` without arguments, next to the *.eval.ts files of the folder.',
      ),
    model: z
      .union([z.string().min(1), z.array(z.string().min(1)).min(1)], 'a subject or a list of them')
      .optional()
      .describe('Subjects of a run without --model: provider/model, or a name from [subjects].'),
    judges: z
      .union([z.string().min(1), z.array(z.string().min(1)).min(1)], 'a judge or a list of them')
      .optional()
      .describe(
        'Judges in place of those that suites name: provider/model, or a name from [subjects].',
      ),
    trials: z.int().min(1).max(1_000_000).optional().describe('Trials per case and subject.'),
    passK: z
      .array(z.int().min(1).max(1_000_000))
      .min(1)
      .optional()
      .describe('The k of pass@k and pass^k.'),
    temperature: z.number().min(0).max(2).optional().describe('For subjects without their own.'),
    parallelism: z.int().min(1).max(10_000).optional().describe('Requests at once.'),
    budget: z.number().positive().optional().describe('Most US dollars a run may spend.'),
    output: pathSchema.optional().describe('Folder that run folders are made in.'),
    seed: z.int().min(0).optional().describe('Seed of a run.'),
    timeout: durationSchema.optional().describe('For one answer.'),
    gradeTimeout: durationSchema.optional().describe('For one grading step.'),
    maxErrors: z.number().min(0).max(1).optional().describe('Share of errored trials tolerated.'),
    maxWait: durationSchema
      .optional()
      .describe('A provider that asks to be left alone for longer is given up.'),
    prices: pathSchema.optional().describe('Price file, relative to this file.'),
    providers: z
      .record(z.string().min(1), providerSchema)
      .optional()
      .describe('Providers of models, by name.'),
    subjects: z
      .record(subjectNameSchema, subjectSchema)
      .optional()
      .describe('Subjects with their parameters, by name.'),
  })
  .describe('Settings of a project for Assay.')

export type Settings = z.infer<typeof settingsSchema>

export interface LoadedSettings {
  readonly settings: Settings
  /** The path of the settings file. Null if there is none. */
  readonly file: string | null
  /** The folder to which paths in the settings are relative. */
  readonly folder: string
  /**
   * The file that each setting came from, by key. The keys of subjects and providers are "subjects.NAME" and
   * "providers.NAME".
   */
  readonly origins: ReadonlyMap<string, string>
}

/**
 * Settings that are tables, whose entries may come from different files. For these, the file of each entry is recorded.
 */
const TABLES: readonly (keyof Settings)[] = ['providers', 'subjects']

/** Returns a map from each setting in `settings` to `file`. */
export function originsIn(file: string, settings: Settings): Map<string, string> {
  const keys = Object.entries(settings).flatMap(([key, value]) =>
    TABLES.some((table) => table === key)
      ? Object.keys(value as object).map((name) => `${key}.${name}`)
      : [key],
  )
  return new Map(keys.map((key) => [key, file]))
}

/**
 * Loads the settings from the given file, otherwise from the `assay.toml` of the project that contains the folder.
 * Returns empty settings if there is none. Throws a `SuiteError` that lists all errors in the file.
 */
export async function loadSettings(options: {
  readonly folder: string
  readonly file?: string
}): Promise<LoadedSettings> {
  const file = options.file ?? (await findSettingsFile(options.folder))
  if (file === null) return { settings: {}, file: null, folder: options.folder, origins: new Map() }
  if (options.file === undefined) checkInRepository(file)
  else checkReadHere(file)
  const document = readDocument(file, await readText(file), 'toml', { secret: true })
  const notes = takeNotes(document, { hide: mayBeSecret })
  const settings = check(settingsSchema, withoutEnvFile(document.value, notes), notes) ?? {}
  notes.done()
  const folder = path.dirname(file)
  const isAbove = options.file === undefined && path.relative(options.folder, folder) !== ''
  return {
    settings: isAbove ? fromAbove(settings, folder) : settings,
    file,
    folder,
    origins: originsIn(file, settings),
  }
}

/**
 * Adjusts settings that were found in a parent folder: `output` is relative to that folder, and commands start in
 * it.
 */
const fromAbove = (settings: Settings, folder: string): Settings => ({
  ...settings,
  ...(settings.output === undefined ? {} : { output: pathFrom(folder, settings.output) }),
  ...(settings.subjects === undefined
    ? {}
    : {
        subjects: Object.fromEntries(
          Object.entries(settings.subjects).map(([name, one]) => [
            name,
            one.command === undefined ? one : { ...one, cwd: one.cwd ?? '.' },
          ]),
        ),
      }),
})

/**
 * Rejects `envFile` in the settings of a project. The project may be untrusted, so it must not choose the file that the
 * user's keys come from.
 */
function withoutEnvFile(value: unknown, notes: Notes): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, 'envFile')) return value
  notes.problem(['envFile'], {
    at: 'key',
    expected: 'it in your own settings, or --env-file',
    message:
      'a file of variables is named by you, not by a folder: use --env-file, or envFile in settings.toml of your own configuration (~/.config/assay)',
  })
  return Object.fromEntries(Object.entries(value).filter(([key]) => key !== 'envFile'))
}

/** Rewrites the paths of subjects to be relative to the folder `to` instead of `from`. */
export function moved(
  subjects: NonNullable<Settings['subjects']>,
  from: string,
  to: string,
): NonNullable<Settings['subjects']> {
  const there = (file: string): string => path.relative(to, path.join(from, file)) || '.'
  if (path.relative(from, to) === '') return subjects
  return Object.fromEntries(
    Object.entries(subjects).map(([name, one]) => [
      name,
      {
        ...one,
        folder: there('.'),
        ...(one.cwd === undefined ? {} : { cwd: there(one.cwd) }),
        // If `replay` is not an existing path, it is the name of a run, so it is not rewritten.
        ...(one.replay === undefined ||
        !existsSync(path.join(from, one.replay.replace(/#.*$/s, '')))
          ? {}
          : { replay: there(one.replay) }),
      },
    ]),
  )
}

/**
 * Whether the value at this path may be secret. Below `providers`, any value may be a key, because users put keys in
 * wrong places too. The `env` of a command and the `headers` of a server often contain a key as well.
 */
const mayBeSecret = (at: Path): boolean =>
  at[0] === 'providers' || at.includes('env') || at.includes('headers')
