/** The arguments and flags of `assay trust`. */
import { Option, type Command } from 'commander'
import { list } from '../../settings/arguments.ts'
import type { Context } from '../context.ts'
import type { TrustFlags } from './trust.ts'

export function declareTrust(assay: Command, { output, exit }: Context): void {
  assay
    .command('trust')
    .description('show what a folder starts and where it has keys sent, and allow it')
    .argument('[paths...]', 'folders, suites, experiments, run files or run folders (default: .)')
    .option('-y, --yes', 'allow it without asking')
    .option('--list', 'print what is trusted')
    .option('--revoke', 'trust the folders no more')
    .option('-m, --model <subjects>', 'for these subjects, such as agents, as well', list)
    .addOption(
      new Option('--sandbox <kind>', 'none: also what would run outside of the sandbox').choices([
        'bubblewrap',
        'none',
      ]),
    )
    .action(async (paths: string[], flags: Omit<TrustFlags, 'paths'>) => {
      const { trustCommand } = await import('./trust.ts')
      exit(await trustCommand({ ...flags, paths }, output))
    })
}
