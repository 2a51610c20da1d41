/** The arguments and flags of `assay schema`. */
import { Argument, type Command } from 'commander'
import type { Context } from '../context.ts'
import { SCHEMAS, type SchemaName } from './names.ts'

export function declareSchema(assay: Command, { output, exit }: Context): void {
  assay
    .command('schema')
    .description(
      'print a JSON Schema: of suites, experiments, settings and gates for editors, of report.json',
    )
    .addArgument(new Argument('[of]', 'which').choices(SCHEMAS).default('suite'))
    .action(async (of: SchemaName) => {
      const { schemaCommand } = await import('./schema.ts')
      exit(await schemaCommand({ of }, output))
    })
}
