/** Shows the verdicts that people gave to one trial, outside of the Review page. */
import type { Identity } from '../data/source.ts'
import type { ReviewedLabel, Workbench } from '../data/workbench-source.ts'
import { useLoaded } from '../hooks/use-loaded.ts'
import { useStored } from '../hooks/use-stored.ts'
import { GivenLabels } from './given-labels.tsx'
import { labelsOf } from './queue.ts'

const NONE: readonly ReviewedLabel[] = []

/** Returns the labels of a run. They are loaded again when `version` changes. If `run` is null, nothing is loaded. */
export const useLabels = (
  workbench: Workbench,
  run: string | null,
  version: number,
): readonly ReviewedLabel[] =>
  useLoaded(
    async () => (run === null ? NONE : workbench.labels(run)),
    [workbench, run, version],
    run ?? '',
  ).value ?? NONE

interface TrialLabelsProps {
  readonly labels: readonly ReviewedLabel[]
  readonly trial: Identity
}

/** The verdicts of people on a trial. Shows nothing if there are none. */
export function TrialLabels({ labels, trial }: TrialLabelsProps) {
  const [reviewer] = useStored('assay-reviewer', '')
  const given = labelsOf({ ...trial, position: trial.index }, labels)
  if (given.length === 0) return null
  return (
    <>
      <h3>Verdicts of people</h3>
      <ul class="said" aria-label="Verdicts of people">
        <GivenLabels labels={given} reviewer={reviewer.trim()} />
      </ul>
    </>
  )
}
