/** The pages of docs/reference that are written from the code, by file name. `npm run docs` writes them. */
import { z } from 'zod'
import { EXIT_MEANINGS } from '../../packages/assay/src/cli/output/exit-codes.ts'
import { settingsTable } from '../../packages/assay/src/cli/settings/settings-table.ts'
import { settingsSchema } from '../../packages/assay/src/cli/settings/settings.ts'
import { experimentSchema } from '../../packages/assay/src/experiment/index.ts'
import { graders } from '../../packages/assay/src/grade/index.ts'
import { PRESETS } from '../../packages/assay/src/subject/model/providers.ts'
import { commonGraderSchema, suiteJsonSchema } from '../../packages/assay/src/suite/index.ts'
import { commandsPage } from './commands-page.ts'
import { cell, keyRows, keyTable, type JsonSchema } from './keys.ts'

const WRITTEN = '<!-- written by `npm run docs` -->'

const jsonSchema = (schema: z.ZodType): JsonSchema =>
  z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as JsonSchema

export function referencePages(): ReadonlyMap<string, string> {
  return new Map([
    page('commands.md', 'Commands and flags', COMMANDS, commandsPage()),
    page('suite-keys.md', 'Keys of suites', SUITES, suiteKeys()),
    page('settings.md', 'Settings', SETTINGS, settings()),
    page('experiment-keys.md', 'Keys of experiments', EXPERIMENTS, [
      ...keyTable(keyRows(jsonSchema(experimentSchema), new Set())),
    ]),
    page('grader-options.md', 'Options of graders', GRADERS, graderOptions()),
    page('providers.md', 'Providers', PROVIDERS, providers()),
    page('exit-codes.md', 'Exit codes', EXIT_CODES, [
      '| code | meaning |',
      '|---|---|',
      ...Object.entries(EXIT_MEANINGS).map(([code, text]) => `| ${code} | ${text} |`),
    ]),
  ])
}

const page = (
  file: string,
  title: string,
  intro: string,
  lines: readonly string[],
): [string, string] => [
  file,
  `# ${title}\n\n${WRITTEN}\n\n${intro}\n\n${lines.join('\n').trimEnd()}\n`,
]

const COMMANDS =
  'Every command with its arguments and flags. `assay COMMAND --help` prints the same. [Your first suite](../guides/first-suite.md) introduces the commands, and [Running](running.md) explains a run.'
const SUITES =
  'Every key of a suite in TOML, YAML or JSON. `cases[]` means each entry of the list, `NAME` a name of your choice. [Your first suite](../guides/first-suite.md) introduces them, and [Suites](suites.md) has examples; the options of graders are in [Options of graders](grader-options.md).'
const SETTINGS =
  'Every key of `assay.toml` and of run files (`--config`), and which value counts when several places set one. [Running](running.md) explains them, and [Your first suite](../guides/first-suite.md) introduces assay.toml.'
const EXPERIMENTS =
  'Every key of an experiment file. [Experiments](../guides/experiments.md) introduces them.'
const GRADERS =
  'Every grader with its own options. `assay graders TYPE` prints the same. [Graders](graders.md) introduces each with an example, and [Judges](../guides/judges.md) explains graders that ask a model.'
const PROVIDERS =
  'The providers that `--model PROVIDER/MODEL` knows. `[providers.NAME]` in assay.toml defines others. [Subjects](subjects.md) explains them, and [Your first suite](../guides/first-suite.md) uses one.'
const EXIT_CODES =
  'The same for every command. [Running](running.md) and [Guarding pull requests](../guides/ci.md) use them.'

function suiteKeys(): readonly string[] {
  const schema = suiteJsonSchema([]) as JsonSchema
  return keyTable(keyRows(schema, new Set(['graders'])))
}

const settings = (): readonly string[] => [
  '## Which value counts',
  '',
  'The first column of this table that sets a value wins.',
  '',
  ...settingsTable(),
  '',
  '## Keys',
  '',
  ...keyTable(keyRows(jsonSchema(settingsSchema), new Set())),
]

const graderOptions = (): readonly string[] => [
  '## Every grader',
  '',
  ...keyTable(keyRows(jsonSchema(commonGraderSchema), new Set())),
  '',
  ...graders.flatMap((grader) => {
    const rows = keyRows(jsonSchema(grader.options), new Set(['graders', 'grader']))
    return [
      `## ${grader.type}`,
      '',
      cell(grader.summary),
      '',
      ...(rows.length === 0 ? ['It has no options of its own.'] : keyTable(rows)),
      '',
    ]
  }),
]

const code = (names: readonly string[]): string =>
  names.length === 0 ? '–' : names.map((name) => `\`${name}\``).join(', ')

const providers = (): readonly string[] => [
  '| provider | API | address | variables with an address | variables with a key |',
  '|---|---|---|---|---|',
  ...Object.entries(PRESETS).map(
    ([name, { api, baseUrl, baseUrlEnv, keyEnv, ownAddress }]) =>
      `| \`${name}\` | ${api} | ${ownAddress === undefined ? baseUrl : `your own: set ${ownAddress}`} | ${code(baseUrlEnv)} | ${code(keyEnv)} |`,
  ),
]
