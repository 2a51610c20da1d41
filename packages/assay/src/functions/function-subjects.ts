/**
 * Turns the functions of suites into subjects. If several suites use the same name, that name is one subject, which
 * calls the function of the trial's suite.
 */
import path from 'node:path'
import type {
  Answer,
  Ask,
  FunctionHost,
  FunctionReply,
  Json,
  Subject,
  Suite,
} from '@assay/contract'

/**
 * How many calls run at once. The numbers are high, because functions mostly wait for something else, such as a server.
 */
const CONCURRENCY = { start: 16, most: 64 }

/** Returns one subject for each name. `variables` contains the user's environment variables that functions may get. */
export function functionSubjects(
  suites: readonly Suite[],
  variables: Readonly<Record<string, string | undefined>> = {},
): Subject[] {
  const byName = new Map<string, Map<string, { suite: Suite; host: FunctionHost }>>()
  for (const suite of suites) {
    const { functions: host } = suite
    if (host === undefined) continue
    for (const name of host.description.subjects) {
      const bySuite = byName.get(name) ?? new Map<string, { suite: Suite; host: FunctionHost }>()
      byName.set(name, bySuite.set(suite.id, { suite, host }))
    }
  }
  return [...byName].map(([name, bySuite]) => functionSubject(name, bySuite, variables))
}

function functionSubject(
  name: string,
  bySuite: ReadonlyMap<string, { readonly suite: Suite; readonly host: FunctionHost }>,
  variables: Readonly<Record<string, string | undefined>>,
): Subject {
  const all = [...bySuite.values()]
  const passed = all.flatMap(({ host }) => host.description.passEnv)
  return {
    id: name,
    kind: 'function',
    source: 'live',
    pool: 'functions',
    concurrency: CONCURRENCY,
    config: {
      function: name,
      suites: Object.fromEntries(all.map(({ suite, host }) => [suite.id, contentOf(suite, host)])),
      ...(passed.length === 0 ? {} : { env: [...new Set(passed)].sort() }),
    },
    secrets: passed.flatMap((key) => variables[key] ?? []),
    takesAllTurns: true,
    estimateUsd: () => null,
    async answer(ask) {
      const { host } = bySuite.get(ask.suite) ?? {}
      if (host === undefined) throw new Error(`${name} is not a function of ${ask.suite}`)
      return answerOf(await host.call(callOf(name, ask), ask.signal))
    },
    async close() {
      for (const { host } of all) await host.close()
    },
  }
}

/**
 * Returns the hashes of the project files that the suite's functions are made of. The keys are paths relative to the
 * suite.
 */
const contentOf = ({ path: file }: Suite, { files }: FunctionHost): Json =>
  Object.fromEntries(
    Object.entries(files)
      .map(([one, hash]) => [path.relative(path.dirname(path.resolve(file)), one), hash] as const)
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  )

const callOf = (subject: string, { case: one, index, timeoutMs }: Ask) =>
  ({
    kind: 'answer',
    subject,
    case: one.id,
    index,
    input: one.input === undefined ? one.turns.join('\n\n') : one.input,
    timeoutMs,
  }) as const

function answerOf(reply: FunctionReply): Answer {
  const { how, value, text, log, usage, usd, steps, ms } = reply
  const facts = {
    usage,
    usd,
    ...(log === '' ? {} : { log }),
    ...(steps.length === 0 ? {} : { trajectory: trajectoryOf(reply) }),
    // If the process died during the call, the duration of the call is not known.
    ...(how === 'died' || ms === 0 ? {} : { ms }),
  }
  if (how === 'timeout') return { text: '', stop: 'timeout', note: text ?? '', ...facts }
  if (how !== 'returned') return { text: '', stop: 'threw', note: text ?? '', ...facts }
  if (value === undefined) return { text: '', stop: 'threw', note: 'it returned nothing', ...facts }
  // An empty string is a valid output. It is written as JSON, `""`, because an answer with an empty text would count as
  // no answer.
  return typeof value === 'string' && value.trim() !== ''
    ? { text: value, stop: 'end', ...facts }
    : { text: JSON.stringify(value, null, 2), isJson: true, stop: 'end', ...facts }
}

const trajectoryOf = ({ steps, usd, ms }: FunctionReply): NonNullable<Answer['trajectory']> => ({
  version: 1,
  format: 'assay',
  agentVersion: null,
  model: null,
  steps,
  usage: {},
  usd,
  usdFrom: usd === null ? null : 'reported',
  turns: steps.filter((step) => step.kind === 'message' && step.role === 'assistant').length,
  firstTokenMs: null,
  ms,
  complete: true,
  oddities: [],
})
