/**
 * The `custom` grader: a TypeScript or JavaScript file next to the suite. It runs in a separate process that is
 * killed at the deadline, either with the user's permissions or in a sandbox. If the grader throws, the trial is
 * errored.
 */
import { resolve } from 'node:path'
import { z } from 'zod'
import { type Json, plain, shellPath } from '@assay/contract'
import { moduleHint, nearest } from '../../text/index.ts'
import { askTwice } from './retry.ts'
import { EXAMPLE, NO_GRADER } from './custom-grader.ts'
import { runCustom } from './custom-processes.ts'
import { fileHash } from '../files/file-hash.ts'
import { sourcePathSchema } from '../files/file-path.ts'
import { readGraderOutput } from './given-output.ts'
import { graderSandbox } from './grader-sandbox.ts'
import type { Grader, GraderOutput, OptionFault } from '../grader.ts'
import { isJson } from '../is-json.ts'
import { isSandboxed, sandboxOrFault, sandboxSchema } from './sandbox-option.ts'
import { shortened } from '../shown.ts'
import { MOST_PRINTED } from '../worker/task.ts'

const ENDINGS = /\.(?:ts|mts|js|mjs)$/
/** The time limit for loading a grader's file when the suite is read. */
const LOADING_MS = 20_000
const MOST_QUOTED = 300

const options = z
  .strictObject({
    file: sourcePathSchema
      .regex(ENDINGS, 'a .ts, .mts, .js or .mjs file')
      .describe(
        'The file, relative to the suite and in its repository. Its default export is the grader.',
      ),
    options: z
      .record(z.string(), z.json())
      .default({})
      .describe('What the grader is given as its options; it says which it takes.'),
    sandbox: sandboxSchema,
    sha256: z
      .string()
      .regex(/^[\da-f]{64}$/, 'a SHA-256 as 64 hexadecimal digits')
      .optional()
      .describe(
        'Hash of the file, filled in when the suite is read. Where it is given, the file must have it.',
      ),
  })
  .describe(
    'A grader of your own, from a file next to the suite. It runs with your rights, or in a sandbox.',
  )

type Options = z.infer<typeof options>

export const custom: Grader<Options> = {
  type: 'custom',
  summary: 'a grader of your own, in TypeScript, from a file next to the suite',
  options,
  readsAnswer: true,
  keepsDeadline: true,
  runsAsUser: true,

  starts: ({ file }) => [[file]],

  async resolve(given, folder, { how = 'run', ...context } = {}) {
    const file = resolve(folder, given.file)
    const sha256 = await fileHash(folder, given.file)
    if (sha256 === null)
      return refused(
        'file',
        `${JSON.stringify(plain(given.file))} (no such file in its repository)`,
        'a file by its path from the suite',
      )
    if (given.sha256 !== undefined && given.sha256 !== sha256)
      return refused('sha256', `a file with the hash ${sha256}`, `a file with this hash`)
    if (how === 'check')
      return {
        options: { ...given, sha256 },
        note: `${given.file} was not run, so its options are not checked`,
      }
    const within = await sandboxOrFault(given, context, folder)
    if ('faults' in within) return within
    const signal = new AbortController().signal
    const task = { kind: 'custom', file, sha256, call: null } as const
    try {
      const defaults = await runCustom(task, { timeoutMs: LOADING_MS, signal }, within.sandbox)
      if (!isTable(defaults))
        return refused(
          'file',
          'a grader whose options are no plain data',
          'options with their defaults',
        )
      const faults = faultsOf(given.options, defaults)
      if (faults.length > 0) return { faults }
      return { options: { ...given, options: { ...defaults, ...given.options }, sha256 } }
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error)
      return refused(
        'file',
        `${plain(given.file)}, which ${whyNotLoaded(plain(given.file), why)}`,
        `a grader, such as: ${EXAMPLE}`,
      )
    }
  },

  async grade(whole, given, context) {
    const { file, sha256 } = given
    // The workspace is an object with methods, not data, so it cannot be sent to another process.
    const { folder, workspace: _, ...graded } = whole
    if (folder === null || sha256 === undefined)
      throw new Error('its file is looked for next to the suite, and this suite is not a file')
    const task = {
      kind: 'custom',
      file: resolve(folder, file),
      sha256,
      call: { graded, options: given.options as Json },
    } as const
    const sandbox = isSandboxed(given, context) ? await graderSandbox(folder) : null
    return askTwice(
      context.signal,
      async () => {
        const { found, printed } = readCalled(await runCustom(task, context, sandbox))
        const output =
          typeof found === 'boolean'
            ? { score: found ? 1 : 0, passed: found }
            : readGraderOutput(found)
        return printed === '' ? output : withPrinted(output, printed)
      },
      ` (correct ${file}, and run again)`,
    )
  },
}

/**
 * Returns the result of a call and the text that the grader printed during the call. The grader can write to the
 * channel itself, so `reply` may be anything.
 */
function readCalled(reply: unknown): { readonly found: unknown; readonly printed: string } {
  if (typeof reply !== 'object' || reply === null || !('printed' in reply))
    return { found: undefined, printed: '' }
  const { printed } = reply
  return {
    found: 'found' in reply ? reply.found : undefined,
    printed: typeof printed === 'string' ? shortened(printed, MOST_PRINTED) : '',
  }
}

/** Appends the text that the grader printed to its evidence, so that the trial keeps both. */
function withPrinted(output: GraderOutput, printed: string): GraderOutput {
  const { evidence } = output
  const said = `printed:\n${printed}`
  return { ...output, evidence: evidence === undefined ? said : `${evidence}\n\n${said}` }
}

function whyNotLoaded(file: string, why: string): string {
  if (why.includes(NO_GRADER)) return `has ${NO_GRADER}`
  const hint = moduleHint(file, why)
  const line =
    hint === '' && why.startsWith('SyntaxError')
      ? `; \`node --check ${shellPath(file)}\` shows the line`
      : ''
  return `does not load: ${plain(shortened(why, MOST_QUOTED))}${hint}${line}`
}

const refused = (key: string, found: string, expected: string) => ({
  faults: [{ path: [key], found, expected }],
})

type Table = Readonly<Record<string, z.core.util.JSONType>>

const isTable = (value: unknown): value is Table =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && isJson(value)

/** Returns the faults of the given options: unknown names, and values whose type differs from that of the default. */
function faultsOf(given: Table, defaults: Table): OptionFault[] {
  const known = Object.keys(defaults)
  return Object.entries(given).flatMap(([key, value]): OptionFault[] => {
    const path = ['options', key]
    const fallback = defaults[key]
    if (!Object.hasOwn(defaults, key) || fallback === undefined)
      return [
        {
          path,
          at: 'key',
          found: `the option ${JSON.stringify(key)}`,
          expected: known.length === 0 ? 'no options' : `one of ${known.join(', ')}`,
          nearest: nearest(key, known),
        },
      ]
    const wanted = kindOf(fallback)
    return fallback === null || kindOf(value) === wanted ? [] : [{ path, expected: wanted }]
  })
}

function kindOf(value: unknown): string {
  if (Array.isArray(value)) return 'a list'
  switch (typeof value) {
    case 'string':
      return 'text'
    case 'number':
      return 'a number'
    case 'boolean':
      return 'true or false'
    default:
      return 'a table'
  }
}
