/**
 * Prints the output of `assay show`. For all cases, it shows the outcome of every trial, worst case first. For one
 * case, it shows a line per trial, and the first failed trial in full. For one trial, it shows that trial in full. The
 * last line is the next command to type.
 *
 * Texts from models or suites may contain characters that a terminal would interpret. These are replaced, either before
 * this module gets the text or when it is printed. Long texts are cut, and a hint says how to see them in full.
 */
import { type Outcome, type Trial, plain, shellPath, shellWord } from '@assay/contract'
import { counted, cut, cutStart, displayWidth, GAP, table, wrap } from '../../text/index.ts'
import type { Report } from '../schema/report.ts'
import { breakdownLines } from './breakdown-lines.ts'
import type { Shown, ShownCell } from './show-select.ts'
import { brief, gradesInShort, renderTrial } from './show-trial.ts'
import type { ShowOptions } from './show-options.ts'
import { rerunCommand } from '../words/rerun-words.ts'
import { headlineOf } from '../headline/index.ts'
import { disclosuresOf } from '../figures/disclosures.ts'

export function renderShown(shown: Shown, report: Report, options: ShowOptions): string {
  const stamps = disclosuresOf(report).flatMap((stamp) => wrap(plain(stamp), options.width))
  // The list of all cases is a summary of the run, so it begins with the headline like every summary.
  const headline = shown.kind === 'cases' ? wrap(headlineOf(report).sentence, options.width) : []
  const lines = [
    ...(headline.length === 0 ? [] : [...headline.map(options.colors.bold), '']),
    ...(stamps.length === 0 ? [] : [...stamps.map(options.colors.yellow), '']),
    ...(report.by === undefined ? [] : breakdownLines(report, options.width, options.colors)),
    ...linesOf(shown, options),
    ...rerunLines(shown, report, options),
  ]
  return `${lines.join('\n')}\n`
}

/** Returns the command that runs the shown trial again. If a case is shown, it is for the case's first failed trial. */
function rerunLines(shown: Shown, { provenance }: Report, { program }: ShowOptions): string[] {
  const trial =
    shown.kind === 'trial'
      ? shown.trial
      : shown.kind === 'case'
        ? (firstFailing(shown.cells)?.trial ?? null)
        : null
  const command = trial === null ? null : rerunCommand(provenance, trial, program)
  return command === null ? [] : ['', `run it again: ${command}`]
}

function linesOf(shown: Shown, options: ShowOptions): string[] {
  if (shown.kind === 'cases') return caseList(shown.cells, shown.leftOut, options)
  if (shown.kind === 'case') return oneCase(shown.cells, options)
  return renderTrial(shown.trial, shown.cell, options)
}

// ── All cases ────────────────────────────────────────────────────────────────────────────────────────

const SIGNS: Readonly<Record<Outcome | 'cancelled', string>> = {
  passed: '✓',
  failed: '✗',
  errored: '!',
  unscored: '?',
  cancelled: '·',
}

/** The width reserved for the names of the cases, in characters. The reasons get the rest of the line. */
const CASE_COLUMN = 28

const LEGEND = '✓ passed  ✗ failed  ! errored  ? unscored  · not run'

function caseList(cells: readonly ShownCell[], leftOut: number, options: ShowOptions): string[] {
  const { width, colors } = options
  const several = new Set(cells.map(({ subject }) => subject)).size > 1
  const signs = Math.floor(width / (several ? 5 : 2.5))
  const suites = new Set(cells.map(({ suite }) => suite)).size > 1
  const titles = subjectTitles(
    cells.map(({ subject }) => subject),
    Math.floor(width / 4.5),
  )
  const widest = (texts: readonly string[]): number =>
    texts.reduce((most, text) => Math.max(most, displayWidth(text)), 0)
  const taken =
    Math.min(CASE_COLUMN, widest(cells.map(({ report }) => report.case))) +
    (several ? widest([...titles.values()]) + GAP : 0) +
    Math.max('trials'.length, widest(cells.map((cell) => signsOf(cell, signs)))) +
    'passed'.length +
    3 * GAP
  const whyWidth = Math.max(Math.floor(width / 4.5), width - taken)
  const [head, ...body] = table(
    [
      { title: 'case', align: 'left' },
      ...(several ? [{ title: 'subject', align: 'left' } as const] : []),
      { title: 'trials', align: 'left' },
      { title: 'passed', align: 'right' },
      { title: 'why', align: 'left' },
    ],
    cells.map((cell) => [
      plain(suites ? `${cell.suite} / ${cell.report.case}` : cell.report.case),
      ...(several ? [titles.get(cell.subject) ?? ''] : []),
      signsOf(cell, signs),
      `${cell.report.c}/${cell.report.n}`,
      cut(whyOf(cell), whyWidth),
    ]),
    width,
  )
  const [worst] = cells
  const next =
    worst === undefined || !hasFailed(worst)
      ? null
      : commandOf(options, worst, [], { subject: several, suite: suites })
  return [
    colors.dim(head ?? ''),
    ...body,
    colors.dim(LEGEND),
    ...(leftOut > 0 ? [`${counted(leftOut, 'further row')}, none worse: --full lists all`] : []),
    ...(next === null ? [] : ['', `why: ${next}`]),
  ]
}

