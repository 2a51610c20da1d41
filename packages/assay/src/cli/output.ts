/** Where a command's words go: data to stdout, everything for people to stderr when stdout carries data. */
import pico from 'picocolors'
import type { Colors } from 'picocolors/types.js'
import { plain } from '../plain.ts'

export interface Output {
  readonly out: (text: string) => void
  readonly err: (text: string) => void
  /** Progress may be drawn: people look at stderr. */
  readonly isTerminal: boolean
  /** Stdout is a terminal, which acts on control characters; a file must get every byte as it is. */
  readonly outIsTerminal: boolean
  readonly width: number
  readonly colors: Colors
}

/** A line for people that something is probably not as they think. */
export function warn({ err, colors }: Pick<Output, 'err' | 'colors'>, text: string): void {
  err(`${colors.yellow('warning:')} ${plain(text)}\n`)
}

/** What JSON leaves as it is and a terminal would act on: DEL, C1 and the bidirectional controls. */
const UNESCAPED =
  // oxlint-disable-next-line no-control-regex
  /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g

/** JSON for stdout, which may be a terminal after all. The same value for whoever parses it. */
export const printedJson = (value: unknown, indent?: number): string =>
  JSON.stringify(value, null, indent).replaceAll(
    UNESCAPED,
    (mark) => `\\u${mark.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )

const NARROWEST = 40

export function processOutput(): Output {
  const { stdout, stderr, env } = process
  // A reader that has seen enough (head, less) closes the pipe; that is no error of ours. A command that
  // has printed its last is about to set its exit code: a gate that failed must not hold by `| head`.
  stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') setImmediate(() => process.exit(process.exitCode ?? 0))
    else {
      stderr.write(`error: cannot write the output: ${error.message}\n`)
      process.exit(3)
    }
  })
  // Without a listener this is an uncaught error, which ends with 1: the code of a gate that failed.
  stderr.on('error', () => {})
  const isTerminal = stderr.isTTY && env['CI'] === undefined && env['TERM'] !== 'dumb'
  return {
    out: (text) => void stdout.write(text),
    err: (text) => void stderr.write(text),
    isTerminal,
    outIsTerminal: stdout.isTTY,
    width: Math.max(NARROWEST, stderr.columns ?? stdout.columns ?? 80),
    colors: pico.createColors(pico.isColorSupported && (stdout.isTTY || stderr.isTTY)),
  }
}
