/** Writes the report as one HTML file: the viewer with the data of a run. */
import type { ReportFormat } from './format.ts'
import { putPage } from './html-page.ts'
import { makeViewData } from '../view-data/make-view-data.ts'

export const html: ReportFormat = {
  name: 'html',
  description: 'one page with tables, pictures and every trial to unfold; opens offline',
  write: async (source, put) => putPage(await makeViewData(source), put),
}
