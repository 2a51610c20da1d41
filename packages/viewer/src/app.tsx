/** The page of a run and its state: the chosen suite and the open trial. */
import type { ComponentChildren } from 'preact'
import { useEffect, useMemo, useState } from 'preact/hooks'
import type { DataSource, Head, Identity, ViewCase, ViewCell } from './data/source.ts'
import { Breakdowns } from './parts/figures/breakdown.tsx'
import { Cases } from './parts/cases.tsx'
import { Classes } from './parts/figures/classes.tsx'
import { Gates } from './parts/gates.tsx'
import { Header, titleOf } from './parts/header.tsx'
import { Pictures } from './parts/pictures.tsx'
import { Provenance } from './parts/provenance.tsx'
import { Reasons } from './parts/reasons.tsx'
import { Skills } from './parts/skills.tsx'
import { Statistics } from './parts/statistics.tsx'
import { Subjects } from './parts/subjects.tsx'
import { SuiteChoice } from './parts/suite-choice.tsx'
import { Tiers } from './parts/tiers.tsx'
import { TrialDrawer } from './trial/trial-drawer.tsx'
import { hashOf, placeOf } from './place-hash.ts'
import { rerunCommand } from 'assay/view-data'
import { visible } from './text/visible.ts'
import { usePromise } from './hooks/use-promise.ts'

export function App({ source }: { readonly source: DataSource }) {
  const head = usePromise(() => source.head(), [source])
  const [opened, open] = useOpened()
  useEffect(() => {
    if (head !== null) document.title = `${visible(titleOf(head.report))} · Assay report`
  }, [head])
  return head === null ? null : <RunView source={source} head={head} opened={opened} open={open} />
}

interface RunViewProps {
  readonly source: Omit<DataSource, 'head'>
  readonly head: Head
  /** The trial that is shown in the drawer. Null if the drawer is closed. */
  readonly opened: Identity | null
  readonly open: (place: Identity | null) => void
  /** Links to other pages. They replace the title at the top. */
  readonly navigation?: ComponentChildren
  /** A remark below the headline, for example that the run is still running. */
  readonly status?: ComponentChildren
  /** The run folder in a form that commands accept. Absent in a report, which may be on another machine. */
  readonly folder?: string
  /** Links from a trial to other pages. Absent if there are none. */
  readonly trialLinks?: (place: Identity) => ComponentChildren
}

/** The page of a run. A report contains it, and so does the workbench. */
export function RunView(props: RunViewProps) {
  const { source, head, opened, open } = props
  const { report } = head
  const suites = useMemo(() => [...new Set(report.subjects.map(({ suite }) => suite))], [report])
  const [chosen, setSuite] = useState(opened?.suite ?? suites[0] ?? '')
  const suite = suites.includes(chosen) ? chosen : (suites[0] ?? '')
  const rows = useMemo(() => report.subjects.filter((row) => row.suite === suite), [report, suite])
  const cells = usePromise(() => source.cells(suite), [source, suite]) ?? NO_CELLS
  const cases = usePromise(() => casesById(source, suite), [source, suite]) ?? NO_CASES
  return (
    <>
      <Header head={head} navigation={props.navigation} status={props.status} />
      <main>
        <Gates report={report} />
        <SuiteChoice suites={suites} suite={suite} choose={setSuite} />
        <Subjects report={report} rows={rows} cells={cells} />
        <Pictures rows={rows} cells={cells} cases={cases} leftOut={head.leftOut} open={open} />
        <Cases
          // With this key, the filters are reset when the suite changes.
          key={suite}
          rows={rows}
          cells={cells}
          cases={cases}
          leftOut={head.leftOut}
          open={open}
        />
        <Classes report={report} suite={suite} />
        <Breakdowns report={report} suite={suite} />
        <Tiers report={report} suite={suite} rows={rows} cells={cells} />
        <Skills rows={rows} />
        <Statistics report={report} rows={rows} />
        <Reasons report={report} />
        <Provenance report={report} />
      </main>
      {opened !== null && (
        <TrialDrawer
          source={source}
          leftOut={head.leftOut}
          place={opened}
          open={open}
          links={props.trialLinks?.(opened)}
          folder={props.folder}
          rerun={rerunCommand(report.provenance, opened)}
        />
      )}
    </>
  )
}

const NO_CELLS: readonly ViewCell[] = []
const NO_CASES: ReadonlyMap<string, ViewCase> = new Map()

const casesById = async (
  source: Pick<DataSource, 'cases'>,
  suite: string,
): Promise<ReadonlyMap<string, ViewCase>> =>
  new Map((await source.cases(suite)).map((one) => [one.case, one]))

/** Returns the open trial, and keeps it in the hash of the page's address. */
function useOpened(): [Identity | null, (place: Identity | null) => void] {
  const [opened, setOpened] = useState(() => placeOf(location.hash))
  useEffect(() => {
    const follow = (): void => setOpened(placeOf(location.hash))
    addEventListener('hashchange', follow)
    return () => removeEventListener('hashchange', follow)
  }, [])
  const open = (place: Identity | null): void => {
    setOpened(place)
    history.replaceState(null, '', place === null ? location.pathname : hashOf(place))
  }
  return [opened, open]
}
