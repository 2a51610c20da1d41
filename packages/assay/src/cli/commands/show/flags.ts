/** The arguments and flags of `assay show`. */
import type { Command } from 'commander'
import { examples } from '../../output/help.ts'
import { names } from '../../settings/arguments.ts'
import type { Context } from '../context.ts'
import { ACCEPT_EDITED, BY, RUN } from '../shared-flags.ts'
import type { ShowCommandOptions } from './show.ts'

export function declareShow(assay: Command, { output, exit }: Context): void {
  assay
    .command('show')
    .description('why did this fail? a run’s cases, one case, or one trial in full')
    .argument('[run]', RUN, 'latest')
    .argument('[case]', 'a case, or the start of its id')
    .argument('[index]', 'a trial of the case, from 0')
    .option('--subject <subject>', 'whose trials, where there are several')
    .option('--suite <suite>', 'of which suite, where there are several')
    .option('--full', 'nothing cut short')
    .option('--by <keys>', BY, names)
    .option('--json', 'as JSON')
    .option('--accept-edited', ACCEPT_EDITED)
    .addHelpText(
      'after',
      examples(
        ['assay show', 'the cases of the latest run'],
        ['assay show latest add', 'the trials of a case'],
        ['assay show latest add 0', 'one trial in full'],
      ),
    )
    .action(
      async (
        run: string,
        id: string | undefined,
        index: string | undefined,
        flags: Omit<ShowCommandOptions, 'run' | 'case' | 'index'>,
      ) => {
        const { showCommand } = await import('./show.ts')
        exit(
          await showCommand(
            {
              run,
              ...(id === undefined ? {} : { case: id }),
              ...(index === undefined ? {} : { index }),
              ...flags,
            },
            output,
          ),
        )
      },
    )
}
