/** `npm run modules`: writes the table of modules into CONTRIBUTING.md. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { withModules } from './modules/diagram.ts'
import { root } from './modules/read-tree.ts'

const page = join(root, 'CONTRIBUTING.md')
writeFileSync(page, withModules(readFileSync(page, 'utf8')))
