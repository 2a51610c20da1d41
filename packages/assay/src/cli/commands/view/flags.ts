/** The arguments and flags of `assay view`. */
import { Option, type Command } from 'commander'
import { examples } from '../../output/help.ts'
import { whole } from '../../settings/arguments.ts'
import type { Context } from '../context.ts'
import type { ViewFlags } from './view.ts'

export function declareView(assay: Command, { output, exit }: Context): void {
  assay
    .command('view')
    .description('watch, compare and read runs in the browser; runs until it is stopped')
    .argument('[folders...]', 'runs, or folders to search for runs (default: those of the project)')
    .option('--port <n>', 'the first port to try (default: 7357)', whole(0, 65_535))
    .option('--no-open', 'do not open a browser')
    .addOption(
      new Option(
        '--until-closed',
        'serve until the input ends; its lines name runs to open',
      ).hideHelp(),
    )
    .option('--export <folder>', 'write the pages as a static site instead of serving them')
    .addHelpText(
      'after',
      examples(
        ['assay view', 'all runs of this project'],
        ['assay view results/ --no-open', 'every run below a folder'],
        ['assay view results/ --export site/', 'the same pages as files, such as for CI'],
      ),
    )
    .action(async (folders: string[], flags: Omit<ViewFlags, 'folders'>) => {
      const { viewCommand } = await import('./view.ts')
      exit(await viewCommand({ ...flags, folders }, output))
    })
}
