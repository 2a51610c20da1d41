/** The arguments and flags of `assay bless`. */
import type { Command } from 'commander'
import type { Context } from '../context.ts'
import { ACCEPT_EDITED, RUN } from '../shared-flags.ts'
import type { BlessFlags } from './bless.ts'

export function declareBless(assay: Command, { output, exit }: Context): void {
  assay
    .command('bless')
    .description('make a run the baseline, as a file to commit')
    .argument('[run]', `${RUN}, or a report.json`, 'latest')
    .option('-o, --output <file>', 'where (default: assay-baseline.json)')
    .option('--allow-partial', 'even if it is incomplete')
    .option('--accept-edited', ACCEPT_EDITED)
    .action(async (run: string, flags: Omit<BlessFlags, 'run'>) => {
      const { blessCommand } = await import('./bless.ts')
      exit(await blessCommand({ run, ...flags }, output))
    })
}
