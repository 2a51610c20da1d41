/** Grades as a tree. Failed grades are unfolded, because readers usually look for these. */
import type { ViewGrade } from '../data/source.ts'
import { counted, fixed } from '../figures.ts'
import { Block, Name } from '../text/shown.tsx'

export function Grades({ grades }: { readonly grades: readonly ViewGrade[] }) {
  return (
    <ul class="grades">
      {grades.map((grade) => (
        <li>
          <One grade={grade} />
        </li>
      ))}
    </ul>
  )
}

function One({ grade }: { readonly grade: ViewGrade }) {
  const { reason, evidence, details, detailsLeftOut } = grade
  const hasMore = reason ?? evidence ?? details ?? detailsLeftOut
  if (hasMore === undefined) return <Line grade={grade} />
  return (
    <details open={grade.passed === false}>
      <summary>
        <Line grade={grade} />
      </summary>
      {reason !== undefined && <Block text={reason} label="reason" />}
      {evidence !== undefined && (
        <>
          <p class="small muted">Evidence</p>
          <Block text={evidence} label="evidence" />
        </>
      )}
      {details !== undefined && <Grades grades={details} />}
      {detailsLeftOut !== undefined && (
        <p class="left-out">{counted(detailsLeftOut, 'more detail')} not on this page</p>
      )}
    </details>
  )
}

function Line({ grade }: { readonly grade: ViewGrade }) {
  const { name, type, score, passed, weight, required, integrity } = grade
  const verdict = passed === null ? 'advice' : passed ? 'passed' : 'failed'
  return (
    <span class="grade">
      <i class={`key ${VERDICTS[verdict].fill}`} role="img" aria-label={verdict}>
        {VERDICTS[verdict].letter}
      </i>
      <b>
        <Name text={name} />
      </b>
      {type !== name && (
        <span class="muted">
          <Name text={type} />
        </span>
      )}
      <span>{fixed(score)}</span>
      <small>
        {[
          ...(weight === 1 ? [] : [`weight ${Number(weight.toPrecision(3))}`]),
          ...(required === true ? ['required'] : []),
          ...(integrity === undefined ? [] : [`integrity: ${integrity}`]),
        ].join(' · ')}
      </small>
    </span>
  )
}

const VERDICTS = {
  passed: { fill: 'fill-passed', letter: 'p' },
  failed: { fill: 'fill-failed', letter: 'f' },
  advice: { fill: 'fill-unscored', letter: 'i' },
} as const
