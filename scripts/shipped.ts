/**
 * Writes the hashes of the shipped suites' cases into `suite/shipped.ts`. With --check, it only says whether they
 * are out of date.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { graders } from '../packages/assay/src/grade/index.ts'
import { loadSuite } from '../packages/assay/src/suite/index.ts'

const file = new URL('../packages/assay/src/suite/shipped.ts', import.meta.url)
const folder = new URL('../suites/', import.meta.url)
const hashes: string[] = []
for (const name of readdirSync(folder).toSorted()) {
  const { suite } = await loadSuite(new URL(name, folder).pathname, { graders })
  hashes.push(...suite.cases.map(({ hash }) => hash))
}
const list = hashes.toSorted().map((hash) => `  '${hash}',\n`)
const source = readFileSync(file, 'utf8')
const written = source.replace(
  /new Set(?:<string>)?\(\[[^\]]*\]\)/,
  `new Set([\n${list.join('')}])`,
)
if (process.argv.includes('--check')) {
  if (written !== source) {
    console.error('suite/shipped.ts is stale: run `npm run shipped`')
    process.exitCode = 1
  }
} else {
  writeFileSync(file, written)
  console.log(`wrote the hashes of ${hashes.length} cases`)
}
