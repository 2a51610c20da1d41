/**
 * The Review page. It answers the question: is the judge right? A person looks at trials one by one and says whether
 * each answer is good.
 */
import { useEffect, useMemo, useState } from 'preact/hooks'
import { reviewFigures } from 'assay/view-data'
import type { Identity } from '../data/source.ts'
import type { ReviewData, ReviewItem, RunHead, Workbench } from '../data/workbench-source.ts'
import { count, counted } from '../figures.ts'
import { useLive } from '../hooks/use-live.ts'
import { useLoaded } from '../hooks/use-loaded.ts'
import { useStored } from '../hooks/use-stored.ts'
import { Crumbs, MessagePage, PageHead } from '../parts/page-head.tsx'
import { ReviewForm } from '../review/review-form.tsx'
import { ReviewTables } from '../review/review-tables.tsx'
import { isDone, nextOpen } from '../review/queue.ts'
import { Name } from '../text/shown.tsx'
import { visible } from '../text/visible.ts'
import { reviewHash, runHash, RUNS, type ReviewState } from './routes.ts'

interface ReviewPageProps {
  readonly workbench: Workbench
  readonly run: string
  readonly state: ReviewState
}

export function ReviewPage({ workbench, run, state }: ReviewPageProps) {
  const live = useLive(workbench, run)
  const source = useMemo(() => workbench.run(run), [workbench, run, live.version])
  const { value: head } = useLoaded(() => source.head(), [source], run)
  const { suite, subject } = state
  const of = JSON.stringify([run, suite, subject])
  const { value: data, error } = useLoaded(
    () => workbench.review(run, { suite, subject }),
    [workbench, of, live.version],
    of,
  )
  const [reviewer, setReviewer] = useStored('assay-reviewer', '')
  useEffect(() => {
    document.title = 'Review · Assay'
  }, [])
  const navigation = (
    <Crumbs
      path={[
        { text: 'Runs', href: RUNS },
        { text: head?.row.title ?? 'Run', href: runHash(run) },
      ]}
      here="Review"
    />
  )
  if (data === null || head === null)
    return error === null ? (
      <PageHead navigation={navigation} />
    ) : (
      <MessagePage navigation={navigation} text={error} />
    )
  return (
    <>
      <PageHead navigation={navigation}>
        <h1>Review</h1>
        <p class="muted">
          Is each answer good? Your verdicts show how often the judges are right. The trials come in
          a random order, which is the same for everybody.
        </p>
        {data.notes.map((note) => (
          <p class="muted" role="status">
            <Name text={note} most={500} />
          </p>
        ))}
        {error !== null && (
          <p class="left-out" role="alert">
            <Name text={error} most={2000} /> What was last read is shown.
          </p>
        )}
      </PageHead>
      <main class="review">
        <Controls head={head} run={run} state={state} reviewer={reviewer} name={setReviewer} />
        <Trials
          // With this key, the form is reset when other trials are chosen.
          key={`${of} ${JSON.stringify(state.chosen)}`}
          workbench={workbench}
          run={run}
          state={state}
          head={head}
          data={data}
          reviewer={reviewer.trim()}
          source={source}
        />
        <ReviewTables figures={reviewFigures(data)} />
      </main>
    </>
  )
}

interface ControlsProps {
  readonly head: RunHead
  readonly run: string
  readonly state: ReviewState
  readonly reviewer: string
  readonly name: (reviewer: string) => void
}

function Controls({ head, run, state, reviewer, name }: ControlsProps) {
  const { subjects } = head.report
  const suites = [...new Set(subjects.map(({ suite }) => suite))]
  const names = [...new Set(subjects.map(({ subject }) => subject))]
  const go = (change: Partial<ReviewState>): void => {
    location.hash = reviewHash(run, { ...state, ...change })
  }
  const choice = (title: string, all: readonly string[], key: 'suite' | 'subject') =>
    all.length > 1 && (
      <label>
        {title}
        <select
          value={state[key] === null ? '' : String(all.indexOf(state[key] ?? ''))}
          onChange={(event) => {
            const value = event.currentTarget.value
            go({ [key]: value === '' ? null : (all[Number(value)] ?? null), chosen: null })
          }}
        >
          <option value="">all</option>
          {all.map((one, i) => (
            <option value={String(i)}>{visible(one)}</option>
          ))}
        </select>
      </label>
    )
  return (
    <form
      class="filters no-print"
      onSubmit={(event) => {
        event.preventDefault()
        // After Enter in the field of the name, the keys p and f are verdicts and no letters of the name.
        if (document.activeElement instanceof HTMLElement) document.activeElement.blur()
      }}
    >
      <label>
        Your name
        <input
          type="text"
          value={reviewer}
          maxLength={100}
          autocomplete="off"
          onInput={(event) => name(event.currentTarget.value)}
        />
      </label>
      {choice('Suite', suites, 'suite')}
      {choice('Subject', names, 'subject')}
      <label class="check">
        <input
          type="checkbox"
          checked={state.isBlind}
          onChange={(event) => go({ isBlind: event.currentTarget.checked })}
        />
        blind: hide the subject and the grades
      </label>
    </form>
  )
}

