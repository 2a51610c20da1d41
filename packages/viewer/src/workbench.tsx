/** The entry point of the workbench. */
import { render } from 'preact'
import { httpWorkbench } from './data/http.ts'
import { isSite, siteWorkbench } from './data/site.ts'
import { WorkbenchApp } from './workbench-app.tsx'
import './styles.ts'

const place = document.getElementById('app')
if (place !== null) {
  place.replaceChildren()
  render(<WorkbenchApp workbench={isSite() ? siteWorkbench() : httpWorkbench()} />, place)
}
