/** How the projects of a coordinator and a worker are compared. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { suiteFolder } from '../../test/suite-folder.ts'
import { differenceText, projectHash } from './project.ts'

const FILES = { 'a.ts': 'a', 'lib/b.ts': 'b', 'lib/c.ts': 'c', '.env': 'KEY=1' }

it('names the files in which two projects differ', async () => {
  const theirs = await projectHash(await suiteFolder(FILES))
  const same = await projectHash(await suiteFolder({ ...FILES, '.env': 'KEY=2' }))
  expect(same).toEqual(theirs)
  const { 'a.ts': _, ...others } = FILES
  const ours = await projectHash(await suiteFolder({ ...others, 'lib/b.ts': 'B', 'd.ts': 'd' }))
  expect(ours.sha256).not.toBe(theirs.sha256)
  expect(differenceText(theirs.entries, ours.entries)).toBe(
    'it lacks "a.ts", it also has "d.ts", "lib/b.ts" differs',
  )
})

it('names the folders of a project with many files', async () => {
  const many = Object.fromEntries(Array.from({ length: 301 }, (_, i) => [`lib/${i}.ts`, `${i}`]))
  const folder = await suiteFolder({ ...many, 'a.ts': 'a' })
  const theirs = await projectHash(folder)
  expect(Object.keys(theirs.entries)).toEqual(['a.ts', 'lib'])
  writeFileSync(join(folder, 'lib/7.ts'), 'other')
  expect(differenceText(theirs.entries, (await projectHash(folder)).entries)).toBe('"lib" differs')
})
