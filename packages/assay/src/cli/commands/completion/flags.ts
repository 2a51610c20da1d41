/** The arguments of `assay completion`. */
import { Argument, type Command } from 'commander'
import type { Context } from '../context.ts'
import { SHELLS, type Shell } from './shells.ts'

export function declareCompletion(assay: Command, { output, exit }: Context): void {
  assay
    .command('completion')
    .description('print a script by which a shell completes commands, flags, files and runs')
    .addArgument(new Argument('<shell>', 'which').choices(SHELLS))
    .addHelpText(
      'after',
      `
Load it in the start-up file of the shell:
  bash (~/.bashrc)                 source <(assay completion bash)
  zsh (~/.zshrc, after compinit)   source <(assay completion zsh)
  fish (~/.config/fish/config.fish)  assay completion fish | source
`,
    )
    .action(async (shell: Shell) => {
      const { completionCommand } = await import('./completion.ts')
      exit(completionCommand(assay, shell, output))
    })
}
