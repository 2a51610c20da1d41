/** The page of a run. It shows the same as the HTML report, and is updated while the run is being written. */
import { spentText } from 'assay/view-data'
import { useEffect, useMemo, useRef } from 'preact/hooks'
import { RunView } from '../app.tsx'
import type { Identity } from '../data/source.ts'
import type { RunHead, Workbench } from '../data/workbench-source.ts'
import { count, time } from '../figures.ts'
import { Crumbs, MessagePage, PageHead } from '../parts/page-head.tsx'
import { secondsLeft, type Sample } from './remaining.ts'
import {
  compareHash,
  matrixHash,
  reviewHash,
  runHash,
  RUNS,
  trialHash,
  trialsHash,
} from './routes.ts'
import { shortCommit } from '../trend-words.ts'
import { Name } from '../text/shown.tsx'
import { visible } from '../text/visible.ts'
import { useLive, type Live } from '../hooks/use-live.ts'
import { useLoaded } from '../hooks/use-loaded.ts'
import { TrialLabels, useLabels } from '../review/trial-labels.tsx'
import { Lost } from './runs.tsx'
import { TrialLinks } from './trial.tsx'

interface RunPageProps {
  readonly workbench: Workbench
  readonly run: string
  readonly trial: Identity | null
}

export const runCrumbs = (head: RunHead | null) => (
  <Crumbs path={[{ text: 'Runs', href: RUNS }]} here={titleOf(head)} />
)

const titleOf = (head: RunHead | null): string =>
  head === null ? 'Run' : head.row.title === '' ? head.row.folder : head.row.title

export function RunPage({ workbench, run, trial }: RunPageProps) {
  const live = useLive(workbench, run)
  // Each change creates a new source, so that all data of the page is loaded again.
  const source = useMemo(() => workbench.run(run), [workbench, run, live.version])
  const { value: head, error } = useLoaded(() => source.head(), [source], run)
  const labels = useLabels(workbench, trial === null ? null : run, live.version)
  useEffect(() => {
    document.title = `${visible(titleOf(head))} · Assay`
  }, [head])
  if (head === null)
    return error === null ? (
      <PageHead navigation={runCrumbs(null)} />
    ) : (
      <MessagePage navigation={runCrumbs(null)} text={error} />
    )
  const open = (place: Identity | null): void => {
    history.replaceState(null, '', runHash(run, place))
    dispatchEvent(new HashChangeEvent('hashchange'))
  }
  return (
    <RunView
      // With this key, the page is reset when another run is shown.
      key={run}
      source={source}
      head={head}
      opened={trial}
      open={open}
      folder={head.row.folder}
      navigation={runCrumbs(head)}
      status={<Status head={head} live={live} error={error} />}
      trialLinks={(place) => (
        <>
          <TrialLinks run={run} trial={place}>
            <a href={trialHash(run, place)}>Open as a page</a> ·{' '}
          </TrialLinks>
          <TrialLabels labels={labels} trial={place} />
        </>
      )}
    />
  )
}

interface StatusProps {
  readonly head: RunHead
  readonly live: Live
  readonly error: string | null
}

function Status({ head, live, error }: StatusProps) {
  const { row, report } = head
  return (
    <>
      <p class="muted">
        folder{' '}
        <span class="id">
          <Name text={row.folder} most={400} />
        </span>{' '}
        · <a href={compareHash({ b: row.key })}>compare with an earlier run</a> ·{' '}
        <a href={matrixHash({ run: row.key })}>answers side by side</a> ·{' '}
        <a href={reviewHash(row.key)}>review</a> · <a href={trialsHash(row.key)}>all trials</a>
        {row.commit !== null && (
          <>
            {' '}
            · commit{' '}
            <span class="id" title={row.commit}>
              {shortCommit(row.commit)}
            </span>
          </>
        )}
      </p>
      {live.trouble === 'gone' && (
        <p class="stamp" role="alert">
          <strong>DELETED</strong>
          <span>The folder of this run is gone. This page shows what was last read from it.</span>
        </p>
      )}
      {live.trouble === 'lost' && <Lost />}
      {error !== null && live.trouble === null && (
        <p class="stamp" role="alert">
          <strong>NOT READABLE</strong>
          <span>
            <Name text={error} most={2000} /> This page shows what was last read.
          </span>
        </p>
      )}
      {row.state === 'running' && <Progress head={head} />}
      {row.state === 'stopped' && live.trouble !== 'gone' && (
        <p class="stamp" role="status">
          <strong>STOPPED</strong>
          <span>
            No process is writing this run, and it has no end: it was killed, or its machine was.
            {report.counts.cancelled > 0 && (
              <>
                {' '}
                Continue it with <code>assay run --resume {visible(row.folder)}</code>
              </>
            )}
          </span>
        </p>
      )}
    </>
  )
}

/** Shows the progress of a run, computed from what this page has seen of it. */
function Progress({ head: { report } }: { readonly head: RunHead }) {
  const unpriced = report.subjects.reduce((sum, { cost }) => sum + cost.unknown, 0)
  const spent = spentText({ spentUsd: report.spentUsd, unpriced })
  const samples = useRef<Sample[]>([])
  const { planned, cancelled } = report.counts
  const done = planned - cancelled
  const last = samples.current.at(-1)
  if (last?.done !== done) samples.current.push({ at: performance.now() / 1000, done })
  const left = secondsLeft(samples.current, planned)
  return (
    <p class="live" role="status" id="progress">
      <progress max={planned} value={done} aria-label="recorded trials" />
      <span>
        running: {count(done)} of {count(planned)} trials,{' '}
        {spent === 'unknown' ? 'prices are unknown' : `${spent} spent`}
        {left !== null && `, about ${time(left * 1000)} left`}
      </span>
    </p>
  )
}
