/**
 * What the command does first: it takes its secret variables out of other programs' reach. It clears them in
 * what the system shows of it; where the system refuses that, it starts again in its own place without them.
 */
import { replaceProcess } from './replace-process.ts'
import { handOver, hideSecrets, isShown, receiveSecrets } from './secrets.ts'

/** The variable that names the pipe with the secrets to a process which takes over from another one. */
export const HANDED_OVER = 'ASSAY_HANDED_OVER'

export function keepSecrets(): void {
  const descriptor = Number(process.env[HANDED_OVER])
  const tookOver = descriptor >= 3
  delete process.env[HANDED_OVER]
  if (tookOver) receiveSecrets(descriptor)
  hideSecrets()
  if (!tookOver && isShown()) replaceProcess(handOver(), HANDED_OVER)
}
