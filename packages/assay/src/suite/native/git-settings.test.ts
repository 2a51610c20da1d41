/**
 * Reading a suite starts no program of a repository that the suite names. Related paths that were checked: validate,
 * run and --dry-run read git sources here alone; workspace/git-source.ts fetches with lazy fetching off.
 */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { graders } from '../../grade/index.ts'
import { loadSuite } from '../load.ts'

it('a repository that would fetch missing objects by a program of its own is refused', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'assay-git-'))
  try {
    const repository = join(folder, 'repo.git')
    execFileSync('git', ['init', '-q', '--bare', repository])
    const started = join(folder, 'started')
    writeFileSync(
      join(repository, 'config'),
      `[core]\n\trepositoryformatversion = 1\n\tbare = true\n[extensions]\n\tpartialClone = origin\n[remote "origin"]\n\turl = .\n\tpromisor = true\n\tuploadpack = "touch ${started}; false"\n`,
    )
    const commit = '1234567890123456789012345678901234567890'
    const file = join(folder, 'suite.json')
    const workspace = { git: { path: 'repo.git', commit } }
    const cases = [{ id: 'c', prompt: 'p', workspace, graders: [{ type: 'diff-empty' }] }]
    writeFileSync(file, JSON.stringify({ id: 's', cases }))
    await expect(loadSuite(file, { graders })).rejects.toThrow(/extensions\.partialclone/)
    expect(existsSync(started)).toBe(false)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})
