/**
 * The table of all settings of a run: where each can be set, and its default. The table in docs/reference/running.md
 * and the lines of a dry run are generated from it. Tests compare it with the schemas.
 */

export interface SettingRow {
  /** The name of the setting in assay.toml, run files and suites. */
  readonly key: string
  readonly flag: string | null
  /** Whether assay.toml and run files may set this setting. */
  readonly file: boolean
  /** The key in an experiment. Null if an experiment cannot set it. */
  readonly experiment: string | null
  /** The key in a case. The suite's `[defaults]` can have the same key, unless `suite` names another place. */
  readonly case: string | null
  readonly suite: string | null
  readonly default: string
}

const row = (key: string, flag: string | null, rest: Partial<SettingRow>): SettingRow => ({
  key,
  flag,
  file: true,
  experiment: key,
  case: null,
  suite: null,
  default: 'none',
  ...rest,
})

export const SETTING_ROWS: readonly SettingRow[] = [
  row('model', '--model', { experiment: 'subjects' }),
  row('judges', '--judge', { suite: 'a grader’s `judges`' }),
  row('trials', '--trials', {
    case: 'trials',
    suite: 'defaults.trials',
    default: 'the largest k; 10 in an experiment',
  }),
  row('passK', '--pass-k', { default: '1' }),
  row('temperature', '--temperature', { experiment: null, default: 'the provider’s' }),
  row('timeout', '--timeout', {
    case: 'timeout',
    suite: 'defaults.timeout',
    default: '2m; 30m in a workspace',
  }),
  row('gradeTimeout', '--grade-timeout', { default: '10s' }),
  row('maxTokens', null, {
    file: false,
    experiment: null,
    case: 'maxTokens',
    suite: 'defaults.maxTokens',
    default: 'the provider’s',
  }),
  row('threshold', null, {
    file: false,
    experiment: null,
    case: 'scoring.threshold',
    suite: 'scoring.threshold',
  }),
  row('parallelism', '--parallelism', { default: 'the provider’s' }),
  row('budget', '--budget', {}),
  row('seed', '--seed', { default: '1' }),
  row('maxErrors', '--max-errors', { default: '0.05' }),
  row('maxWait', '--max-wait', { default: '10m' }),
  row('output', '--output', { experiment: null, default: '.assay/runs' }),
  row('prices', '--prices', { default: 'the catalogue' }),
]

const HEAD = ['setting', '1. flag', '2. run file', '2. experiment', '3. case', '4. suite']

/** Returns the lines of the table in the docs. */
export function settingsTable(): string[] {
  const cell = (text: string | null): string => (text === null ? '' : `\`${text}\``)
  const rows = SETTING_ROWS.map((one) => [
    cell(one.key),
    cell(one.flag),
    cell(one.file ? one.key : null),
    cell(one.experiment),
    cell(one.case),
    one.suite?.includes('`') === true ? one.suite : cell(one.suite),
    cell(one.file ? one.key : null),
    one.default,
  ])
  const head = [...HEAD, '5. assay.toml', '6. default']
  const [title = '', ...body] = [head, ...rows].map((cells) => `| ${cells.join(' | ')} |`)
  return [title, `|${head.map(() => '---|').join('')}`, ...body]
}
