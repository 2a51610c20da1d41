/**
 * Prints what an agent did: the totals, then one line per step (what the agent said, called, read or changed), then the
 * changes in its folder. With `full`, the whole text of a step follows its line. A model wrote these texts, so control
 * characters in them are replaced.
 */
import {
  type FileChange,
  type Step,
  type Trajectory,
  type Trial,
  type WorkspaceDiff,
  plain,
  plainLines,
} from '@assay/contract'
import {
  changeNotes,
  gistOf,
  linesOf,
  offset,
  oneLine,
  tokenWords,
  totalWords,
  unkeptWords,
} from '../view-data/step-words.ts'
import {
  count,
  counted,
  dollars,
  seconds,
  cut,
  displayWidth,
  padEnd,
  wrap,
} from '../../text/index.ts'
import { isMissing, jsonOf, readDiff, readTrajectory } from '../view-data/read-trajectory.ts'
import {
  isClaimed,
  requestWords,
  withRequests,
  type RequestStep,
} from '../view-data/request-steps.ts'
import type { ShowOptions } from './show-options.ts'
import type { Missing } from '../view-data/view-data.ts'

/**
 * The maximum number of steps that are shown, from the beginning and from the end. If there are more, those in the
 * middle are left out.
 */
const FIRST_STEPS = 150
const LAST_STEPS = 50
const MOST_CHANGES = 100
const MOST_LABEL = 14
const MOST_LISTED = 10
const MOST_SAID = 2000

/**
 * Returns the lines about an agent's steps and changes, or no lines if the trial has neither a trajectory nor a diff.
 */
export function actLines(trial: Trial, options: ShowOptions): string[] {
  const trajectory = readTrajectory(trial, options.text)
  const diff = readDiff(trial, options.text)
  return [
    ...section('what the agent did', trajectory, trajectoryLines, options),
    ...section('what it changed', diff, diffLines, options),
  ]
}

function section<T extends object>(
  title: string,
  part: T | Missing | null,
  lines: (part: T, options: ShowOptions) => string[],
  options: ShowOptions,
): string[] {
  const { colors, width } = options
  if (part === null) return []
  const body = isMissing(part)
    ? wrap(`(not shown: ${part.missing}; --json has it as it is)`, width - 2).map((line) =>
        colors.dim(`  ${line}`),
      )
    : lines(part, options)
  return ['', colors.bold(title), ...body]
}

// ── Steps ────────────────────────────────────────────────────────────────────────────────────────────

function trajectoryLines(trajectory: Trajectory, options: ShowOptions): string[] {
  const { steps, complete, oddities, requests = [] } = trajectory
  const { colors, width, full } = options
  const said = [
    ...(complete ? [] : ['the stream of events broke off: there may have been more']),
    ...oddities.slice(0, full ? oddities.length : MOST_LISTED),
  ]
  const indented = (text: string): string[] =>
    wrap(plain(text.slice(0, MOST_SAID).toWellFormed()), width - 2).map((line) =>
      colors.dim(`  ${line}`),
    )
  return [
    ...headWords(trajectory).flatMap(indented),
    ...said.flatMap(indented),
    ...stepLines(withRequests(steps, requests), options),
  ]
}

type Line = Step | RequestStep

function headWords(trajectory: Trajectory): string[] {
  const { format, agentVersion, model, steps, usage } = trajectory
  const calls = steps.filter((step) => step.kind === 'tool-call').filter((step) => !isClaimed(step))
  const counts = {
    toolCalls: calls.length,
    failedCalls: calls.filter(({ failed }) => failed).length,
  }
  const who = [format, agentVersion, model].filter((one) => one !== null)
  return [
    [...who, ...totalWords({ ...trajectory, ...counts }, seconds)].join(' · '),
    ...Object.entries(usage)
      .slice(0, MOST_LISTED)
      .map(([name, tokens]) => `${name}: ${tokenWords(tokens)}`),
  ]
}

