/**
 * `assay run --watch`: runs, waits until files change, and runs the changed parts again: cases, prompts, or files
 * that a function loads. After each change a new plan is made, and the plan shows whether a changed file matters.
 */
import { dirname, relative } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { plain, UsageError } from '@assay/contract'
import { forgetModules } from '../../../../documents/index.ts'
import { indexKey } from '../../../../environment/index.ts'
import { forgetFunctions } from '../../../../functions/index.ts'
import { readRun } from '../../../../report/index.ts'
import { counted, table } from '../../../../text/index.ts'
import type { Output } from '../../../output/output.ts'
import { gatesAsked } from '../../../settings/gates-asked.ts'
import type { PlannedRun } from '../../../settings/planned-run.ts'
import type { RunFlags } from '../../../settings/run-flags.ts'
import { printRun, type RanRun } from '../print-run.ts'
import { planAndRun } from '../run.ts'
import { FolderWatch, type Changes } from './folder-watch.ts'
import { WatchState, type Result, type ResultChange } from './watch-state.ts'

/** Flags that are refused, because they make no sense for repeated runs. */
const REFUSED = ['output', 'resume', 'regrade', 'dryRun', 'shard', 'queue', 'json', 'view'] as const
const MOST_SHOWN = 20
const MOST_FILES = 3

export async function runAndWatch(
  flags: RunFlags,
  output: Output,
  changes: Changes = new FolderWatch(),
): Promise<number> {
  const given = REFUSED.find((flag) => flags[flag] !== undefined)
  if (given !== undefined)
    throw new UsageError(
      `--watch makes a run of each change: leave --${given === 'dryRun' ? 'dry-run' : given} out`,
    )
  let isEnding = false
  const end = (): void => {
    isEnding = true
    changes.close()
  }
  // During a run, the run's own handler stops the run in order at the first signal, and ends the process at the
  // second.
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
  for (const signal of signals) process.on(signal, end)
  const state = new WatchState()
  try {
    changes.add(['.'])
    for (let files: readonly string[] | null = []; files !== null;) {
      await forgetFunctions()
      forgetModules()
      await runChanged(flags, output, { state, files, changes })
      if (isEnding) break
      output.err(`${output.colors.dim('waiting for changes; Ctrl-C ends')}\n`)
      files = await changes.next()
    }
    return 0
  } finally {
    for (const signal of signals) process.off(signal, end)
    changes.close()
    await forgetFunctions()
  }
}

interface Watching {
  readonly state: WatchState
  /** The files that have changed. Empty at the first run. */
  readonly files: readonly string[]
  readonly changes: Changes
}

async function runChanged(
  flags: RunFlags,
  output: Output,
  { state, files, changes }: Watching,
): Promise<void> {
  let part: PlannedRun | null = null
  const narrow = (planned: PlannedRun): PlannedRun | null => {
    changes.add(foldersOf(planned))
    part = state.narrow(planned)
    if (part !== null && files.length > 0) output.err(startLine(files, part, output))
    return part
  }
  const gates = await gatesAsked(flags)
  let ran: RanRun | number
  try {
    ran = await planAndRun(
      files.length === 0 ? flags : { ...flags, proof: false },
      gates,
      files.length === 0 ? output : quiet(output),
      narrow,
    )
  } catch (error) {
    // While a file is being edited it often has errors. So an error does not end the watch, except at the first run.
    if (!(error instanceof UsageError) || files.length === 0) throw error
    output.err(`${output.colors.red('error:')} ${error.message}\n`)
    return
  }
  if (typeof ran === 'number') return
  const { folder, recorded, suiteFacts } = ran
  const { report } = await readRun(folder, { indexKey, recorded, suiteFacts, brief: true })
  const changed = state.keep(report)
  if (files.length === 0) {
    await printRun(ran, flags, gates, output)
    return
  }
  output.out(
    [
      ...changeLines(changed, report.subjects.flatMap((one) => one.cases).length, output),
      totalLine(state.total(), ran.folder),
      '',
    ].join('\n'),
  )
}

/**
 * Returns an output that prints no warnings, because the first run already printed them. Only a text of one line counts
 * as a warning. The list of what needs trust has several lines, so it is always printed.
 */
export const quiet = (output: Output): Output => ({
  ...output,
  err: (text, how) => {
    if (!isWarning(stripVTControlCharacters(text))) output.err(text, how)
  },
})

const isWarning = (text: string): boolean => /^(?:.*: )?warning: .*\n?$/u.test(text)

/**
 * Returns the folders of the suites and of their functions' files, which may be outside the working directory. The
 * working directory is always watched.
 */
function foldersOf({ suites }: PlannedRun): string[] {
  const files = suites.flatMap(({ path, functions }) => [
    path,
    ...Object.keys(functions?.files ?? {}),
  ])
  return [...new Set(files.map((file) => dirname(file)))]
}

function startLine(files: readonly string[], { suites }: PlannedRun, { colors }: Output): string {
  const named = files.slice(0, MOST_FILES).map((file) => plain(relative('.', file)))
  const more = files.length > MOST_FILES ? ` and ${files.length - MOST_FILES} more` : ''
  const cases = suites.reduce((sum, one) => sum + one.cases.length, 0)
  return `\n${colors.bold(`${named.join(', ')}${more} changed`)}: ${counted(cases, 'case')} run again\n`
}

/** Returns a table of the results that changed, and the number of those that did not. */
function changeLines(changes: readonly ResultChange[], all: number, output: Output): string[] {
  const same = all - changes.length
  if (changes.length === 0) return [`no result changed: ${counted(same, 'result')} as before`]
  const rows = changes
    .slice(0, MOST_SHOWN)
    .map(({ case: one, subject, before, now }) => [
      plain(one),
      plain(subject),
      before === null ? '–' : shown(before),
      shown(now),
      direction(before, now),
    ])
  const titles = ['case', 'subject', 'before', 'now', '']
  return [
    ...table(
      titles.map((title, i) => ({ title, align: i === 2 || i === 3 ? 'right' : 'left' }) as const),
      rows,
      output.width,
    ),
    ...(changes.length > MOST_SHOWN ? [`and ${changes.length - MOST_SHOWN} more`] : []),
    `${counted(changes.length, 'result')} changed, ${same} as before`,
  ]
}

const shown = ({ passed, scored, errored }: Result): string =>
  `${passed}/${scored}${errored > 0 ? ` +${errored} errored` : ''}`

const rate = ({ passed, scored }: Result): number => (scored === 0 ? 0 : passed / scored)

function direction(before: Result | null, now: Result): string {
  if (before === null) return 'new'
  if (rate(now) === rate(before)) return ''
  return rate(now) > rate(before) ? 'better' : 'worse'
}

const totalLine = (total: Result, folder: string): string =>
  `all results: ${shown(total)} trials passed; this run is in ${plain(relative('.', folder))}`
