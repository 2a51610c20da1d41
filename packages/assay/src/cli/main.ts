/**
 * The command line: parses flags, calls one function per command, and returns its exit code.
 * `commands/COMMAND/flags.ts` declares the flags of a command. It imports the command's code only when the command
 * is called, so that `--help` and `--version` start fast.
 */
import { Command, CommanderError } from 'commander'
import { RunError, UsageError, plainLines } from '@assay/contract'
import { VERSION } from '../version.ts'
import { EXIT_RUN, EXIT_USAGE } from './output/exit-codes.ts'
import { processOutput, type Output, type Streams } from './output/output.ts'
import { examples, hintAtHelp } from './output/help.ts'
import { declareCommands } from './commands/commands.ts'
import { keepWebAssembly } from './keep-webassembly.ts'

function program(output: Output, exit: (code: number) => void): Command {
  const assay = new Command('assay')
    .description('Evaluate code that models write and work that agents do.')
    .version(VERSION)
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({
      writeOut: (text) => output.out(text),
      // The message quotes text that the user typed or pasted, and this text may contain control characters.
      writeErr: (text) => output.err(plainLines(text)),
    })
    .exitOverride()
    .hook('preAction', keepWebAssembly)
    .addHelpText(
      'after',
      examples(
        ['assay init', 'a first suite'],
        ['assay run suite.toml --model simulated:pass=0.8', 'without a key'],
        ['assay run suite.toml --model openai/gpt-5', ''],
        ['assay show', 'why did it fail?'],
        ['assay COMMAND --help', 'the flags of a command'],
      ),
    )

  declareCommands(assay, { output, exit })
  hintAtHelp(assay)
  return assay
}

/** Runs the command that the words name, and prints to the streams. Returns the exit code. */
export async function main(words: readonly string[], streams: Streams): Promise<number> {
  const output = processOutput(streams)
  let code = 0
  try {
    await program(output, (value) => {
      code = value
    }).parseAsync([...words], { from: 'user' })
  } catch (error) {
    code = failed(error, output)
  }
  // If the output is incomplete, the exit code must not be 0, because a script would take it for complete. A more
  // specific exit code is kept.
  return !(await output.finish()) && code === 0 ? EXIT_RUN : code
}

function failed(error: unknown, output: Output): number {
  // Commander has already printed its message. `--help` and `--version` are not errors.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : EXIT_USAGE
  if (error instanceof UsageError || error instanceof RunError) {
    output.err(`${output.colors.red('error:')} ${plainLines(error.message)}\n`)
    return error instanceof UsageError ? EXIT_USAGE : EXIT_RUN
  }
  output.err(
    `${output.colors.red('error:')} this is a bug in assay, please report it\n${plainLines(String(error instanceof Error ? error.stack : error))}\n`,
  )
  return EXIT_RUN
}
