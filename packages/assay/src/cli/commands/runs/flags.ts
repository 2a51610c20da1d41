/** The arguments and flags of `assay runs` and of its commands. */
import { Option, type Command } from 'commander'
import { examples } from '../../output/help.ts'
import { list } from '../../settings/arguments.ts'
import type { Context } from '../context.ts'
import { RUN } from '../shared-flags.ts'
import { RUN_STATES } from './names.ts'
import type { ListFlags, PruneFlags } from './runs.ts'

const YES = 'delete; without it, only show what would be deleted'

export function declareRuns(assay: Command, { output, exit }: Context): void {
  const runs = assay
    .command('runs')
    .description('list, find, tag, delete and prune runs')
    .addHelpText(
      'after',
      examples(
        ['assay runs', 'all runs of this project'],
        ['assay runs list gpt-5 complete', 'those with these words'],
        ['assay runs tag latest before-refactoring', ''],
        ['assay runs delete 20260101', 'shows what it would delete'],
        ['assay runs prune --older 30d --state interrupted --yes', ''],
      ),
    )
  runs
    .command('list', { isDefault: true })
    .description(
      'newest first; with words, those whose suite, subject, folder, state or tag has them',
    )
    .argument('[words...]', 'words to find')
    .option('--json', 'as JSON')
    .action(async (words: string[], flags: Omit<ListFlags, 'words'>) => {
      const { listRuns } = await import('./runs.ts')
      exit(await listRuns({ ...flags, words }, output))
    })
  runs
    .command('tag')
    .description('give a run tags, to find it by')
    .argument('<run>', RUN)
    .argument('<tags...>', 'letters, digits and . _ / : -')
    .option('--remove', 'take these tags away')
    .action(async (run: string, tags: string[], flags: { remove?: boolean }) => {
      const { tagRun } = await import('./runs.ts')
      exit(await tagRun({ run, tags, ...flags }, output))
    })
  runs
    .command('delete')
    .description('delete run folders')
    .argument('<runs...>', RUN)
    .option('--yes', YES)
    .action(async (names: string[], flags: { yes?: boolean }) => {
      const { deleteRuns } = await import('./runs.ts')
      exit(await deleteRuns({ runs: names, ...flags }, output))
    })
  runs
    .command('prune')
    .description('delete all runs that meet every condition')
    .option('--older <age>', 'started longer ago than this, such as 30d or 12h')
    .addOption(
      new Option('--state <states>', `in one of these states: ${RUN_STATES.join(', ')}`).argParser(
        list,
      ),
    )
    .option('--larger <size>', 'with more bytes than this, such as 100MB')
    .option('--keep-tagged', 'keep runs that have a tag')
    .option('--yes', YES)
    .action(async (flags: PruneFlags) => {
      const { pruneRuns } = await import('./runs.ts')
      exit(await pruneRuns(flags, output))
    })
}
