/** The arguments and flags of `assay init`. */
import type { Command } from 'commander'
import type { Context } from '../context.ts'

export function declareInit(assay: Command, { output, exit }: Context): void {
  assay
    .command('init')
    .description('write a first suite and assay.toml')
    .argument('[dir]', 'where', '.')
    .option('--yaml', 'write the suite as YAML')
    .action(async (dir: string, flags: { readonly yaml?: boolean }) => {
      const { initCommand } = await import('./init.ts')
      exit(await initCommand({ dir, ...flags }, output))
    })
}
