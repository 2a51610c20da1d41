/**
 * The command line: parses flags, calls one function per command, and returns its exit code. A command is imported
 * when it is called, so `--help` and `--version` load almost nothing.
 */
import { Argument, Command, CommanderError, Option } from 'commander'
import { RunError, UsageError, plainLines } from '@assay/contract'
import { VERSION } from '../version.ts'
import { integers, list, number, whole } from './settings/arguments.ts'
import { processOutput, type Output } from './output/output.ts'
import { examples, hintAtHelp } from './output/help.ts'
import { addReadingCommands } from './commands/reading-commands.ts'
import { FORMAT_ENDINGS } from '../report/formats/names.ts'
import { SUBJECT_FORMS } from '../subject/names.ts'
import type { TrustFlags } from './commands/trust.ts'
import type { ValidateOptions } from './commands/validate/validate.ts'

const TRUST = 'allow, for this once, what the folder starts and where it has keys sent'

/** Exit code for a mistake of the user, found before anything started. */
const EXIT_USAGE = 2
/** Exit code for a run that is invalid or incomplete, or whose log or output could not be written. */
const EXIT_RUN = 3

function program(output: Output, exit: (code: number) => void): Command {
  const assay = new Command('assay')
    .description('Evaluate code that models write and work that agents do.')
    .version(VERSION)
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({
      writeOut: (text) => output.out(text),
      // The message quotes what the user typed or pasted, which may contain control characters.
      writeErr: (text) => output.err(plainLines(text)),
    })
    .exitOverride()
    .addHelpText(
      'after',
      examples(
        ['assay init', 'a first suite'],
        ['assay run suite.toml --model simulated:pass=0.8', 'without a key'],
        ['assay run suite.toml --model openai/gpt-5', ''],
        ['assay show', 'why did it fail?'],
        ['assay COMMAND --help', 'the flags of a command'],
      ),
    )
    .commandsGroup('Run:')

  assay
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
    .optionsGroup('Output:')
    .option('-o, --output <dir>', 'the run folder (default: .assay/runs/<time>-<suite>)')
    .optionsGroup('How it is run:')
    .option(
      '--seed <n>',
      'seed of everything random (default: 1)',
      whole(0, Number.MAX_SAFE_INTEGER),
    )
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
      'give a provider up that asks to be left alone for longer (default: 10m)',
    )
    .optionsGroup('Earlier runs:')
    .option('--resume [run]', 'continue a run: a folder, "latest" or the start of its name')
    .option('--regrade <run>', 'grade the answers of a run again, without asking any subject')
    .optionsGroup('Output:')
    .option('--keep', 'leave the folders that agents worked in, below the run folder')
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
    .option('--allow-partial', 'exit 0 even if the budget stopped the run')
    .option('--cache', 'keep answers between runs and use kept ones')
    .option('--env-file <file>', 'variables such as keys; the environment wins over it')
    .option('--prices <file>', 'a price file that wins over the catalogue')
    .option(
      '--dry-run',
      'print the plan, its estimated cost, what it would start and contact, and where each setting comes from; run nothing',
    )
    .option('--trust', TRUST)
    .optionsGroup('Output:')
    .addOption(
      new Option(
        '--report <file>',
        `write a report when done, in the format of its name: ${FORMAT_ENDINGS.join(', ')}`,
      ).argParser(list),
    )
    .option('--json', 'print one event per line for machines')
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
        ['assay run --resume', 'go on with the latest run'],
      ),
    )
    .action(async (suites: string[], flags: Record<string, unknown>) => {
      const { runCommand } = await import('./commands/run.ts')
      exit(await runCommand({ ...flags, suites }, output))
    })

  assay.commandsGroup('Prepare:')

  assay
    .command('validate')
    .description('check suites and settings; exit 0 if all are fine, else 2')
    .argument('<paths...>', 'suite files, folders to search, experiments, assay.toml')
    .option('--prove', 'grade the suites’ own answers: references must pass, faulty ones fail')
    .option('--grade-timeout <d>', 'for each grading step (default: 10s)')
    .option('-p, --parallelism <p>', 'with --prove: gradings at once', whole(1))
    .addOption(
      new Option('--sandbox <kind>', 'with --prove: where code runs').choices([
        'bubblewrap',
        'none',
      ]),
    )
    .option('--trust', TRUST)
    .action(async (paths: string[], flags: Omit<ValidateOptions, 'paths'>) => {
      const { validateCommand } = await import('./commands/validate/validate.ts')
      exit(await validateCommand({ ...flags, paths }, output))
    })

  assay
    .command('init')
    .description('write a first suite and assay.toml')
    .argument('[dir]', 'where', '.')
    .action(async (dir: string) => {
      const { initCommand } = await import('./commands/init/init.ts')
      exit(await initCommand({ dir }, output))
    })

  assay
    .command('schema')
    .description(
      'print a JSON Schema: of suites, experiments and settings for editors, of report.json',
    )
    .addArgument(
      new Argument('[of]', 'which')
        .choices(['suite', 'experiment', 'settings', 'report'])
        .default('suite'),
    )
    .action(async (of: 'suite' | 'experiment' | 'settings' | 'report') => {
      const { schemaCommand } = await import('./commands/schema.ts')
      exit(await schemaCommand({ of }, output))
    })

  assay
    .command('models')
    .description('list providers, which are ready, where they are contacted, and prices')
    .option('--env-file <file>', 'variables such as keys; the environment wins over it')
    .option('--json', 'as JSON')
    .option('--trust', TRUST)
    .action(async (flags: { json?: boolean; trust?: boolean; envFile?: string }) => {
      const { modelsCommand } = await import('./commands/models.ts')
      exit(await modelsCommand(flags, output))
    })

  assay
    .command('graders')
    .description('list graders, or the options of one')
    .argument('[type]', 'which')
    .option('--json', 'as JSON')
    .action(async (type: string | undefined, flags: { json?: boolean }) => {
      const { gradersCommand } = await import('./commands/graders.ts')
      exit(await gradersCommand({ ...flags, ...(type === undefined ? {} : { type }) }, output))
    })

  assay
    .command('doctor')
    .description('what is ready here to grade code, and how to get the rest')
    .option('--json', 'as JSON')
    .action(async (flags: { json?: boolean }) => {
      const { doctorCommand } = await import('./commands/doctor.ts')
      exit(await doctorCommand(flags, output))
    })

  assay
    .command('trust')
    .description('show what a folder starts and where it has keys sent, and allow it')
    .argument('[paths...]', 'folders, suites, experiments, run files or run folders (default: .)')
    .option('-y, --yes', 'allow it without asking')
    .option('--list', 'print what is trusted')
    .option('--revoke', 'trust the folders no more')
    .option('-m, --model <subjects>', 'for these subjects, such as agents, as well', list)
    .addOption(
      new Option('--sandbox <kind>', 'none: also what would run outside of the sandbox').choices([
        'bubblewrap',
        'none',
      ]),
    )
    .action(async (paths: string[], flags: Omit<TrustFlags, 'paths'>) => {
      const { trustCommand } = await import('./commands/trust.ts')
      exit(await trustCommand({ ...flags, paths }, output))
    })

  addReadingCommands(assay, output, exit)
  hintAtHelp(assay)
  return assay
}

async function main(): Promise<void> {
  const output = processOutput()
  let code = 0
  try {
    await program(output, (value) => {
      code = value
    }).parseAsync()
  } catch (error) {
    code = failed(error, output)
  }
  process.exitCode = code
  // Incomplete output must not look complete to a script. A more specific exit code is kept.
  if (!(await output.finish()) && code === 0) process.exitCode = EXIT_RUN
}

function failed(error: unknown, output: Output): number {
  // Commander has already printed its message. `--help` and `--version` are not errors.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : EXIT_USAGE
  if (error instanceof UsageError || error instanceof RunError) {
    output.err(`${output.colors.red('error:')} ${plainLines(error.message)}\n`)
    return error instanceof UsageError ? EXIT_USAGE : EXIT_RUN
  }
  output.err(
    `${output.colors.red('error:')} this is a bug in assay, please report it\n${plainLines(String(error instanceof Error ? error.stack : error))}\n`,
  )
  return EXIT_RUN
}

await main()
