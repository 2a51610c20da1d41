import { closeTools } from '@assay/code'
import { closeProcesses } from './command/custom-processes.ts'
import { closeGraderSandbox } from './command/grader-sandbox.ts'
import { closeThreads } from './worker/threads.ts'

/**
 * Ends everything that graders keep running: threads, processes, compilers, linters. Grading another answer
 * starts them again as needed.
 */
export async function closeGraders(): Promise<void> {
  await Promise.all([closeThreads(), closeProcesses(), closeTools()])
  await closeGraderSandbox()
}
