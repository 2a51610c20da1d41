/** Formats the settings of a plan for the user: each value, and the place that it came from. */
import { eachGrader, type Case, type Subject, type Suite, plain } from '@assay/contract'
import { dollars, wrap } from '../../text/index.ts'
import {
  judgesIn,
  ofCase,
  timeoutOf,
  trialsOf,
  worksInWorkspace,
  type Setting,
} from '../../run/index.ts'
import type { PlannedRun } from './planned-run.ts'
import { SETTING_ROWS } from './settings-table.ts'

/**
 * The width of the name column, and the limit on lines for one setting. If cases have different values, each value
 * has its own line.
 */
const NAME = 16
const MOST_LINES = 6

export function settingLines(plan: PlannedRun, width: number): string[] {
  const values = valuesOf(plan)
  const lines = SETTING_ROWS.flatMap(({ key }) => {
    const all = [...new Set(values[key] ?? [])]
    const shown = all.length > MOST_LINES ? all.slice(0, MOST_LINES - 1) : all
    if (all.length > shown.length) shown.push(`and ${all.length - shown.length} more`)
    return shown
      .flatMap((text) => wrap(plain(text), Math.max(20, width - NAME)))
      .map((text, i) => `${(i === 0 ? `  ${key}` : '').padEnd(NAME)}${text}`)
  })
  return ['', 'settings, and where they come from:', ...lines]
}

/** Returns the formatted values of each setting, by its key. A list of values may contain duplicates. */
function valuesOf(plan: PlannedRun): Readonly<Record<string, string[]>> {
  const { suites, subjects, resolved, models, judgeNames: judges } = plan
  const { cases: settings } = resolved
  const each = <T>(work: (suite: Suite, one: Case) => T[]): T[] =>
    suites.flatMap((suite) => suite.cases.flatMap((one) => work(suite, one)))
  const number = (setting: Setting<number>): string => shownSetting(setting, String)
  return {
    model: models.map((setting) => shownSetting(setting, String)),
    judges: judges === null ? suiteJudges(suites) : [shownSetting(judges, (all) => all.join(', '))],
    trials: each((suite, one) => [number(trialsOf(settings, suite, one))]),
    passK: [shownSetting(settings.passK, (all) => all.join(', '))],
    temperature: temperatures(plan),
    timeout: [
      ...each((suite, one) =>
        subjects.map((subject) => {
          const works = worksInWorkspace(subject, one)
          const setting = timeoutOf(settings, suite, one, works)
          const where = works && setting.place === 'default' ? ' in a workspace' : ''
          return shownSetting({ ...setting, from: setting.from + where }, durationText)
        }),
      ),
      ...plan.ownTimeouts.map(([id, ms]) => `at most ${durationText(ms)} (subject ${id})`),
    ],
    gradeTimeout: [
      shownSetting(resolved.gradeTimeoutMs, durationText),
      ...graderTimeouts(suites).map(
        ({ timeout, grader, suite, one }) => `${timeout} (grader ${grader} of ${suite} ${one})`,
      ),
    ],
    maxTokens: [
      ...each((suite, one) => ofCase(suite, one, 'maxTokens').map(number)),
      ...ownOf(plan, 'maxTokens'),
    ],
    threshold: thresholds(suites),
    parallelism: parallelisms(subjects, resolved.parallelism),
    budget: [shownSetting(resolved.budgetUsd, (usd) => (usd === null ? 'none' : dollars(usd)))],
    seed: [number(resolved.seed)],
    maxErrors: [number(resolved.maxErrors)],
    maxWait: [shownSetting(resolved.maxWaitMs, durationText)],
    output: [shownSetting(resolved.output, String)],
    prices: [shownSetting(resolved.prices, (file) => file ?? 'the catalogue')],
  }
}

function shownSetting<T>({ value, from }: Setting<T>, text: (value: T) => string): string {
  return `${text(value)} (${from})`
}

const suiteJudges = (suites: readonly Suite[]): string[] =>
  suites.flatMap((suite) => judgesIn([suite]).map((judge) => `${judge} (suite ${suite.path})`))

/**
 * Returns the temperatures of the models as texts. A temperature from the command line applies to all models. A
 * temperature from elsewhere applies only to models that do not set their own.
 */
function temperatures(plan: PlannedRun): string[] {
  const { temperature } = plan.resolved
  const forAll =
    temperature === null ? 'the provider’s (default)' : shownSetting(temperature, String)
  if (temperature?.place === 'flag' || temperature?.place === 'record') return [forAll]
  return [forAll, ...ownOf(plan, 'temperature')]
}

/** Returns the values that subjects set themselves. */
const ownOf = ({ models, named }: PlannedRun, key: 'temperature' | 'maxTokens'): string[] =>
  models.flatMap(({ value: id }) => {
    const value = named[id]?.[key]
    return value === undefined ? [] : [`${value} (subject ${id})`]
  })

/** Returns the thresholds of the cases. If only some cases have one, the list also contains "none". */
function thresholds(suites: readonly Suite[]): string[] {
  const all = suites.flatMap((suite) =>
    suite.cases.map(({ id, threshold }) => {
      if (threshold === null) return 'none (default)'
      const from = threshold === suite.threshold ? `suite ${suite.path}` : `case ${suite.id} ${id}`
      return `${threshold} (${from})`
    }),
  )
  return all.every((text) => text === 'none (default)') ? [] : all
}

/**
 * Returns how many requests run at once. A number that the user sets applies to all providers. Otherwise each
 * provider has its own.
 */
function parallelisms(subjects: readonly Subject[], given: Setting<number> | null): string[] {
  if (given !== null) return [shownSetting(given, String)]
  const own = subjects.map(({ id, concurrency: { start, most } }) => ({
    id,
    text: start < most ? `${start}, growing to ${most}` : String(most),
  }))
  const isSame = new Set(own.map(({ text }) => text)).size === 1
  return own.map(({ id, text }) => `${text} (default${isSame ? '' : ` for ${id}`})`)
}

interface GraderTimeout {
  readonly timeout: string
  readonly grader: string
  readonly suite: string
  readonly one: string
}

/** Returns the graders that set their own time limit. Such a limit is part of the case. */
export const graderTimeouts = (suites: readonly Suite[]): GraderTimeout[] =>
  suites.flatMap((suite) =>
    suite.cases.flatMap((one) =>
      eachGrader(one.graders).flatMap(({ name, options }) => {
        const own =
          typeof options === 'object' && options !== null && 'timeout' in options
            ? options['timeout']
            : undefined
        if (typeof own !== 'string' && typeof own !== 'number') return []
        const timeout = typeof own === 'number' ? durationText(own * 1000) : own
        return [{ timeout, grader: name, suite: suite.id, one: one.id }]
      }),
    ),
  )

const UNITS = [
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1000],
] as const

/** Formats a duration as in a suite: 90s, 2m, 500ms. */
export function durationText(ms: number): string {
  const [unit, size] = UNITS.find(([, each]) => ms >= each && ms % each === 0) ?? ['ms', 1]
  return `${ms / size}${unit}`
}
