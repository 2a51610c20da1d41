/** Prints one trial in full: the prompt, the answer, all grades, and the trial's time and cost. */
import { type Attempt, type Grade, type Text, type Trial, plain, plainLines } from '@assay/contract'
import { durationMsOf } from '../../log/index.ts'
import { counted, dollars, seconds, wrap } from '../../text/index.ts'
import { readMessages } from './said.ts'
import { actLines } from './show-trajectory.ts'
import type { ShownCell } from './show-select.ts'
import type { ShowOptions } from './show-options.ts'

/** The maximum sizes of one text. `--full` removes these limits. */
const MOST_CHARACTERS = 4000
const MOST_LINES = 60
const MOST_BRIEF = 2000
const MOST_REMARKS = 20

export function renderTrial(read: Trial, cell: ShownCell, options: ShowOptions): string[] {
  const { colors } = options
  const trial = completed(read)
  return [
    ...headLines(trial, options),
    ...(trial.messages === undefined
      ? askedLines(cell, options)
      : saidLines(trial.messages, cell, options)),
    ...textSection('answer', trial.answer, options),
    ...(trial.log === undefined ? [] : textSection('printed', trial.log, options)),
    ...Object.entries(trial.files ?? {}).flatMap(([path, text]) =>
      textSection(`file ${plain(path)}`, text, options),
    ),
    ...actLines(trial, options),
    ...(trial.grades.length === 0
      ? []
      : ['', colors.bold('grades'), ...trial.grades.flatMap((one) => gradeLines(one, 1, options))]),
    ...attemptLines(trial.attempts ?? [], options),
  ]
}

/** Adds the fields that Assay always writes but that may be missing in a log of another program. */
function completed(trial: Trial): Trial {
  const { source, implRate, cost, time }: Partial<Trial> = trial
  return {
    ...trial,
    source: source ?? ('unknown' as Trial['source']),
    implRate: implRate ?? null,
    cost: { ...NO_COST, ...cost },
    time: { ...NO_TIME, ...time },
  }
}

const NO_COST: Trial['cost'] = { answerUsd: null, judgeUsd: null, spentUsd: 0 }
const NO_TIME: Trial['time'] = {
  ...{ startedAt: 'at an unknown time', answerMs: 0, waitMs: 0, gradeMs: 0 },
}

function headLines(trial: Trial, { width, colors }: ShowOptions): string[] {
  const { suite, case: id, subject, index, outcome, reason, score } = trial
  const paint =
    outcome === 'passed' ? colors.green : outcome === 'unscored' ? colors.yellow : colors.red
  const said = reason === undefined ? '' : `: ${brief(`${reason.code}: ${reason.text}`)}`
  return [
    ...wrap(plain(`trial ${index} of ${id} by ${subject} (${suite})`), width).map(colors.bold),
    ...wrap(`${outcome}${said}`, width).map(paint),
    ...wrap(
      [`score ${score === null ? 'none' : round(score)}`, ...figuresOf(trial)].join(' · '),
      width,
    ).map(colors.dim),
    ...remarksOf(trial).flatMap((one) => wrap(`note: ${brief(one)}`, width)),
  ]
}

/**
 * Returns remarks that a reader needs in addition to the outcome. A log of another program may have values of any type
 * in this field.
 */
export function remarksOf({ remarks, masked }: Trial): string[] {
  const said: readonly unknown[] = Array.isArray(remarks) ? remarks : []
  const parts: readonly unknown[] = Array.isArray(masked) ? masked : []
  return [
    ...said.slice(0, MOST_REMARKS).map(String),
    ...(parts.length === 0
      ? []
      : [`secrets are masked here in: ${parts.slice(0, 4).join(', ')}; graders saw them`]),
  ]
}

function figuresOf({ implRate, cost, time, usage, source, sandbox, network }: Trial): string[] {
  const money = [
    cost.answerUsd === null ? 'price unknown' : `${dollars(cost.answerUsd)} for the answer`,
    ...(cost.judgeUsd === null ? [] : [`${dollars(cost.judgeUsd)} for judges`]),
  ]
  const tokens =
    usage === null
      ? []
      : [
          `${usage.input} tokens in`,
          ...(usage.cacheRead > 0 ? [`${usage.cacheRead} read from cache`] : []),
          ...(usage.cacheWrite > 0 ? [`${usage.cacheWrite} written to cache`] : []),
          `${usage.output} out${usage.reasoning > 0 ? ` (${usage.reasoning} reasoning)` : ''}`,
        ]
  return [
    ...(implRate === null ? [] : [`judged ${round(implRate)}`]),
    ...money,
    ...tokens,
    `took ${seconds(durationMsOf(time))}`,
    `answered in ${seconds(time.answerMs)}`,
    ...(time.waitMs >= 1 ? [`waited ${seconds(time.waitMs)}`] : []),
    `graded in ${seconds(time.gradeMs)}`,
    `started ${plain(time.startedAt)}`,
    `source ${plain(source)}`,
    ...(sandbox === undefined ? [] : [`sandbox ${plain(sandbox)}`]),
    ...(network === undefined ? [] : [`network ${plain(network)}`]),
  ]
}

