/**
 * Adds labels (verdicts of people on answers) to a run. First it checks that they name trials and answers of this
 * run.
 */
import { plain, type Label } from '@assay/contract'
import { answerHash, appendLabels, labelKey, readLabels } from '../../log/index.ts'
import { positionsIn, type RunReport } from '../../report/index.ts'
import type { OpenRun } from '../open-runs.ts'
import { Refusal } from '../request/refusal.ts'
import { sentLabelSchema } from './label-input.ts'

/** Adds a label that a page sends. Throws `Refusal` if it does not fit the run. */
export async function addReviewed({ source }: OpenRun, sent: unknown): Promise<Label> {
  const parsed = sentLabelSchema.safeParse(sent)
  if (!parsed.success) {
    const [issue] = parsed.error.issues
    throw new Refusal(400, `${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'not a label'}`)
  }
  const { position, ...rest } = parsed.data
  const { suite, case: one, subject } = rest
  const trial = source.trialAt(suite, one, subject, position)
  if (trial === null) throw new Refusal(404, 'there is no such trial in this run')
  if (answerHash(trial) !== rest.answer)
    throw new Refusal(409, 'this trial has another answer now: look at it again')
  const label: Label = {
    ...rest,
    reviewer: rest.reviewer.trim(),
    index: trial.index,
    at: new Date().toISOString(),
  }
  appendLabels(source.folder, [label])
  return label
}

/** A label that does not fit the run. `at` is its index in the list. */
export interface LabelFault {
  readonly at: number
  readonly message: string
}

/**
 * Checks labels against a run. Returns a fault for each label whose trial is not in the run. `outdated` counts the
 * labels whose trial now has another answer.
 */
export function checkLabels(
  source: Pick<RunReport, 'report' | 'trialAt'>,
  labels: readonly Label[],
): { readonly faults: readonly LabelFault[]; readonly outdated: number } {
  const positionOf = positionsIn(source.report)
  const faults: LabelFault[] = []
  let outdated = 0
  for (const [at, label] of labels.entries()) {
    const position = positionOf(label)
    const { suite, case: one, subject, index } = label
    const trial = position === null ? null : source.trialAt(suite, one, subject, position)
    if (trial === null)
      faults.push({
        at,
        message: plain(
          `this run has no trial ${index} of ${subject} on case ${one} of suite ${suite}`,
        ),
      })
    else if (answerHash(trial) !== label.answer) outdated++
  }
  return { faults, outdated }
}

/**
 * Adds labels that were given elsewhere. A label that the run already has is not added again. A label is also not
 * added if it is older than the same person's current label of that trial.
 */
export async function addLabels(
  folder: string,
  labels: readonly Label[],
): Promise<{ readonly added: number; readonly known: number; readonly older: number }> {
  const { labels: given, withdrawn } = await readLabels(folder)
  const present = new Map([...given, ...withdrawn].map((one) => [labelKey(one), one]))
  let [known, older] = [0, 0]
  const added = labels.filter((label) => {
    const mine = present.get(labelKey(label))
    if (mine === undefined || mine.at < label.at) return true
    if (mine.at === label.at) known++
    else older++
    return false
  })
  appendLabels(folder, added)
  return { added: added.length, known, older }
}
