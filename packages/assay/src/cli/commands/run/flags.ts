/** The arguments and flags of `assay run`. */
import { Option, type Command } from 'commander'
import { FORMAT_ENDINGS } from '../../../report/formats/names.ts'
import { SUBJECT_FORMS } from '../../../subject/names.ts'
import { examples } from '../../output/help.ts'
import { integers, list, names, number, shard, whole } from '../../settings/arguments.ts'
import { ONLY } from '../../settings/part/only.ts'
import type { Context } from '../context.ts'
import { gateFlags } from '../gate-flags.ts'
import { BY, DETAILS, TRUST } from '../shared-flags.ts'

export function declareRun(assay: Command, { output, exit }: Context): void {
  const run = assay
    .command('run')
    .description('run suites against subjects, grade the answers, keep every trial')
    .argument('[suites...]', 'suite files, folders to search for them, or one experiment file')
    .optionsGroup('What is run:')
    .addOption(new Option('--eval-set <path>', 'the same as naming the suite').argParser(list))
    .option(
      '-m, --model <subjects>',
      `who answers: ${SUBJECT_FORMS.join(', ')}, or a name from assay.toml; several by comma or by repeating`,
      list,
    )
    .addOption(new Option('--models <subjects>', 'the same as --model').argParser(list))
    .option(
      '--judge <subjects>',
      'who judges, in place of those that the suites name; several by comma or by repeating',
      list,
    )
    .option('--config <file>', 'a run file: like assay.toml, and wins over it')
    .optionsGroup('How it is run:')
    .option(
      '-n, --trials <n>',
      'trials per case, whatever the suite says (default: the suite’s, else the largest k)',
      whole(1),
    )
    .option('-k, --pass-k <list>', 'the k of pass@k and pass^k (default: 1)', integers)
    .option('-t, --temperature <t>', 'sampling temperature of models', number)
    .option('-p, --parallelism <p>', 'requests at once for each provider', whole(1))
    .optionsGroup('What is run:')
    .option('--filter <tags>', 'only cases with any of these tags', list)
    .option('--case <ids>', 'only these cases', list)
    .addOption(
      new Option(
        '--only <kind>',
        'only cases that failed, errored or were flaky in an earlier run, or that changed since',
      ).choices(ONLY),
    )
    .option('--of <run>', 'the run that --only looks at (default: the latest)')
    .option('--limit <n>', 'only the first n cases of each suite', whole(1))
    .option('--sample <n>', 'only n cases of each suite by chance, by --seed', whole(1))
    .optionsGroup('Output:')
    .option('-o, --output <dir>', 'the run folder (default: .assay/runs/<time>-<suite>)')
    .optionsGroup('How it is run:')
    .option(
      '--seed <n>',
      'seed of everything random (default: 1)',
      whole(0, Number.MAX_SAFE_INTEGER),
    )
    .option(
      '--shard <i/n>',
      'run only part i of n of the plan; `assay merge` joins the parts',
      shard,
    )
    .option('--rate <n>', 'requests per second for each provider, at most', number)
    .option('--queue <url>', 'run the trials on workers that wait at this Redis (`assay worker`)')
    .option('--store <dir>', 'with --queue: a folder that all workers share, for large workspaces')
    .addOption(new Option('--queue-lock <d>', 'how long a worker may be silent').hideHelp())
    .option('--budget <usd>', 'stop before spending more than this', number)
    .option('--timeout <d>', 'for one answer, such as 90s (default: the suite’s, else 2m)')
    .option('--grade-timeout <d>', 'for each grading step (default: 10s)')
    .addOption(
      new Option(
        '--sandbox <kind>',
        'where code runs: bubblewrap, or none to run it as you (default: bubblewrap)',
      ).choices(['bubblewrap', 'none']),
    )
    .option('--max-errors <share>', 'share of trials that may error (default: 0.05)', number)
    .option(
      '--max-wait <d>',
      'give a provider up that asks to be left alone for longer, and with --queue trials that no worker can do for so long (default: 10m)',
    )
    .option(
      '--no-proof',
      'do not grade the references of workspace cases, and doing nothing, before the first trial of an agent',
    )
    .optionsGroup('Earlier runs:')
    .option('--resume [run]', 'continue a run: a folder, "latest" or the start of its name')
    .option('--regrade <run>', 'grade the answers of a run again, without asking any subject')
    .optionsGroup('Output:')
    .option('--keep', 'leave the folders that agents worked in, below the run folder')
    .option('--record', 'keep the requests of agents to their models, for replay-agent:RUN')
    .optionsGroup('Earlier runs:')
    .option('--keep-errors', 'on resume, leave errored trials as they are')
    .option(
      '--allow-changed',
      'on resume and regrade, accept suites and subjects that have changed',
    )
    .option(
      '--accept-edited',
      'on resume and regrade, go on from a record that was changed; the run says so for ever',
    )
    .optionsGroup('How it is run:')
    .option('--allow-partial', 'exit 0, and let gates hold, even if the budget stopped the run')
    .option('--cache', 'keep answers between runs and use kept ones')
    .option('--env-file <file>', 'variables such as keys; the environment wins over it')
    .option('--prices <file>', 'a price file that wins over the catalogue')
    .option(
      '--dry-run',
      'print the plan, its estimated cost, what it would start and contact, and where each setting comes from; run nothing',
    )
    .option(
      '--watch',
      'go on: when a file changes, run again what it changes, and show which results changed; Ctrl-C ends',
    )
    .option('--trust', TRUST)
    .optionsGroup('Output:')
    .addOption(
      new Option(
        '--report <file>',
        `write a report when done, in the format of its name: ${FORMAT_ENDINGS.join(', ')}`,
      ).argParser(list),
    )
    .option('--view', 'open the page of the run in the browser while it runs (`assay view`)')
    .option('--by <keys>', BY, names)
    .option('--json', 'print one event per line for machines')
    .option('--details', DETAILS)
  gateFlags(run)
    .addHelpText(
      'after',
      examples(
        ['assay run suite.toml -m openai/gpt-5', ''],
        [
          'assay run suites/ -m openai/gpt-5 -m ollama/llama3.2',
          'all suites of a folder, two models',
        ],
        ['assay run suite.toml -m simulated:pass=0.8 -n 10 -k 1,5', ''],
        ["assay run suite.toml -m 'command:python3 answer.py'", 'a program of yours'],
        ['assay run suite.toml -m openai/gpt-5 --dry-run', 'what it would do and cost'],
        [
          'assay run suite.toml -m openai/gpt-5 --fail-under passRate=0.8',
          'exit 1 where it is surely lower',
        ],
        ['assay run --resume', 'go on with the latest run'],
      ),
    )
    .action(async (suites: string[], flags: Record<string, unknown>) => {
      const command =
        flags['watch'] === true
          ? (await import('./watch/watch.ts')).runAndWatch
          : (await import('./run.ts')).runCommand
      exit(await command({ ...flags, suites }, output))
    })
}
