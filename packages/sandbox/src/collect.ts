/** Runs a started program to its end and keeps what it printed. */
import type { Readable } from 'node:stream'
import type { SandboxedProcess, Ended } from './sandbox.ts'

export interface Collected extends Ended {
  readonly stdout: Buffer
  readonly stderr: Buffer
}

const MOST_BYTES = 1024 * 1024

/** Its input ends after `input`; of each output the first `mostBytes` are kept, and all is read. */
export async function collect(
  program: SandboxedProcess,
  input = '',
  mostBytes = MOST_BYTES,
): Promise<Collected> {
  const stdout = keep(program.stdout, mostBytes)
  const stderr = keep(program.stderr, mostBytes)
  program.stdin.end(input)
  const ended = await program.ended
  return { ...ended, stdout: Buffer.concat(stdout), stderr: Buffer.concat(stderr) }
}

function keep(stream: Readable, mostBytes: number): Buffer[] {
  const kept: Buffer[] = []
  let left = mostBytes
  stream.on('data', (chunk: Buffer) => {
    if (left > 0) kept.push(chunk.subarray(0, left))
    left -= chunk.length
  })
  return kept
}
