/**
 * The `program` grader: any executable that reads the answer and its case as JSON on stdin and prints its result as
 * JSON. It runs with the user's permissions but without the user's API keys, or in a sandbox. If it takes too long,
 * the answer fails, because the answer is assumed to be the cause. If it exits with an error, prints too much or
 * prints no valid result, the trial is errored.
 */
import { resolve } from 'node:path'
import { z } from 'zod'
import { parseGraderDuration, plain } from '@assay/contract'
import { timeSchema } from '@assay/code'
import { runProcess, type ProcessEnd } from '@assay/sandbox'
import { askTwice } from './retry.ts'
import { fileHash } from '../files/file-hash.ts'
import { sourcePathFault } from '../files/file-path.ts'
import { readGraderOutput } from './given-output.ts'
import { graderSandbox, isShownProgram, runSandboxed } from './grader-sandbox.ts'
import { GraderTimeout, type GraderInput, type Grader, type GraderOutput } from '../grader.ts'
import { isSandboxed, sandboxOrFault, sandboxSchema } from './sandbox-option.ts'
import { shortened } from '../shown.ts'

const MOST_BYTES = 1024 * 1024
const MOST_QUOTED = 300
/** Environment variables that most programs need. No provider's API key is among them. */
const NEEDED = ['PATH', 'HOME', 'LANG', 'TMPDIR', 'SystemRoot', 'TEMP', 'TMP', 'PATHEXT']

const options = z
  .strictObject({
    command: z
      .array(z.string().min(1).max(10_000))
      .min(1)
      .max(100)
      .describe(
        'The program and its arguments, without a shell: ["python3", "check.py"]. It runs in the suite’s folder.',
      ),
    options: z
      .record(z.string(), z.json())
      .default({})
      .describe('Handed to the program as `options`.'),
    sandbox: sandboxSchema,
    timeout: timeSchema
      .optional()
      .describe('For one answer, such as "30s". The run’s grade timeout unless given.'),
    sha256: z
      .record(z.string(), z.string().regex(/^[\da-f]{64}$/, 'a SHA-256 as 64 hexadecimal digits'))
      .optional()
      .describe(
        'Hashes of the files in the suite’s folder that the command names, filled in when the suite is read. Where one is given, the file must have it.',
      ),
  })
  .describe(
    'A program reads the answer as JSON and prints a judgement. It runs with your rights, or in a sandbox.',
  )

type Options = z.infer<typeof options>

export const program: Grader<Options> = {
  type: 'program',
  summary: 'any executable that reads the answer as JSON and prints a judgement',
  options,
  readsAnswer: true,
  keepsDeadline: true,
  runsAsUser: true,

  starts: ({ command }) => [command],

  async resolve(given, folder, { how = 'run', ...context } = {}) {
    const sha256: Record<string, string> = {}
    for (const word of given.command) {
      const hash = sourcePathFault(word) === null ? await fileHash(folder, word) : null
      if (hash !== null) sha256[inFolder(word)] = hash
    }
    const wrong = Object.entries(given.sha256 ?? {}).find(([file, hash]) => sha256[file] !== hash)
    if (wrong !== undefined) {
      const found = sha256[wrong[0]]
      return {
        faults: [
          {
            path: ['sha256', wrong[0]],
            found:
              found === undefined ? 'no such file in the command' : `a file with the hash ${found}`,
            expected: 'a file with this hash',
          },
        ],
      }
    }
    const [first = ''] = given.command
    if (isSandboxed(given, context) && first.includes('/') && !isShownProgram(first, folder))
      return {
        faults: [
          {
            path: ['command', 0],
            found: `${first}, which is not a program that the sandbox shows`,
            expected: 'a program of the suite’s repository or of the system',
          },
        ],
      }
    if (how === 'check') return { options: { ...given, sha256 } }
    const within = await sandboxOrFault(given, context, folder)
    return 'faults' in within ? within : { options: { ...given, sha256 } }
  },

  async grade(graded, given, context) {
    const timeoutMs = parseGraderDuration(given.timeout ?? '') ?? context.timeoutMs
    const cwd = resolve(graded.folder ?? '.')
    const [first = '', ...rest] = given.command
    const request = {
      // A path is relative to the suite's folder. A name without a slash is searched on the PATH.
      argv: [first.includes('/') ? resolve(cwd, first) : first, ...rest],
      input: `${JSON.stringify(inputOf(graded, given))}\n`,
      cwd,
      env: environment(),
      timeoutMs,
      mostBytes: MOST_BYTES,
      signal: context.signal,
    }
    const sandbox = isSandboxed(given, context) ? await graderSandbox(cwd) : null
    return askTwice(context.signal, async () => {
      const ended = sandbox === null ? runProcess(request) : runSandboxed(sandbox, request)
      return judgementOf(await ended.catch((error: unknown) => fail(first, error)), timeoutMs)
    })
  },
}

/** Throws an error that says what to do if the program is missing or may not be executed. */
function fail(name: string, error: unknown): never {
  const code = (error as NodeJS.ErrnoException).code ?? ''
  const place = name.includes('/') ? 'in the folder of the suite' : 'on the PATH'
  const why: Readonly<Record<string, string>> = {
    ENOENT: `there is no program "${name}" ${place}: install it, or correct command of the grader`,
    EACCES: `"${name}" may not be executed: chmod +x, or name its interpreter first in command`,
  }
  if (why[code] === undefined) throw error
  throw new Error(why[code], { cause: error })
}

const inFolder = (word: string): string => word.replace(/^(?:\.\/)+/, '')

/**
 * Returns the input of the program. Its format is a public contract: keys may be added but never changed or
 * removed.
 */
function inputOf(graded: GraderInput, { options: given }: Options): object {
  // Leave out two fields. The suite's folder is already the program's working directory. The workspace is an object
  // with methods and not data.
  const { folder: _, workspace: __, ...data } = graded
  return { assay: 'graded', version: 1, ...data, options: given }
}

function environment(): Record<string, string> {
  const entries = NEEDED.map((name) => [name, process.env[name]] as const)
  return Object.fromEntries(
    entries.filter((entry): entry is readonly [string, string] => entry[1] !== undefined),
  )
}

function judgementOf(
  { how, code, signal, stdout, stderr }: ProcessEnd,
  timeoutMs: number,
): GraderOutput {
  if (how === 'timeout') throw new GraderTimeout(`did not end within ${timeoutMs / 1000} s`)
  const said = stderr.toString('utf8').trim()
  const words = said === '' ? '' : `; stderr: ${plain(said.slice(-MOST_QUOTED))}`
  if (how === 'too-much') throw new Error(`it printed more than ${MOST_BYTES} bytes${words}`)
  if (code !== 0)
    throw new Error(`it ended with ${signal === null ? `exit code ${code}` : signal}${words}`)
  const printed = stdout.toString('utf8')
  let value: unknown
  try {
    value = JSON.parse(printed)
  } catch {
    const found = printed.trim() === '' ? 'nothing' : plain(shortened(printed.trim(), 100))
    throw new Error(`it gave no judgement: expected JSON, printed ${found}${words}`)
  }
  return readGraderOutput(value)
}
