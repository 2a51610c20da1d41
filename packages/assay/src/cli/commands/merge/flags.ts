/** The arguments and flags of `assay merge`. */
import { Option, type Command } from 'commander'
import { examples } from '../../output/help.ts'
import { list, number } from '../../settings/arguments.ts'
import type { Context } from '../context.ts'
import { ACCEPT_EDITED, REPORT } from '../shared-flags.ts'
import type { MergeFlags } from './merge.ts'

export function declareMerge(assay: Command, { output, exit }: Context): void {
  assay
    .command('merge')
    .description('join the parts of a run that was split with --shard')
    .argument('<parts...>', 'the run folders of the parts')
    .option('-o, --output <dir>', 'the merged run folder (default: .assay/runs/<time>-<suite>)')
    .option('--max-errors <share>', 'share of trials that may be errored (default: 0.05)', number)
    .option('--allow-partial', 'exit 0 even if a budget stopped a part')
    .option('--accept-edited', ACCEPT_EDITED)
    .addOption(new Option('--report <file>', REPORT).argParser(list))
    .addHelpText(
      'after',
      examples(
        ['assay run suite.toml -m openai/gpt-5 --shard 1/2 -o part1', 'on one machine'],
        ['assay run suite.toml -m openai/gpt-5 --shard 2/2 -o part2', 'on another'],
        ['assay merge part1 part2 -o run', 'where both folders are'],
      ),
    )
    .action(async (parts: string[], flags: Omit<MergeFlags, 'parts'>) => {
      const { mergeCommand } = await import('./merge.ts')
      exit(await mergeCommand({ ...flags, parts }, output))
    })
}
