/**
 * Replaces this process with a new process of the same command, without the secret variables. This is for systems that
 * do not let a process overwrite the environment that they show to other programs. The secrets go to the new process
 * through a pipe and are never written to disk. Node can pass only its three standard descriptors to a replacement, so
 * a shell runs in between and opens the pipe.
 */
import { accessSync, constants, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const SHELL = '/bin/sh'
const SECRETS = 'ASSAY_SECRETS'

const SCRIPT = `
PATH=/usr/bin:/bin mkfifo -m 600 "$1/pipe" || exit 3
printf %s "$${SECRETS}" >"$1/pipe" &
exec 3<"$1/pipe"
PATH=/usr/bin:/bin rm -rf "$1"
unset ${SECRETS}
shift
exec "$@"`

/**
 * Does not return if the replacement succeeds. It returns if this system does not support the replacement. `mark` is
 * the name of the variable that tells the new process the pipe's descriptor.
 */
export function replaceProcess(secrets: string, mark: string): void {
  if (typeof process.execve !== 'function') return
  let folder: string
  try {
    accessSync(SHELL, constants.X_OK)
    folder = mkdtempSync(join(tmpdir(), 'assay-'))
  } catch {
    return
  }
  const words = [process.execPath, ...process.execArgv, '--', ...process.argv.slice(1)]
  const env = { ...(process.env as Record<string, string>), [SECRETS]: secrets, [mark]: '3' }
  process.execve(SHELL, ['sh', '-c', SCRIPT, 'sh', folder, ...words], env)
}
