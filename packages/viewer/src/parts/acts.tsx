/** Shows side by side what several agents did on one case, and what each of them changed. */
import { useState } from 'preact/hooks'
import { totalWords } from 'assay/view-data'
import type { Missing, ViewDiff, ViewTrajectory, ViewTrial } from '../data/source.ts'
import type { MatrixRow, ViewMatrix, Workbench } from '../data/workbench-source.ts'
import { counted, time } from '../figures.ts'
import { useFolds } from '../hooks/use-folds.ts'
import { useLoaded } from '../hooks/use-loaded.ts'
import { trialHash } from '../pages/routes.ts'
import { Name } from '../text/shown.tsx'
import { changedFiles, longestMs } from '../trial/changed-files.ts'
import { Collapsible } from '../trial/collapsible.tsx'
import { ChangeLine, OtherChanges, Patch } from '../trial/diff.tsx'
import { Step } from '../trial/step.tsx'

interface ActsProps {
  readonly workbench: Workbench
  readonly matrix: ViewMatrix
  readonly row: MatrixRow
  /** Whether the section is unfolded at first. It is on the page of one case. */
  readonly isOpenAtFirst: boolean
}

export function Acts(props: ActsProps) {
  const [isOpen, setOpen] = useState(props.isOpenAtFirst)
  return (
    <Collapsible
      isOpen={isOpen}
      toggle={() => setOpen(!isOpen)}
      head="What the agents did and changed, side by side"
      body={() => <Loaded {...props} />}
    />
  )
}

function Loaded({ workbench, matrix, row }: ActsProps) {
  const columns = matrix.columns.map((column, i) => ({ ...column, cell: row.cells[i] ?? null }))
  const { value: trials, error } = useLoaded(
    () =>
      Promise.all(
        columns.map(async ({ run, subject, cell }) =>
          cell === null
            ? null
            : workbench
                .run(run)
                .trial({ suite: matrix.suite, case: row.case, subject, index: cell.index }),
        ),
      ),
    [workbench, matrix, row],
  )
  if (trials === null)
    return error === null ? null : (
      <p class="left-out" role="alert">
        <Name text={error} most={1000} />
      </p>
    )
  const totalMs = longestMs(trials)
  return (
    <div class="acts">
      <div class="acts-row">
        {trials.map((trial, i) => {
          const { run = '', subject = '', cell = null } = columns[i] ?? {}
          const place = { suite: matrix.suite, case: row.case, subject, index: cell?.index ?? 0 }
          return (
            <section aria-label={`What ${subject.slice(0, 80)} did`}>
              <h3>
                <a href={trialHash(run, place)}>
                  <Name text={subject} most={80} />
                </a>
              </h3>
              <Steps trajectory={trial?.trajectory} isThere={trial !== null} totalMs={totalMs} />
            </section>
          )
        })}
      </div>
      <Changes trials={trials} names={columns.map(({ subject }) => subject)} />
    </div>
  )
}

/** The limit on the steps that are shown. The page of the trial shows all of them. */
const MOST_STEPS = 200

interface StepsProps {
  readonly trajectory: ViewTrajectory | Missing | undefined
  readonly isThere: boolean
  /** The time of the slowest agent. With it, bars of the same length mean the same time in every column. */
  readonly totalMs: number
}

function Steps({ trajectory, isThere, totalMs }: StepsProps) {
  const folds = useFolds()
  if (!isThere) return <p class="left-out">The texts of this trial are not here.</p>
  if (trajectory === undefined) return <p class="left-out">No steps were recorded.</p>
  if ('missing' in trajectory)
    return <p class="left-out">The steps are not shown: {trajectory.missing}.</p>
  const { steps, gap, complete } = trajectory
  const leftOut = Math.max(0, steps.length - MOST_STEPS) + (gap?.steps ?? 0)
  return (
    <>
      <p class="facts small">
        {totalWords(trajectory, time).map((words) => (
          <span>{words}</span>
        ))}
      </p>
      {!complete && (
        <p class="left-out">The agent’s stream of events broke off: there may have been more.</p>
      )}
      <ol class="steps">
        {steps.slice(0, MOST_STEPS).map((step, i) => {
          const isOpen = folds.isOpen(i, false)
          return (
            <li class={`step step-${step.kind}`}>
              <Step
                step={step}
                totalMs={totalMs}
                isOpen={isOpen}
                toggle={() => folds.toggle(i, isOpen)}
              />
            </li>
          )
        })}
      </ol>
      {leftOut > 0 && (
        <p class="left-out">{counted(leftOut, 'more step')}, on the page of the trial</p>
      )}
    </>
  )
}

interface ChangesProps {
  readonly trials: readonly (ViewTrial | null)[]
  readonly names: readonly string[]
}

function Changes({ trials, names }: ChangesProps) {
  const diffs = trials.map((trial) => trial?.diff)
  if (diffs.every((diff) => diff === undefined)) return null
  const files = changedFiles(trials)
  const others = diffs.map((diff) =>
    diff === undefined || 'missing' in diff ? undefined : diff.others,
  )
  return (
    <>
      {files.length === 0 && others.every((one) => one === undefined) && (
        <p class="left-out">None of them changed a file, as far as is known.</p>
      )}
      {files.map(({ path, changes, isSame }) => (
        <section aria-label={`Changes of ${path.slice(0, 100)}`}>
          <h3 class="change-path">
            <Name text={path} />
            {isSame && changes.length > 1 && <small class="muted"> the same change</small>}
          </h3>
          <div class="acts-row">
            {changes.map((change, i) => (
              <div>
                <p class="column-name">
                  <b>
                    <Name text={names[i] ?? ''} most={80} />
                  </b>
                </p>
                {change === null ? (
                  <p class="left-out">{absence(diffs[i])}</p>
                ) : (
                  <>
                    <ChangeLine change={change} />
                    {change.patch !== undefined && <Patch patch={change.patch} path={path} />}
                  </>
                )}
              </div>
            ))}
          </div>
        </section>
      ))}
      {others.some((one) => one !== undefined) && (
        <section aria-label="Empty folders and permissions of each">
          <h3>Empty folders and permissions</h3>
          <div class="acts-row">
            {others.map((one, i) => (
              <div>
                <p class="column-name">
                  <b>
                    <Name text={names[i] ?? ''} most={80} />
                  </b>
                </p>
                {one === undefined ? (
                  <p class="left-out">None are known.</p>
                ) : (
                  <OtherChanges others={one} />
                )}
              </div>
            ))}
          </div>
        </section>
      )}
      {diffs.some(
        (diff) => diff !== undefined && !('missing' in diff) && diff.changesLeftOut > 0,
      ) && <p class="left-out">More changed files are on the pages of the trials.</p>}
    </>
  )
}

function absence(diff: ViewDiff | Missing | undefined): string {
  if (diff === undefined) return 'Its changes were not recorded, or are not here.'
  if ('missing' in diff) return `Its changes are not shown: ${diff.missing}.`
  return diff.changesLeftOut > 0
    ? 'Not among the changes shown here.'
    : 'It did not change this file.'
}
