/**
 * The viewer of `assay run --view`: `assay view` as a process of its own, so that computing figures for pages takes no
 * time from the run. The process gets none of the keys of this one. It ends when its input does, also if this process is
 * killed. It is in a process group of its own, because Ctrl-C must stop the run and not its page.
 */
import { spawn } from 'node:child_process'
import { dirname, resolve } from 'node:path'
import { warn, type Output } from '../../output/output.ts'

export interface RunViewer {
  /** Opens the page of a run in the browser, once the run has a folder. */
  readonly show: (folder: string) => void
  /** Ends the viewer. On a terminal, it serves until the user stops it. */
  readonly end: () => Promise<void>
}

/** Resolves when the viewer serves, or when it could not start, which does not stop the run. */
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
