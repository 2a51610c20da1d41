/**
 * Where the system has it, a program that ends another one when this process is killed, whatever that one is
 * doing: the words to put before its own. Empty elsewhere. The program must be started on the main thread.
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
  // Older and smaller ones do not know it.
  const options = { cwd: '/', stdio: 'ignore', timeout: 10_000 } as const
  const { status } = spawnSync(setpriv, [...before, nothing], options)
  return status === 0 ? [setpriv, ...before] : []
}
