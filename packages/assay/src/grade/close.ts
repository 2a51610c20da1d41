import { closeTools } from '@assay/code'
import { closeProcesses } from './command/custom-processes.ts'
import { closeGraderSandbox } from './command/grader-sandbox.ts'
import { closeThreads } from './worker/threads.ts'

/** Ends whatever the graders hold: threads, processes, compilers, linters. The next answer starts what it needs. */
export async function closeGraders(): Promise<void> {
  await Promise.all([closeThreads(), closeProcesses(), closeTools()])
  await closeGraderSandbox()
}
