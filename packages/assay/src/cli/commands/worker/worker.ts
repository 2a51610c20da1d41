/** `assay worker`: runs the trials of a queue until a signal stops it, and shows what it does. */
import { plain } from '@assay/contract'
import { hideSecrets } from '../../../environment/index.ts'
import { KEY_VARIABLE, QueueWorker, serveHealth, type WorkerEvent } from '../../../queue/index.ts'
import { isTrustedByEnvironment } from '../../../trust/index.ts'
import { takeEnvFile } from '../../settings/env-file.ts'
import { milliseconds } from '../../settings/run-settings.ts'
import { warn, type Output } from '../../output/output.ts'
import { statusLine } from './status-line.ts'

export interface WorkerFlags {
  readonly url: string
  readonly answering?: number
  readonly grading?: number
  readonly project?: string
  readonly store?: string
  readonly drain?: string
  readonly health?: number
  readonly healthHost?: string
  readonly envFile?: string
  readonly trust?: boolean
  readonly json?: boolean
}

export async function workerCommand(flags: WorkerFlags, output: Output): Promise<number> {
  await takeEnvFile(flags.envFile, output)
  hideSecrets([KEY_VARIABLE])
  const drainMs = flags.drain === undefined ? undefined : milliseconds('--drain', flags.drain)
  const status = statusLine(output, flags.json === true)
  const say = (event: WorkerEvent): void => {
    if (flags.json === true) output.out(`${JSON.stringify(event)}\n`)
    else for (const line of linesOf(event)) status.print(`${line}\n`)
  }
  const { answering, grading, project, store } = flags
  const worker = await QueueWorker.start({
    url: flags.url,
    ...(answering === undefined ? {} : { answering }),
    ...(grading === undefined ? {} : { grading }),
    ...(project === undefined ? {} : { project }),
    ...(store === undefined ? {} : { store }),
    ...(drainMs === undefined ? {} : { drainMs }),
    trust: flags.trust === true || isTrustedByEnvironment(process.env),
    onEvent: say,
  })
  for (const text of worker.warnings) warn(output, text)
  const ended = Promise.withResolvers<void>()
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
  let isStopping = false
  const onSignal = (): void => {
    // This worker ends at once and does not finish its jobs. When their locks expire, other workers get them.
    if (isStopping) process.exit(130)
    isStopping = true
    worker.drain().then(() => ended.resolve(), ended.reject)
  }
  for (const signal of signals) process.on(signal, onSignal)
  const health =
    flags.health === undefined
      ? null
      : await serveHealth(worker, {
          port: flags.health,
          host: flags.healthHost ?? '127.0.0.1',
        }).catch(async (error: unknown) => {
          // If the server that answers health probes fails, nobody can see the state of this worker. So it must not
          // take further jobs.
          await worker.drain()
          throw error
        })
  if (health !== null && flags.json !== true)
    status.print(`health and metrics on ${health.address}\n`)
  if (flags.json === true)
    output.out(
      `${JSON.stringify({ type: 'ready', worker: worker.id, ...(health === null ? {} : { health: health.address }) })}\n`,
    )
  else status.print(`${worker.id} waits for runs; Ctrl-C drains it\n`)
  status.watch(() => worker.state)
  try {
    await ended.promise
    return 0
  } finally {
    status.close()
    await health?.close()
    for (const signal of signals) process.off(signal, onSignal)
  }
}

/** Returns the lines that are printed about an event. Single trials are only counted in the status line. */
function linesOf(event: WorkerEvent): string[] {
  switch (event.type) {
    case 'run':
      return [
        `run ${plain(event.name)}: serves ${event.lanes - event.cannot.length} of ${event.lanes} kinds of trials`,
        ...event.cannot.map(
          ({ suite, subject, why }) => `  not ${plain(subject)} on ${plain(suite)}: ${plain(why)}`,
        ),
      ]
    case 'run-ended':
      return [`run ${plain(event.name)} is over`]
    case 'refused':
      return [`refused ${plain(event.what)}: ${plain(event.why)}`]
    case 'draining':
      return [`draining: ${event.active} trials under way may end (once more to leave at once)`]
    case 'error':
      return [`error: ${plain(event.text)}`]
    case 'end':
      return [
        `done: ${
          Object.entries(event.done)
            .map(([outcome, count]) => `${count} ${outcome}`)
            .join(', ') || 'nothing'
        }`,
      ]
    default:
      return []
  }
}
