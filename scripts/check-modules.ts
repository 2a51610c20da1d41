/**
 * `npm run check:modules`: refuses imports in the wrong direction, imports that bypass an index, cycles of imports, and
 * folders with too many files.
 */
import { checkModules } from './modules/check.ts'
import { packageFiles, sourceTree } from './modules/read-tree.ts'

const files = packageFiles()
const faults = checkModules(sourceTree(files), files)
for (const fault of faults) console.error(fault)
if (faults.length > 0) process.exitCode = 1
