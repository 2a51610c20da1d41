/** The arguments and flags of `assay graders`. */
import type { Command } from 'commander'
import type { Context } from '../context.ts'

export function declareGraders(assay: Command, { output, exit }: Context): void {
  assay
    .command('graders')
    .description('list graders, or the options of one')
    .argument('[type]', 'which')
    .option('--json', 'as JSON')
    .action(async (type: string | undefined, flags: { json?: boolean }) => {
      const { gradersCommand } = await import('./graders.ts')
      exit(await gradersCommand({ ...flags, ...(type === undefined ? {} : { type }) }, output))
    })
}
