/** Parts of the `--help` text other than the flags: examples, and hints after an error. */
import type { Command } from 'commander'

/**
 * Formats example commands, each with a comment. If the command and its comment fit into 80 columns, they share a
 * line. Otherwise the comment is on a separate line before the command.
 */
export function examples(...all: readonly (readonly [command: string, what: string])[]): string {
  const lines = all.flatMap(([command, what]) => {
    if (what === '') return [`  ${command}`]
    const comment = `# ${what}`
    const line = `  ${command.padEnd(WIDTH)}  ${comment}`
    return line.length <= 80 ? [line] : [`  ${comment}`, `  ${command}`]
  })
  return `\nExamples:\n${lines.join('\n')}\n`
}

const WIDTH = 48

/** Makes a usage error show where help is: the help of the command, or the general help if no command was named. */
export function hintAtHelp(assay: Command): void {
  assay.showHelpAfterError('(assay --help lists the commands)')
  for (const command of assay.commands)
    command.showHelpAfterError(`(assay ${command.name()} --help lists its arguments and flags)`)
}
