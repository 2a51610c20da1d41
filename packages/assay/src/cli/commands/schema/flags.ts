/** The arguments and flags of `assay schema`. */
import { Argument, type Command } from 'commander'
import type { Context } from '../context.ts'

export function declareSchema(assay: Command, { output, exit }: Context): void {
  assay
    .command('schema')
    .description(
      'print a JSON Schema: of suites, experiments and settings for editors, of report.json',
    )
    .addArgument(
      new Argument('[of]', 'which')
        .choices(['suite', 'experiment', 'settings', 'report'])
        .default('suite'),
    )
    .action(async (of: 'suite' | 'experiment' | 'settings' | 'report') => {
      const { schemaCommand } = await import('./schema.ts')
      exit(await schemaCommand({ of }, output))
    })
}
