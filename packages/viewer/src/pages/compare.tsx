/** The page that compares two runs, or two subjects of any runs. */
import { useEffect } from 'preact/hooks'
import type { CompareSides } from './routes.ts'
import type { RunRow, Workbench } from '../data/workbench-source.ts'
import { useLoaded } from '../hooks/use-loaded.ts'
import { ComparisonHead, ComparisonView } from '../parts/comparison.tsx'
import { Crumbs, MessagePage, PageHead } from '../parts/page-head.tsx'
import { runLabels } from '../run-labels.ts'
import { Name } from '../text/shown.tsx'
import { visible } from '../text/visible.ts'
import { caseHash, compareHash, matrixHash, RUNS } from './routes.ts'

interface ComparePageProps {
  readonly workbench: Workbench
  readonly sides: CompareSides
}

const CRUMBS = <Crumbs path={[{ text: 'Runs', href: RUNS }]} here="Compare" />

/**
 * Returns the two runs to compare. These are the runs that the address names. Without names, the second is the
 * newest run that can be read. The first is then the newest earlier run with the same title or, if there is none,
 * just the newest earlier run.
 */
export function chosenRuns(
  runs: readonly RunRow[],
  { a, b }: Pick<CompareSides, 'a' | 'b'>,
): { a: RunRow | null; b: RunRow | null } {
  const readable = runs.filter(({ state }) => state !== 'unreadable')
  const named = (key: string | null) => readable.find((run) => run.key === key) ?? null
  const current = b === null ? (readable.find(({ key }) => key !== a) ?? null) : named(b)
  if (a !== null || current === null) return { a: named(a), b: current }
  const earlier = readable.slice(readable.indexOf(current) + 1)
  return {
    a: earlier.find(({ title }) => title === current.title) ?? earlier[0] ?? null,
    b: current,
  }
}

export function ComparePage({ workbench, sides }: ComparePageProps) {
  useEffect(() => {
    document.title = 'Compare · Assay'
  }, [])
  const { value: list, error } = useLoaded(() => workbench.runs(), [workbench])
  const runs = list?.runs ?? []
  const { a, b } = chosenRuns(runs, sides)
  const of = JSON.stringify([a?.key, sides.as, b?.key, sides.bs])
  const compared = useLoaded(
    async () =>
      a === null || b === null
        ? null
        : workbench.compare({ run: a.key, subject: sides.as }, { run: b.key, subject: sides.bs }),
    [workbench, of],
    of,
  )
  if (list === null)
    return error === null ? (
      <PageHead navigation={CRUMBS} />
    ) : (
      <MessagePage navigation={CRUMBS} text={error} />
    )
  const comparison = compared.value
  return (
    <>
      <PageHead navigation={CRUMBS}>
        {comparison === null ? (
          <h1 id="headline">Compare two runs</h1>
        ) : (
          <ComparisonHead comparison={comparison} />
        )}
        <form class="filters sides no-print" onSubmit={(event) => event.preventDefault()}>
          <SideChoice
            title="Baseline"
            runs={runs}
            run={a}
            subject={sides.as}
            choose={(run, subject) => go({ a: run, as: subject, b: b?.key ?? null, bs: sides.bs })}
          />
          <SideChoice
            title="Current"
            runs={runs}
            run={b}
            subject={sides.bs}
            choose={(run, subject) => go({ a: a?.key ?? null, as: sides.as, b: run, bs: subject })}
          />
        </form>
      </PageHead>
      <main>
        {compared.error !== null && (
          <p class="message" role="alert">
            <Name text={compared.error} most={2000} />
          </p>
        )}
        {(a === null || b === null) && <p class="message">Choose a baseline and a current run.</p>}
        {comparison !== null && a !== null && b !== null && (
          <ComparisonView
            comparison={comparison}
            pages={{
              history: caseHash,
              sideBySide: ({ suite, case: one, baseline, subject }) =>
                matrixHash({
                  columns: [
                    { run: a.key, subject: baseline },
                    { run: b.key, subject },
                  ],
                  suite,
                  case: one,
                }),
            }}
          />
        )}
      </main>
    </>
  )
}

function go(sides: CompareSides): void {
  location.hash = compareHash(sides)
}

interface SideChoiceProps {
  readonly title: string
  readonly runs: readonly RunRow[]
  readonly run: RunRow | null
  readonly subject: string | null
  readonly choose: (run: string, subject: string | null) => void
}

function SideChoice({ title, runs, run, subject, choose }: SideChoiceProps) {
  const subjects = [...new Set(run?.figures?.subjects.map((one) => one.subject))]
  const labels = runLabels(runs)
  return (
    <>
      <label>
        {title}
        <select
          value={run?.key ?? ''}
          onChange={(event) => choose(event.currentTarget.value, null)}
        >
          {run === null && <option value="">choose a run</option>}
          {runs
            .filter(({ state }) => state !== 'unreadable')
            .map(({ key }) => (
              <option value={key}>{labels.get(key)}</option>
            ))}
        </select>
      </label>
      {run !== null && subjects.length > 1 && (
        <label>
          {title}: subject
          <select
            // The value is an index and not a name, because the names of two subjects can look the same on the page.
            value={String(subject === null ? -1 : subjects.indexOf(subject))}
            onChange={(event) =>
              choose(run.key, subjects[Number(event.currentTarget.value)] ?? null)
            }
          >
            <option value="-1">all subjects, by name</option>
            {subjects.map((one, i) => (
              <option value={String(i)}>{visible(one)}</option>
            ))}
          </select>
        </label>
      )}
    </>
  )
}
