/** The shape of a run's record, as `RunRecord` says it. */
import {
  amount,
  entriesOf,
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
} from './shape.ts'

const suite = table(
  {
    id: text,
    name: text,
    path: text,
    format: text,
    hash: text,
    threshold: orNull(share),
    cases: listOf(table({ id: text, hash: text, trials: whole(0) })),
    text: storedText,
  },
  { codeWeights: listOf(table({ compile: share, tests: share, lint: share })) },
)

const subject = table({ id: text, kind: text, source: text, config: json, hash: text })

const experiment = table({
  name: orNull(text),
  tiers: listOf(table({ order: listOf(text), baseline: text })),
  varies: listOf(text),
  composite: table({ pass: number, impl: number }),
  grades: table({ steps: listOf(table({ grade: text, least: number })), below: text }),
  impl: oneOf('judge', 'score'),
})

const access = table(
  { for: text, does: text },
  { program: text, variable: orNull(text), to: text, path: text },
)

const revision = table(
  {
    at: text,
    suites: listOf(suite),
    subjects: listOf(subject),
    passK: listOf(whole(1)),
    timeoutMs: amount,
    gradeTimeoutMs: amount,
    budgetUsd: orNull(amount),
    request: json,
    prices: text,
  },
  {
    judges: listOf(subject),
    agentTimeoutMs: amount,
    sandbox: text,
    toolchains: entriesOf(text),
    experiment,
    unmasked: table({}, { short: listOf(text), written: listOf(text) }),
    access: listOf(access),
    consent: json,
  },
)

export const recordShape: Check = table(
  {
    id: text,
    createdAt: text,
    tool: table({ version: text, node: text, platform: text }),
    seed: whole(0),
    revisions: listOf(revision),
    ended: orNone(table({ at: text, how: oneOf('complete', 'budget', 'interrupted', 'failed') })),
  },
  { regrades: table({ id: text, folder: text }) },
)
