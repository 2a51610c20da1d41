/**
 * The viewer of `assay run --view`. It is `assay view` in a separate process, so that computing figures for pages
 * does not slow the run. The process gets none of this process's API keys. It ends when its input ends, which also
 * happens if this process is killed. It has its own process group, because Ctrl-C must stop the run and not its
 * page.
 */
import { spawn } from 'node:child_process'
import { dirname, resolve } from 'node:path'
import { warn, type Output } from '../../output/output.ts'

export interface RunViewer {
  /** Opens the page of a run in the browser, once the run has a folder. */
  readonly show: (folder: string) => void
  /** Ends the viewer. On a terminal, first waits until the user presses Ctrl-C. */
  readonly end: () => Promise<void>
}

/**
 * Starts the viewer. Resolves when the viewer is ready, or when it could not start. The run continues in both cases.
 */
export async function startRunViewer(folder: string, output: Output): Promise<RunViewer> {
  const [program = ''] = process.argv.slice(1)
  const words = [program, 'view', dirname(resolve(folder)), '--until-closed']
  const child = spawn(process.execPath, [...process.execArgv, ...words], {
    stdio: ['pipe', 'ignore', 'pipe'],
    detached: true,
  })
  let isOver = false
  const over = new Promise<null>((done) => {
    const end = (): void => {
      isOver = true
      done(null)
    }
    child.on('error', end).on('exit', end)
  })
  child.stdin.on('error', () => {})
  let said = ''
  const printed = new Promise<string>((done) => {
    child.stderr.on('data', (piece) => {
      said += String(piece)
      const [found] = /http:\S+/u.exec(said) ?? []
      if (found !== undefined) done(found)
    })
  })
  const address = await Promise.race([printed, over])
  child.stderr.resume()
  if (address === null) warn(output, `the page of the run cannot be served: ${said.trim()}`)
  else output.err(`the page of this run is at ${address}\n`)
  return {
    show: (run) => {
      if (output.isTerminal && !isOver) child.stdin.write(`${JSON.stringify(resolve(run))}\n`)
    },
    end: async () => {
      if (isOver) return
      if (output.isTerminal) {
        output.err('The page is served until Ctrl-C.\n')
        await Promise.race([over, stopped()])
      }
      child.stdin.end()
      await over
    },
  }
}

const stopped = (): Promise<void> =>
  new Promise((done) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
      process.once(signal, () => done())
  })
