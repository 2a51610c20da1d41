/**
 * Remembers each result of a watched run, and the content from which it came. A result is run again if this content
 * has changed: its case (prompt, files, graders), its subject (a model's settings, a prompt), or the files of its
 * suite's functions.
 */
import type { Subject, Suite } from '@assay/contract'
import { hashOf } from '@assay/contract/hash'
import { answerersOf } from '../../../../log/index.ts'
import type { Report } from '../../../../report/index.ts'
import { leftOut } from '../../../settings/part/pick-cases.ts'
import type { PlannedRun } from '../../../settings/planned-run.ts'

export interface Result {
  readonly passed: number
  readonly scored: number
  readonly errored: number
}

export interface Cell {
  readonly suite: string
  readonly case: string
  readonly subject: string
}

export interface ResultChange extends Cell {
  readonly before: Result | null
  readonly now: Result
}

const keyOf = ({ suite, case: one, subject }: Cell): string => JSON.stringify([suite, one, subject])

export class WatchState {
  readonly #contents = new Map<string, string>()
  readonly #results = new Map<string, Result>()
  #planned = new Map<string, string>()

  /** Returns the part of the plan whose content has changed since the known results. Null if nothing has changed. */
  narrow(planned: PlannedRun): PlannedRun | null {
    const { suites, subjects } = planned
    this.#planned = new Map()
    const changedCases = new Map<string, Set<string>>()
    const changedSubjects = new Set<string>()
    for (const suite of suites)
      for (const subject of answerersOf(suite, subjects)) {
        const who = contentOf(suite, subject)
        for (const { id, hash } of suite.cases) {
          const key = keyOf({ suite: suite.id, case: id, subject: subject.id })
          const content = `${who} ${hash}`
          this.#planned.set(key, content)
          if (this.#contents.get(key) === content) continue
          changedSubjects.add(subject.id)
          const cases = changedCases.get(suite.id) ?? new Set()
          changedCases.set(suite.id, cases.add(id))
        }
      }
    for (const known of this.#results.keys())
      if (!this.#planned.has(known)) {
        this.#results.delete(known)
        this.#contents.delete(known)
      }
    if (changedSubjects.size === 0) return null
    const part = suites.flatMap((suite) => {
      const ids = changedCases.get(suite.id)
      if (ids === undefined) return []
      return [{ ...suite, cases: suite.cases.filter(({ id }) => ids.has(id)) }]
    })
    const left = leftOut(suites, part, '--watch')
    if (left === null && changedSubjects.size === subjects.length) return planned
    const picked = part.map(({ id, cases }) => ({ suite: id, ids: cases.map((one) => one.id) }))
    return {
      ...planned,
      suites: part,
      subjects: subjects.filter(({ id }) => changedSubjects.has(id)),
      request: { ...planned.request, picked: { words: '--watch', cases: picked } },
      ...(left === null ? {} : { leftOut: left }),
    }
  }

  /** Stores the results of a run. Returns the results that are new or different. */
  keep({ subjects }: Report): readonly ResultChange[] {
    const changes: ResultChange[] = []
    for (const { suite, subject, cases } of subjects)
      for (const { case: one, counts } of cases) {
        const cell = { suite, case: one, subject }
        const key = keyOf(cell)
        const now = {
          passed: counts.passed,
          scored: counts.passed + counts.failed,
          errored: counts.errored,
        }
        const before = this.#results.get(key) ?? null
        this.#results.set(key, now)
        // A result with errored or cancelled trials is not complete. It is run again at the next change.
        if (counts.errored + counts.cancelled > 0) this.#contents.delete(key)
        else this.#contents.set(key, this.#planned.get(key) ?? '')
        if (before === null || !isSame(before, now)) changes.push({ ...cell, before, now })
      }
    return changes
  }

  /** Returns the sum over all results, including those of earlier runs. */
  total(): Result {
    let [passed, scored, errored] = [0, 0, 0]
    for (const one of this.#results.values()) {
      passed += one.passed
      scored += one.scored
      errored += one.errored
    }
    return { passed, scored, errored }
  }
}

const isSame = (a: Result, b: Result): boolean =>
  a.passed === b.passed && a.scored === b.scored && a.errored === b.errored

/**
 * Returns a hash of everything but the case that decides a result. For a function, the subject's `config` is left
 * out, because it may include functions of other suites. The files of this suite's functions count instead.
 */
function contentOf({ functions }: Suite, { id, kind, config }: Subject): string {
  return hashOf([id, kind === 'function' ? null : config, functions?.files ?? null])
}
