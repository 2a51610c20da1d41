/**
 * Reads the logs of all parts and chooses, for each trial, the line that counts in the merged run. Usually a trial is in
 * one part only. If two runs of the same part have it, the earlier run counts, because whoever could choose would choose
 * the better result. Only an errored trial gives way to one that is not.
 */
import { plain, RunError, UsageError, type Trial } from '@assay/contract'
import { memberOf, namedDamage, readTrials, type Plan } from '../log/index.ts'
import { shellWord } from '../text/index.ts'
import type { Part } from './check-parts.ts'

const NONE = -1

/** A blob that a line refers to, and the part that has it. */
export interface StoredText {
  readonly bytes: number
  readonly part: Part
}

export interface ChosenLines {
  /** By ordinal: the position of the chosen line's part, or −1 if no part has the trial. */
  readonly owner: Int32Array
  /** By ordinal: the offset of the chosen line in the log of its part. */
  readonly start: Float64Array
  /** By ordinal: 1 if the chosen line is errored. */
  readonly errored: Uint8Array
  /** The trials that are in several parts, and how many of them ended differently there. */
  readonly twice: number
  readonly differing: number
  /** By part: the number of lines, and the number of bytes that were read. */
  readonly logs: readonly { readonly lines: number; readonly bytes: number }[]
  /** By hash: the texts that lines refer to. */
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
  /** For the parts that share a trial: what the chosen line says. Filled only for parts that were run twice. */
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
      // The line of a case that changed since then. It is copied, because its money was spent, but it does not count.
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
        `${plain(part.folder)}: ${namedDamage(read)}. Run those trials again with assay run --resume ${shellWord(plain(part.folder))}, then merge. Nothing was merged`,
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

/** Collects the references to stored texts, wherever in the value they are, and however deep. */
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
    // The facts of a grade are whatever its grader returned, so they refer to no text.
    const isGrade = typeof weight === 'number'
    for (const [key, inner] of Object.entries(one))
      if (!(isGrade && key === 'facts')) left.push(inner)
  }
}
