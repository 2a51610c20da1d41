/**
 * The status line of a worker. It shows what the worker is doing and what it has done. It is drawn only on a
 * terminal.
 */
import type { WorkerState } from '../../../queue/index.ts'
import type { Output } from '../../output/output.ts'

export interface StatusLine {
  /** Prints a line above the status line. */
  print(text: string): void
  watch(state: () => WorkerState): void
  close(): void
}

const EVERY_MS = 500

export function statusLine(output: Output, isJson: boolean): StatusLine {
  const isLive = output.isTerminal && !isJson
  let timer: NodeJS.Timeout | null = null
  let isShown = false
  const clear = (): void => {
    if (isShown) output.err('\r\x1b[K', 'draw')
    isShown = false
  }
  return {
    print(text) {
      clear()
      output.err(text)
    },
    watch(state) {
      if (!isLive) return
      timer = setInterval(() => {
        clear()
        output.err(statusText(state()).slice(0, Math.max(20, output.width - 1)))
        isShown = true
      }, EVERY_MS)
    },
    close() {
      if (timer !== null) clearInterval(timer)
      clear()
    },
  }
}

export function statusText({ runs, answering, grading, done, isConnected }: WorkerState): string {
  const total = Object.values(done).reduce((sum, one) => sum + one, 0)
  const connection = isConnected ? '' : 'Redis is away · '
  return `${connection}${runs} ${runs === 1 ? 'run' : 'runs'} · asking ${answering} · grading ${grading} · done ${total} (${done['passed'] ?? 0} passed, ${done['errored'] ?? 0} errored)`
}
