/** The arguments and flags of `assay worker`. */
import { Option, type Command } from 'commander'
import { examples } from '../../output/help.ts'
import { whole } from '../../settings/arguments.ts'
import type { Context } from '../context.ts'
import type { WorkerFlags } from './worker.ts'

export function declareWorker(assay: Command, { output, exit }: Context): void {
  assay
    .command('worker')
    .description('run trials of other machines: those of assay run --queue')
    .argument('<redis>', 'the address of Redis: redis://HOST:PORT, or rediss:// with TLS')
    .option('--answering <n>', 'answers that it waits for at once (default: 64)', whole(1, 10_000))
    .option(
      '--grading <n>',
      'answers that it grades at once (default: one per core)',
      whole(1, 1000),
    )
    .option(
      '--project <dir>',
      'the project, for suites and commands that are programs (default: .)',
    )
    .option('--store <dir>', 'a folder shared with the coordinator, for large workspaces')
    .option('--drain <d>', 'time for trials in progress after SIGTERM (default: 30s)')
    .option('--health <port>', 'answer probes and Prometheus on this port', whole(0, 65_535))
    .addOption(
      new Option('--health-host <address>', 'where the port is opened (default: 127.0.0.1)'),
    )
    .option('--env-file <file>', 'variables such as keys; the environment wins over it')
    .option('--trust', 'let runs start programs here and send keys to addresses that they name')
    .option('--json', 'print one event per line for machines')
    .addHelpText(
      'after',
      examples(
        ['ASSAY_QUEUE_KEY=… assay worker redis://localhost:6379', ''],
        ['assay worker rediss://user:password@redis.example:6380 --health 8080', 'in a cluster'],
      ),
    )
    .action(async (url: string, flags: Omit<WorkerFlags, 'url'>) => {
      const { workerCommand } = await import('./worker.ts')
      exit(await workerCommand({ ...flags, url }, output))
    })
}
