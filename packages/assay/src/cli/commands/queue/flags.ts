/** The arguments and flags of `assay queue`. */
import type { Command } from 'commander'
import { examples } from '../../output/help.ts'
import type { Context } from '../context.ts'
import type { QueueFlags } from './queue.ts'

export function declareQueue(assay: Command, { output, exit }: Context): void {
  assay
    .command('queue')
    .description('show the runs, jobs and workers of a queue, and what is stuck; cancel a run')
    .argument('<redis>', 'the address of Redis: redis://HOST:PORT, or rediss:// with TLS')
    .option('--cancel <run>', 'stop a run: its name, or the start of it')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      examples(
        ['assay queue redis://localhost:6379', ''],
        ['assay queue redis://localhost:6379 --cancel nightly', ''],
      ),
    )
    .action(async (url: string, flags: Omit<QueueFlags, 'url'>) => {
      const { queueCommand } = await import('./queue.ts')
      exit(await queueCommand({ ...flags, url }, output))
    })
}
