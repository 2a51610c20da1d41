/**
 * Reads the notes of an agent: a file in which some agents record the usage of their requests (see `AgentKind.notes`).
 * The notes are read after the agent has ended.
 */
import type { TrialWorkspace } from '@assay/contract'
import { streamLines } from './stream-lines.ts'

const DEADLINE_MS = 20_000
const MOST_BYTES = 64 * 1024 * 1024

/** Runs the shell command that prints the notes. It is not an error if there are no notes. */
export async function readNotes(
  workspace: Pick<TrialWorkspace, 'run'>,
  command: string,
  reads: readonly string[],
  signal: AbortSignal,
  note: (line: string) => void,
): Promise<void> {
  const lines = streamLines()
  await workspace.run({
    argv: ['/bin/sh', '-c', command],
    env: {},
    reads,
    input: '',
    timeoutMs: DEADLINE_MS,
    mostBytes: MOST_BYTES,
    signal,
    onOutput: (chunk) => {
      lines.add(chunk).forEach(note)
      return 'go on'
    },
  })
  lines.end().forEach(note)
}
