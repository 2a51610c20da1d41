/** Defines the flags of the commands that read finished runs. Each command is in its own file. */
import { InvalidArgumentError, Option, type Command } from 'commander'
import type { AnalyzeFlags } from './analyze.ts'
import { examples } from '../output/help.ts'
import { integers, list, names, number } from '../settings/arguments.ts'
import type { BlessFlags } from './bless.ts'
import type { CompareFlags } from './compare.ts'
import type { Output } from '../output/output.ts'
import { COMPARISON_FORMATS, METRICS } from '../../compare/names.ts'
import { FORMAT_ENDINGS, FORMAT_NAMES } from '../../report/formats/names.ts'
import type { ReportFlags } from './report.ts'
import type { ShowCommandOptions } from './show.ts'

const RUN = 'a run folder, "latest" or the start of its name'
const ACCEPT_EDITED = 'read a run whose record was changed; what is printed says so'
const REPORT = `write a report, in the format of its name: ${FORMAT_ENDINGS.join(', ')}`

export function addReadingCommands(
  assay: Command,
  output: Output,
  exit: (code: number) => void,
): void {
  assay.commandsGroup('What came of it:')

  assay
    .command('report')
    .description('summarise a run from its log, in any format')
    .argument('[run]', RUN, 'latest')
    .addOption(new Option('--report <file>', REPORT).argParser(list))
    .option('--format <name>', `print it as ${FORMAT_NAMES.join(', ')}`)
    .option('--json', 'the same as --format json')
    .option('--accept-edited', ACCEPT_EDITED)
    .addHelpText(
      'after',
      examples(
        ['assay report', 'the latest run'],
        ['assay report latest --report report.html', 'as a page'],
        ['assay report --format csv > trials.csv', 'one row for each trial'],
      ),
    )
    .action(async (run: string, flags: Omit<ReportFlags, 'run'>) => {
      const { reportCommand } = await import('./report.ts')
      exit(await reportCommand({ run, ...flags }, output))
    })

  assay
    .command('show')
    .description('why did this fail? a run’s cases, one case, or one trial in full')
    .argument('[run]', RUN, 'latest')
    .argument('[case]', 'a case, or the start of its id')
    .argument('[index]', 'a trial of the case, from 0')
    .option('--subject <subject>', 'whose trials, where there are several')
    .option('--suite <suite>', 'of which suite, where there are several')
    .option('--full', 'nothing cut short')
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
    .optionsGroup('What counts as worse:')
    .addOption(new Option('--gate <kind>', 'decide by evidence').choices(['statistical']))
    .option('--gates <file>', 'several gates, from a TOML file')
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
    .action(async (flags: CompareFlags) => {
      const { compareCommand } = await import('./compare.ts')
      exit(await compareCommand(flags, output))
    })

  assay
    .command('bless')
    .description('make a run the baseline, as a file to commit')
    .argument('[run]', `${RUN}, or a report.json`, 'latest')
    .option('-o, --output <file>', 'where (default: assay-baseline.json)')
    .option('--allow-partial', 'even if it is incomplete')
    .option('--accept-edited', ACCEPT_EDITED)
    .action(async (run: string, flags: Omit<BlessFlags, 'run'>) => {
      const { blessCommand } = await import('./bless.ts')
      exit(await blessCommand({ run, ...flags }, output))
    })

  assay
    .command('analyze')
    .description('summarise results that ran elsewhere: CSV, JSONL, reports of other tools')
    .argument('<files...>', 'files; nothing in them is executed')
    .optionsGroup('Columns, where their names do not tell:')
    .option('--suite <column>', 'the column that names the suite')
    .option('--case <column>', 'the column that names the case')
    .option('--subject <columns>', 'the column that names who answered; several by comma')
    .option('--index <column>', 'the column that numbers the trials of a case')
    .option('--passed <column>', 'the column that says whether it passed')
    .option('--score <column>', 'the column of the score')
    .option('--impl <column>', 'the column of the judged implementation rate')
    .option('--cost <column>', 'the column of the cost in dollars')
    .option('--duration <column>', 'the column of the time taken')
    .addOption(
      new Option('--duration-unit <unit>', 'where its name does not tell').choices(['s', 'ms']),
    )
    .option('--score-max <n>', 'the score that counts as 1', number)
    .option('--threshold <score>', 'a row passes from this score on', number)
    .optionsGroup('What is computed:')
    .option('--tiers <names>', 'subjects that are tiers, in their order, by comma', names)
    .option('--baseline <tier>', 'the tier that the others are measured by')
    .option('-k, --pass-k <list>', 'the k of pass@k and pass^k (default: 1)', integers)
    .optionsGroup('Output:')
    .addOption(new Option('--report <file>', REPORT).argParser(list))
    .option('--json', 'as JSON')
    .addHelpText(
      'after',
      examples(
        ['assay analyze results.csv', ''],
        ['assay analyze results.jsonl --passed ok --subject model', ''],
        ['assay analyze results.csv --report results.json', 'to compare with'],
      ),
    )
    .action(async (files: string[], flags: Omit<AnalyzeFlags, 'files'>) => {
      const { analyzeCommand } = await import('./analyze.ts')
      exit(await analyzeCommand({ ...flags, files }, output))
    })
}

function format(value: string): string {
  const wanted = value === 'md' ? 'markdown' : value
  if ((COMPARISON_FORMATS as readonly string[]).includes(wanted)) return wanted
  throw new InvalidArgumentError(`Allowed choices are ${COMPARISON_FORMATS.join(', ')}.`)
}
