/**
 * Programs of the system are searched only in absolute folders. A relative folder depends on the folder that Assay
 * is started in, so a program found there would come from the repository. So would one of `node_modules/.bin`, which npx
 * puts first. This applies to git, python3, rustc, cargo, gcc, clippy-driver, node, mkfifo, setpriv, prlimit, bwrap, true
 * and xdg-open. It does not apply to programs that a
 * suite or the user names (graders, commands, agents), because these need trust or are named on the command line.
 */
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { commandPath, findProgram, foldersOnPath, programPath } from './find-program.ts'

const PACKAGES = new URL('../../', import.meta.url).pathname

it('skips relative and empty entries of PATH', () => {
  expect(foldersOnPath('bin::.:/a:../x:/b')).toEqual(['/a', '/b'])
  expect(findProgram('find-program.ts', 'packages/sandbox/src')).toBeNull()
  // An empty PATH would be the current folder.
  const usual = '/usr/bin:/bin:/usr/local/bin:/usr/sbin:/sbin'
  expect(programPath('bin::.:/a')).toBe(`/a:${usual}`)
  expect(programPath('.')).toBe(usual)
  expect(commandPath('bin:/a:.:/b')).toBe('/a:/b:bin:.')
})

it('skips the programs of packages of the repository, which npx and npm put first', () => {
  const top = realpathSync(mkdtempSync(join(tmpdir(), 'assay-path-')))
  try {
    const here = join(top, 'clone', 'suites')
    mkdirSync(join(top, 'clone', '.git'), { recursive: true })
    mkdirSync(here)
    mkdirSync(join(top, 'clone', 'other', 'node_modules', '.bin'), { recursive: true })
    symlinkSync('clone', join(top, 'link'))
    const bin = (...steps: string[]): string => join(top, ...steps, 'node_modules', '.bin')
    const skipped = [
      ...[bin('clone', 'suites'), bin('clone'), `${bin('clone')}/`, bin('clone', 'other')],
      ...[bin(), bin('link', 'other')],
    ]
    const kept = ['/usr/bin', bin('cache', '_npx', 'a'), join(top, 'clone', 'bin')]
    expect(foldersOnPath([...skipped, ...kept].join(':'), here)).toEqual(kept)
    expect(foldersOnPath([...skipped, '/usr/bin'].join(':'), null)).toEqual(['/usr/bin'])
  } finally {
    rmSync(top, { recursive: true })
  }
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
