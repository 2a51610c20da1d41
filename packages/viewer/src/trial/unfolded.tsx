/** Shows the details of a trial: its outcome, the answer, the grades, and what an agent did and changed. */
import type { Identity, Missing, ViewTrial } from '../data/source.ts'
import { count, counted, dollars, fixed, NONE, time } from '../figures.ts'
import { quoted, quotedPath } from '../text/quoted.ts'
import { Block, Name } from '../text/shown.tsx'
import { Diff } from './diff.tsx'
import { Grades } from './grades.tsx'
import { Trajectory } from './trajectory.tsx'

interface UnfoldedProps {
  readonly trial: ViewTrial
  readonly folder: string
  /**
   * Whether to hide what graders and figures say about the answer. A person in a blind review must first form an
   * opinion without them.
   */
  readonly isBlind?: boolean
}

export function Unfolded({ trial, folder, isBlind = false }: UnfoldedProps) {
  const { answer, files, filesLeftOut, grades } = trial
  return (
    <>
      {!isBlind && <Outcome trial={trial} />}
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
      {grades.length > 0 && !isBlind && (
        <>
          <h3>Grades</h3>
          <Grades grades={grades} />
        </>
      )}
      <Acts trial={trial} folder={folder} />
    </>
  )
}

function Outcome({ trial }: { readonly trial: ViewTrial }) {
  const { outcome, reason, score } = trial
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
    </>
  )
}

/** Shows the trajectory of an agent and the changes that it made, or a text that says why they are not shown. */
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

export function ShowCommand({
  place,
  folder,
}: {
  readonly place: Identity
  readonly folder: string
}) {
  const words = `${quotedPath(folder)} ${quoted(place.case)} ${place.index}`
  const subject = `--subject ${quoted(place.subject)}`
  // `--` ends the flags. Without it, the name of a case that starts with a dash would be read as a flag.
  const given = place.case.startsWith('-') ? `${subject} -- ${words}` : `${words} ${subject}`
  return (
    <pre>
      <Name text={`assay show ${given}`} />
    </pre>
  )
}

function facts(trial: ViewTrial): string[] {
  const { source, costUsd, answerMs, waitMs, gradeMs, durationMs, attempts, tokens } = trial
  const { implRate, composite, costOfPass, network } = trial
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
    ...(network === undefined ? [] : [`network ${network}`]),
  ]
}
