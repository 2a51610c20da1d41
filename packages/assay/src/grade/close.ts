import { closeTools } from './code/tools.ts'
import { closeProcesses } from './custom-processes.ts'
import { closeGraderSandbox } from './grader-sandbox.ts'
import { closeThreads } from './threads.ts'

/** Ends whatever the graders hold: threads, processes, compilers, linters. The next answer starts what it needs. */
export async function closeGraders(): Promise<void> {
  await Promise.all([closeThreads(), closeProcesses(), closeTools()])
  await closeGraderSandbox()
}
