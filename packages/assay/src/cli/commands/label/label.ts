/**
 * `assay label`: shows the labels (verdicts of people) of a run and what they say about its judges. It can also add
 * labels.
 */
import { LABEL_LIMITS, plain, UsageError, type Label, type LabelVerdict } from '@assay/contract'
import { check, readDocument, readText, takeNotes } from '../../../documents/index.ts'
import { indexKey } from '../../../environment/index.ts'
import { answerHash, appendLabels } from '../../../log/index.ts'
import { readRun, select, type RunReport } from '../../../report/index.ts'
import { reviewFigures } from '../../../report/view-data/index.ts'
import { counted } from '../../../text/index.ts'
import { addLabels, checkLabels, labelsFileSchema, reviewOf } from '../../../view/index.ts'
import { checkReadHere } from '../../../trust/root.ts'
import { runAnnouncer } from '../../output/announce-run.ts'
import { printedJson, warn, type Output } from '../../output/output.ts'
import { findRun, findRunToChange, runSources } from '../../settings/find-run.ts'
import { reviewLines } from './review-text.ts'

export interface LabelFlags {
  readonly run: string
  readonly case?: string
  readonly index?: string
  readonly verdict?: LabelVerdict
  readonly reviewer?: string
  readonly note?: string
  readonly subject?: string
  readonly suite?: string
  readonly import?: string
  readonly json?: boolean
  readonly acceptEdited?: boolean
}

export async function labelCommand(flags: LabelFlags, output: Output): Promise<number> {
  const { run, acceptEdited = false } = flags
  checkTogether(flags)
  const changes = flags.import !== undefined || flags.case !== undefined
  const sources = await runSources()
  const found = changes ? findRunToChange(run, sources) : findRun(run, sources)
  const folder = await runAnnouncer(output)(found)
  const source = await readRun(folder, { indexKey, acceptEdited })
  if (flags.import !== undefined) return importLabels(flags.import, source, output)
  if (flags.case !== undefined) return labelTrial(flags, source, output)
  return showLabels(source, flags.json ?? false, output)
}

/** Throws `UsageError` for flags that cannot be combined. */
function checkTogether({ case: one, index, verdict, reviewer, note, ...rest }: LabelFlags): void {
  const isLabel = [one, index, verdict, reviewer, note].some((value) => value !== undefined)
  if (rest.import !== undefined && isLabel)
    throw new UsageError('--import adds the labels of a file: give no case, verdict or person')
  if (!isLabel) return
  if (one === undefined || index === undefined)
    throw new UsageError('say which trial: assay label RUN CASE INDEX --verdict … --reviewer …')
  if (!/^\d{1,9}$/.test(index))
    throw new UsageError(`"${index}" is not a trial: expected a whole number from 0 on`)
  if (verdict === undefined || reviewer === undefined || reviewer.trim() === '')
    throw new UsageError('a label needs --verdict and --reviewer, the name of the person')
  if (reviewer.length > LABEL_LIMITS.reviewer)
    throw new UsageError(`--reviewer: at most ${LABEL_LIMITS.reviewer} characters`)
  if ((note ?? '').length > LABEL_LIMITS.note)
    throw new UsageError(`--note: at most ${LABEL_LIMITS.note} characters`)
}

async function labelTrial(flags: LabelFlags, source: RunReport, output: Output): Promise<number> {
  const { verdict = 'unsure', reviewer = '', note = '', subject, suite } = flags
  const index = Number(flags.index)
  const shown = await select(source, { case: flags.case, index, subject, suite }, 1)
  if (shown.kind !== 'trial') throw new UsageError('this names no single trial')
  const { trial } = shown
  const label: Label = {
    ...{ suite: trial.suite, case: trial.case, subject: trial.subject, index: trial.index },
    answer: answerHash(trial),
    reviewer: reviewer.trim(),
    verdict,
    note,
    blind: false,
    // The user named this trial, so the label does not belong to a random sample.
    picked: 'chosen',
    at: new Date().toISOString(),
  }
  appendLabels(source.folder, [label])
  output.err(
    `${plain(`${label.reviewer}: ${verdict} for trial ${label.index} of ${label.subject} on ${label.case}`)}\n`,
  )
  return 0
}

async function importLabels(file: string, source: RunReport, output: Output): Promise<number> {
  checkReadHere(file)
  const document = readDocument(file, await readText(file), 'json')
  const notes = takeNotes(document)
  const read = check(labelsFileSchema, document.value, notes)
  notes.done()
  if (read === undefined) throw new UsageError(`${file} is not a file of labels`)
  if (read.run !== source.record.id)
    throw new UsageError(
      `${file} has labels of the run ${read.run}, and ${source.folder} is the run ${source.record.id}: name the run that was reviewed`,
    )
  const { faults, outdated } = checkLabels(source, read.labels)
  for (const { at, message } of faults)
    notes.problem(['labels', at], { expected: 'a trial of this run', message })
  notes.done()
  const { added, known, older } = await addLabels(source.folder, read.labels)
  const told = [
    `${counted(added, 'label')} added to ${source.folder}`,
    ...(known === 0 ? [] : [`${known} there already`]),
    ...(older === 0 ? [] : [`${older} older than the same person’s label there, and left out`]),
  ]
  output.err(`${plain(told.join('; '))}\n`)
  if (outdated > 0)
    warn(
      output,
      `${counted(outdated, 'label is', 'labels are')} of answers that were replaced since: they do not count`,
    )
  return 0
}

async function showLabels(source: RunReport, json: boolean, output: Output): Promise<number> {
  const review = await reviewOf(source)
  const figures = reviewFigures(review)
  for (const note of review.notes) warn(output, note)
  if (json) {
    const labels = review.labels.map(({ label, isCurrent }) => ({ ...label, isCurrent }))
    output.out(`${printedJson({ run: review.run, labels, ...figures }, 2)}\n`)
    return 0
  }
  if (review.labels.length === 0)
    output.err('nobody has reviewed this run yet: assay view has a page for that\n')
  else output.out(`${reviewLines(figures, output.width).join('\n')}\n`)
  return 0
}
