/**
 * Collects the data for the Review page of a run: trials in a random order, the labels that people gave, and the
 * verdicts of the graders.
 */
import { counted } from '../../text/index.ts'
import {
  answerHash,
  hash32,
  lastRevision,
  memberIndexes,
  mixed,
  readLabels,
  type LabelsRead,
} from '../../log/index.ts'
import { positionsIn, type RunReport } from '../../report/index.ts'
import {
  raterKey,
  verdictsOf,
  type GivenVerdict,
  type Observed,
  type ReviewData,
  type ReviewedLabel,
  type ReviewItem,
} from '../../report/view-data/index.ts'

export interface ReviewFilter {
  readonly suite: string | null
  readonly subject: string | null
}

/** The limit on the trials to review. Nobody reviews more of them one by one. */
const MOST_ITEMS = 1000

interface Reviewed {
  readonly source: RunReport
}

export async function reviewData(
  { source }: Reviewed,
  filter: ReviewFilter,
  most: number = MOST_ITEMS,
): Promise<ReviewData> {
  const { queue, reviewable } = queueOf(source, filter, most)
  return { ...(await reviewOf(source)), queue, reviewable }
}

/** Returns the labels that people gave to the trials of a run. */
export const labelsOf = async (source: RunReport): Promise<readonly ReviewedLabel[]> =>
  reviewedLabels(source, await readLabels(source.folder))

/** Returns the labels of a run, and the verdicts that they are compared with. */
export async function reviewOf(
  source: RunReport,
): Promise<Omit<ReviewData, 'queue' | 'reviewable'>> {
  const read = await readLabels(source.folder)
  return {
    run: source.record.id,
    labels: reviewedLabels(source, read),
    observed: await observedIn(source),
    notes: labelNotes(read),
  }
}

const CANCELLED = 'c'
const ERRORED = 'e'

/**
 * Returns the trials that have an answer, in an order that depends only on the run and the trial. The user can
 * filter by suite and subject but not by outcome. Labels of failed trials alone would not show how good the judge
 * is.
 */
function queueOf(
  { report, record, outcomesOf }: RunReport,
  { suite, subject }: ReviewFilter,
  most: number,
): { queue: ReviewItem[]; reviewable: number } {
  const cells = report.subjects
    .filter((row) => (suite ?? row.suite) === row.suite && (subject ?? row.subject) === row.subject)
    .flatMap((row) =>
      row.cases.map((one) => ({ suite: row.suite, subject: row.subject, case: one.case })),
    )
  const keys: number[] = []
  const places: [cell: number, position: number][] = []
  for (const [i, cell] of cells.entries()) {
    const outcomes = outcomesOf(cell.suite, cell.case, cell.subject)
    const start = hash32(JSON.stringify([record.id, cell.suite, cell.case, cell.subject]))
    for (let position = 0; position < outcomes.length; position++) {
      const letter = outcomes[position]
      if (letter === CANCELLED || letter === ERRORED) continue
      keys.push(mixed(hash32(String(position), start)))
      places.push([i, position])
    }
  }
  const last = Uint32Array.from(keys).sort()[most - 1] ?? Number.POSITIVE_INFINITY
  const chosen = keys
    .flatMap((key, i) => (key <= last ? [{ key, place: places[i] as [number, number] }] : []))
    .toSorted((a, b) => a.key - b.key || a.place[0] - b.place[0] || a.place[1] - b.place[1])
    .slice(0, most)
  const { shard } = report.provenance
  return {
    queue: chosen.map(({ place: [i, position] }) => {
      const cell = cells[i] as (typeof cells)[number]
      const index =
        shard === undefined
          ? position
          : (memberIndexes(shard, cell, position + 1)[position] ?? position)
      return { ...cell, position, index }
    }),
    reviewable: keys.length,
  }
}

interface AnswerFacts {
  readonly hash: string
  readonly verdicts: readonly GivenVerdict[]
}

/** What was read about trials with labels. It is kept as long as the run does not change. */
const FACTS = new WeakMap<RunReport, Map<string, AnswerFacts | null>>()

function reviewedLabels(source: RunReport, { labels }: LabelsRead): ReviewedLabel[] {
  if (labels.length === 0) return []
  const known = FACTS.get(source) ?? new Map<string, AnswerFacts | null>()
  FACTS.set(source, known)
  const positionOf = positionsIn(source.report)
  return labels.flatMap((label) => {
    const position = positionOf(label)
    if (position === null) return []
    const { suite, case: one, subject } = label
    const key = JSON.stringify([suite, one, subject, position])
    let facts = known.get(key)
    if (facts === undefined) {
      const trial = source.trialAt(suite, one, subject, position)
      facts = trial === null ? null : { hash: answerHash(trial), verdicts: verdictsOf(trial) }
      known.set(key, facts)
    }
    const isCurrent = facts?.hash === label.answer
    return [{ label, position, isCurrent, verdicts: facts?.verdicts ?? [] }]
  })
}

const OBSERVED = new WeakMap<RunReport, Promise<readonly Observed[]>>()

function observedIn(source: RunReport): Promise<readonly Observed[]> {
  const known = OBSERVED.get(source)
  if (known !== undefined) return known
  const counting = countVerdicts(source)
  OBSERVED.set(source, counting)
  return counting
}

/**
 * Counts the verdicts for each subject. The report does not have the verdicts of judges per subject, so the trials
 * of a run with judges are read once more.
 */
async function countVerdicts({ report, record, trials }: RunReport): Promise<readonly Observed[]> {
  const all = report.subjects.map(({ suite, subject, counts: { passed, failed } }) => ({
    ...{ suite, subject, grader: null, judge: null },
    ...{ n: passed + failed, c: passed },
  }))
  if (lastRevision(record).judges === undefined) return all
  const judged = new Map<string, { row: Omit<Observed, 'n' | 'c'>; n: number; c: number }>()
  await trials((trial) => {
    const { suite, subject } = trial
    for (const { grader, judge, passed } of verdictsOf(trial)) {
      if (grader === null) continue
      const key = JSON.stringify([suite, subject, raterKey({ grader, judge })])
      const counts = judged.get(key) ?? { row: { suite, subject, grader, judge }, n: 0, c: 0 }
      judged.set(key, counts)
      counts.n++
      if (passed) counts.c++
    }
  })
  return [...all, ...[...judged.values()].map(({ row, n, c }) => ({ ...row, n, c }))]
}

const labelNotes = ({ torn, damaged, unread }: LabelsRead): string[] => [
  ...(torn ? ['the last line of labels.jsonl was cut short and is left out'] : []),
  ...(damaged > 0
    ? [
        `${counted(damaged, 'line')} of labels.jsonl cannot be read and ${damaged === 1 ? 'is' : 'are'} left out`,
      ]
    : []),
  ...(unread > 0 ? [`labels.jsonl is too long: ${counted(unread, 'line')} were not read`] : []),
]
