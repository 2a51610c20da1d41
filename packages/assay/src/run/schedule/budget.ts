/**
 * The budget of a run. The expected cost of each request in flight is reserved. Without this, a hundred parallel
 * requests could each fit into the budget but together exceed it. The expected cost is an estimate, which is too high
 * at first. Once some answers of a subject are paid, its estimates are scaled by their real cost. Until then, one
 * answer may start even if its estimate exceeds the rest of the budget. So a budget is exceeded by at most the cost of
 * the requests in flight.
 *
 * If the cost of a request stays unknown, the reserved amount counts as spent. If a trial was stopped early, the amount
 * that its provider had reported by then counts.
 */

const NANO = 1e9
const nanos = (usd: number): number => Math.round(usd * NANO)

/** Money reserved for one answer. */
export interface Reservation {
  readonly usd: number
  readonly subject: string
  readonly estimateUsd: number | null
}

/** What was paid for an answer, or for failed attempts to get one. */
export interface Paid {
  readonly spentUsd: number
  /** The number of requests whose cost is unknown, or only partly included in `spentUsd`. */
  readonly unknownCosts?: number
  /** Whether there is an answer. The cost of an answer is used to predict the cost of the next answers. */
  readonly isAnswer?: boolean
  /** Whether the answer was stopped early: by a limit, a deadline or the end of the run. */
  readonly isStopped?: boolean
}

/** Whether the budget counts more than the amount that is known to be spent, because a cost is unknown. */
export const isGuessed = ({ spentUsd, unknownCosts = 0, isStopped = false }: Paid): boolean =>
  unknownCosts > 0 && !(isStopped && spentUsd > 0)

/** The state of a budget that refused an answer. */
export interface BudgetState {
  readonly limitUsd: number
  readonly spentUsd: number
  readonly reservedUsd: number
  /** The expected cost of the refused answer, and its subject. */
  readonly expectedUsd: number
  readonly subject: string
}

export interface BudgetSnapshot {
  readonly limit: number | null
  readonly spent: number
  readonly subjects: readonly ({ readonly subject: string } & Readonly<Known>)[]
  /** The subjects that have at least one answer that was paid for. */
  readonly paid: readonly string[]
}

/** The total cost of a subject's answers so far, and the total of their estimates, in nano-dollars. */
interface Known {
  nanos: number
  estimated: number
  answers: number
}

export class Budget {
  /**
   * The most that may be spent. All amounts are whole nano-dollars, to avoid rounding errors: fifty times one cent is
   * exactly half a dollar.
   */
  readonly #limit: number | null
  #spent: number
  #reserved = 0
  /** The part of each open reservation that is already spent. */
  readonly #charged = new Map<Reservation, number>()
  readonly #known = new Map<string, Known>()
  /** The subjects that have at least one answer that was paid for. An answer of unknown cost counts as paid for. */
  readonly #paid = new Set<string>()
  /** The last answer that was refused. */
  #refused: { readonly subject: string; readonly nanos: number } | null = null
  /** Functions that wait for money. They are called whenever a reservation is released. */
  readonly #waiting: (() => void)[] = []
  #waiters = 0

  constructor(limit: number | null, alreadySpent: number) {
    this.#limit = limit === null ? null : nanos(limit)
    this.#spent = nanos(alreadySpent)
  }

  /** Whether the run has a budget. */
  get isLimited(): boolean {
    return this.#limit !== null
  }

  /** The amount that counts as spent, in dollars. */
  get spent(): number {
    return this.#spent / NANO
  }

  /** Returns everything that another machine needs to continue with this budget. Amounts are whole nano-dollars. */
  snapshot(): BudgetSnapshot {
    const subjects = [...this.#known].map(([subject, known]) => ({ subject, ...known }))
    return { limit: this.#limit, spent: this.#spent, subjects, paid: [...this.#paid] }
  }

  /** Records that the budget refused an answer on another machine. */
  noteRefused(state: Omit<BudgetState, 'limitUsd'>): void {
    this.#spent = Math.max(this.#spent, nanos(state.spentUsd))
    this.#reserved = nanos(state.reservedUsd)
    this.#refused = { subject: state.subject, nanos: nanos(state.expectedUsd) }
  }

  /** The state at the last refusal. Null if the budget has not refused any answer. */
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

  /** Records the cost of an answer. The expected cost of the subject's next answers is computed from it. */
  learn(subject: string, usd: number, estimateUsd: number | null): void {
    const known = this.#known.get(subject) ?? { nanos: 0, estimated: 0, answers: 0 }
    known.nanos += nanos(usd)
    known.estimated += nanos(estimateUsd ?? 0)
    known.answers++
    this.#known.set(subject, known)
    this.#paid.add(subject)
  }

  /** Reserves the expected cost of an answer. Returns null if the budget does not allow the answer. */
  reserve(subject: string, estimateUsd: number | null): Reservation | null {
    // No new answer may start while a trial in progress waits for money for its judge. Without that money, the trial
    // could not be graded, and its answer would have been paid for nothing.
    return this.#waiters > 0 ? null : this.#take(subject, estimateUsd)
  }

  /**
   * Like `reserve`, but for a trial in progress. If there is too little money, it waits for open reservations to end,
   * because they may turn out cheaper than reserved.
   */
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
      // No answer of this subject was paid yet, so its estimate may be too high. One answer may start, to learn the
      // real cost.
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

  /** Whether no money is left. If so, trials in progress may not send further requests. */
  get isUsedUp(): boolean {
    return this.#limit !== null && this.#spent >= this.#limit
  }

  /**
   * Adds a known part of a trial's cost to the amount spent, before the trial ends. `settle` later adds only the rest.
   */
  charge(reservation: Reservation, usd: number): void {
    const before = this.#charged.get(reservation) ?? 0
    const after = before + nanos(usd)
    const reserved = nanos(reservation.usd)
    this.#charged.set(reservation, after)
    this.#spent += after - before
    this.#reserved -= Math.min(reserved, after) - Math.min(reserved, before)
  }

  /** Releases a reservation and adds the real cost to the amount spent. */
  settle(reservation: Reservation, paid: Paid): void {
    const { usd, subject, estimateUsd } = reservation
    const { spentUsd, unknownCosts = 0, isAnswer = false } = paid
    const guessed = isGuessed(paid) ? usd * unknownCosts : 0
    const charged = this.#charged.get(reservation) ?? 0
    this.#charged.delete(reservation)
    this.#reserved -= Math.max(0, nanos(usd) - charged)
    this.#spent += Math.max(0, nanos(Math.max(spentUsd, guessed)) - charged)
    // A request that was refused costs nothing, so it does not help to predict the cost of answers.
    if (isAnswer || unknownCosts > 0) this.#paid.add(subject)
    if (isAnswer && unknownCosts === 0) this.learn(subject, spentUsd, estimateUsd)
    for (const wake of this.#waiting.splice(0)) wake()
  }
}
