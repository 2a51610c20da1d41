/** The arguments and flags of `assay report`. */
import { Option, type Command } from 'commander'
import { FORMAT_NAMES } from '../../../report/formats/names.ts'
import { examples } from '../../output/help.ts'
import { list, names } from '../../settings/arguments.ts'
import type { Context } from '../context.ts'
import { gateFlags } from '../gate-flags.ts'
import { ACCEPT_EDITED, BY, DETAILS, REPORT, RUN } from '../shared-flags.ts'
import type { ReportFlags } from './report.ts'

export function declareReport(assay: Command, { output, exit }: Context): void {
  const report = assay
    .command('report')
    .description('summarise a run from its log, in any format')
    .argument('[run]', RUN, 'latest')
    .addOption(new Option('--report <file>', REPORT).argParser(list))
    .option('--format <name>', `print it as ${FORMAT_NAMES.join(', ')}`)
    .option('--json', 'the same as --format json')
    .option('--details', DETAILS)
    .option(
      '--judgments <folder>',
      'write what judges said as one judgment.json for each trial, in a new folder',
    )
    .option('--by <keys>', BY, names)
    .option('--accept-edited', ACCEPT_EDITED)
  gateFlags(report)
    .option('--allow-partial', 'gates may hold on a run that is incomplete')
    .addHelpText(
      'after',
      examples(
        ['assay report', 'the latest run'],
        ['assay report latest --report report.html', 'as a page'],
        ['assay report --by tag', 'and by tag'],
        ['assay report --format csv > trials.csv', 'one row for each trial'],
        ['assay report --fail-under passRate=0.8', 'exit 1 where it is surely lower'],
      ),
    )
    .action(async (run: string, flags: Omit<ReportFlags, 'run'>) => {
      const { reportCommand } = await import('./report.ts')
      exit(await reportCommand({ run, ...flags }, output))
    })
}
