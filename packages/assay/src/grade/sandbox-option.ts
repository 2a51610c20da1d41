/** The option `sandbox` of graders that run with the user's rights. */
import { z } from 'zod'
import { SandboxError } from '../sandbox/index.ts'
import { graderSandbox, type GraderSandbox } from './grader-sandbox.ts'
import type { GraderContext, OptionFault } from './grader.ts'

export const sandboxSchema = z
  .boolean()
  .optional()
  .describe(
    'Run it in the sandbox of agents, without a network: it sees its repository read-only and no other file of yours. Off, unless the folder is not trusted.',
  )

interface Given {
  readonly sandbox?: boolean | undefined
}
type Context = Pick<GraderContext, 'sandboxGraders'>

/** What the case says, else what the run says. */
export const isSandboxed = ({ sandbox }: Given, { sandboxGraders = false }: Context): boolean =>
  sandbox ?? sandboxGraders

/** The sandbox, null where none is wanted, or why there is none. */
export async function sandboxOrFault(
  given: Given,
  context: Context,
  folder: string,
): Promise<
  { readonly sandbox: GraderSandbox | null } | { readonly faults: readonly OptionFault[] }
> {
  if (!isSandboxed(given, context)) return { sandbox: null }
  try {
    return { sandbox: await graderSandbox(folder) }
  } catch (error) {
    if (!(error instanceof SandboxError)) throw error
    const expected = `a sandbox for this grader; ${error.message}`
    return { faults: [{ path: ['sandbox'], found: 'none', expected }] }
  }
}
