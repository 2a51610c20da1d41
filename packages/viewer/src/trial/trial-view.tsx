/** One trial: the prompt, the answer, the grades, and what an agent did. It is shown in a drawer or as a page. */
import type { ComponentChildren } from 'preact'
import { useEffect } from 'preact/hooks'
import type { DataSource, Identity, LeftOut, Missing, ViewCell, ViewTrial } from '../data/source.ts'
import { count, counted, dollars, fixed, NONE, time } from '../figures.ts'
import { outcomeName } from '../outcomes.ts'
import { quoted } from '../text/quoted.ts'
import { Block, Name } from '../text/shown.tsx'
import { visible } from '../text/visible.ts'
import { usePromise } from '../hooks/use-promise.ts'
import { Diff } from './diff.tsx'
import { Grades } from './grades.tsx'
import { Trajectory } from './trajectory.tsx'
import { TrialChoice } from './trial-choice.tsx'

interface TrialViewProps {
  readonly source: Omit<DataSource, 'head'>
  readonly leftOut: LeftOut
  readonly place: Identity
  readonly open: (place: Identity) => void
  /** The run folder as commands accept it. */
  readonly folder?: string | undefined
  /** Shown next to the name of the case. */
  readonly aside?: ComponentChildren
  /** Shown below the choice of the trial. */
  readonly links?: ComponentChildren
  readonly isPage?: boolean
}

export function TrialView(props: TrialViewProps) {
  const { source, leftOut, place, open, folder = 'RUN', isPage = false } = props
  const { suite, case: one, subject, index } = place
  const cells = usePromise(() => source.cells(suite), [source, suite]) ?? []
  const ofCase = cells.filter((cell) => cell.case === one)
  const cell = ofCase.find((other) => other.subject === subject)
  const asked = usePromise(() => source.cases(suite), [source, suite])?.find(
    (other) => other.case === one,
  )
  const unfoldable = usePromise(() => source.unfoldable(place), [source, suite, one, subject])
  const found = usePromise(
    async () => ({ trial: await source.trial(place), at: keyOf(place) }),
    [source, keyOf(place)],
  )
  useEffect(() => {
    const turn = (event: KeyboardEvent): void => {
      if ((event.target as Element).matches('select, input, textarea, pre')) return
      const by = event.key === 'ArrowLeft' ? -1 : event.key === 'ArrowRight' ? 1 : 0
      const to = index + by
      if (by !== 0 && cell !== undefined && to >= 0 && to < cell.outcomes.length)
        open({ ...place, index: to })
    }
    addEventListener('keydown', turn)
    return () => removeEventListener('keydown', turn)
  }, [keyOf(place), cell])
  const Title = isPage ? 'h1' : 'h2'
  return (
    <>
      <div class="drawer-head">
        <div>
          <Title id="trial-case">
            <Name text={one} />
          </Title>
          <p class="muted">
            {asked !== undefined && asked.name !== one && <Name text={asked.name} />}
            {asked?.tags.map((tag) => (
              <span class="tag">
                <Name text={tag} />
              </span>
            ))}
          </p>
        </div>
        {props.aside}
      </div>
      <SubjectChoice cells={ofCase} place={place} open={open} />
      {cell !== undefined && (
        <TrialChoice cell={cell} index={index} unfoldable={unfoldable} open={open} />
      )}
      {props.links}
      {asked !== undefined && (
        <details open={isPage}>
          <summary>What was asked</summary>
          {asked.turns === null ? (
            <p class="left-out">This page has no room for what was asked.</p>
          ) : (
            asked.turns.map((turn) => <Block text={turn} label="prompt" />)
          )}
        </details>
      )}
      {found !== null &&
        found.at === keyOf(place) &&
        (found.trial === null ? (
          <Missing leftOut={leftOut} place={place} cell={cell} folder={folder} />
        ) : (
          <Unfolded trial={found.trial} folder={folder} key={found.at} />
        ))}
      {asked?.reference != null && (
        <details>
          <summary>Reference answer</summary>
          <Block text={asked.reference} label="reference answer" />
        </details>
      )}
    </>
  )
}

const keyOf = ({ suite, case: one, subject, index }: Identity): string =>
  JSON.stringify([suite, one, subject, index])

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
  readonly folder: string
}

function Missing({ leftOut, place, cell, folder }: MissingProps) {
  const letter = cell?.outcomes[place.index]
  if (cell === undefined || letter === undefined)
    return <p class="left-out">There is no such trial in this run.</p>
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
            The texts of this trial are not on this page, as those of{' '}
            {counted(leftOut.trials, 'trial')}: failed and errored ones were kept first. The run
            folder has them:
          </p>
          <ShowCommand place={place} folder={folder} />
        </div>
      )}
    </>
  )
}

interface UnfoldedProps {
  readonly trial: ViewTrial
  readonly folder: string
}

function Unfolded({ trial, folder }: UnfoldedProps) {
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
      {trial.said !== undefined && (
        <details open={trial.said.some(({ title }) => title === 'assistant')}>
          <summary>The conversation before the answer</summary>
          {trial.said.map(({ title, text }) => (
            <>
              <p class="muted">{title}</p>
              <Block text={text} label={title} />
            </>
          ))}
        </details>
      )}
      <h3>Answer</h3>
      {answer === null ? (
        <p class="left-out">There was no answer.</p>
      ) : (
        <Block text={answer} label="answer" />
      )}
      {trial.log !== undefined && (
        <details>
          <summary>What the function printed</summary>
          <Block text={trial.log} label="printed" />
        </details>
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
      <Acts trial={trial} folder={folder} />
    </>
  )
}

/** The trajectory of an agent and the changes it made, or a text that says why they are not shown. */
function Acts({ trial, folder }: UnfoldedProps) {
  const { trajectory, diff } = trial
  return (
    <>
      {trajectory !== undefined &&
        ('missing' in trajectory ? (
          <Absent title="What the agent did" why={trajectory} place={trial} folder={folder} />
        ) : (
          <Trajectory trajectory={trajectory} />
        ))}
      {diff !== undefined &&
        ('missing' in diff ? (
          <Absent title="What it changed" why={diff} place={trial} folder={folder} />
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
  readonly folder: string
}

const Absent = ({ title, why, place, folder }: AbsentProps) => (
  <>
    <h3>{title}</h3>
    <div class="left-out">
      <p>It is not shown: {why.missing}. What the run folder has of it:</p>
      <ShowCommand place={place} folder={folder} />
    </div>
  </>
)

function ShowCommand({ place, folder }: { readonly place: Identity; readonly folder: string }) {
  return (
    <pre>
      <Name
        text={`assay show ${quoted(folder)} ${quoted(place.case)} ${place.index} --subject ${quoted(place.subject)}`}
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
