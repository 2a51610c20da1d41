/**
 * `assay completion`: prints the completion script of a shell. The script is made from the declared commands, so it
 * has every flag.
 */
import type { Command } from 'commander'
import type { Output } from '../../output/output.ts'
import { bashScript } from './bash-script.ts'
import { completedCommands, type CompletedCommand } from './completed-commands.ts'
import { fishScript } from './fish-script.ts'
import type { Shell } from './shells.ts'
import { zshScript } from './zsh-script.ts'

const SCRIPTS: Readonly<Record<Shell, (commands: readonly CompletedCommand[]) => string>> = {
  bash: bashScript,
  zsh: zshScript,
  fish: fishScript,
}

export function completionCommand(
  assay: Command,
  shell: Shell,
  output: Pick<Output, 'out'>,
): number {
  output.out(SCRIPTS[shell](completedCommands(assay)))
  return 0
}
