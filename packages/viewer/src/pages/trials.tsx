/**
 * The page with the trials of a run. Its table is filtered, sorted and loaded one page at a time, so that it can
 * have a million rows.
 */
import { useEffect, useMemo, useState } from 'preact/hooks'
import type {
  ReviewedLabel,
  RunSource,
  TrialOrder,
  TrialPage,
  Workbench,
} from '../data/workbench-source.ts'
import { count, counted, dollars, fixed, NONE, time } from '../figures.ts'
import { useLive } from '../hooks/use-live.ts'
import { useLoaded } from '../hooks/use-loaded.ts'
import { Crumbs, MessagePage, PageHead } from '../parts/page-head.tsx'
import { Pager } from '../parts/pager.tsx'
import { SuiteChoice } from '../parts/suite-choice.tsx'
import { labelsOf } from '../review/queue.ts'
import { useLabels } from '../review/trial-labels.tsx'
import { Name } from '../text/shown.tsx'
import { visible } from '../text/visible.ts'
import { runHash, RUNS, trialHash, trialsHash, type TrialsState } from './routes.ts'
import { Scroll } from '../parts/tables/scroll.tsx'

interface TrialsPageProps {
  readonly workbench: Workbench
  readonly run: string
  readonly state: TrialsState
}

export const TRIALS_PAGE = 50

const OUTCOMES = { p: 'passed', f: 'failed', e: 'errored', u: 'unscored', c: 'cancelled' } as const

const ORDERS: readonly (readonly [TrialOrder, string])[] = [
  ['score', 'score'],
  ['cost', 'cost'],
  ['time', 'time'],
]

export function TrialsPage({ workbench, run, state }: TrialsPageProps) {
  const live = useLive(workbench, run)
  const source = useMemo(() => workbench.run(run), [workbench, run, live.version])
  const { value: head, error } = useLoaded(() => source.head(), [source], run)
  const labels = useLabels(workbench, run, live.version)
  const navigation = (
    <Crumbs
      path={[
        { text: 'Runs', href: RUNS },
        { text: head?.row.title ?? 'Run', href: runHash(run) },
      ]}
      here="Trials"
    />
  )
  useEffect(() => {
    document.title = 'Trials · Assay'
  }, [])
  const suites = [...new Set(head?.report.subjects.map(({ suite }) => suite))]
  const suite = suites.find((one) => one === state.suite) ?? suites[0] ?? ''
  const { value: page, error: refused } = useTrials(source, { ...state, suite }, head !== null)
  if (head === null)
    return error === null ? (
      <PageHead navigation={navigation} />
    ) : (
      <MessagePage navigation={navigation} text={error} />
    )
  const go = (change: Partial<TrialsState>): void => {
    location.hash = trialsHash(run, { ...state, suite, from: 0, ...change })
  }
  const rows = head.report.subjects.filter((row) => row.suite === suite)
  return (
    <>
      <PageHead navigation={navigation}>
        <h1>Trials</h1>
      </PageHead>
      <main>
        <SuiteChoice
          suites={suites}
          suite={suite}
          choose={(one) => go({ suite: one, subject: '' })}
        />
        <form class="filters no-print" onSubmit={(event) => event.preventDefault()}>
          {rows.length > 1 && (
            <label>
              Subject
              <select
                // The value is an index and not a name, because the names of two subjects can look the same on the
                // page.
                value={String(rows.findIndex(({ subject }) => subject === state.subject))}
                onChange={(event) =>
                  go({ subject: rows[Number(event.currentTarget.value)]?.subject ?? '' })
                }
              >
                <option value="-1">all subjects</option>
                {rows.map(({ subject }, i) => (
                  <option value={String(i)}>{visible(subject)}</option>
                ))}
              </select>
            </label>
          )}
          <label>
            Outcome
            <select
              value={state.outcome}
              onChange={(event) => go({ outcome: event.currentTarget.value })}
            >
              <option value="">all outcomes</option>
              {Object.entries(OUTCOMES).map(([letter, name]) => (
                <option value={letter}>{name}</option>
              ))}
            </select>
          </label>
          <Words words={state.words} go={go} />
          <output class="muted small">
            {page !== null && `${count(page.matching)} of ${count(page.total)} trials`}
          </output>
        </form>
        {refused !== null && (
          <p class="message" role="alert">
            <Name text={refused} most={2000} />
          </p>
        )}
        {page?.leftOut !== undefined && page.leftOut > 0 && (
          <p class="left-out">
            {counted(page.leftOut, 'trial')} of this suite {page.leftOut === 1 ? 'is' : 'are'} not
            in this table, because the site has no room for them: trials that passed were left out
            first. The run folder has them.
          </p>
        )}
        {page !== null && (
          <TrialTable run={run} page={page} state={state} labels={labels} go={go} />
        )}
      </main>
    </>
  )
}

