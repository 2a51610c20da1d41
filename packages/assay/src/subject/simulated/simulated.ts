/**
 * A simulated subject. With a given probability, it returns the reference answer of a case. Otherwise it returns one of
 * the case's faulty answers. Tokens, price and latency are simulated too. Because the true probability of a pass is
 * known, tests can check the computed statistics against it. All of its answers are marked as simulated.
 *
 * Each answer is drawn with the trial's own random number generator. The probability of a pass depends on the subject's
 * seed and on the case. So two subjects with the same seed find the same cases hard.
 */
import { setTimeout as wait } from 'node:timers/promises'
import { random as stream } from '@assay/metrics'
import {
  SubjectError,
  type Ask,
  type Case,
  type Subject,
  type Suite,
  UsageError,
} from '@assay/contract'
import { NO_TRACES } from '../traces.ts'
import { drawBeta, drawSpread, nearlyMost, type Random, type Spread } from './draws.ts'

export interface SimulatedOptions {
  readonly id: string
  /**
   * The probability of a pass. It is one number for all cases, one number per case id ("*" for all other cases), or a
   * Beta distribution from which the probability of each case is drawn.
   */
  readonly pass:
    | number
    | Readonly<Record<string, number>>
    | { readonly beta: readonly [number, number] }
  readonly seed: number
  /** The numbers of input and output tokens. Default: a quarter of the number of characters. */
  readonly input?: Spread
  readonly output?: Spread
  /** The price of one answer in US dollars. Default: unknown. */
  readonly price?: Spread
  /** The simulated time for an answer in milliseconds. Default: 0. */
  readonly latency?: Spread
  /** Whether the subject really waits for the latency. Otherwise it answers at once and only reports the latency. */
  readonly realtime?: boolean
}

export interface SimulatedSubject extends Subject {
  /** The true probability that a trial of the case passes. */
  truth(one: Case): number
  /** Throws a `UsageError` that names the cases that this subject cannot answer. */
  check(suites: readonly Suite[]): void
}

const CHARACTERS_PER_TOKEN = 4
const MOST_NAMED = 5
/**
 * How many answers are requested in parallel. The number is high, because simulated answers need no time. So a load
 * test measures Assay and not the subject.
 */
const CONCURRENCY = { start: 64, most: 256 }

export function simulatedSubject(options: SimulatedOptions): SimulatedSubject {
  const { id, pass, seed, input, output, price, latency = 0, realtime = false } = options
  const drawn = new Map<string, number>()

  function truth(one: Case): number {
    if (typeof pass === 'number') return pass
    if (!isBeta(pass)) {
      const given = Object.hasOwn(pass, one.id) ? pass[one.id] : pass['*']
      if (given === undefined)
        throw new UsageError(`${id}: there is no pass for the case ${one.id}`)
      return given
    }
    let p = drawn.get(one.hash)
    if (p === undefined) {
      const [a, b] = pass.beta
      p = drawBeta(stream(seed, hash32(one.hash)), a, b)
      drawn.set(one.hash, p)
    }
    return p
  }

  /**
   * Returns what the case lacks so that it can be answered: a reference answer or a faulty answer. Returns null if it
   * lacks nothing.
   */
  function lack(one: Case): string | null {
    const p = truth(one)
    if (p > 0 && one.reference === null) return 'reference answer'
    return p < 1 && one.faulty.length === 0 ? 'faulty answer' : null
  }

  return {
    id,
    kind: 'simulated',
    source: 'simulated',
    pool: `simulated ${id}`,
    concurrency: CONCURRENCY,
    config: {
      pass: isBeta(pass) ? { beta: [...pass.beta] } : typeof pass === 'number' ? pass : { ...pass },
      seed,
      ...written({ input, output, price, latency }),
      ...(realtime ? { realtime } : {}),
    },
    secrets: [],
    truth,
    traces: () => NO_TRACES,

    check(suites) {
      const lacking = suites.flatMap((suite) =>
        suite.cases.flatMap((one) => {
          const what = lack(one)
          return what === null ? [] : [`${suite.id}/${one.id} has no ${what}`]
        }),
      )
      if (lacking.length === 0) return
      const named = lacking.slice(0, MOST_NAMED).join('; ')
      const more = lacking.length - MOST_NAMED
      throw new UsageError(
        `${id} draws from the reference and faulty answers of each case, but ${named}${more > 0 ? `; and ${more} more` : ''}. Add them (for the rows of a table, as reference and faulty of [template]), or leave these cases out with --case or --filter`,
      )
    },

    estimateUsd: () => (price === undefined ? null : nearlyMost(price)),

    async answer(ask) {
      const { random, case: one } = ask
      const what = lack(one)
      if (what !== null)
        throw new SubjectError(`${id} cannot answer ${one.id}, which has no ${what}`, {
          reason: 'no-answer',
          retry: false,
        })
      const text = drawAnswer(one, truth(one), random)
      const prompt = ask.messages.reduce((sum, { content }) => sum + content.length, 0)
      const usage = {
        cacheRead: 0,
        cacheWrite: 0,
        input: drawTokens(random, input, prompt),
        output: drawTokens(random, output, text.length),
        reasoning: 0,
      }
      const usd = price === undefined ? null : rounded(drawSpread(random, price), 1e9)
      // The latency is never longer than the time limit. Otherwise the trial would fail at the limit, and the true
      // probability of a pass would change.
      const ms = Math.min(rounded(drawSpread(random, latency), 10), ask.timeoutMs)
      if (realtime) await waited(ms, ask)
      return { text, stop: 'end', usage, usd, ms }
    },

    async close() {},
  }
}

const isBeta = (
  pass: SimulatedOptions['pass'],
): pass is { readonly beta: readonly [number, number] } =>
  typeof pass === 'object' && Array.isArray(pass['beta'])

/** Draws the answer. Both random numbers are always drawn. So later draws do not depend on whether the trial passes. */
function drawAnswer({ reference, faulty }: Case, p: number, random: Random): string {
  const passes = random() < p
  const fault = faulty[Math.floor(random() * faulty.length)]
  return (passes ? reference : fault) ?? ''
}

function drawTokens(random: Random, spread: Spread | undefined, characters: number): number {
  const tokens = drawSpread(random, spread ?? characters / CHARACTERS_PER_TOKEN)
  return Math.max(1, Math.round(tokens))
}

/** Rounds a value, to keep the log short. Simulated values do not have to be exact. */
const rounded = (value: number, parts: number): number => Math.round(value * parts) / parts

async function waited(ms: number, { signal }: Ask): Promise<void> {
  await wait(ms, undefined, { signal }).catch(() => {
    throw signal.reason
  })
}

function written(spreads: Readonly<Record<string, Spread | undefined>>): Record<string, Spread> {
  return Object.fromEntries(
    Object.entries(spreads).filter((entry): entry is [string, Spread] => entry[1] !== undefined),
  )
}

/** Returns a hash of the text (FNV-1a) as a number that seeds a random number generator. */
function hash32(text: string): number {
  let hash = 0x811c9dc5
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193)
  return hash >>> 0
}
