/** The page of one trial. It answers the question: why did the trial end like this? */
import type { ComponentChildren } from 'preact'
import { useEffect, useMemo, useState } from 'preact/hooks'
import { rerunCommand } from 'assay/view-data'
import type { Identity } from '../data/source.ts'
import type { RunHead, Workbench } from '../data/workbench-source.ts'
import { Crumbs, MessagePage, PageHead } from '../parts/page-head.tsx'
import { TrialLabels, useLabels } from '../review/trial-labels.tsx'
import { TrialView } from '../trial/trial-view.tsx'
import { caseHash, matrixHash, reviewHash, runHash, RUNS, trialHash } from './routes.ts'
import { Name } from '../text/shown.tsx'
import { visible } from '../text/visible.ts'
import { useLive } from '../hooks/use-live.ts'
import { useLoaded } from '../hooks/use-loaded.ts'

interface TrialPageProps {
  readonly workbench: Workbench
  readonly run: string
  readonly trial: Identity
}

export function TrialPage({ workbench, run, trial }: TrialPageProps) {
  const live = useLive(workbench, run)
  const source = useMemo(() => workbench.run(run), [workbench, run, live.version])
  const { value: head, error } = useLoaded(() => source.head(), [source], run)
  const labels = useLabels(workbench, run, live.version)
  useEffect(() => {
    document.title = `Trial ${trial.index} of ${visible(trial.case)} · Assay`
  }, [trial.index, trial.case])
  const navigation = (
    <Crumbs
      path={[
        { text: 'Runs', href: RUNS },
        { text: head?.row.title ?? 'Run', href: runHash(run) },
      ]}
      here={`trial ${trial.index} of ${trial.case}`}
    />
  )
  if (head === null)
    return error === null ? (
      <PageHead navigation={navigation} />
    ) : (
      <MessagePage navigation={navigation} text={error} />
    )
  return (
    <>
      <PageHead navigation={navigation} />
      <main class="trial-page">
        <TrialView
          source={source}
          leftOut={head.leftOut}
          place={trial}
          open={(place) => {
            location.hash = trialHash(run, place)
          }}
          folder={head.row.folder}
          labels={<TrialLabels labels={labels} trial={trial} />}
          isPage
          links={
            <>
              <TrialLinks run={run} trial={trial} />
              <Commands head={head} trial={trial} />
            </>
          }
        />
      </main>
    </>
  )
}

interface TrialLinksProps {
  readonly run: string
  readonly trial: Identity
  readonly children?: ComponentChildren
}

/** The links from a trial to other pages. They are on its own page and in the drawer of the run's page. */
export const TrialLinks = ({ run, trial, children }: TrialLinksProps) => (
  <p class="trial-links no-print">
    {children}
    <a href={caseHash(trial.suite, trial.case)}>This case in all runs</a> ·{' '}
    <a href={matrixHash({ run, suite: trial.suite, case: trial.case, index: trial.index })}>
      All subjects side by side
    </a>{' '}
    · <a href={reviewHash(run, { chosen: trial })}>Review this trial</a>
  </p>
)

function Commands({ head, trial }: { readonly head: RunHead; readonly trial: Identity }) {
  const command = rerunCommand(head.report.provenance, trial)
  const [isCopied, setCopied] = useState(false)
  if (command === null)
    return (
      <p class="muted small">
        No command can run this trial again: its suite or experiment is unknown, or a shell cannot
        be given its name.
      </p>
    )
  const copy = async (): Promise<void> => {
    await navigator.clipboard.writeText(command)
    setCopied(true)
  }
  return (
    <details>
      <summary>Run this case again</summary>
      <div class="block">
        <pre tabIndex={0} aria-label="command">
          <Name text={command} most={4000} />
        </pre>
      </div>
      <p>
        <button
          type="button"
          class="plain"
          onClick={() => void copy().catch(() => setCopied(false))}
        >
          {isCopied ? 'copied' : 'copy'}
        </button>
      </p>
    </details>
  )
}
