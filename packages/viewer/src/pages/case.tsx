/** The page of one case over all runs. It answers the question: since when does the case fail? */
import { useEffect } from 'preact/hooks'
import type { CaseEntry, CaseHistory, Workbench } from '../data/workbench-source.ts'
import { counted, moment, NONE } from '../figures.ts'
import { useLive } from '../hooks/use-live.ts'
import { useLoaded } from '../hooks/use-loaded.ts'
import { Crumbs, MessagePage, PageHead } from '../parts/page-head.tsx'
import { Strip } from '../parts/strip.tsx'
import { Name } from '../text/shown.tsx'
import { visible } from '../text/visible.ts'
import { shortCommit } from '../trend-words.ts'
import { standingOf } from './failing-since.ts'
import { matrixHash, runHash, RUNS, trialHash } from './routes.ts'
import { Scroll } from '../parts/tables/scroll.tsx'

interface CasePageProps {
  readonly workbench: Workbench
  readonly suite: string
  readonly one: string
}

export function CasePage({ workbench, suite, one }: CasePageProps) {
  const { version } = useLive(workbench, null)
  const of = JSON.stringify([suite, one])
  const { value: history, error } = useLoaded(
    () => workbench.history(suite, one),
    [workbench, of, version],
    of,
  )
  useEffect(() => {
    document.title = `${visible(one)} · Assay`
  }, [one])
  const navigation = <Crumbs path={[{ text: 'Runs', href: RUNS }]} here={`case ${one}`} />
  if (history === null)
    return error === null ? (
      <PageHead navigation={navigation} />
    ) : (
      <MessagePage navigation={navigation} text={error} />
    )
  const newest = history.entries.at(-1)
  const subjects = [...new Set(history.entries.map(({ subject }) => subject))]
  return (
    <>
      <PageHead navigation={navigation}>
        <h1>
          <Name text={one} />
        </h1>
        <p class="muted">
          suite <Name text={suite} /> ·{' '}
          {counted(new Set(history.entries.map(({ run }) => run.key)).size, 'run')}
        </p>
        {newest !== undefined && (
          <p>
            <a href={matrixHash({ run: newest.run.key, suite, case: one })}>
              Answers of the newest run side by side
            </a>
          </p>
        )}
        {history.pending > 0 && (
          <p class="muted" role="status">
            {counted(history.pending, 'log')} still to be read
          </p>
        )}
      </PageHead>
      <main>
        {history.entries.length === 0 && <p class="message">No run here has this case.</p>}
        {subjects.map((subject, i) => (
          <Subject
            history={history}
            id={`subject-${i}`}
            subject={subject}
            entries={history.entries.filter((entry) => entry.subject === subject)}
          />
        ))}
      </main>
    </>
  )
}

interface SubjectProps {
  readonly history: CaseHistory
  readonly id: string
  readonly subject: string
  readonly entries: readonly CaseEntry[]
}

const wasEdited = (entry: CaseEntry, older: CaseEntry | undefined): boolean =>
  older !== undefined && older.hash !== entry.hash

function Subject({ history, id, subject, entries }: SubjectProps) {
  const hasEdits = entries.some((entry, i) => wasEdited(entry, entries[i - 1]))
  return (
    <section aria-labelledby={id}>
      <h2 id={id}>
        <Name text={subject} />
      </h2>
      <StandingLine entries={entries} />
      <Scroll label={`Runs of ${subject.slice(0, 60)}`}>
        <table>
          <caption class="unseen">Runs of {visible(subject)}, newest first</caption>
          <thead>
            <tr>
              <th scope="col">run</th>
              <th scope="col">started</th>
              <th scope="col">commit</th>
              <th scope="col">trials</th>
              <th scope="col" class="right">
                passed
              </th>
              {hasEdits && <th scope="col">case</th>}
            </tr>
          </thead>
          <tbody>
            {entries.toReversed().map((entry, i, all) => (
              <Row
                history={history}
                entry={entry}
                isEdited={hasEdits ? wasEdited(entry, all[i + 1]) : null}
              />
            ))}
          </tbody>
        </table>
      </Scroll>
    </section>
  )
}

function StandingLine({ entries }: { readonly entries: readonly CaseEntry[] }) {
  const standing = standingOf(entries)
  if (standing.kind === 'unscored') return <p>No trial of it was scored yet.</p>
  const { kind, since, before } = standing
  const verb = kind === 'fails' ? 'Fails' : 'Passes'
  return (
    <p>
      <strong class={kind === 'fails' ? 'state-failed' : undefined}>{verb}</strong>{' '}
      {before === null ? (
        'in every run so far.'
      ) : (
        <>
          since <RunLink entry={since} other={before} />
          <Commit entry={since} />
          {kind === 'fails' ? '. All trials last passed in ' : '. A trial last failed in '}
          <RunLink entry={before} other={since} />
          <Commit entry={before} />.
        </>
      )}
    </p>
  )
}

interface RunLinkProps {
  readonly entry: CaseEntry
  /** The run that is compared with the run of `entry`. */
  readonly other: CaseEntry
}

/**
 * A link to a run. The link shows the run's time. If the other run began in the same minute, it also shows the
 * folder.
 */
function RunLink({ entry: { run }, other }: RunLinkProps) {
  const time = run.createdAt === null ? null : moment(run.createdAt)
  const otherTime = other.run.createdAt === null ? null : moment(other.run.createdAt)
  const name =
    time === null
      ? run.folder
      : `the run of ${time}${time === otherTime ? ` in ${run.folder}` : ''}`
  return (
    <a href={runHash(run.key)}>
      <Name text={name} />
    </a>
  )
}

/** Shows the commit at which a run was started, if it is known. */
const Commit = ({ entry: { run } }: { readonly entry: CaseEntry }) =>
  run.commit === null ? null : (
    <>
      {' '}
      (commit <code title={run.commit}>{shortCommit(run.commit)}</code>)
    </>
  )

interface RowProps {
  readonly history: CaseHistory
  readonly entry: CaseEntry
  /**
   * Whether the case was edited since the previous run. Null if it was never edited, so that the column is left out.
   */
  readonly isEdited: boolean | null
}

function Row({ history, entry, isEdited }: RowProps) {
  const { run, subject, outcomes } = entry
  const passed = outcomes.split('p').length - 1
  const scored = passed + outcomes.split('f').length - 1
  const index = Math.max(0, outcomes.search(/[fe]/))
  return (
    <tr>
      <th scope="row">
        <a href={trialHash(run.key, { suite: history.suite, case: history.case, subject, index })}>
          <Name text={run.title === '' ? run.folder : run.title} most={80} />
        </a>
        <small>
          <Name text={run.folder} most={120} />
        </small>
      </th>
      <td>{run.createdAt === null ? NONE : moment(run.createdAt)}</td>
      <td>
        {run.commit === null ? NONE : <code title={run.commit}>{shortCommit(run.commit)}</code>}
      </td>
      <td>
        <Strip outcomes={outcomes} />
      </td>
      <td class="right">{scored === 0 ? NONE : `${passed}/${scored}`}</td>
      {isEdited !== null && <td>{isEdited ? 'edited since the run before' : ''}</td>}
    </tr>
  )
}
