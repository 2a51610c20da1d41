/** The arguments and flags of `assay compare`. */
import { InvalidArgumentError, Option, type Command } from 'commander'
import { COMPARISON_FORMATS, METRICS } from '../../../compare/names.ts'
import { examples } from '../../output/help.ts'
import { list, names, number } from '../../settings/arguments.ts'
import type { Context } from '../context.ts'
import { FAIL_OVER, FAIL_UNDER } from '../gate-flags.ts'
import { ACCEPT_EDITED, BY } from '../shared-flags.ts'
import type { CompareFlags } from './compare.ts'

export function declareCompare(assay: Command, { output, exit }: Context): void {
  assay
    .command('compare')
    .description('did it get worse? two runs side by side, and the gate')
    .optionsGroup('What is compared:')
    .option('--baseline <run>', 'a run or report.json, RUN#subject (default: assay-baseline.json)')
    .option('--current <run>', 'the same for the new one (default: latest)')
    .addOption(
      new Option('--pair <old=new>', 'which subjects belong together, repeatable').argParser(list),
    )
    .optionsGroup('What counts as worse:')
    .option('--threshold <points>', 'a drop of more than this is a regression (0.05)', number)
    .option('--fail-on-regression', 'exit 1 where any case regressed')
    .option('--fail-on-removed', 'exit 1 where a case was removed or changed')
    .option('--no-fail-on-removed', 'do not, with the statistical gate')
    .optionsGroup('Output:')
    .addOption(
      new Option('--format <format>', 'default: text')
        .choices(COMPARISON_FORMATS)
        .argParser(format),
    )
    .addOption(
      new Option('--report <file>', 'also write it to a file: .html or .md').argParser(list),
    )
    .option('--by <keys>', BY, names)
    .optionsGroup('What counts as worse:')
    .addOption(new Option('--gate <kind>', 'decide by evidence').choices(['statistical']))
    .option('--gates <file>', 'several gates, from a TOML file')
    .addOption(new Option('--fail-under <metric=value>', FAIL_UNDER).argParser(list))
    .addOption(new Option('--fail-over <metric=value>', FAIL_OVER).argParser(list))
    .addOption(
      new Option('--metric <name>', 'what the gate decides on (meanScore)').choices(METRICS),
    )
    .option('--margin <points>', 'a difference up to this does not count (0.05)', number)
    .option('--alpha <chance>', 'of a false alarm (0.05)', number)
    .addOption(
      new Option('--target <cases>', 'fixed: these cases; population: cases like these').choices([
        'fixed',
        'population',
      ]),
    )
    .option('--strict', 'an inconclusive gate fails')
    .option('--allow-partial', 'gates may hold on a current run that is incomplete')
    .option('--accept-edited', ACCEPT_EDITED)
    .addHelpText(
      'after',
      examples(
        ['assay compare', 'the latest run with assay-baseline.json'],
        ['assay compare --baseline 20260101', 'with the run whose folder begins so'],
        ['assay compare --gate statistical', 'exit 1 where it surely got worse'],
        ['assay compare --baseline latest#old --current latest#new', 'two subjects of one run'],
      ),
    )
    .allowExcessArguments()
    .action(async (flags: CompareFlags, command: Command) => {
      if (command.args.length > 0)
        command.error(
          'error: runs to compare are given by flags: assay compare --baseline RUN --current RUN',
        )
      const { compareCommand } = await import('./compare.ts')
      exit(await compareCommand(flags, output))
    })
}

function format(value: string): string {
  const wanted = value === 'md' ? 'markdown' : value
  if ((COMPARISON_FORMATS as readonly string[]).includes(wanted)) return wanted
  throw new InvalidArgumentError(`Allowed choices are ${COMPARISON_FORMATS.join(', ')}.`)
}
