/** Where a command's words go: data to stdout, everything for people to stderr when stdout carries data. */
import pico from 'picocolors'
import type { Colors } from 'picocolors/types.js'
import { plain, plainLines } from '@assay/contract'
import { displayWidth, wrapProse } from '../../text/index.ts'
import { PrintStream } from './print-stream.ts'

export interface Output {
  readonly out: (text: string) => void
  /** `draw`: moves the cursor, so nothing in it may come from anywhere else. */
  readonly err: (text: string, how?: 'draw') => void
  /**
   * For commands that print much: resolves when the reader of `out` has caught up, or has closed it. Null
   * where there is nothing to wait for.
   */
  readonly ready: () => Promise<void> | null
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

/** What `colors` writes for bold, dim, red, green and yellow, and their ends. */
// oxlint-disable-next-line no-control-regex
const OWN_COLORS = /(\u001b\[(?:1|2|22|31|32|33|39)m)/

/**
 * Words for people with nothing in them that a terminal would act on but Assay's own colours, wherever the words
 * are from. Names of files and texts of errors come from a repository that may be anybody's.
 */
export const shownText = (text: string): string =>
  text
    .split(OWN_COLORS)
    .map((part, i) => (i % 2 === 0 ? plainLines(part) : part))
    .join('')

/** Words for people who look at a terminal of that many columns: wrapped, with colours that take no room. */
export const wrappedText = (text: string, columns: number): string =>
  wrapProse(text, columns, (word) => displayWidth(word.replaceAll(EVERY_COLOR, '')))

const EVERY_COLOR = new RegExp(OWN_COLORS, 'gu')

const NARROWEST = 40

export interface ProcessOutput extends Output {
  /**
   * Waits until everything is written, or nobody reads it any more. Whether standard output got all of it:
   * a reader who closes it has got all that they wanted, a full disk has not.
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
    // A file or another program gets every byte.
    out: (text) => out.write(stdout.isTTY ? shownText(text) : text),
    err: (text, how) => {
      if (how === 'draw') err.write(text)
      // A log keeps each message on its line.
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
