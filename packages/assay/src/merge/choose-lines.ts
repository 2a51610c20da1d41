/**
 * Reads the logs of all parts and chooses, for each trial, the line that counts in the merged run. Usually only one
 * part has a trial. If the same part was run twice, the line of the earlier run counts. If people could choose, they
 * would choose the better result, and the figures would be biased. Only an errored trial is replaced by one that did
 * not error.
 */
import { plain, RunError, UsageError, type Trial, shellPath } from '@assay/contract'
import { memberOf, namedDamage, readTrials, type Plan } from '../log/index.ts'
import type { Part } from './check-parts.ts'

const NONE = -1

/** A stored text that a line refers to, and the part that has it. */
export interface StoredText {
  readonly bytes: number
  readonly part: Part
}

export interface ChosenLines {
  /**
   * For each trial, by ordinal (its position in the plan): the index of the part whose line was chosen. −1 if no part
   * has the trial.
   */
  readonly owner: Int32Array
  /** For each trial, by ordinal: the offset of the chosen line in the log of its part. */
  readonly start: Float64Array
  /** For each trial, by ordinal: 1 if the trial of the chosen line errored. */
  readonly errored: Uint8Array
  /**
   * The number of trials that are in several runs of one part. The next field counts how many of these have different
   * outcomes or scores.
   */
  readonly twice: number
  readonly differing: number
  /** By part: the number of lines, and the number of bytes that were read. */
  readonly logs: readonly { readonly lines: number; readonly bytes: number }[]
  /** The stored texts that lines refer to, by hash. */
  readonly texts: ReadonlyMap<string, StoredText>
  /** The folders whose log ends in an incomplete line. */
  readonly torn: readonly string[]
}

interface Line {
  readonly start: number
  readonly outcome: Trial['outcome']
  readonly score: number | null
}

export async function chooseLines(parts: readonly Part[], plan: Plan): Promise<ChosenLines> {
  const owner = new Int32Array(plan.planned).fill(NONE)
  const start = new Float64Array(plan.planned)
  const errored = new Uint8Array(plan.planned)
  const logs: { lines: number; bytes: number }[] = []
  const texts = new Map<string, StoredText>()
  const torn: string[] = []
  let twice = 0
  let differing = 0
  /** The parts that were run twice. `chosen` has the chosen line of each of their trials. */
  const runTwice = sharedShards(parts)
  const chosen = new Map<number, Line>()
  for (const [position, part] of parts.entries()) {
    const isShared = runTwice.has(part.shard.index)
    const isMine = membership(part, plan)
    const again = new Map<number, Line>()
    let lines = 0
    let misplaced: Trial | null = null
    const read = await readTrials(part.folder, (trial, at) => {
      lines++
      collectTexts(trial, part, texts)
      const ordinal = plan.ordinalOf(trial)
      // The case has changed since this line was written. The line is copied, because its money was spent, but it does
      // not count.
      if (ordinal === null || plan.cellAt(ordinal).case.hash !== trial.caseHash) return
      if (!isMine(trial, ordinal)) misplaced ??= trial
      const line = { start: at, outcome: trial.outcome, score: trial.score }
      if (owner[ordinal] !== NONE && owner[ordinal] !== position) {
        again.set(ordinal, line)
        return
      }
      owner[ordinal] = position
      start[ordinal] = at
      errored[ordinal] = trial.outcome === 'errored' ? 1 : 0
      if (isShared) chosen.set(ordinal, line)
    })
    if (misplaced !== null) throw strayTrial(part, misplaced)
    if (read.damaged > 0)
      throw new RunError(
        `${plain(part.folder)}: ${namedDamage(read)}. Run those trials again with assay run --resume ${shellPath(part.folder)}, then merge. Nothing was merged`,
      )
    if (read.torn) torn.push(part.folder)
    logs.push({ lines, bytes: read.length })
    for (const [ordinal, line] of again) {
      const before = chosen.get(ordinal)
      twice++
      if (before?.outcome !== line.outcome || before.score !== line.score) differing++
      if (before?.outcome !== 'errored' || line.outcome === 'errored') continue
      owner[ordinal] = position
      start[ordinal] = line.start
      errored[ordinal] = 0
      chosen.set(ordinal, line)
    }
  }
  return { owner, start, errored, twice, differing, logs, texts, torn }
}

function sharedShards(parts: readonly Part[]): ReadonlySet<number> {
  const seen = new Set<number>()
  return new Set(
    parts.flatMap(({ shard: { index } }) => {
      if (seen.has(index)) return [index]
      seen.add(index)
      return []
    }),
  )
}

const strayTrial = ({ folder, shard }: Part, trial: Trial): UsageError =>
  new UsageError(
    plain(
      `${folder} says that it is part ${shard.index} of ${shard.of}, but it has trial ${trial.index} of case ${trial.case} by ${trial.subject}, which belongs to another part. Nothing was merged`,
    ),
  )

/** Returns whether a trial belongs to a part. */
function membership({ shard }: Part, plan: Plan): (trial: Trial, ordinal: number) => boolean {
  const cells = new Map<object, (index: number) => boolean>()
  return (trial, ordinal) => {
    const cell = plan.cellAt(ordinal)
    let isMember = cells.get(cell)
    if (isMember === undefined) cells.set(cell, (isMember = memberOf(shard, trial)))
    return isMember(trial.index)
  }
}

const BLOB = /^[0-9a-f]{64}$/

/** Collects the references to stored texts at any depth of a value. */
export function collectTexts(value: unknown, part: Part, texts: Map<string, StoredText>): void {
  const left: unknown[] = [value]
  while (left.length > 0) {
    const one = left.pop()
    if (typeof one !== 'object' || one === null) continue
    const { blob, bytes, weight } = one as Readonly<Record<string, unknown>>
    if (typeof blob === 'string' && BLOB.test(blob) && typeof bytes === 'number') {
      if (!texts.has(blob)) texts.set(blob, { bytes, part })
      continue
    }
    // The facts of a grade are whatever its grader returned. So something in them that looks like a reference is not
    // one.
    const isGrade = typeof weight === 'number'
    for (const [key, inner] of Object.entries(one))
      if (!(isGrade && key === 'facts')) left.push(inner)
  }
}
