/**
 * Tests that `assay-*` folders are removed that remain after Assay is killed. This module makes all temporary
 * folders of Assay: workspaces (workspace/files/roots.ts, whose names do not mention Assay), files staged for
 * graders, toolchains, crates, git, versions of agents, and the memory folder.
 */
import { spawnSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { abandonedFolders, makeOwnedFolder, removeAbandonedFolders } from './owned-folder.ts'

let parent: string

beforeEach(() => {
  parent = realpathSync(mkdtempSync(join(tmpdir(), 'owned-')))
})
afterEach(() => rmSync(parent, { recursive: true, force: true }))

const own = new URL('owned-folder.ts', import.meta.url).href

/** Makes a folder in a process that is killed before it can remove the folder. */
function leave(name: string): string {
  const script = `
    import { makeOwnedFolder } from ${JSON.stringify(own)}
    import { writeFileSync } from 'node:fs'
    const folder = makeOwnedFolder(${JSON.stringify(name)}, ${JSON.stringify(parent)})
    writeFileSync(folder + '/file', '')
    process.stdout.write(folder, () => process.kill(process.pid, 'SIGKILL'))`
  const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
    encoding: 'utf8',
  })
  return stdout
}

it('the next start removes the folders of killed processes, and those of nobody else', async () => {
  const left = [leave('assay-files'), leave('assay')]
  for (const folder of left) expect(existsSync(folder)).toBe(true)
  const mine = makeOwnedFolder('assay-files', parent)
  const others = [
    // Folders that must stay: from another container or machine, with a name that is not ours, and without a
    // process.
    basename(left[0] as string).replace(/-[0-9a-f]{8}-/, '-00000000-'),
    basename(left[0] as string).replace('assay-', 'theirs-'),
    'assay-files-AbCdEf',
    // The number of this process with the start time 0, which means that the start time is unknown.
    basename(mine).replace(/-\d+-\w{6}$/, '-0-AbCdEf'),
  ]
  for (const name of others) mkdirSync(join(parent, name))
  await removeAbandonedFolders([parent, join(parent, 'not-there')])
  expect(readdirSync(parent).toSorted()).toEqual([basename(mine), ...others].toSorted())
})

it('follows no link, and removes only folders', async () => {
  const left = leave('assay')
  const target = mkdtempSync(join(parent, 'target-'))
  writeFileSync(join(target, 'kept'), '')
  rmSync(left, { recursive: true })
  symlinkSync(target, left)
  writeFileSync(left.replace('assay-', 'assay-file-'), '')
  expect(abandonedFolders('assay', parent)).toEqual([])
  await removeAbandonedFolders([parent])
  expect(readdirSync(target)).toEqual(['kept'])
})
