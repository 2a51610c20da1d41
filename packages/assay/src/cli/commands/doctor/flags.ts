/** The arguments and flags of `assay doctor`. */
import type { Command } from 'commander'
import type { Context } from '../context.ts'

export function declareDoctor(assay: Command, { output, exit }: Context): void {
  assay
    .command('doctor')
    .description('what is ready here to grade code, and how to get the rest')
    .option('--json', 'as JSON')
    .action(async (flags: { json?: boolean }) => {
      const { doctorCommand } = await import('./doctor.ts')
      exit(await doctorCommand(flags, output))
    })
}
