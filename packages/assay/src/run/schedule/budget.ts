/**
 * Money. What is in flight is reserved at what it is expected to cost, so that a hundred requests at once cannot
 * together pass a budget that each alone respects. The estimate of a subject is an upper guess: as soon as some of
 * its answers are paid, its estimates are scaled by what they really cost. Before that, one answer may start with
 * whatever is left. So a budget is passed at most by what was in flight.
 *
 * What turns out to have cost nobody knows how much counts as what was reserved for it. A trial that was stopped
 * half-way counts at what its provider reported until then, where that is anything.
 */

const NANO = 1e9
const nanos = (usd: number): number => Math.round(usd * NANO)

/** Money set aside for one answer. */
export interface Reservation {
  readonly usd: number
  readonly subject: string
  readonly estimateUsd: number | null
}

/** What an answer, or the attempt to get one, came to. */
export interface Paid {
  readonly spentUsd: number
  /** How many of its requests cost more than `spentUsd` says. */
  readonly unknownCosts?: number
  /** There is an answer, so that its cost says what the next one will cost. */
  readonly isAnswer?: boolean
  /** It was stopped before its end: by a limit, a deadline or the end of the run. */
  readonly isStopped?: boolean
}

/** Whether the budget counts more than is known to be spent. */
export const isGuessed = ({ spentUsd, unknownCosts = 0, isStopped = false }: Paid): boolean =>
  unknownCosts > 0 && !(isStopped && spentUsd > 0)

/** Where a budget stands when it does not allow the next answer. */
export interface BudgetState {
  readonly limitUsd: number
  readonly spentUsd: number
  readonly reservedUsd: number
  /** What the next answer is expected to cost, and whose it is. */
  readonly expectedUsd: number
  readonly subject: string
}

/** What answers of a subject cost so far, and what they were estimated at, in nano-dollars. */
interface Known {
  nanos: number
  estimated: number
  answers: number
}

export class Budget {
  /** All in nano-dollars: fifty times one cent is half a dollar, not a little more. */
  readonly #limit: number | null
  #spent: number
  #reserved = 0
  readonly #known = new Map<string, Known>()
  /** Subjects of which an answer was paid, or counts as paid. */
  readonly #paid = new Set<string>()
  /** The last answer that was not allowed. */
  #refused: { readonly subject: string; readonly nanos: number } | null = null
  /** Woken whenever a reservation is given back. */
  readonly #waiting: (() => void)[] = []
  #waiters = 0

  constructor(limit: number | null, alreadySpent: number) {
    this.#limit = limit === null ? null : nanos(limit)
    this.#spent = nanos(alreadySpent)
  }

  /** Whether there is anything to hold. */
  get isLimited(): boolean {
    return this.#limit !== null
  }

  /** What counts as spent. */
  get spent(): number {
    return this.#spent / NANO
  }

  /** Null where everything was allowed so far. */
  get state(): BudgetState | null {
    if (this.#limit === null || this.#refused === null) return null
    return {
      limitUsd: this.#limit / NANO,
      spentUsd: this.#spent / NANO,
      reservedUsd: this.#reserved / NANO,
      expectedUsd: this.#refused.nanos / NANO,
      subject: this.#refused.subject,
    }
  }

  /** What an answer cost that was paid before: the next ones are expected to cost as much. */
  learn(subject: string, usd: number, estimateUsd: number | null): void {
    const known = this.#known.get(subject) ?? { nanos: 0, estimated: 0, answers: 0 }
    known.nanos += nanos(usd)
    known.estimated += nanos(estimateUsd ?? 0)
    known.answers++
    this.#known.set(subject, known)
    this.#paid.add(subject)
  }

  /** Takes an answer's expected cost out of what is left; null where the budget does not allow it. */
  reserve(subject: string, estimateUsd: number | null): Reservation | null {
    // What is begun goes before what is new: an answer without its judgement was paid for nothing.
    return this.#waiters > 0 ? null : this.#take(subject, estimateUsd)
  }

  /** The same for what is under way: waits as long as something in flight may turn out cheaper. */
  async reserveSoon(subject: string, estimateUsd: number | null): Promise<Reservation | null> {
    this.#waiters++
    try {
      for (;;) {
        const taken = this.#take(subject, estimateUsd)
        if (taken !== null || this.#reserved === 0) return taken
        await new Promise<void>((resolve) => this.#waiting.push(resolve))
      }
    } finally {
      this.#waiters--
    }
  }

  #take(subject: string, estimateUsd: number | null): Reservation | null {
    let amount = this.#expected(subject, estimateUsd)
    const left = this.#limit === null ? amount : this.#limit - this.#spent - this.#reserved
    if (amount > left) {
      // Nobody knows yet whether the guess is any good: one answer tells.
      const isFirst = !this.#paid.has(subject) && this.#reserved === 0 && left > 0
      if (!isFirst) {
        this.#refused = { subject, nanos: amount }
        return null
      }
      amount = left
    }
    this.#reserved += amount
    return { usd: amount / NANO, subject, estimateUsd }
  }

  #expected(subject: string, estimateUsd: number | null): number {
    const known = this.#known.get(subject)
    if (known === undefined) return nanos(estimateUsd ?? 0)
    return estimateUsd === null || known.estimated === 0
      ? Math.round(known.nanos / known.answers)
      : Math.round((nanos(estimateUsd) * known.nanos) / known.estimated)
  }

  /** Gives a reservation back and books what was really paid. */
  settle({ usd, subject, estimateUsd }: Reservation, paid: Paid): void {
    const { spentUsd, unknownCosts = 0, isAnswer = false } = paid
    const guessed = isGuessed(paid) ? usd * unknownCosts : 0
    this.#reserved -= nanos(usd)
    this.#spent += nanos(Math.max(spentUsd, guessed))
    // A refusal costs nothing and says nothing about answers.
    if (isAnswer || unknownCosts > 0) this.#paid.add(subject)
    if (isAnswer && unknownCosts === 0) this.learn(subject, spentUsd, estimateUsd)
    for (const wake of this.#waiting.splice(0)) wake()
  }
}
