/**
 * Starts the command again in the place of this process, without the secret variables: for systems that do not
 * let a process clear what they show of its environment. Of its descriptors a process can leave only the
 * standard three to its successor, so a shell comes between, which makes the pipe that the secrets go through.
 * Nothing of them is written to a disk.
 */
import { accessSync, constants, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const SHELL = '/bin/sh'
const SECRETS = 'ASSAY_SECRETS'

const SCRIPT = `
mkfifo -m 600 "$1/pipe" || exit 3
printf %s "$${SECRETS}" >"$1/pipe" &
exec 3<"$1/pipe"
rm -rf "$1"
unset ${SECRETS}
shift
exec "$@"`

/** Does not return, unless the system has no way to do it. `mark` names the pipe to the successor. */
export function replaceProcess(secrets: string, mark: string): void {
  if (typeof process.execve !== 'function') return
  let folder: string
  try {
    accessSync(SHELL, constants.X_OK)
    folder = mkdtempSync(join(tmpdir(), 'assay-'))
  } catch {
    return
  }
  const words = [process.execPath, ...process.execArgv, ...process.argv.slice(1)]
  const env = { ...(process.env as Record<string, string>), [SECRETS]: secrets, [mark]: '3' }
  process.execve(SHELL, ['sh', '-c', SCRIPT, 'sh', folder, ...words], env)
}
