/**
 * Programs of the system are searched only in absolute folders. A relative folder depends on the folder that Assay
 * is started in, so a program found there would come from the repository. This applies to git, python3, rustc,
 * cargo, gcc, clippy-driver, node, mkfifo, setpriv, prlimit, bwrap and true. It does not apply to programs that a
 * suite or the user names (graders, commands, agents), because these need trust or are named on the command line.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { findProgram, foldersOnPath } from './find-program.ts'

const PACKAGES = new URL('../../', import.meta.url).pathname

it('skips relative and empty entries of PATH', () => {
  expect(foldersOnPath('bin::.:/a:../x:/b')).toEqual(['/a', '/b'])
  expect(findProgram('find-program.ts', 'packages/sandbox/src')).toBeNull()
})

it('is how every program is found: none is started by its name', () => {
  // With a dot before it, `exec` is a method of a pattern or a database.
  const byName = /(?<!\.)\b(?:spawn|execFile|exec)(?:Sync)?\(\s*['"`](?!\/)/u
  const files = readdirSync(PACKAGES, { recursive: true, encoding: 'utf8' }).filter(
    (path) => /^\w+\/src\/.*(?<!\.test)\.tsx?$/u.test(path) && !path.includes('node_modules'),
  )
  expect(files.length).toBeGreaterThan(500)
  expect(files.filter((path) => byName.test(readFileSync(join(PACKAGES, path), 'utf8')))).toEqual(
    [],
  )
})
