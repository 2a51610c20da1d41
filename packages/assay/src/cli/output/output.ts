/**
 * The output streams of commands. Data is written to stdout. If data is written there, all messages for people go to
 * stderr.
 */
import { fstatSync } from 'node:fs'
import pico from 'picocolors'
import type { Colors } from 'picocolors/types.js'
import { plain, plainLines } from '@assay/contract'
import { displayWidth, wrapProse } from '../../text/index.ts'
import { PrintStream } from './print-stream.ts'

export interface Output {
  readonly out: (text: string) => void
  /**
   * Prints to stderr. With `draw`, the text moves the cursor and is written unfiltered. So it must not contain text
   * from outside Assay.
   */
  readonly err: (text: string, how?: 'draw') => void
  /**
   * For commands that print a lot. Resolves when the reader of `out` has read enough or has closed the stream. Null
   * if there is no need to wait.
   */
  readonly ready: () => Promise<void> | null
  /** Whether stderr is a terminal, so that progress may be drawn. */
  readonly isTerminal: boolean
  /**
   * Whether stdout is a terminal, which would interpret control characters. Everything else, such as a file, must
   * get every byte unchanged.
   */
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

/** Matches the color codes that `colors` writes: bold, dim, red, green and yellow, and the codes that end them. */
// oxlint-disable-next-line no-control-regex
const OWN_COLORS = /(\u001b\[(?:1|2|22|31|32|33|39)m)/

/**
 * Removes everything that a terminal would interpret, except Assay's own colors. File names and error messages may
 * come from an untrusted repository.
 */
export const shownText = (text: string): string =>
  text
    .split(OWN_COLORS)
    .map((part, i) => (i % 2 === 0 ? plainLines(part) : part))
    .join('')

/** The commands that the GitHub Actions runner recognizes in a log. */
const COMMANDS =
  'add-mask|add-matcher|remove-matcher|add-path|set-env|set-output|save-state|stop-commands|echo|debug|notice|warning|error|group|endgroup|internal-set-repo-path'
const COMMAND_LINE = new RegExp(`^([^\\S\\n]*:)(?=:(?:${COMMANDS})[ :])`, 'gimu')
const OLDER_COMMAND = new RegExp(`##(?=\\[(?:${COMMANDS})[ \\]])`, 'giu')

/**
 * Breaks up text that the GitHub Actions runner would execute as a command: `::add-mask::x` at the start of a log line,
 * or `##[error]x` anywhere in it. Such text could come from the name of a case or the answer of a model. A line of JSON
 * is not changed, because it is data.
 */
export const withoutWorkflowCommands = (text: string): string =>
  text
    .split('\n')
    .map((line) =>
      /^\s*[{}[\]"]/u.test(line)
        ? line
        : line.replaceAll(COMMAND_LINE, '$1 ').replaceAll(OLDER_COMMAND, '## '),
    )
    .join('\n')

/** Wraps text to the width of the terminal. Color codes count as zero columns. */
export const wrappedText = (text: string, columns: number): string =>
  wrapProse(text, columns, (word) => displayWidth(word.replaceAll(EVERY_COLOR, '')))

const EVERY_COLOR = new RegExp(OWN_COLORS, 'gu')

const NARROWEST = 40

export interface ProcessOutput extends Output {
  /**
   * Waits until everything is written or the reader has closed the stream. Returns false if writing to standard
   * output failed, for example on a full disk. It is not a failure if the reader closes the stream early.
   */
  readonly finish: () => Promise<boolean>
}

/** The streams that a command prints to, and the environment variables that decide how it prints. */
export type Streams = Pick<NodeJS.Process, 'stdout' | 'stderr' | 'env'>

export function processOutput({ stdout, stderr, env }: Streams = process): ProcessOutput {
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
  const isActions = env['GITHUB_ACTIONS'] === 'true'
  const isLog = isActions && !isFile(stdout.fd)
  const forPeople = (text: string): string =>
    isActions ? withoutWorkflowCommands(shownText(text)) : shownText(text)
  return {
    // A file or another program gets every byte unchanged. Only in a GitHub Actions log, text that looks like a
    // workflow command is changed.
    out: (text) =>
      out.write(stdout.isTTY ? shownText(text) : isLog ? withoutWorkflowCommands(text) : text),
    err: (text, how) => {
      if (how === 'draw') err.write(text)
      // If stderr is not a terminal, messages are not wrapped, so that each stays on one line.
      else err.write(stderr.isTTY ? wrappedText(forPeople(text), widthNow()) : forPeople(text))
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

function isFile(fd: number): boolean {
  try {
    return fstatSync(fd).isFile()
  } catch {
    return false
  }
}
