/** A drawer with one trial: the prompt, the answer, and the grades. */
import { useEffect, useRef } from 'preact/hooks'
import type { DataSource, Identity, LeftOut, Missing, ViewCell, ViewTrial } from '../data/source.ts'
import { count, counted, dollars, fixed, NONE, time } from '../figures.ts'
import { outcomeName } from '../outcomes.ts'
import { Block, Name } from '../text/shown.tsx'
import { visible } from '../text/visible.ts'
import { usePromise } from '../use-promise.ts'
import { Diff } from './diff.tsx'
import { Grades } from './grades.tsx'
import { Trajectory } from './trajectory.tsx'
import { TrialChoice } from './trial-choice.tsx'

interface TrialDrawerProps {
  readonly source: DataSource
  readonly leftOut: LeftOut
  readonly place: Identity
  readonly open: (place: Identity | null) => void
}

export function TrialDrawer({ source, leftOut, place, open }: TrialDrawerProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  const { suite, case: one, subject, index } = place
  const cells = usePromise(() => source.cells(suite), [source, suite]) ?? []
  const ofCase = cells.filter((cell) => cell.case === one)
  const cell = ofCase.find((other) => other.subject === subject)
  const asked = usePromise(() => source.cases(suite), [source, suite])?.find(
    (other) => other.case === one,
  )
  const unfoldable = usePromise(() => source.unfoldable(place), [source, suite, one, subject])
  const found = usePromise(
    async () => ({ trial: await source.trial(place), place }),
    [source, place],
  )
  useEffect(() => {
    const shown = dialog.current
    shown?.showModal()
    return () => shown?.close()
  }, [])
  useEffect(() => dialog.current?.scrollTo({ top: 0 }), [one])
  const step = (by: number): void => {
    const to = index + by
    if (cell !== undefined && to >= 0 && to < cell.outcomes.length) open({ ...place, index: to })
  }
  return (
    <dialog
      ref={dialog}
      class="drawer"
      aria-labelledby="trial-case"
      onClose={() => open(null)}
      onClick={(event) => {
        // The target is the dialog element itself only if the click was on the backdrop, outside the drawer.
        if (event.target === event.currentTarget) dialog.current?.close()
      }}
      onKeyDown={(event) => {
        if ((event.target as Element).matches('select, input, pre')) return
        if (event.key === 'ArrowLeft') step(-1)
        if (event.key === 'ArrowRight') step(1)
      }}
    >
      <div class="drawer-page">
        <div class="drawer-head">
          <div>
            <h2 id="trial-case">
              <Name text={one} />
            </h2>
            <p class="muted">
              {asked !== undefined && asked.name !== one && <Name text={asked.name} />}
              {asked?.tags.map((tag) => (
                <span class="tag">
                  <Name text={tag} />
                </span>
              ))}
            </p>
          </div>
          <button
            type="button"
            class="close"
            aria-label="Close"
            onClick={() => dialog.current?.close()}
          >
            ✕
          </button>
        </div>
        <SubjectChoice cells={ofCase} place={place} open={open} />
        {cell !== undefined && (
          <TrialChoice cell={cell} index={index} unfoldable={unfoldable} open={open} />
        )}
        {asked !== undefined && (
          <details>
            <summary>What was asked</summary>
            {asked.turns === null ? (
              <p class="left-out">This file has no room for what was asked.</p>
            ) : (
              asked.turns.map((turn) => <Block text={turn} label="prompt" />)
            )}
          </details>
        )}
        {found !== null &&
          found.place === place &&
          (found.trial === null ? (
            <Missing leftOut={leftOut} place={place} cell={cell} />
          ) : (
            <Unfolded trial={found.trial} key={JSON.stringify([subject, index])} />
          ))}
        {asked?.reference != null && (
          <details>
            <summary>Reference answer</summary>
            <Block text={asked.reference} label="reference answer" />
          </details>
        )}
      </div>
    </dialog>
  )
}

interface SubjectChoiceProps {
  readonly cells: readonly ViewCell[]
  readonly place: Identity
  readonly open: (place: Identity) => void
}

function SubjectChoice({ cells, place, open }: SubjectChoiceProps) {
  const at = cells.findIndex(({ subject }) => subject === place.subject)
  return (
    <p>
      {cells.length < 2 ? (
        <Name text={place.subject} />
      ) : (
        <label>
          Subject{' '}
          <select
            value={String(at)}
            onChange={(event) => {
              const cell = cells[Number(event.currentTarget.value)]
              if (cell !== undefined)
                open({
                  ...place,
                  subject: cell.subject,
                  index: Math.min(place.index, Math.max(0, cell.outcomes.length - 1)),
                })
            }}
          >
            {cells.map(({ subject, n, c }, i) => (
              <option value={String(i)}>{`${visible(subject)} (${c}/${n})`}</option>
            ))}
          </select>
        </label>
      )}
    </p>
  )
}

