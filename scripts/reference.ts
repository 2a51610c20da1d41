/** Writes the pages of docs/reference that come from the code. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { referencePages } from './reference/pages.ts'

const folder = new URL('../docs/reference/', import.meta.url)
mkdirSync(folder, { recursive: true })
for (const [file, text] of referencePages()) {
  writeFileSync(new URL(file, folder), text)
  console.log(`wrote docs/reference/${file}`)
}
