/**
 * Tasks on whole folders, and the code that performs them in a thread. All file calls are synchronous. For thousands of
 * small files, they take a quarter of the processor time of asynchronous calls.
 */
import type { WorkspaceDiff } from '@assay/contract'
import { applyChanges, applyPermissions, stageTexts, type Work } from '../diff/apply.ts'
import { checkSize } from './check-size.ts'
import { copyTree } from './copy.ts'
import { diffWorkspace, type DiffRequest } from '../diff/diff.ts'
import { chownTree } from './chown-tree.ts'
import { indexTree, type Index } from './index-tree.ts'
import { makeLocation, type Owner } from './location.ts'
import { removeTree } from './remove.ts'
import { restore, type RestoreRequest } from './restore.ts'
import type { Stamps } from './fingerprint.ts'

export type FileTask =
  | { readonly kind: 'copy'; readonly from: string; readonly to: string; readonly owner: Owner }
  /** Copies a folder or file of the user into a workspace. */
  | {
      readonly kind: 'bring'
      readonly from: string
      readonly root: string
      /** The target path inside the root folder. Empty for the root folder itself. */
      readonly path: string
      readonly owner: Owner
      /** Paths that are left out, with everything below them. */
      readonly without?: readonly string[]
    }
  | { readonly kind: 'texts'; readonly root: string; readonly texts: Texts; readonly owner: Owner }
  | { readonly kind: 'index'; readonly folder: string }
  | { readonly kind: 'check-size'; readonly folder: string }
  | ({ readonly kind: 'diff' } & DiffRequest)
  /** Applies a trial's changes to a copy of the case's initial files, then adds the hidden files. */
  | {
      readonly kind: 'apply'
      readonly folder: string
      readonly work: Work
      readonly hidden: Texts
      readonly owner: Owner
    }
  | ({ readonly kind: 'restore' } & RestoreRequest)
  | { readonly kind: 'give'; readonly folder: string; readonly owner: NonNullable<Owner> }
  | { readonly kind: 'remove'; readonly folder: string }

type Texts = Readonly<Record<string, string>>

interface Yields {
  readonly copy: Stamps
  readonly bring: Stamps
  readonly texts: void
  readonly index: Index
  readonly 'check-size': void
  readonly diff: WorkspaceDiff
  readonly apply: void
  readonly restore: Stamps
  readonly give: void
  readonly remove: void
}

export type Yield<T extends FileTask> = Yields[T['kind']]

export function doTask(task: FileTask): Yields[FileTask['kind']] {
  switch (task.kind) {
    case 'copy':
      return copyTree(task.from, task.to, { owner: task.owner })
    case 'bring': {
      const { from, root, path, owner, without = [] } = task
      const to = path === '' ? root : makeLocation(root, path, owner)
      return copyTree(from, to, { owner, inside: true, without })
    }
    case 'texts':
      return stageTexts(task.root, task.texts, task.owner)
    case 'index':
      return indexTree(task.folder)
    case 'check-size':
      return checkSize(task.folder)
    case 'diff':
      return diffWorkspace(task)
    case 'apply':
      applyChanges(task.folder, task.work, task.owner)
      stageTexts(task.folder, task.hidden, task.owner)
      return applyPermissions(task.folder, task.work, task.hidden)
    case 'restore':
      return restore(task)
    case 'give':
      return chownTree(task.folder, task.owner)
    case 'remove':
      return removeTree(task.folder)
  }
}

/** A thread's reply to a task. */
export type Reply =
  | { readonly done: Yields[FileTask['kind']] }
  | { readonly failed: string; readonly as: 'too-large' | 'workspace' | 'other' }
