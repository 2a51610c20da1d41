/** The arguments and flags of `assay analyze`. */
import { Option, type Command } from 'commander'
import { FORMAT_NAMES } from '../../../report/formats/names.ts'
import { examples } from '../../output/help.ts'
import { integers, list, names, number } from '../../settings/arguments.ts'
import type { Context } from '../context.ts'
import { DETAILS, REPORT } from '../shared-flags.ts'
import type { AnalyzeFlags } from './analyze.ts'

export function declareAnalyze(assay: Command, { output, exit }: Context): void {
  assay
    .command('analyze')
    .description('summarise results that ran elsewhere: CSV, JSONL, reports of other tools')
    .argument('<files...>', 'files; nothing in them is executed')
    .optionsGroup('Columns, where their names do not tell:')
    .option('--suite <column>', 'the column that names the suite')
    .option('--case <columns>', 'the column that names the case; several by comma')
    .option('--subject <columns>', 'the column that names who answered; several by comma')
    .option('--group <column>', 'the column that names the group of a case, such as its repository')
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
    .option('--impl-max <n>', 'the implementation rate that counts as 1', number)
    .option('--threshold <score>', 'a row passes from this score on', number)
    .option('--wide <columns>', 'columns with the verdicts of one subject each, by comma')
    .option('--run <column>', 'the column that names a run, to join judgments by')
    .option('--judge <column>', 'the column that names the judge; none: rows are runs')
    .option('--criterion <column>', 'the column that names the criterion')
    .optionsGroup('Files:')
    .addOption(
      new Option('--judgments <file>', 'marks of judges, to join with the runs').argParser(list),
    )
    .option('--encoding <name>', 'where it is not UTF-8, such as windows-1252')
    .option('--skip-bad-rows', 'leave rows out that cannot be read, and say which')
    .optionsGroup('What is computed:')
    .option('--tiers <names>', 'subjects that are tiers, in their order, by comma', names)
    .option('--baseline <tier>', 'the tier that the others are measured by')
    .option('--unpaired', 'a case of the same name is another one for each subject')
    .option('--paired', 'it is the same case, also where its text differs')
    .option('--by <columns>', 'also show figures by the values of these columns', names)
    .option('-k, --pass-k <list>', 'the k of pass@k and pass^k (default: 1)', integers)
    .optionsGroup('Output:')
    .addOption(new Option('--report <file>', REPORT).argParser(list))
    .option('--format <name>', `print it as ${FORMAT_NAMES.join(', ')}`)
    .option('--json', 'the same as --format json')
    .option('--details', DETAILS)
    .addHelpText(
      'after',
      examples(
        ['assay analyze results.csv', ''],
        ['assay analyze results.jsonl --passed ok --subject model', ''],
        ['assay analyze results.csv --case repo,issue', 'two columns name a case'],
        ['assay analyze results.csv --report results.json', 'to compare with'],
      ),
    )
    .action(async (files: string[], flags: Omit<AnalyzeFlags, 'files'>) => {
      const { analyzeCommand } = await import('./analyze.ts')
      exit(await analyzeCommand({ ...flags, files }, output))
    })
}
