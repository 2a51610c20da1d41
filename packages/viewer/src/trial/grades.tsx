/** Shows grades as a tree. Failed grades are unfolded, because readers usually look for these. */
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
  const { passed, reason, evidence, details, detailsLeftOut } = grade
  const hasMore = reason ?? evidence ?? details ?? detailsLeftOut
  if (hasMore === undefined) return <Line grade={grade} />
  const isJudged = grade.judged === true
  return (
    // Grades of a judge are unfolded even if the answer passed, because people read them to find out whether the
    // judge is right.
    <details open={passed === false || isJudged}>
      <summary>
        <Line grade={grade} />
      </summary>
      {reason !== undefined && <Block text={reason} label="reason" />}
      {isJudged && details !== undefined && <Grades grades={details} />}
      {evidence !== undefined &&
        (isJudged ? (
          <details>
            <summary class="small muted">The judge’s reply, word for word</summary>
            <Block text={evidence} label="evidence" />
          </details>
        ) : (
          <>
            <p class="small muted">Evidence</p>
            <Block text={evidence} label="evidence" />
          </>
        ))}
      {!isJudged && details !== undefined && <Grades grades={details} />}
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
      {type !== 'criterion' && (
        <i class={`key ${VERDICTS[verdict].fill}`} role="img" aria-label={verdict} title={verdict}>
          {VERDICTS[verdict].letter}
        </i>
      )}
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