function stepLines(steps: readonly Line[], options: ShowOptions): string[] {
  const { colors, full } = options
  const left = full ? 0 : Math.max(0, steps.length - FIRST_STEPS - LAST_STEPS)
  const labels = steps.map((step) => cut(plain(oneLine(labelOf(step))), MOST_LABEL))
  const widest = labels.reduce((most, label) => Math.max(most, displayWidth(label)), 0)
  const several = steps.some(({ turn }) => turn > 0)
  let turn: number | null = null
  return steps.flatMap((step, i) => {
    if (left > 0 && i >= FIRST_STEPS && i < FIRST_STEPS + left)
      return i === FIRST_STEPS
        ? [colors.dim(`  … ${counted(left, 'step')} here: --full shows all`)]
        : []
    const isNew = several && step.turn !== turn
    turn = step.turn
    return [
      ...(isNew ? [colors.bold(`  the user’s turn ${step.turn + 1}`)] : []),
      stepLine(step, padEnd(labels[i] ?? '', widest), options),
      ...(full ? stepTexts(step, options) : []),
    ]
  })
}

/** Formats one step, such as `  +12.3s  Bash  npm test → 1 failed (1.2 s)`. */
function stepLine(step: Line, label: string, { width, colors }: ShowOptions): string {
  const head = `${offset(step.at).padStart(8)}  `
  const end = endOf(step)
  const room = width - displayWidth(head) - displayWidth(label) - 2 - displayWidth(end)
  const gist = cut(plain(aboutOf(step)), Math.max(10, room))
  const isWrong =
    step.kind === 'error' ||
    (step.kind === 'tool-call' && step.failed) ||
    (step.kind === 'request' && step.error !== undefined)
  const isAside = ['other', 'reasoning', 'request'].includes(step.kind) || isClaimed(step)
  const paint = isWrong ? colors.red : isAside ? colors.dim : (text: string): string => text
  return `${colors.dim(head)}${paint(`${label}  ${gist}`)}${colors.dim(end)}`.trimEnd()
}

function labelOf(step: Line): string {
  if (step.kind === 'request') return 'to the model'
  if (step.kind === 'message') return step.role
  if (step.kind === 'tool-call') return step.name === '' ? '(no name)' : step.name
  if (step.kind === 'file-change') return step.change
  return step.kind === 'other' ? 'unknown' : step.kind
}

function aboutOf(step: Line): string {
  if (step.kind === 'request') return requestWords(step)
  if (step.kind === 'file-change') return oneLine(step.path)
  if (step.kind === 'skill') return oneLine(step.name)
  if (step.kind === 'other') return oneLine(step.type)
  if (step.kind !== 'tool-call') return oneLine(step.text)
  const came = step.result === null ? '(no result)' : oneLine(step.result)
  return `${gistOf(step.args)} → ${step.failed ? 'failed: ' : ''}${came === '' ? '(nothing)' : came}`
}

/** Formats the duration, cost and usage of a step, which are printed after its text. */
function endOf(step: Line): string {
  const said = [
    ...((step.kind === 'tool-call' || step.kind === 'request') && step.ms !== null
      ? [seconds(step.ms)]
      : []),
    ...('usd' in step && step.usd !== undefined && step.usd !== null ? [dollars(step.usd)] : []),
    ...(isClaimed(step) ? ['only the agent says so'] : []),
  ]
  return said.length === 0 ? '' : ` (${said.join(', ')})`
}

function stepTexts(step: Line, options: ShowOptions): string[] {
  const { colors, width } = options
  const titled = (title: string, text: string): string[] => [
    colors.dim(`${INDENT}${title}:`),
    ...textLines(text, `${INDENT}  `),
  ]
  if (step.kind === 'request') return []
  const usage = 'usage' in step ? step.usage : undefined
  return [
    ...(step.kind === 'tool-call'
      ? [
          ...titled('arguments', jsonOf(step.args, 2)),
          ...(step.result === null ? [] : titled('result', step.result)),
        ]
      : []),
    ...(step.kind === 'other' ? textLines(step.raw, INDENT) : []),
    ...('text' in step && !isShort(step.text) ? textLines(step.text, INDENT) : []),
    ...(usage === undefined
      ? []
      : wrap(`tokens: ${tokenWords(usage)}`, width - INDENT.length).map((line) =>
          colors.dim(`${INDENT}${line}`),
        )),
  ]
}

