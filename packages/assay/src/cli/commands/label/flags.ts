/** The arguments and flags of `assay label`. */
import { LABEL_VERDICTS } from '@assay/contract'
import { Option, type Command } from 'commander'
import { examples } from '../../output/help.ts'
import type { Context } from '../context.ts'
import { ACCEPT_EDITED, RUN } from '../shared-flags.ts'
import type { LabelFlags } from './label.ts'

export function declareLabel(assay: Command, { output, exit }: Context): void {
  assay
    .command('label')
    .description('what people think of a run’s answers, and how often its judges are right')
    .argument('[run]', RUN, 'latest')
    .argument('[case]', 'label a trial of this case, or of the one whose id starts so')
    .argument('[index]', 'the trial of the case, from 0')
    .addOption(
      new Option('--verdict <verdict>', 'the person’s verdict on the trial').choices(
        LABEL_VERDICTS,
      ),
    )
    .option('--reviewer <name>', 'the person')
    .option('--note <text>', 'why')
    .option('--subject <subject>', 'whose trial, where there are several')
    .option('--suite <suite>', 'of which suite, where there are several')
    .option('--import <file>', 'add the labels of a file that a static site saved')
    .option('--json', 'as JSON')
    .option('--accept-edited', ACCEPT_EDITED)
    .addHelpText(
      'after',
      examples(
        ['assay label', 'the labels of the latest run, and what they show'],
        ['assay label latest add 0 --verdict fail --reviewer ann', 'label one trial'],
        ['assay label latest --import labels.json', ''],
      ),
    )
    .action(
      async (
        run: string,
        id: string | undefined,
        index: string | undefined,
        flags: Omit<LabelFlags, 'run' | 'case' | 'index'>,
      ) => {
        const { labelCommand } = await import('./label.ts')
        const place = {
          ...(id === undefined ? {} : { case: id }),
          ...(index === undefined ? {} : { index }),
        }
        exit(await labelCommand({ ...flags, ...place, run }, output))
      },
    )
}
