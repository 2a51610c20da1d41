/** The `sandbox` option of graders that run with the user's permissions by default. */
import { z } from 'zod'
import { SandboxError } from '@assay/sandbox'
import { graderSandbox, type GraderSandbox } from './grader-sandbox.ts'
import type { GraderContext, OptionFault } from '../grader.ts'

export const sandboxSchema = z
  .boolean()
  .optional()
  .describe(
    'Run it in the sandbox of agents, without a network: it sees its repository read-only and no other file of yours. Always so in a folder that is not trusted.',
  )

interface Given {
  readonly sandbox?: boolean | undefined
}
type Context = Pick<GraderContext, 'sandboxGraders'>

/**
 * Whether a grader runs in a sandbox. A suite can ask for a sandbox that the run does not require. It cannot turn
 * off a sandbox that the run requires.
 */
export const isSandboxed = (
  { sandbox = false }: Given,
  { sandboxGraders = false }: Context,
): boolean => sandbox || sandboxGraders

/**
 * Opens the sandbox of a grader. The returned `sandbox` is null if the grader runs without one. Returns faults if
 * the sandbox cannot be opened, or if the run requires a sandbox and the suite sets `sandbox = false`.
 */
export async function sandboxOrFault(
  given: Given,
  context: Context,
  folder: string,
): Promise<
  { readonly sandbox: GraderSandbox | null } | { readonly faults: readonly OptionFault[] }
> {
  const faulty = (found: string, expected: string) => ({
    faults: [{ path: ['sandbox'], found, expected }],
  })
  if (!isSandboxed(given, context)) return { sandbox: null }
  if (given.sandbox === false)
    return faulty(
      'a grader that would run with your rights in a folder that is not trusted',
      'sandbox = true, or a folder that you trust (assay trust)',
    )
  try {
    return { sandbox: await graderSandbox(folder) }
  } catch (error) {
    if (!(error instanceof SandboxError)) throw error
    const [why = ''] = error.message.split('\n')
    const orTrust =
      given.sandbox === true ? '' : ', or trust the folder (assay trust) to run it with your rights'
    return faulty(`none (${why})`, `${SANDBOX_NEEDED}${orTrust}`)
  }
}

const SANDBOX_NEEDED = 'a sandbox that works; `assay doctor` says how to get one'
