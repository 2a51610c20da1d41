/** Makes the engine of `assay run --queue`, which runs the trials on workers. */
import { readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { UsageError } from '@assay/contract'
import { hideSecrets } from '../../../environment/index.ts'
import { KEY_VARIABLE, queueEngine } from '../../../queue/index.ts'
import type { Engine } from '../../../run/index.ts'
import type { PlannedRun } from '../../settings/planned-run.ts'
import type { RunFlags } from '../../settings/run-flags.ts'
import { milliseconds } from '../../settings/run-settings.ts'

/**
 * Returns an engine that lets workers run the trials. Throws a `UsageError` if a flag cannot be used with a queue, or
 * if the address or the key is wrong.
 */
export function queueEngineFor(flags: RunFlags, planned: PlannedRun, folder: string): Engine {
  const { recipe } = planned
  if (flags.cache === true)
    throw new UsageError('--cache keeps answers on one machine: it cannot be used with --queue')
  if (flags.keep === true)
    throw new UsageError(
      '--keep leaves workspaces where agents worked, which is on the workers: run it without --queue',
    )
  if (flags.record === true)
    throw new UsageError('--record is for runs on this machine: run it without --queue')
  hideSecrets([KEY_VARIABLE])
  const { pricesFile, ...settings } = recipe
  return queueEngine({
    url: flags.queue ?? '',
    name: basename(folder),
    store: flags.store ?? null,
    ...(flags.queueLock === undefined
      ? {}
      : { lockMs: milliseconds('--queue-lock', flags.queueLock) }),
    recipe: {
      ...settings,
      parameters: { ...settings.parameters },
      defaults: { ...settings.defaults },
      prices: pricesFile === null ? null : readFileSync(pricesFile, 'utf8'),
    },
  })
}
