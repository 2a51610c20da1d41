/** Runs a started program to its end and collects its output. */
import type { Readable } from 'node:stream'
import type { SandboxedProcess, Ended } from './sandbox.ts'

export interface Collected extends Ended {
  readonly stdout: Buffer
  readonly stderr: Buffer
}

const MOST_BYTES = 1024 * 1024

/**
 * Writes `input` to the program's stdin and closes it. Reads stdout and stderr to their end and keeps the first
 * `mostBytes` of each.
 */
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