function askedLines({ asked }: ShownCell, options: ShowOptions): string[] {
  if (asked === null) return ['', options.colors.dim('the run does not hold what was asked')]
  const { turns } = asked
  return turns.flatMap((turn, i) =>
    textSection(turns.length === 1 ? 'prompt' : `turn ${i + 1} of ${turns.length}`, turn, options),
  )
}

/** Prints the conversation before the answer. If its record is damaged, prints the prompts of the case instead. */
function saidLines(messages: Text, cell: ShownCell, options: ShowOptions): string[] {
  const said = readMessages(options.text(messages))
  if (said === null) return askedLines(cell, options)
  return said.flatMap(({ title, content }) => textSection(title, content, options))
}

function textSection(title: string, text: Text | null, options: ShowOptions): string[] {
  return ['', options.colors.bold(title), ...textLines(text, '  ', options)]
}

/** Returns the lines of a text. Characters that a terminal would interpret are replaced. */
function textLines(text: Text | null, indent: string, options: ShowOptions): string[] {
  const { colors, full } = options
  if (text === null) return [colors.dim(`${indent}(none)`)]
  const most = full ? undefined : MOST_CHARACTERS + 1
  const found = options.text(text, most)
  if (found === null) return [colors.dim(`${indent}(the text is no longer in the run folder)`)]
  if (found === '') return [colors.dim(`${indent}(empty)`)]
  const kept = full ? found : found.slice(0, MOST_CHARACTERS)
  const all = plainLines(kept.toWellFormed()).replace(/\n$/, '').split('\n')
  const lines = full ? all : all.slice(0, MOST_LINES)
  const shown = lines.map((line) => paintFence(`${indent}${line}`.trimEnd(), options))
  if (found.length === kept.length && lines.length === all.length) return shown
  return [...shown, colors.dim(`${indent}… cut here: --full shows all${sizeOf(text)}`)]
}

const sizeOf = (text: Text): string =>
  typeof text === 'string' ? '' : ` ${counted(text.bytes, 'byte')}`

/** Prints the fences of code blocks (such as ```) in a dim colour, so that the code is easier to see. */
const paintFence = (line: string, { colors }: ShowOptions): string =>
  /^\s*(```|~~~)/.test(line) ? colors.dim(line) : line

// ── Grades ───────────────────────────────────────────────────────────────────────────────────────────

const VERDICT = new Map<boolean | null, string>([
  [true, '✓'],
  [false, '✗'],
  [null, '·'],
])

/** Formats all grades of a trial in one line. */
export const gradesInShort = ({ grades }: Trial): string =>
  grades
    .map(({ name, passed, score }) =>
      plain(`${VERDICT.get(passed)} ${name}${score === null ? '' : ` ${round(score)}`}`),
    )
    .join('  ')

function gradeLines(grade: Grade, depth: number, options: ShowOptions): string[] {
  const { colors, width } = options
  const { name, type, score, passed, required, reason, evidence, integrity } = grade
  const { weight }: Partial<Grade> = grade
  const indent = '  '.repeat(depth)
  const facts = [
    ...(type === name || depth > 1 ? [] : [plain(type)]),
    `weight ${round(weight ?? 1)}`,
    ...(required === true ? ['required'] : []),
    ...(integrity === undefined ? [] : [`integrity ${plain(integrity)}`]),
  ]
  const paint = passed === true ? colors.green : passed === false ? colors.red : colors.dim
  const sign = VERDICT.get(passed) ?? '·'
  const head = `${plain(name)} ${score === null ? 'no score' : round(score)} (${facts.join(', ')})`
  return [
    `${indent}${paint(sign)} ${head}`,
    ...(reason === undefined
      ? []
      : wrap(brief(reason), width - indent.length - 2).map((line) => `${indent}  ${line}`)),
    ...(grade.details ?? []).flatMap((one) => gradeLines(one, depth + 1, options)),
    ...(evidence === undefined || evidence === ''
      ? []
      : [colors.dim(`${indent}  evidence:`), ...textLines(evidence, `${indent}    `, options)]),
  ]
}

function attemptLines(attempts: readonly Attempt[], { colors, width }: ShowOptions): string[] {
  if (attempts.length === 0) return []
  return [
    '',
    colors.bold(counted(attempts.length, 'request')),
    ...attempts.flatMap(({ status, error, usd, ms, waitMs }, i) => {
      const said = [
        `${i + 1}`,
        ...(status === null ? [] : [`status ${status}`]),
        brief(error ?? 'answered'),
        seconds(ms),
        ...(usd === null ? [] : [dollars(usd)]),
        ...(waitMs >= 1 ? [`then waited ${seconds(waitMs)}`] : []),
      ]
      return wrap(said.join(' · '), width - 2).map((line) => `  ${line}`)
    }),
  ]
}

/** Cuts a text to about the length of a paragraph. */
export const brief = (text: string): string =>
  plain(text.length > MOST_BRIEF ? `${text.slice(0, MOST_BRIEF).toWellFormed()}…` : text)

/** Formats a number with at most four decimals, without trailing zeros. */
const round = (value: number): string => String(Number(value.toFixed(4)))
