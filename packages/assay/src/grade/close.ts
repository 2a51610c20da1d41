import { closeTools } from '@assay/code'
import { closeProcesses } from './command/custom-processes.ts'
import { closeGraderSandbox } from './command/grader-sandbox.ts'
import { closeThreads } from './worker/threads.ts'

/**
 * Ends everything that graders keep running: threads, processes, compilers, linters. The next answer starts again
 * what it needs.
 */
export async function closeGraders(): Promise<void> {
  await Promise.all([closeThreads(), closeProcesses(), closeTools()])
  await closeGraderSandbox()
}
