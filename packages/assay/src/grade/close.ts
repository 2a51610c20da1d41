import { closeTools } from './code/tools.ts'
import { closeThreads } from './threads.ts'

/** Ends whatever the graders hold: threads, compilers, linters. The next answer starts what it needs. */
export async function closeGraders(): Promise<void> {
  await Promise.all([closeThreads(), closeTools()])
}
