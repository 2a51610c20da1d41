/** Checks that `run.json` has the shape of `RunRecord`. */
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
} from './shape.ts'

const suite = table(
  {
    id: text,
    name: text,
    path: text,
    format: text,
    hash: text,
    threshold: orNull(share),
    cases: listOf(table({ id: text, hash: text, trials: whole(0) }, { code: flag, group: text })),
    text: storedText,
  },
  {
    codeWeights: listOf(table({ compile: share, tests: share, lint: share })),
    subjects: listOf(text),
  },
)

const subject = table({
  id: text,
  kind: text,
  source: oneOf('live', 'cache', 'replay', 'simulated'),
  config: json,
  hash: text,
})

/** Accepts two weights that are not both 0. With both 0, no weighted mean could be computed. */
const composite: Check = (value) => {
  const found = table({ pass: amount, impl: amount })(value)
  if (found !== null) return found
  const { pass, impl } = value as { readonly pass: number; readonly impl: number }
  return pass + impl > 0 ? null : { path: [], expected: 'weights that are not both 0' }
}

/** Accepts the lower limits of a letter grade scale, which must be in descending order. */
const steps: Check = (value) => {
  const found = listOf(table({ grade: text, least: number }))(value)
  if (found !== null) return found
  const least = (value as readonly { readonly least: number }[]).map((step) => step.least)
  const goesDown = least.every((one, i) => i === 0 || one < (least[i - 1] as number))
  return least.length > 0 && goesDown
    ? null
    : { path: [], expected: 'steps that go down from the best grade' }
}

const experiment = table(
  {
    name: orNull(text),
    tiers: listOf(table({ order: listOf(text), baseline: text })),
    varies: listOf(text),
    composite,
    grades: table({ steps, below: text }),
    impl: oneOf('judge', 'score'),
  },
  { file: text },
)

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
    parallelism: whole(1),
    sandbox: text,
    toolchains: entriesOf(text),
    programLimits: text,
    experiment,
    leftOut: table({
      words: text,
      suites: listOf(table({ suite: text, cases: whole(0), of: whole(1) })),
    }),
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
    ended: orNone(
      table({ at: text, how: oneOf('complete', 'partial', 'budget', 'interrupted', 'failed') }),
    ),
  },
  {
    regrades: table({ id: text, folder: text }, { edited: flag }),
    shard: table({ index: whole(1), of: whole(1) }),
    merged: listOf(text),
    commit: text,
    edited: flag,
    waits: listOf(
      table(
        { provider: text, waits: whole(1), from: text, until: text, why: text, trials: whole(0) },
        { gaveUp: flag },
      ),
    ),
    stoppedUsd: amount,
    askedAgain: whole(0),
  },
)
