/** `assay queue`: shows the runs on a queue (of `assay run --queue`), or cancels a run. */
import { plain } from '@assay/contract'
import { cancelRun, inspectQueue, type QueueView } from '../../../queue/index.ts'
import { counted } from '../../../text/index.ts'
import { printedJson, warn, type Output } from '../../output/output.ts'

export interface QueueFlags {
  readonly url: string
  readonly cancel?: string
  readonly json?: boolean
}

export async function queueCommand(flags: QueueFlags, output: Output): Promise<number> {
  if (flags.cancel !== undefined) {
    const { name, byCoordinator } = await cancelRun(flags.url, flags.cancel)
    output.out(
      byCoordinator
        ? `cancelled ${plain(name)}: its coordinator has stopped it\n`
        : `cancelled ${plain(name)}: it had no coordinator, so it was removed from the queue\n`,
    )
    return 0
  }
  const view = await inspectQueue(flags.url)
  if (flags.json === true) {
    output.out(`${printedJson(view, 2)}\n`)
    return 0
  }
  for (const text of view.warnings) warn(output, text)
  output.out(`${linesOf(view).join('\n')}\n`)
  return 0
}

function linesOf({ redis, runs, workers }: QueueView): string[] {
  const lines = [`${redis}: ${counted(runs.length, 'run')}, ${counted(workers.length, 'worker')}`]
  for (const { name, state, jobs, answers, reports, stuck, coordinatorSeenMs } of runs) {
    const seen =
      state === 'stopped'
        ? `, no coordinator for ${Math.round((coordinatorSeenMs ?? 0) / 1000)} s: assay run --resume continues it`
        : ''
    lines.push(
      '',
      `run ${plain(name)}  ${state === 'unsigned' ? 'not signed with this key' : state}${seen}`,
      `  jobs     ${jobs.active} in progress, ${jobs.waiting} waiting, ${jobs.failed} failed`,
      `  answers  ${answers} not graded yet; ${counted(reports, 'report')} not collected`,
      ...stuck.map(
        ({ suite, subject, waiting, why }) =>
          `  stuck    ${counted(waiting, 'job')} of ${plain(subject)} on ${plain(suite)}: ${plain(why)}`,
      ),
    )
  }
  if (workers.length > 0) lines.push('')
  for (const { id, version, asking, answering, active, grading, isDraining } of workers)
    lines.push(
      `worker ${plain(id)}  Assay ${plain(version)}  asking ${asking} of ${answering}, grading ${active - asking} (${grading} at once)${isDraining ? '  draining' : ''}`,
    )
  return lines
}
