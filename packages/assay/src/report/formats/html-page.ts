/**
 * Inserts data into the viewer, a page that is built once into `dist/viewer.html`. The resulting file can be opened
 * from disk and needs no network. The data is JSON, escaped so that it cannot close its `<script>` element. The viewer
 * shows it only as text.
 */
import { readFileSync } from 'node:fs'
import { RunError } from '@assay/contract'
import { scriptJson } from './script-json.ts'

/**
 * The placeholder in the viewer's page, which is replaced by the data. If the placeholder is still there, the page says
 * "no data".
 */
const PLACE = '"assay:data"'

/** Writes the page with this data, in pieces. */
export function putPage(data: unknown, put: (text: string) => void): void {
  const page = viewerPage()
  const at = page.indexOf(PLACE)
  if (at === -1 || at !== page.lastIndexOf(PLACE))
    throw new RunError('dist/viewer.html is not the viewer: build it again with `npm run build`')
  put(page.slice(0, at))
  put(scriptJson(data))
  put(page.slice(at + PLACE.length))
}

/**
 * Reads the viewer's page. It is in the same folder as the built files. Tests run from the sources, so for them the
 * page is in `dist`.
 */
function viewerPage(): string {
  for (const place of ['../../viewer.html', '../../../dist/viewer.html']) {
    try {
      return readFileSync(new URL(place, import.meta.url), 'utf8')
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    }
  }
  throw new RunError(
    'the HTML report needs the viewer, which is not built: `npm run build` makes dist/viewer.html',
  )
}
