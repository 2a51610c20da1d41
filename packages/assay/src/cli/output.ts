/** Where a command's words go: data to stdout, everything for people to stderr when stdout carries data. */
import pico from 'picocolors'
import type { Colors } from 'picocolors/types.js'

export interface Output {
  out(text: string): void
  err(text: string): void
  readonly isTerminal: boolean
  readonly width: number
  readonly colors: Colors
}

const NARROWEST = 40

export function processOutput(): Output {
  const { stdout, stderr, env } = process
  // A reader that has seen enough (head, less) closes the pipe; that is no error of ours.
  stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(0)
    throw error
  })
  const isTerminal = stderr.isTTY && env['CI'] === undefined && env['TERM'] !== 'dumb'
  return {
    out: (text) => void stdout.write(text),
    err: (text) => void stderr.write(text),
    isTerminal,
    width: Math.max(NARROWEST, stderr.columns ?? stdout.columns ?? 80),
    colors: pico.createColors(pico.isColorSupported && (stdout.isTTY || stderr.isTTY)),
  }
}
