/**
 * A subject that only pretends: with a known probability it gives a case's reference answer, else one of
 * its faulty ones, with tokens, price and latency of its own. Because the truth is known, statistics can be
 * held against it. Everything it makes is marked as simulated.
 *
 * An answer is drawn from the trial's own stream. The pass probability of a case belongs to the subject's
 * seed and the case: two subjects with the same seed find the same cases hard.
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
   * How probable a pass is: for every case, by the case's id ("*" for those not named), or a Beta
   * distribution from which each case's own is drawn.
   */
  readonly pass:
    | number
    | Readonly<Record<string, number>>
    | { readonly beta: readonly [number, number] }
  readonly seed: number
  /** Tokens; a quarter of the characters unless given. */
  readonly input?: Spread
  readonly output?: Spread
  /** US dollars for one answer; unknown unless given. */
  readonly price?: Spread
  /** Milliseconds; 0 unless given. */
  readonly latency?: Spread
  /** Really wait for as long as the latency says. */
  readonly realtime?: boolean
}

export interface SimulatedSubject extends Subject {
  /** The true probability that a trial of the case passes. */
  truth(one: Case): number
  /** Throws a `UsageError` that names the cases it cannot answer. */
  check(suites: readonly Suite[]): void
}

const CHARACTERS_PER_TOKEN = 4
const MOST_NAMED = 5
/** It answers at once, so that a load test is about the engine. */
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

  /** Why the case cannot be answered; null where it can. */
  function lack(one: Case): string | null {
    const p = truth(one)
    if (p > 0 && one.reference === null) return 'a reference answer'
    return p < 1 && one.faulty.length === 0 ? 'a faulty answer' : null
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
          return what === null ? [] : [`${suite.id}/${one.id} has not ${what}`]
        }),
      )
      if (lacking.length === 0) return
      const named = lacking.slice(0, MOST_NAMED).join('; ')
      const more = lacking.length - MOST_NAMED
      throw new UsageError(
        `${id} draws from the reference and faulty answers of each case, but ${named}${more > 0 ? `; and ${more} more` : ''}. Add them, or leave these cases out with --case or --filter`,
      )
    },

    estimateUsd: () => (price === undefined ? null : nearlyMost(price)),

    async answer(ask) {
      const { random, case: one } = ask
      const what = lack(one)
      if (what !== null)
        throw new SubjectError(`${id} cannot answer ${one.id}, which has not ${what}`, {
          reason: 'no-answer',
          retry: false,
        })
      const text = drawAnswer(one, truth(one), random)
      const prompt = ask.messages.reduce((sum, { content }) => sum + content.length, 0)
      const usage = {
        input: drawTokens(random, input, prompt),
        cacheRead: 0,
        cacheWrite: 0,
        output: drawTokens(random, output, text.length),
        reasoning: 0,
      }
      const usd = price === undefined ? null : rounded(drawSpread(random, price), 1e9)
      // It is never late: a timeout would make the truth untrue.
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

/** Both draws are always made, so that what follows is the same whatever this comes to. */
function drawAnswer({ reference, faulty }: Case, p: number, random: Random): string {
  const passes = random() < p
  const fault = faulty[Math.floor(random() * faulty.length)]
  return (passes ? reference : fault) ?? ''
}

function drawTokens(random: Random, spread: Spread | undefined, characters: number): number {
  const tokens = drawSpread(random, spread ?? characters / CHARACTERS_PER_TOKEN)
  return Math.max(1, Math.round(tokens))
}

/** Short in the log; nobody can tell the difference. */
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

/** A text as a number that can name a stream (FNV-1a). */
function hash32(text: string): number {
  let hash = 0x811c9dc5
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193)
  return hash >>> 0
}
