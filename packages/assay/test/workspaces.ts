/** Helpers for tests: cases with workspaces, programs to run in them, and the contents of folders. */
import { spawnSync } from 'node:child_process'
import {
  lstatSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  readlinkSync,
  realpathSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Case, WorkspacePlan, WorkspaceProgram } from '@assay/contract'
import { fakeCase } from './fakes.ts'

export const hasGit = spawnSync('git', ['--version'], { timeout: 20_000 }).status === 0

export const newFolder = (): string => realpathSync(mkdtempSync(join(tmpdir(), 'workspaces-')))

export const planOf = (change: Partial<WorkspacePlan> = {}): WorkspacePlan => ({
  git: null,
  folder: null,
  setup: [],
  setupTimeoutMs: 60_000,
  ignore: [],
  protect: [],
  hidden: {},
  ...change,
})

export const workspaceCase = (
  files: Readonly<Record<string, string>>,
  change: Partial<WorkspacePlan> = {},
): Case => fakeCase('case', { files, workspace: planOf(change), limits: null })

export const shell = (
  script: string,
  change: Partial<WorkspaceProgram> = {},
): WorkspaceProgram => ({
  argv: ['/bin/sh', '-c', script],
  env: {},
  reads: [],
  input: '',
  timeoutMs: 60_000,
  mostBytes: 1024 * 1024,
  signal: new AbortController().signal,
  onOutput: () => 'go on',
  ...change,
})

/**
 * Returns everything in a folder: the content of files and whether they are executable, the targets of links, and
 * folders.
 */
export function contentOf(folder: string, below = ''): Record<string, string> {
  const found: Record<string, string> = {}
  for (const name of readdirSync(join(folder, below)).sort()) {
    const path = below === '' ? name : `${below}/${name}`
    const stats = lstatSync(join(folder, path))
    if (stats.isDirectory()) {
      found[`${path}/`] = 'folder'
      Object.assign(found, contentOf(folder, path))
    } else if (stats.isSymbolicLink()) found[path] = `link to ${readlinkSync(join(folder, path))}`
    else if (stats.isFile())
      found[path] =
        `${(stats.mode & 0o100) === 0 ? 'file' : 'program'} ${readFileSync(join(folder, path), 'latin1')}`
    else found[path] = 'something else'
  }
  return found
}
