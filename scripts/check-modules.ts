/** `npm run check:modules`: imports in the wrong direction, past an index or in a circle, and wide folders. */
import { checkModules } from './modules/check.ts'
import { packageFiles, sourceTree } from './modules/read-tree.ts'

const files = packageFiles()
const faults = checkModules(sourceTree(files), files)
for (const fault of faults) console.error(fault)
if (faults.length > 0) process.exitCode = 1
