/** Writes the JSON Schemas that the package ships, from the same definitions that check the files. */
import { writeFileSync } from 'node:fs'
import { SCHEMAS } from '../packages/assay/src/cli/commands/schema/names.ts'
import { schemaText } from '../packages/assay/src/cli/commands/schema/schema.ts'

const folder = new URL('../packages/assay/schemas/', import.meta.url)
for (const of of SCHEMAS)
  writeFileSync(new URL(`${of}.schema.json`, folder), await schemaText({ of }))
console.log(`wrote ${SCHEMAS.length} schemas`)
