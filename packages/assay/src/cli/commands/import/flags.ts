/** The arguments and flags of `assay import`. */
import type { Command } from 'commander'
import type { Context } from '../context.ts'

export function declareImport(assay: Command, { output, exit }: Context): void {
  assay
    .command('import')
    .description(
      'make a suite of a promptfoo configuration, and list what could not be carried over',
    )
    .argument('<file>', 'promptfooconfig.yaml; nothing in it is executed')
    .option('-o, --output <file>', 'the suite (default: suite.yaml next to the configuration)')
    .action(async (file: string, flags: { readonly output?: string }) => {
      const { importCommand } = await import('./import.ts')
      exit(await importCommand({ file, ...flags }, output))
    })
}
