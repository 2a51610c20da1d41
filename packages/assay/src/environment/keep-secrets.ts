/**
 * Hides the command's secret variables from other programs. The command does this before anything else. It overwrites
 * the variables in the environment that the operating system shows for its process. If the system refuses this, the
 * process replaces itself with a new process that is started without the variables.
 */
import { replaceProcess } from './replace-process.ts'
import { handOver, hideSecrets, isShown, receiveSecrets } from './secrets.ts'

/**
 * The variable that tells a replaced process where its secrets are. Its value is the descriptor of the pipe from which
 * the new process reads them.
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
