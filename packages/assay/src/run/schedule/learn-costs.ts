/** Lets a budget learn from the trials that are already recorded what a subject's answers cost. */
import type { Subject, Suite } from '@assay/contract'
import type { Plan, Tally } from '../../log/index.ts'
import { askedCase } from '../trial/asked-case.ts'
import type { Budget } from './budget.ts'

/** Uses the cost of recorded answers to predict the cost of the next answers. */
export function learnCosts(budget: Budget, plan: Plan<Suite, Subject>, tally: Tally): void {
  for (const { first, trials, suite, subject, case: one } of plan.cells) {
    const estimate = subject.estimateUsd(askedCase(subject, suite.id, one))
    for (let ordinal = first; ordinal < first + trials; ordinal++) {
      const usd = tally.answerUsd.at(ordinal)
      const outcome = tally.outcomeAt(ordinal)
      if (!Number.isNaN(usd) && outcome !== null && outcome !== 'errored')
        budget.learn(subject.id, usd, estimate)
    }
  }
}
