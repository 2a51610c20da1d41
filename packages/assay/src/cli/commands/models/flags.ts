/** The arguments and flags of `assay models`. */
import type { Command } from 'commander'
import type { Context } from '../context.ts'
import { TRUST } from '../shared-flags.ts'

export function declareModels(assay: Command, { output, exit }: Context): void {
  assay
    .command('models')
    .description('list providers, which are ready, where they are contacted, and prices')
    .option('--env-file <file>', 'variables such as keys; the environment wins over it')
    .option('--json', 'as JSON')
    .option('--trust', TRUST)
    .action(async (flags: { json?: boolean; trust?: boolean; envFile?: string }) => {
      const { modelsCommand } = await import('./models.ts')
      exit(await modelsCommand(flags, output))
    })
}