interface TrialsProps {
  readonly workbench: Workbench
  readonly run: string
  readonly state: ReviewState
  readonly head: RunHead
  readonly data: ReviewData
  readonly reviewer: string
  readonly source: ReturnType<Workbench['run']>
}

/** Shows the trial that is being reviewed, and how many are done. */
function Trials({ workbench, run, state, head, data, reviewer, source }: TrialsProps) {
  const { queue, labels, reviewable } = data
  const { chosen } = state
  const [at, setAt] = useState<number | null>(null)
  const [said, setSaid] = useState<string | null>(null)
  const place = at ?? nextOpen(queue, labels, reviewer, 0)
  const item = chosen === null ? (queue[place] ?? null) : itemOf(chosen)
  const done = queue.filter((one) => isDone(one, labels, reviewer)).length
  const go = (by: number): void => setAt(Math.max(0, Math.min(queue.length, place + by)))
  return (
    <section aria-labelledby="review-trial">
      <h2 id="review-trial">
        {chosen !== null
          ? 'A chosen trial'
          : item === null
            ? 'Nothing left to review'
            : `Trial ${count(place + 1)} of ${count(queue.length)}`}
      </h2>
      <p class="muted small">
        {reviewer === '' ? 'Enter your name to give verdicts.' : `${count(done)} reviewed by you.`}{' '}
        {queue.length < reviewable &&
          `These are a random ${count(queue.length)} of ${counted(reviewable, 'trial')}. `}
        {chosen !== null && (
          <>
            A label of a chosen trial is compared with the judge, but corrects no pass rate until
            the trial comes up at random, because chosen trials are not a fair sample.{' '}
            <a href={reviewHash(run, { isBlind: state.isBlind })}>Review trials at random</a>
          </>
        )}
      </p>
      <p class="small" role="status" id="saved">
        {said !== null && <Name text={said} most={1000} />}
      </p>
      {item === null ? (
        <p class="message">
          {queue.length === 0 ? (
            'There is no trial with an answer here.'
          ) : (
            <>
              You have reviewed every trial of this list.{' '}
              <button type="button" class="plain" onClick={() => go(-1)}>
                Back to the last one
              </button>
            </>
          )}
        </p>
      ) : (
        <ReviewForm
          key={JSON.stringify(item)}
          item={item}
          picked={chosen === null ? 'random' : 'chosen'}
          isBlind={state.isBlind}
          reviewer={reviewer}
          labels={labels}
          source={source}
          folder={head.row.folder}
          add={(label) => workbench.addLabel(run, label)}
          move={
            chosen === null
              ? {
                  back: () => go(-1),
                  on: () => go(1),
                  next: (about) => {
                    setSaid(about)
                    setAt(nextOpen(queue, labels, reviewer, place + 1))
                  },
                }
              : null
          }
        />
      )}
      {workbench.kept !== null && (
        <p class="kept">
          {counted(workbench.kept.count(run), 'label')} in this browser, not in the run folder.
          {!workbench.kept.isKept() && ' They are lost when this page is closed.'}{' '}
          <button
            type="button"
            class="plain"
            disabled={workbench.kept.count(run) === 0}
            onClick={() => workbench.kept?.download(run)}
          >
            Download the labels
          </button>{' '}
          Then: <code>assay label RUN --import FILE</code>
        </p>
      )}
    </section>
  )
}

const itemOf = ({ suite, case: one, subject, index }: Identity): ReviewItem => ({
  ...{ suite, case: one, subject, position: index, index },
})
