/**
 * Labels (verdicts of people) that are given on a static site. They stay in the browser until the person saves them
 * as a file. `assay label --import` adds that file to the run folder.
 */
import { pickAfter, verdictsOf } from 'assay/view-data'
import { store, stored } from '../hooks/use-stored.ts'
import type { ViewTrial } from './source.ts'
import type { GivenLabel, ReviewData, ReviewedLabel } from './workbench-source.ts'

const keyOf = (run: string): string => `assay-labels-${run}`

export class SiteLabels {
  readonly #byRun = new Map<string, readonly ReviewedLabel[]>()
  /** Whether the browser still has the labels after the page is closed. */
  isKept = true

  of(run: string): readonly ReviewedLabel[] {
    const known = this.#byRun.get(run) ?? parsed(stored(keyOf(run)))
    this.#byRun.set(run, known)
    return known
  }

  add(run: string, index: number, given: GivenLabel, trial: ViewTrial): void {
    const { position, ...rest } = given
    const place = { label: { ...rest, index }, position }
    const earlier = this.of(run).find((one) => isSame(one, place))
    const others = this.of(run).filter((one) => one !== earlier)
    const picked = pickAfter(earlier?.label, rest)
    const label = { ...rest, index, picked, at: new Date().toISOString() }
    const all = [...others, { label, position, isCurrent: true, verdicts: verdictsOf(trial) }]
    this.#byRun.set(run, all)
    this.isKept = store(keyOf(run), JSON.stringify(all))
  }

  /**
   * Joins the labels of the site and those of this browser. If both have a label of the same person for a trial, the
   * browser's label replaces the other.
   */
  joined(data: Pick<ReviewData, 'run' | 'labels'>): readonly ReviewedLabel[] {
    const own = this.of(data.run)
    return [
      ...data.labels.filter((one) => !own.some((other) => isSame(one, other))),
      ...own.filter(({ label }) => label.verdict !== 'withdrawn'),
    ]
  }

  download(run: string): void {
    const labels = this.of(run).map(({ label }) => label)
    const text = JSON.stringify({ assay: 'labels', version: 1, run, labels }, null, 1)
    const address = URL.createObjectURL(new Blob([text], { type: 'application/json' }))
    const link = document.createElement('a')
    link.href = address
    link.download = `labels-${run.replaceAll(/[^\w-]/g, '_').slice(0, 60)}.json`
    link.click()
    URL.revokeObjectURL(address)
  }
}

interface Placed {
  readonly label: Pick<ReviewedLabel['label'], 'suite' | 'case' | 'subject' | 'reviewer'>
  readonly position: number
}

const isSame = (a: Placed, b: Placed): boolean =>
  a.position === b.position &&
  a.label.reviewer === b.label.reviewer &&
  a.label.case === b.label.case &&
  a.label.subject === b.label.subject &&
  a.label.suite === b.label.suite

function parsed(json: string | null): readonly ReviewedLabel[] {
  try {
    const value: unknown = JSON.parse(json ?? '[]')
    return Array.isArray(value) ? (value as ReviewedLabel[]) : []
  } catch {
    return []
  }
}
