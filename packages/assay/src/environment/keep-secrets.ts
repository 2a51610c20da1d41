/**
 * Hides the secret variables of the command from other programs. This is the first thing that the command does. It
 * overwrites the variables in the environment that the system shows for this process. If the system refuses that,
 * the process replaces itself with a new one that is started without them.
 */
import { replaceProcess } from './replace-process.ts'
import { handOver, hideSecrets, isShown, receiveSecrets } from './secrets.ts'

/**
 * When a process replaces itself, this variable gives the new process the descriptor of the pipe with the
 * secrets.
 */
export const HANDED_OVER = 'ASSAY_HANDED_OVER'

export function keepSecrets(): void {
  const descriptor = Number(process.env[HANDED_OVER])
  const tookOver = descriptor >= 3
  delete process.env[HANDED_OVER]
  if (tookOver) receiveSecrets(descriptor)
  hideSecrets()
  if (!tookOver && isShown()) replaceProcess(handOver(), HANDED_OVER)
}
