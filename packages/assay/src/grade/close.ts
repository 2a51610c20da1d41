import { closeTools } from '@assay/code'
import { closeProcesses } from './command/custom-processes.ts'
import { closeGraderSandbox } from './command/grader-sandbox.ts'
import { closeThreads } from './worker/threads.ts'

/**
 * Ends all threads, processes, compilers and linters that graders keep running. They start again when the next
 * answer needs them.
 */
export async function closeGraders(): Promise<void> {
  await Promise.all([closeThreads(), closeProcesses(), closeTools()])
  await closeGraderSandbox()
}

let users = 0

/**
 * Says that graders are needed until the returned function is called. Runs of one process share their graders, so only
 * the last run that ends closes them.
 */
export function useGraders(): () => Promise<void> {
  users++
  return async () => {
    if (--users === 0) await closeGraders()
  }
}
