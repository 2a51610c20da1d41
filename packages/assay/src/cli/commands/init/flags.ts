/** The arguments and flags of `assay init`. */
import type { Command } from 'commander'
import type { Context } from '../context.ts'

export function declareInit(assay: Command, { output, exit }: Context): void {
  assay
    .command('init')
    .description('write a first suite and assay.toml')
    .argument('[dir]', 'where', '.')
    .action(async (dir: string) => {
      const { initCommand } = await import('./init.ts')
      exit(await initCommand({ dir }, output))
    })
}