/** Whether the line of the step already shows the whole text. */
const isShort = (text: string): boolean => text.length <= 40 && !text.includes('\n')

const INDENT = ' '.repeat(10)

const textLines = (text: string, indent: string): string[] =>
  plainLines(text.toWellFormed())
    .replace(/\n$/, '')
    .split('\n')
    .map((line) => `${indent}${line}`.trimEnd())

// ── Changes ──────────────────────────────────────────────────────────────────────────────────────────

const LETTERS = { added: 'A', changed: 'M', deleted: 'D' } as const

function diffLines(diff: WorkspaceDiff, options: ShowOptions): string[] {
  const { changes } = diff
  const { colors, full } = options
  const unkept = [...folderLines(diff, options), ...unkeptLines(diff, options)]
  if (changes.length === 0)
    return unkept.length > 0 ? unkept : [colors.dim('  (nothing: the folder is as it was)')]
  const shown = full ? changes : changes.slice(0, MOST_CHANGES)
  const more = changes.length - shown.length
  return [
    ...shown.flatMap((change) => [
      changeLine(change, options),
      ...(full ? patchLines(change, options) : []),
    ]),
    ...(more > 0 ? [colors.dim(`  … and ${counted(more, 'more file')}: --full lists all`)] : []),
    ...unkept,
  ]
}

/** Formats added and deleted empty folders, and unusual permissions. */
function folderLines(
  { folders = [], permissions = {} }: WorkspaceDiff,
  { colors, width, full }: ShowOptions,
): string[] {
  const lines = [
    ...folders.map(({ path, change }) => `${LETTERS[change]} ${path}/ (empty folder)`),
    ...Object.entries(permissions).map(([path, bits]) => `  ${path} (permissions ${bits})`),
  ]
  const listed = lines.slice(0, full ? lines.length : MOST_LISTED)
  const more = lines.length - listed.length
  return [
    ...listed.map((line) => `  ${cut(plain(oneLine(line.toWellFormed())), width - 4)}`),
    ...(more > 0
      ? [
          colors.dim(
            `  … and ${counted(more, 'more folder or permission', 'more folders and permissions')}: --full lists all`,
          ),
        ]
      : []),
  ]
}

function unkeptLines(
  { unkept = [], oddities = [] }: WorkspaceDiff,
  { colors, width, full }: ShowOptions,
): string[] {
  if (unkept.length === 0) return []
  const listed = oddities.slice(0, full ? oddities.length : MOST_LISTED)
  return [
    ...wrap(`${unkeptWords(unkept.length)}${listed.length > 0 ? ':' : ''}`, width - 2),
    ...listed.map(
      (oddity) => `  ${cut(plain(oneLine(oddity.slice(0, MOST_SAID).toWellFormed())), width - 4)}`,
    ),
  ].map((line) => colors.dim(`  ${line}`))
}

/** Formats one changed file, such as `  M src/a.ts +3 −1`. */
function changeLine(change: FileChange, { width, colors }: ShowOptions): string {
  const lines = linesOf(change.patch ?? '')
  const notes = plain(changeNotes(change).join(', '))
  const counts =
    lines.added + lines.removed === 0 ? '' : ` +${count(lines.added)} −${count(lines.removed)}`
  const room = width - 4 - counts.length
  const note = notes === '' ? '' : ` (${cut(notes, Math.floor(room / 2) - 3)})`
  const path = cut(plain(oneLine(change.path)), room - displayWidth(note))
  const paint = { added: colors.green, changed: colors.yellow, deleted: colors.red }[change.change]
  return `  ${paint(LETTERS[change.change])} ${path}${counts}${colors.dim(note)}`
}

function patchLines({ patch = '' }: FileChange, { colors }: ShowOptions): string[] {
  if (patch === '') return []
  return textLines(patch, '    ').map((line) => {
    const sign = line.charAt(4)
    return sign === '+' ? colors.green(line) : sign === '-' ? colors.red(line) : colors.dim(line)
  })
}
