/** Checks that a trial line has the shape of `Trial`, and a line of `pending.jsonl` the shape of an ungraded answer. */
import { STOPS } from '@assay/contract'
import {
  amount,
  entriesOf,
  flag,
  json,
  listOf,
  number,
  oneOf,
  orNone,
  orNull,
  share,
  storedText,
  table,
  text,
  whole,
  type Check,
  type Misfit,
} from './shape.ts'

/** The maximum depth of graders inside graders. Deeper nesting would overflow the stack of a recursive function. */
const MOST_NESTED = 50

const gradeFields = table(
  { name: text, type: text, score: orNull(share) },
  {
    passed: orNull(flag),
    weight: number,
    required: flag,
    reason: text,
    evidence: storedText,
    facts: json,
    integrity: text,
    cause: text,
  },
)

const gradeWithin =
  (levels: number): Check =>
  (value) => {
    const found = gradeFields(value)
    if (found !== null) return found
    const { details } = value as { readonly details?: unknown }
    if (details === undefined) return null
    return inDetails(
      levels === 0
        ? { path: [], expected: `grades of at most ${MOST_NESTED} levels` }
        : listOf(gradeWithin(levels - 1))(details),
    )
  }

function inDetails(found: Misfit | null): Misfit | null {
  found?.path.unshift('details')
  return found
}

const amounts = (...names: readonly string[]) =>
  Object.fromEntries(names.map((name) => [name, orNone(amount)]))

const attempt = table(
  { status: orNull(number), usd: orNull(amount), ms: amount, waitMs: amount },
  { error: text },
)

const identity = { suite: text, case: text, subject: text, index: whole(0) }

export const identityShape: Check = table(identity)

const usage = orNull(table(amounts('input', 'cacheRead', 'cacheWrite', 'output', 'reasoning')))

/** The optional parts that a trial or an answer may have in addition to its text. */
const parts = {
  files: entriesOf(storedText),
  trajectory: storedText,
  stream: storedText,
  diff: storedText,
  messages: storedText,
  isJson: flag,
  log: storedText,
  traffic: storedText,
  remarks: listOf(text),
}

const answered = {
  ...identity,
  answer: orNone(storedText),
  usage,
  cost: table(amounts('answerUsd', 'judgeUsd', 'spentUsd')),
  time: table(amounts('answerMs', 'waitMs', 'gradeMs'), { startedAt: text, durationMs: amount }),
}

const gatewayModel = table(
  { model: text, requests: amount, refused: amount, usage, usd: orNull(amount), ms: amount },
  { estimated: flag },
)

/** The usage that Assay's gateway counted, and the usage that the agent itself reported. */
const gateway = {
  gateway: listOf(gatewayModel),
  claimed: table({ usage, usd: orNull(amount) }),
  network: text,
}

const maybeAnswered = {
  caseHash: text,
  reason: table({ code: text, text }),
  ...parts,
  attempts: listOf(attempt),
  source: text,
  masked: listOf(text),
  ...gateway,
}

export const trialShape: Check = table(
  {
    ...answered,
    outcome: oneOf('passed', 'failed', 'unscored', 'errored'),
    score: orNull(share),
    implRate: orNone(share),
    grades: listOf(gradeWithin(MOST_NESTED)),
  },
  { ...maybeAnswered, sandbox: text },
)

/** The shape of a trial without the fields that grading adds. */
export const answeredShape: Check = table(answered, maybeAnswered)

/** The shape of a line of `pending.jsonl`: an answer that is not graded yet. */
export const pendingShape: Check = table(
  {
    ...identity,
    caseHash: text,
    answer: table(
      { text: storedText, stop: oneOf(...STOPS), usage, usd: orNull(amount) },
      { ...parts, ...gateway, note: text, spentUsd: amount, ms: amount },
    ),
    attempts: listOf(attempt),
    spentUsd: amount,
    answerUsd: orNull(amount),
  },
  { startedAt: text, answerMs: amount, waitMs: amount, source: text, masked: listOf(text) },
)