/** Cuts names to a width, at the end. If that makes two names equal, they are cut at the beginning instead. */
function subjectTitles(subjects: readonly string[], width: number): ReadonlyMap<string, string> {
  const names = [...new Set(subjects)]
  const ends = names.map((name) => cut(plain(name), width))
  const differ = new Set(ends).size === names.length
  return new Map(
    names.map((name, i) => [name, differ ? (ends[i] as string) : cutStart(plain(name), width)]),
  )
}

const hasFailed = ({ report }: ShownCell): boolean =>
  report.n > report.c || report.counts.errored > 0

/** Returns one sign per trial. If there are more than `most` trials, returns only their number. */
function signsOf({ report: { counts }, trials }: ShownCell, most: number): string {
  if (counts.planned > most) return counted(counts.planned, 'trial')
  const signs = Array.from({ length: counts.planned }, () => SIGNS.cancelled)
  for (const { index, outcome } of trials) if (index < signs.length) signs[index] = SIGNS[outcome]
  return signs.join('')
}

const whyOf = ({ report }: ShownCell): string =>
  plain(report.reasons.map(({ code, count }) => `${code} ×${count}`).join(', '))

// ── One case ─────────────────────────────────────────────────────────────────────────────────────────

const MOST_TRIALS = 30

function oneCase(cells: readonly ShownCell[], options: ShowOptions): string[] {
  const { colors, width, full } = options
  const several = cells.length > 1
  const [first] = cells
  if (first === undefined) return ['nothing was run']
  const lines = [colors.bold(cut(plain(`${first.suite} / ${first.report.case}`), width))]
  for (const cell of cells) {
    const { c, n } = cell.report
    lines.push(
      '',
      cut(`${plain(cell.subject)}: ${c} of ${counted(n, 'scored trial')} passed`, width),
    )
    const shown = full ? cell.trials : cell.trials.slice(0, MOST_TRIALS)
    lines.push(...shown.map((trial) => trialLine(trial, options)))
    const more = cell.trials.length - shown.length
    if (more > 0) lines.push(`  and ${counted(more, 'further trial')}: --full lists all`)
    const { cancelled } = cell.report.counts
    if (cancelled > 0)
      lines.push(`  · ${counted(cancelled, 'planned trial has', 'planned trials have')} no result`)
  }
  const failing = firstFailing(cells)
  if (failing === null) {
    const next = commandOf(options, first, ['0'], { subject: several, suite: false })
    return [...lines, '', 'no trial failed', ...(next === null ? [] : [`one in full: ${next}`])]
  }
  const next = commandOf(options, failing.cell, ['INDEX'], { subject: several, suite: false })
  return [
    ...lines,
    '',
    colors.dim('─'.repeat(Math.min(width, 80))),
    '',
    ...renderTrial(failing.trial, failing.cell, options),
    ...(next === null ? [] : ['', `another trial: ${next}`]),
  ]
}

function trialLine(trial: Trial, { width, colors }: ShowOptions): string {
  const sign = SIGNS[trial.outcome]
  const color =
    trial.outcome === 'passed'
      ? colors.green
      : trial.outcome === 'unscored'
        ? colors.dim
        : colors.red
  const said = trial.reason === undefined ? gradesInShort(trial) : reasonOf(trial.reason)
  const head = `  ${String(trial.index).padStart(3)} `
  const rest = ` ${trial.score === null ? '–' : trial.score.toFixed(2)}  ${said}`
  return head + color(sign) + cut(rest, width - displayWidth(head) - 1)
}

const reasonOf = ({ code, text }: NonNullable<Trial['reason']>): string => brief(`${code}: ${text}`)

/** Returns the first failed trial or, if no trial failed, the first errored trial. */
function firstFailing(cells: readonly ShownCell[]): { cell: ShownCell; trial: Trial } | null {
  for (const outcome of ['failed', 'errored'])
    for (const cell of cells) {
      const trial = cell.trials.find((one) => one.outcome === outcome)
      if (trial !== undefined) return { cell, trial }
    }
  return null
}

// ── The next command ─────────────────────────────────────────────────────────────────────────────────

/**
 * Returns a command that can be pasted into a shell, whatever characters the names contain. Returns null if a name
 * contains a character that cannot be printed.
 */
export function commandOf(
  { program, run }: Pick<ShowOptions, 'program' | 'run'>,
  { suite, subject, report }: Pick<ShownCell, 'suite' | 'subject' | 'report'>,
  rest: readonly string[],
  name: { readonly subject: boolean; readonly suite: boolean },
): string | null {
  const flags = [
    ...(name.suite ? ['--suite', suite] : []),
    ...(name.subject ? ['--subject', subject] : []),
  ]
  // `--` ends the flags. Without it, a case name that starts with a dash would be read as a flag.
  const dashes = report.case.startsWith('-') ? ['--'] : []
  const [before, after] = [
    [...flags, ...dashes],
    [report.case, ...rest],
  ]
  if ([...before, run, ...after].some((word) => plain(word) !== word)) return null
  return [program, 'show', ...before.map(shellWord), shellPath(run), ...after.map(shellWord)].join(
    ' ',
  )
}
