/** The workbench. It shows the page that the address names. */
import { useEffect, useState } from 'preact/hooks'
import type { Workbench } from './data/workbench-source.ts'
import { CasePage } from './pages/case.tsx'
import { ComparePage } from './pages/compare.tsx'
import { MatrixPage } from './pages/matrix.tsx'
import { ReviewPage } from './pages/review.tsx'
import { RunPage } from './pages/run.tsx'
import { RunsPage } from './pages/runs.tsx'
import { TrialsPage } from './pages/trials.tsx'
import { TrialPage } from './pages/trial.tsx'
import { Crumbs, MessagePage } from './parts/page-head.tsx'
import { routeOf, RUNS, type Route } from './pages/routes.ts'

export function WorkbenchApp({ workbench }: { readonly workbench: Workbench }) {
  const route = useRoute()
  switch (route.page) {
    case 'runs':
      return <RunsPage workbench={workbench} />
    case 'run':
      return <RunPage workbench={workbench} run={route.run} trial={route.trial} />
    case 'trial':
      return <TrialPage workbench={workbench} run={route.run} trial={route.trial} />
    case 'review':
      return <ReviewPage workbench={workbench} run={route.run} state={route.state} />
    case 'trials':
      return <TrialsPage workbench={workbench} run={route.run} state={route.state} />
    case 'compare':
      return <ComparePage workbench={workbench} sides={route.sides} />
    case 'matrix':
      return <MatrixPage workbench={workbench} state={route.state} />
    case 'case':
      return <CasePage workbench={workbench} suite={route.suite} one={route.case} />
    default:
      return (
        <MessagePage
          navigation={<Crumbs path={[{ text: 'Runs', href: RUNS }]} here="Not found" />}
          text="There is no page at this address."
        />
      )
  }
}

function useRoute(): Route {
  const [route, setRoute] = useState(() => routeOf(location.hash))
  useEffect(() => {
    const follow = (): void => {
      setRoute((before) => {
        const next = routeOf(location.hash)
        // A new page is shown from its top. Opening a drawer does not make a new page.
        if (next.page !== before.page) scrollTo({ top: 0 })
        return next
      })
    }
    addEventListener('hashchange', follow)
    return () => removeEventListener('hashchange', follow)
  }, [])
  useEffect(() => {
    if (route.page === 'runs') document.title = 'Runs · Assay'
  }, [route])
  return route
}
