/** Where commands print: data to stdout. If stdout carries data, all text for people goes to stderr. */
import pico from 'picocolors'
import type { Colors } from 'picocolors/types.js'
import { plain, plainLines } from '@assay/contract'
import { displayWidth, wrapProse } from '../../text/index.ts'
import { PrintStream } from './print-stream.ts'

export interface Output {
  readonly out: (text: string) => void
  /** `draw`: the text moves the cursor and is written unfiltered, so it must not contain text from outside Assay. */
  readonly err: (text: string, how?: 'draw') => void
  /**
   * For commands that print a lot: resolves when the reader of `out` has caught up or has closed it. Null if there is
   * no need to wait.
   */
  readonly ready: () => Promise<void> | null
  /** Whether stderr is a terminal, so that progress may be drawn. */
  readonly isTerminal: boolean
  /** Whether stdout is a terminal, which interprets control characters. A file must get every byte unchanged. */
  readonly outIsTerminal: boolean
  readonly width: number
  readonly colors: Colors
}

/** Prints a warning on stderr. */
export function warn({ err, colors }: Pick<Output, 'err' | 'colors'>, text: string): void {
  err(`${colors.yellow('warning:')} ${plain(text)}\n`)
}

/** Characters that JSON does not escape but a terminal interprets: DEL, C1 and bidirectional controls. */
const UNESCAPED =
  // oxlint-disable-next-line no-control-regex
  /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g

/** Returns JSON that is safe to print on a terminal. It parses to the same value. */
export const printedJson = (value: unknown, indent?: number): string =>
  JSON.stringify(value, null, indent).replaceAll(
    UNESCAPED,
    (mark) => `\\u${mark.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )

/** Matches the codes that `colors` writes for bold, dim, red, green and yellow, and those that end them. */
// oxlint-disable-next-line no-control-regex
const OWN_COLORS = /(\u001b\[(?:1|2|22|31|32|33|39)m)/

/**
 * Removes everything that a terminal would interpret, except Assay's own colours. File names and error messages may
 * come from an untrusted repository.
 */
export const shownText = (text: string): string =>
  text
    .split(OWN_COLORS)
    .map((part, i) => (i % 2 === 0 ? plainLines(part) : part))
    .join('')

/** Wraps text to the columns of a terminal. Colour codes count as zero columns. */
export const wrappedText = (text: string, columns: number): string =>
  wrapProse(text, columns, (word) => displayWidth(word.replaceAll(EVERY_COLOR, '')))

const EVERY_COLOR = new RegExp(OWN_COLORS, 'gu')

const NARROWEST = 40

export interface ProcessOutput extends Output {
  /**
   * Waits until everything is written or the reader is gone. Returns whether standard output was delivered: true if
   * the reader closed it early, false if a write failed, for example on a full disk.
   */
  readonly finish: () => Promise<boolean>
}

export function processOutput(): ProcessOutput {
  const { stdout, stderr, env } = process
  const err = new PrintStream(stderr)
  let isWhole = true
  const out = new PrintStream(stdout, (error) => {
    isWhole = false
    err.write(
      `error: cannot write the output: ${plain(error.message)}. The command goes on without it\n`,
    )
  })
  const widthNow = (): number => Math.max(NARROWEST, stderr.columns ?? stdout.columns ?? 80)
  const isTerminal = stderr.isTTY && env['CI'] === undefined && env['TERM'] !== 'dumb'
  return {
    // A file or another program gets every byte unchanged.
    out: (text) => out.write(stdout.isTTY ? shownText(text) : text),
    err: (text, how) => {
      if (how === 'draw') err.write(text)
      // In a log file, each message stays on one line: no wrapping.
      else err.write(stderr.isTTY ? wrappedText(shownText(text), widthNow()) : shownText(text))
    },
    ready: () => out.ready(),
    finish: async () => {
      await out.flushed()
      await err.flushed()
      return isWhole
    },
    isTerminal,
    outIsTerminal: stdout.isTTY,
    width: widthNow(),
    colors: pico.createColors(pico.isColorSupported && (stdout.isTTY || stderr.isTTY)),
  }
}
