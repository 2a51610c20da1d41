/**
 * Formats the figures of a subject as table rows: costs, times, and pass@k and pass^k for each k. All report formats
 * use these rows.
 */
import { dollars, seconds, share } from '../../text/index.ts'
import type { SubjectReport } from '../schema/report.ts'

type Row = Pick<
  SubjectReport,
  'cost' | 'duration' | 'latency' | 'waiting' | 'grading' | 'passAtK' | 'passHatK'
>

export const COST_TIME_TITLES = [
  'total cost',
  'per trial',
  'judges',
  'duration',
  'answering',
  'waiting',
  'grading',
] as const

const usd = (value: number | null): string => (value === null ? '–' : dollars(value))
const time = (ms: number | null | undefined): string =>
  ms === null || ms === undefined ? '–' : seconds(ms)

/** Returns the costs of a subject and the means of its times, in the order of the titles. */
export const costTimeRow = ({ cost, duration, latency, waiting, grading }: Row): string[] => [
  usd(cost.totalUsd),
  usd(cost.perTrialUsd),
  usd(cost.judgeUsd),
  time(duration?.meanMs),
  time(latency.meanMs),
  time(waiting.meanMs),
  time(grading.meanMs),
]

export const K_TITLES = ['k', 'pass@k', 'pass^k', 'p^k'] as const

/**
 * Returns one row for each k, with three figures: pass@k and pass^k, both unbiased, and p^k, which is the mean over
 * cases of the pass rate to the power k.
 */
export const kRows = (
  { passAtK, passHatK }: Row,
  passToTheK: SubjectReport['spec']['passToTheK'],
): string[][] =>
  passAtK.map(({ k, metric }) => {
    const all = passHatK.find((one) => one.k === k)?.metric
    const power = passToTheK.find((one) => one.k === k)?.value ?? null
    return [
      String(k),
      share(metric),
      all === undefined ? '–' : share(all),
      power === null ? '–' : power.toFixed(3),
    ]
  })

/** Explains the columns of times. */
export const TIME_NOTE =
  'Means over trials. Duration is end minus start; answering, waiting and grading are parts of it.'

export const K_NOTE =
  'pass@k: at least one of k trials passes; pass^k: all k pass (both unbiased). p^k: the pass rate of each case to the power k, mean over cases.'
