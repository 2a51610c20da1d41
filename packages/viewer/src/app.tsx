/** The whole page and its state: the chosen suite and the open trial. */
import { useEffect, useMemo, useState } from 'preact/hooks'
import type { DataSource, Head, Identity, ViewCase, ViewCell } from './data/source.ts'
import { Breakdowns } from './parts/figures/breakdown.tsx'
import { Cases } from './parts/cases.tsx'
import { Classes } from './parts/figures/classes.tsx'
import { Gates } from './parts/gates.tsx'
import { Header } from './parts/header.tsx'
import { Pictures } from './parts/pictures.tsx'
import { Provenance } from './parts/provenance.tsx'
import { Reasons } from './parts/reasons.tsx'
import { Skills } from './parts/skills.tsx'
import { Statistics } from './parts/statistics.tsx'
import { Subjects } from './parts/subjects.tsx'
import { SuiteChoice } from './parts/suite-choice.tsx'
import { Tiers } from './parts/tiers.tsx'
import { TrialDrawer } from './parts/trial-drawer.tsx'
import { hashOf, placeOf } from './place-hash.ts'
import { visible } from './text/visible.ts'
import { usePromise } from './use-promise.ts'

export function App({ source }: { readonly source: DataSource }) {
  const head = usePromise(() => source.head(), [source])
  useEffect(() => {
    if (head !== null)
      document.title = `${visible(head.report.provenance.suites[0]?.id ?? head.report.run.id)} · Assay report`
  }, [head])
  return head === null ? null : <Page source={source} head={head} />
}

function Page({ source, head }: { readonly source: DataSource; readonly head: Head }) {
  const { report } = head
  const suites = useMemo(() => [...new Set(report.subjects.map(({ suite }) => suite))], [report])
  const [opened, open] = useOpened()
  const [suite, setSuite] = useState(opened?.suite ?? suites[0] ?? '')
  const rows = useMemo(() => report.subjects.filter((row) => row.suite === suite), [report, suite])
  const cells = usePromise(() => source.cells(suite), [source, suite]) ?? NO_CELLS
  const cases = usePromise(() => casesById(source, suite), [source, suite]) ?? NO_CASES
  return (
    <>
      <Header head={head} />
      <main>
        <Gates report={report} />
        <SuiteChoice suites={suites} suite={suite} choose={setSuite} />
        <Subjects report={report} rows={rows} cells={cells} />
        <Pictures rows={rows} cells={cells} cases={cases} leftOut={head.leftOut} open={open} />
        <Cases
          // The key resets the filters when the suite changes.
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
        <TrialDrawer source={source} leftOut={head.leftOut} place={opened} open={open} />
      )}
    </>
  )
}

const NO_CELLS: readonly ViewCell[] = []
const NO_CASES: ReadonlyMap<string, ViewCase> = new Map()

const casesById = async (
  source: DataSource,
  suite: string,
): Promise<ReadonlyMap<string, ViewCase>> =>
  new Map((await source.cases(suite)).map((one) => [one.case, one]))

/** The open trial, synchronized with the hash of the page's address. */
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
