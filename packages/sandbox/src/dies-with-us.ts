/**
 * Returns words to put before a command, so that the kernel kills the command when this process is killed. The list
 * is empty if the system has no `setpriv` that can do this. The command must be started on the main thread: the
 * kernel kills it when the thread that started it ends, and the main thread ends last.
 */
import { spawnSync } from 'node:child_process'
import { findProgram } from './find-program.ts'

let words: readonly string[] | undefined

export function diesWithUs(): readonly string[] {
  words ??= find()
  return words
}

function find(): readonly string[] {
  const [setpriv, nothing] = [findProgram('setpriv'), findProgram('true')]
  if (process.platform !== 'linux' || setpriv === null || nothing === null) return []
  const before = ['--pdeathsig', 'KILL', '--']
  // Try the option first, because old and reduced versions of setpriv do not have it.
  const options = { cwd: '/', stdio: 'ignore', timeout: 10_000 } as const
  const { status } = spawnSync(setpriv, [...before, nothing], options)
  return status === 0 ? [setpriv, ...before] : []
}
