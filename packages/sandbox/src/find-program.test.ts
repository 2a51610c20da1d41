/**
 * Programs of the system are found in absolute folders only, because a folder that is relative to the one that
 * Assay is started in belongs to the repository there (issue 14, S-4). Checked: git, python3, rustc, cargo, gcc,
 * clippy-driver, node, mkfifo, setpriv, prlimit, bwrap and true. Programs that a suite or the user names (graders,
 * commands, agents) need trust or are named on the command line.
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
  const byName = /\b(?:spawn|execFile|exec)(?:Sync)?\(\s*['"`](?!\/)/u
  const files = readdirSync(PACKAGES, { recursive: true, encoding: 'utf8' }).filter(
    (path) => /^\w+\/src\/.*(?<!\.test)\.tsx?$/u.test(path) && !path.includes('node_modules'),
  )
  expect(files.length).toBeGreaterThan(500)
  expect(files.filter((path) => byName.test(readFileSync(join(PACKAGES, path), 'utf8')))).toEqual(
    [],
  )
})
