/** Shows what follows from the labels of people: how far people agree, how often each judge is right, and corrected pass rates. */
import {
  correctionWords,
  kappaWords,
  PROMISED_POINTS,
  raterName,
  type Agreement,
  type RaterFigures,
  type ReviewerFigures,
  type ReviewFigures,
} from 'assay/view-data'
import { count, counted, NONE, percent } from '../figures.ts'
import { PlainTable } from '../parts/plain-table.tsx'
import { Name } from '../text/shown.tsx'
import { visible } from '../text/visible.ts'

export function ReviewTables({ figures }: { readonly figures: ReviewFigures }) {
  const { reviewers, agreement } = figures
  if (reviewers.length === 0)
    return (
      <section aria-labelledby="labels">
        <h2 id="labels">What the labels show</h2>
        <p class="muted">Nobody has reviewed this run yet.</p>
      </section>
    )
  return (
    <>
      {agreement.length > 0 && (
        <section aria-labelledby="people">
          <h2 id="people">Do people agree?</h2>
          <PlainTable
            label="Agreement of people"
            titles={['people', 'same verdict', 'Cohen’s kappa']}
            rows={agreement.map(agreementRow)}
          />
        </section>
      )}
      {reviewers.map((one, i) => (
        <Reviewer figures={one} id={`reviewer-${i}`} />
      ))}
    </>
  )
}

const agreementRow = ({ a, b, n, same, kappa }: Agreement): string[] => [
  `${a} and ${b}`,
  n === 0 ? 'no trial in common' : `${count(same)} of ${count(n)}`,
  kappaWords(kappa),
]

function Reviewer({ figures, id }: { readonly figures: ReviewerFigures; readonly id: string }) {
  const { reviewer, pass, fail, unsure, blind, chosen, outdated, raters } = figures
  return (
    <section aria-labelledby={id}>
      <h2 id={id}>
        By the labels of <Name text={reviewer} />
      </h2>
      <p class="muted">
        {count(pass)} pass, {count(fail)} fail, {count(unsure)} unsure · {count(blind)} given blind
        {chosen > 0 && ` · ${count(chosen)} of chosen trials, which correct no rate`}
        {outdated > 0 && ` · ${count(outdated)} of answers that were replaced, which do not count`}
      </p>
      {raters.map((rater) => (
        <Rater rater={rater} />
      ))}
    </section>
  )
}

function Rater({ rater }: { readonly rater: RaterFigures }) {
  const { suite, confusion, kappa, basis, subjects, notes } = rater
  const { bothPass, onlyPerson, onlyJudge, bothFail } = confusion
  const name = raterName(rater)
  const n = bothPass + onlyPerson + onlyJudge + bothFail
  return (
    <>
      <h3>
        <Name text={name} /> <span class="muted">on {visible(suite)}</span>
      </h3>
      {n === 0 ? (
        <p class="muted">No trial with a label has its verdict.</p>
      ) : (
        <>
          <PlainTable
            label={`Verdicts of ${visible(name)} and of the person`}
            titles={['', 'judged pass', 'judged fail', 'judged right']}
            rows={[
              ['person: pass', count(bothPass), count(onlyPerson), shareOf(bothPass, onlyPerson)],
              ['person: fail', count(onlyJudge), count(bothFail), shareOf(bothFail, onlyJudge)],
            ]}
          />
          <p class="muted small">
            same verdict on {count(bothPass + bothFail)} of {counted(n, 'trial')} · Cohen’s kappa{' '}
            {kappaWords(kappa)}
          </p>
        </>
      )}
      <PlainTable
        label={`Pass rates corrected for the errors of ${visible(name)}`}
        titles={['subject', 'as judged', 'by the labels alone', 'corrected', '95 % interval']}
        rows={subjects.map(({ subject, observed, byLabels, corrected }) => [
          subject,
          `${percent(observed.c / Math.max(1, observed.n))} (${count(observed.c)}/${count(observed.n)})`,
          byLabels === null
            ? NONE
            : `${count(byLabels.c)}/${count(byLabels.n)} (${range(byLabels)})`,
          corrected.value === null ? NONE : percent(corrected.value),
          corrected.interval === null ? NONE : range(corrected.interval),
        ])}
      />
      <p class="muted small">
        The corrected rates rest on {counted(basis, 'label')} of trials that came up at random, of
        all subjects together, and are about these cases, tried again. The aim is an interval of at
        most ±{PROMISED_POINTS} points.
      </p>
      <ul class="needs">
        {subjects.map(({ subject, corrected }) => {
          const words = correctionWords(corrected)
          return (
            words !== '' && (
              <li>
                <Name text={subject} />: {words}
              </li>
            )
          )
        })}
      </ul>
      {notes.map((note) => (
        <p class="left-out">{note}</p>
      ))}
    </>
  )
}

const shareOf = (right: number, wrong: number): string =>
  right + wrong === 0 ? NONE : percent(right / (right + wrong))

const range = ({ low, high }: { readonly low: number; readonly high: number }): string =>
  `${percent(low)}–${percent(high)}`