const useTrials = (source: RunSource, asked: TrialsState, isReady: boolean) =>
  useLoaded(
    async () => (isReady ? source.trials(asked) : Promise.resolve(null)),
    [source, JSON.stringify(asked), isReady],
  )

type Go = (change: Partial<TrialsState>) => void

const PAUSE_MS = 150

/** The search field. The address changes only after the user stops typing. */
function Words({ words, go }: { readonly words: string; readonly go: Go }) {
  const [typed, setTyped] = useState(words)
  useEffect(() => {
    if (typed === words) return undefined
    const timer = setTimeout(() => go({ words: typed }), PAUSE_MS)
    return () => clearTimeout(timer)
  }, [typed])
  return (
    <label class="words">
      Find
      <input
        type="search"
        value={typed}
        placeholder="case, subject, reason"
        onInput={(event) => setTyped(event.currentTarget.value)}
      />
    </label>
  )
}

interface TrialTableProps {
  readonly run: string
  readonly page: TrialPage
  readonly state: TrialsState
  readonly labels: readonly ReviewedLabel[]
  readonly go: Go
}

export function TrialTable({ run, page, state, labels, go }: TrialTableProps) {
  return (
    <>
      <Scroll label="Trials">
        <table>
          <caption class="unseen">Trials</caption>
          <thead>
            <tr>
              <th scope="col">trial</th>
              <th scope="col">subject</th>
              <th scope="col">outcome</th>
              {ORDERS.map(([order, title]) => {
                const isBy = state.order === order
                return (
                  <th
                    scope="col"
                    class="right"
                    aria-sort={!isBy ? 'none' : state.isDescending ? 'descending' : 'ascending'}
                  >
                    <button
                      type="button"
                      onClick={() =>
                        go({ order, isDescending: isBy ? !state.isDescending : order !== 'score' })
                      }
                    >
                      {title}
                      <span class="arrow" aria-hidden="true">
                        {isBy && (state.isDescending ? '▼' : '▲')}
                      </span>
                    </button>
                  </th>
                )
              })}
              {labels.length > 0 && <th scope="col">people</th>}
              <th scope="col">why</th>
            </tr>
          </thead>
          <tbody>
            {page.rows.map(({ outcome, score, costUsd, answerMs, reason, ...trial }) => (
              <tr>
                <th scope="row">
                  <a href={trialHash(run, trial)}>
                    <Name text={trial.case} most={80} />
                  </a>{' '}
                  <span class="muted">{trial.index}</span>
                </th>
                <td>
                  <Name text={trial.subject} most={60} />
                </td>
                <td>
                  <i class={`swatch fill-${outcome}`} aria-hidden="true" /> {outcome}
                </td>
                <td class="right">{fixed(score)}</td>
                <td class="right">{costUsd === null ? NONE : dollars(costUsd)}</td>
                <td class="right">{time(answerMs)}</td>
                {labels.length > 0 && (
                  <td>
                    {labelsOf({ ...trial, position: trial.index }, labels).map(({ label }) => (
                      <div>
                        <Name text={label.reviewer} most={30} />: {label.verdict}
                      </div>
                    ))}
                  </td>
                )}
                <td class="reason">{reason !== null && <Name text={reason} most={160} />}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </Scroll>
      <Pager
        what="trials"
        from={page.from}
        size={TRIALS_PAGE}
        total={page.matching}
        turn={(from) => go({ from })}
      />
    </>
  )
}
