/**
 * Answers health probes and Prometheus over HTTP. `/health` says whether the process works, `/ready` whether it takes
 * jobs, and `/metrics` returns the figures. The replies contain nothing secret: no names of suites, subjects or runs.
 */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { QueueWorker, WorkerState } from './worker.ts'

export interface HealthServer {
  readonly address: string
  close(): Promise<void>
}

export async function serveHealth(
  worker: Pick<QueueWorker, 'state'>,
  { port, host }: { readonly port: number; readonly host: string },
): Promise<HealthServer> {
  const server = createServer((request, response) => {
    const { state } = worker
    const isReady = state.isConnected && !state.isDraining
    const path = (request.url ?? '').split('?')[0]
    const answer = (code: number, text: string, type = 'text/plain; charset=utf-8'): void => {
      response.writeHead(code, { 'content-type': type })
      response.end(text)
    }
    if (request.method !== 'GET' && request.method !== 'HEAD') answer(405, 'only GET\n')
    else if (path === '/health') answer(200, 'ok\n')
    else if (path === '/ready')
      answer(isReady ? 200 : 503, isReady ? 'ok\n' : state.isDraining ? 'draining\n' : 'no Redis\n')
    else if (path === '/metrics') answer(200, metricsText(state), 'text/plain; version=0.0.4')
    else answer(404, 'there is /health, /ready and /metrics\n')
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, resolve)
  })
  const { address, port: used, family } = server.address() as AddressInfo
  return {
    address: `http://${family === 'IPv6' ? `[${address}]` : address}:${used}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

/** Returns the figures in the text format of Prometheus. */
export function metricsText(state: WorkerState): string {
  const { done } = state
  const metric = (name: string, type: string, help: string, lines: readonly string[]): string =>
    `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines.map((line) => `${name}${line}\n`).join('')}`
  const outcomes = ['passed', 'failed', 'unscored', 'errored', 'gone', 'given back']
  return [
    metric(
      'assay_worker_trials_total',
      'counter',
      'Trials that this worker finished or gave back, by outcome.',
      outcomes.map((one) => `{outcome="${one.replaceAll(' ', '_')}"} ${done[one] ?? 0}`),
    ),
    metric('assay_worker_asking', 'gauge', 'Trials that wait for an answer.', [
      ` ${state.answering}`,
    ]),
    metric('assay_worker_grading', 'gauge', 'Answers that are graded or wait for it.', [
      ` ${state.grading}`,
    ]),
    metric('assay_worker_runs', 'gauge', 'Runs that this worker takes trials of.', [
      ` ${state.runs}`,
    ]),
    metric(
      'assay_worker_refused_total',
      'counter',
      'Jobs and runs that were not executed, because they are not signed or damaged.',
      [` ${state.refused}`],
    ),
    metric('assay_worker_trial_seconds_total', 'counter', 'Time spent on trials.', [
      ` ${(state.busyMs / 1000).toFixed(3)}`,
    ]),
    metric('assay_worker_connected', 'gauge', '1 if Redis can be reached.', [
      ` ${state.isConnected ? 1 : 0}`,
    ]),
    metric('assay_worker_draining', 'gauge', '1 if it takes no more jobs.', [
      ` ${state.isDraining ? 1 : 0}`,
    ]),
  ].join('')
}