interface MissingProps {
  readonly leftOut: LeftOut
  readonly place: Identity
  readonly cell: ViewCell | undefined
}

function Missing({ leftOut, place, cell }: MissingProps) {
  const letter = cell?.outcomes[place.index]
  if (cell === undefined || letter === undefined)
    return <p class="left-out">There is no such trial in this file.</p>
  const outcome = outcomeName(letter)
  return (
    <>
      <p>
        <span class={`badge fill-${outcome}`}>{outcome}</span>
      </p>
      {outcome === 'cancelled' ? (
        <p class="left-out">This trial was planned and never run.</p>
      ) : (
        <div class="left-out">
          <p>
            The texts of this trial are not in this file, as those of{' '}
            {counted(leftOut.trials, 'trial')}: failed and errored ones were kept first. The run
            folder has them:
          </p>
          <ShowCommand place={place} />
        </div>
      )}
    </>
  )
}

/** Quotes a word for a shell if necessary. */
const quoted = (word: string): string =>
  /^[\w.:/-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`

function Unfolded({ trial }: { readonly trial: ViewTrial }) {
  const { outcome, reason, score, answer, files, filesLeftOut, grades } = trial
  return (
    <>
      <p class="verdict">
        <span class={`badge fill-${outcome}`}>{outcome}</span>
        <span>score {fixed(score)}</span>
        {facts(trial).map((fact) => (
          <span class="muted">{fact}</span>
        ))}
      </p>
      {(trial.remarks ?? []).map((remark) => (
        <p class="muted">
          <Name text={remark} />
        </p>
      ))}
      {reason !== null && (
        <>
          <h3>
            Why <span class="tag">{reason.code}</span>
          </h3>
          <Block text={reason.text} label="reason" />
        </>
      )}
      <h3>Answer</h3>
      {answer === null ? (
        <p class="left-out">There was no answer.</p>
      ) : (
        <Block text={answer} label="answer" />
      )}
      {files.length > 0 && <h3>Files</h3>}
      {files.map(({ path, text }) => (
        <details>
          <summary>
            <Name text={path} />
          </summary>
          <Block text={text} label="file" />
        </details>
      ))}
      {filesLeftOut > 0 && <p class="left-out">{counted(filesLeftOut, 'more file')}</p>}
      {grades.length > 0 && <h3>Grades</h3>}
      <Grades grades={grades} />
      <Acts trial={trial} />
    </>
  )
}

/** The trajectory of an agent and the changes it made, or a text that says why they are not shown. */
function Acts({ trial }: { readonly trial: ViewTrial }) {
  const { trajectory, diff } = trial
  return (
    <>
      {trajectory !== undefined &&
        ('missing' in trajectory ? (
          <Absent title="What the agent did" why={trajectory} place={trial} />
        ) : (
          <Trajectory trajectory={trajectory} />
        ))}
      {diff !== undefined &&
        ('missing' in diff ? (
          <Absent title="What it changed" why={diff} place={trial} />
        ) : (
          <Diff diff={diff} />
        ))}
    </>
  )
}

interface AbsentProps {
  readonly title: string
  readonly why: Missing
  readonly place: Identity
}

const Absent = ({ title, why, place }: AbsentProps) => (
  <>
    <h3>{title}</h3>
    <div class="left-out">
      <p>It is not shown: {why.missing}. What the run folder has of it:</p>
      <ShowCommand place={place} />
    </div>
  </>
)

function ShowCommand({ place }: { readonly place: Identity }) {
  return (
    <pre>
      <Name
        text={`assay show RUN ${quoted(place.case)} ${place.index} --subject ${quoted(place.subject)}`}
      />
    </pre>
  )
}

function facts(trial: ViewTrial): string[] {
  const { source, costUsd, answerMs, waitMs, gradeMs, durationMs, attempts, tokens } = trial
  const { implRate, composite, costOfPass } = trial
  return [
    ...(source === 'live' ? [] : [source]),
    ...(implRate === null ? [] : [`impl. rate ${fixed(implRate)}`]),
    ...(composite === null ? [] : [`composite ${composite.toFixed(3)}`]),
    `cost ${costUsd === null ? NONE : dollars(costUsd)}`,
    ...(costOfPass === null
      ? []
      : [`cost of pass ${costOfPass === 'infinite' ? '∞' : dollars(costOfPass)}`]),
    ...(durationMs === null ? [] : [`duration ${time(durationMs)}`]),
    ...(answerMs === null ? [] : [`answer ${time(answerMs)}`]),
    ...(waitMs === null ? [] : [`waiting ${time(waitMs)}`]),
    ...(gradeMs === null ? [] : [`grading ${time(gradeMs)}`]),
    ...(tokens === null ? [] : [`${count(tokens[0])} → ${count(tokens[1])} tokens`]),
    ...(attempts > 1 ? [counted(attempts, 'request')] : []),
  ]
}
