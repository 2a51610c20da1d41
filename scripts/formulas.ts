/**
 * Writes docs/reference/formulas.md from the metric registry. With --check, it only says whether the file is out of date.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { formulasPage } from './formulas-page.ts'

const file = new URL('../docs/reference/formulas.md', import.meta.url)
const page = formulasPage()
if (process.argv.includes('--check')) {
  if (readFileSync(file, 'utf8') !== page) {
    console.error('docs/reference/formulas.md is stale: run `npm run docs`')
    process.exitCode = 1
  }
} else {
  writeFileSync(file, page)
  console.log('wrote docs/reference/formulas.md')
}
