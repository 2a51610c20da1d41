/** What `--help` shows beside the flags: examples, and where an error points to. */
import type { Command } from 'commander'

/** Commands with what they are for; from 80 columns on each is on one line, with its comment below where it is long. */
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

/** After an error, the help that has the answer: that of the command, where one was named. */
export function hintAtHelp(assay: Command): void {
  assay.showHelpAfterError('(assay --help lists the commands)')
  for (const command of assay.commands)
    command.showHelpAfterError(`(assay ${command.name()} --help lists its arguments and flags)`)
}
