/** A workspace that does not really run programs. Each program prints and ends as the test says. */
import type { TrialWorkspace, WorkspaceDiff, WorkspaceEnd, WorkspaceProgram } from '@assay/contract'

export interface FakeRun {
  /** Each text is printed in one chunk. */
  readonly prints?: readonly (string | Uint8Array)[]
  readonly end?: Partial<WorkspaceEnd>
  /**
   * For a program that is asked on its stdin: called with each line, prints with `say`, and ends the program by returning
   * true. It also ends when its input ends.
   */
  readonly talks?: (line: string, say: (text: string) => void) => boolean | void
  /** The program could not be started. Used instead of an end. */
  readonly fails?: Error
}

export interface FakeWorkspace extends TrialWorkspace {
  /** The programs that were started, in order. */
  readonly ran: WorkspaceProgram[]
  /** The files by `where:path`. */
  readonly laid: Map<string, { readonly text: string } | { readonly from: string }>
  /** How often the workspace was closed. */
  closed: number
}

export function fakeWorkspace(
  runs: readonly FakeRun[] | ((program: WorkspaceProgram) => FakeRun),
  diff: () => WorkspaceDiff = () => ({ version: 1, changes: [] }),
): FakeWorkspace {
  const workspace: FakeWorkspace = {
    folder: '/workspace',
    home: '/home/agent',
    network: 'open',
    ran: [],
    laid: new Map(),
    closed: 0,
    async lay(where, path, what) {
      workspace.laid.set(`${where}:${path}`, what)
    },
    async run(program) {
      const {
        prints = [],
        end = {},
        fails,
        talks,
      } = typeof runs === 'function' ? runs(program) : (runs[workspace.ran.length] ?? {})
      workspace.ran.push(program)
      if (fails !== undefined) throw fails
      for (const chunk of prints) {
        if (program.signal.aborted) throw program.signal.reason
        if (program.onOutput(Buffer.from(chunk)) === 'stop')
          return { how: 'stopped', code: null, signal: 'SIGKILL', stderr: '', ...end }
      }
      if (talks !== undefined) await converse(program, talks)
      return { how: 'ended', code: 0, signal: null, stderr: '', ...end }
    },
    offline: () => ({ ...workspace, network: 'none' }),
    diff: async () => diff(),
    async close() {
      workspace.closed++
    },
  }
  return workspace
}

/** Lets a program and Assay talk. Rejects like a real workspace when the signal aborts. */
async function converse(
  program: WorkspaceProgram,
  talks: NonNullable<FakeRun['talks']>,
): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const { signal } = program
    const abort = (): void => reject(signal.reason as Error)
    if (signal.aborted) abort()
    signal.addEventListener('abort', abort, { once: true })
    const say = (text: string): void => {
      program.onOutput(Buffer.from(text))
    }
    program.converse?.({
      write: (text) => {
        // As with a real pipe, the program answers later.
        setImmediate(() => {
          if (!signal.aborted && talks(text.trimEnd(), say) === true) resolve()
        })
      },
      end: () => setImmediate(resolve),
      pending: 0,
    })
  })
}
