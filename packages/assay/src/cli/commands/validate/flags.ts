/** The arguments and flags of `assay validate`. */
import { Option, type Command } from 'commander'
import { whole } from '../../settings/arguments.ts'
import type { Context } from '../context.ts'
import { TRUST } from '../shared-flags.ts'
import type { ValidateOptions } from './validate.ts'

export function declareValidate(assay: Command, { output, exit }: Context): void {
  assay
    .command('validate')
    .description('check suites and settings; exit 0 if all are fine, else 2')
    .argument('<paths...>', 'suite files, folders to search, experiments, assay.toml')
    .option('--prove', 'grade the suites’ own answers: references must pass, faulty ones fail')
    .option('--grade-timeout <d>', 'for each grading step (default: 10s)')
    .option('-p, --parallelism <p>', 'with --prove: gradings at once', whole(1))
    .addOption(
      new Option('--sandbox <kind>', 'with --prove: where code runs').choices([
        'bubblewrap',
        'none',
      ]),
    )
    .option('--trust', TRUST)
    .action(async (paths: string[], flags: Omit<ValidateOptions, 'paths'>) => {
      const { validateCommand } = await import('./validate.ts')
      exit(await validateCommand({ ...flags, paths }, output))
    })
}
