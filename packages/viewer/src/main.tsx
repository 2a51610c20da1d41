/** The entry point of a report: reads the data that is embedded in the page and renders it. */
import { render } from 'preact'
import { App } from './app.tsx'
import { ComparisonReport } from './parts/comparison.tsx'
import { embeddedSource, parseData } from './data/embedded.ts'
import './styles.ts'

const place = document.getElementById('app')
const data = parseData(document.getElementById('assay-data')?.textContent ?? 'null')
if (place !== null) {
  place.replaceChildren()
  render(
    data === null ? (
      <p class="empty">
        There is no data in this page: `assay report RUN --format html` puts it in.
      </p>
    ) : 'comparison' in data ? (
      <ComparisonReport comparison={data.comparison} />
    ) : (
      <App source={embeddedSource(data)} />
    ),
    place,
  )
}
