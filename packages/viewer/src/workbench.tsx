/** The entry point of the workbench. */
import { render } from 'preact'
import { httpWorkbench } from './data/http.ts'
import { WorkbenchApp } from './workbench-app.tsx'
import './styles.ts'

const place = document.getElementById('app')
if (place !== null) {
  place.replaceChildren()
  render(<WorkbenchApp workbench={httpWorkbench()} />, place)
}
