/**
 * Manages all workspaces of a run. The start of a case is the initial content of its workspace. It is created once,
 * even if many trials need it at the same time, and removed after the last of them. If the setup of a case fails, it is
 * not repeated for each trial. Everything is in one root folder, which is removed when the store is closed.
 */
import { mkdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import {
  type Case,
  type Identity,
  type TrialWorkspace,
  type WorkspaceDiff,
  RunError,
  type GradedWorkspace,
} from '@assay/contract'
import { SandboxError, type Sandbox } from '@assay/sandbox'
import { openCopies } from './copies.ts'
import { openFileThreads } from './files/file-threads.ts'
import { asDiff, gradedWorkspace } from './graded-workspace.ts'
import { removeTree } from './files/remove.ts'
import { leftRoots, makeRoot } from './files/roots.ts'
import { buildStart, startKey, type Start } from './start.ts'
import { openReview, type ReviewWorkspace } from './review-workspace.ts'
import { openTrial } from './trial-workspace.ts'
import { WorkspaceError } from './workspace-error.ts'

export interface WorkspaceStoreOptions {
  readonly sandbox: Sandbox
  /** The folder in which used workspaces are kept for the user to inspect. Null means that none are kept. */
  readonly keep: string | null
  /** If true, setup commands have no network, because the folder of the suite is not trusted. */
  readonly offlineSetup?: boolean
  /** Called before a commit is fetched from the network. The text tells the user what is fetched. */
  readonly onFetch?: (text: string) => void
  /** Aborts when the run stops. A setup that is in progress then rejects with the signal's reason. */
  readonly signal?: AbortSignal
  /** The parent folder of all workspaces. Default: the machine's folder for temporary files. */
  readonly root?: string
}

export interface WorkspaceStore {
  /**
   * Returns a workspace with a new copy of the case's initial files. Throws a `WorkspaceError` if it cannot be created.
   */
  open(ask: Case, identity: Identity): Promise<TrialWorkspace>
  /**
   * Returns a workspace in the state in which a trial left it, which is the start with the trial's diff. For a subject
   * that works without a workspace, it is the start with the files in its answer.
   */
  graded(
    ask: Case,
    diff: WorkspaceDiff | null,
    files: Readonly<Record<string, string>>,
  ): GradedWorkspace
  /**
   * Returns a workspace for a judge. It has a copy of the initial files with a trial's changes and the hidden files,
   * and an empty folder in which the judge starts. Throws a `WorkspaceError` if it cannot be created.
   */
  review(ask: Case, diff: WorkspaceDiff): Promise<ReviewWorkspace>
  /**
   * Announces how many trials of the case will be run. Several cases may share a start. The start is removed when
   * `done` was called for each announced trial of all these cases. A start of which no trial was announced stays until
   * the store is closed.
   */
  expect(ask: Case, trials: number): void
  /** Must be called when a trial of the case is finished: answered, graded and recorded. */
  done(ask: Case): void
  /** Removes everything except kept workspaces. Throws a `RunError` if something cannot be removed. */
  close(): Promise<void>
}

export async function openWorkspaceStore(options: WorkspaceStoreOptions): Promise<WorkspaceStore> {
  const {
    sandbox,
    keep,
    offlineSetup = false,
    onFetch,
    signal = new AbortController().signal,
  } = options
  const temporary = options.root ?? tmpdir()
  const root = makeRoot(temporary)
  const threads = openFileThreads()
  const copies = openCopies(root, sandbox, threads)
  const starts = new Map<string, Promise<Start>>()
  /** How many trials still need each start, which is the initial content of a case's workspace. */
  const expected = new Map<string, number>()
  const keys = new WeakMap<Case, string>()
  const retiring = new Set<Promise<void>>()
  const left = Promise.allSettled(
    leftRoots(temporary).map((folder) => threads.run({ kind: 'remove', folder })),
  )
  let made = 0
  let closing: Promise<void> | null = null
  /** Removes the root folder if this process ends without closing the store. */
  const onExit = (): void => removeQuietly(root)
  process.once('exit', onExit)

  async function build(ask: Case): Promise<Start> {
    signal.throwIfAborted()
    const at = `${root}/s${++made}`
    mkdirSync(at)
    try {
      const another = (): Promise<Start> => build(ask)
      return await buildStart(ask, { sandbox, threads, at, another, offlineSetup, onFetch, signal })
    } catch (error) {
      await threads.run({ kind: 'remove', folder: at }).catch(() => {})
      throw signal.aborted ? signal.reason : error
    }
  }

  function keyOf(ask: Case): string {
    const known = keys.get(ask)
    if (known !== undefined) return known
    const key = startKey(ask)
    keys.set(ask, key)
    return key
  }

  function startOf(ask: Case): Promise<Start> {
    const key = keyOf(ask)
    const known = starts.get(key)
    if (known !== undefined) return known
    const start = build(ask)
    starts.set(key, start)
    start.catch((error: unknown) => {
      // A fault of the case would occur again, so the failed start is remembered and not tried again. Other errors may
      // be temporary, so the next trial tries again.
      if (!(error instanceof WorkspaceError)) starts.delete(key)
    })
    return start
  }

  /** Turns an error such as a full disk into a `WorkspaceError`, because here too the trial has no workspace. */
  const told = (error: unknown): unknown =>
    signal.aborted || error instanceof WorkspaceError || error instanceof SandboxError
      ? error
      : new WorkspaceError(`the workspace could not be made: ${String(error)}`, { cause: error })

  async function end(): Promise<void> {
    await Promise.allSettled([...starts.values(), ...retiring, left])
    await copies.settled()
    const failed = await threads.run({ kind: 'remove', folder: root }).then(
      () => null,
      (error: unknown) => error,
    )
    await threads.close()
    process.off('exit', onExit)
    if (failed !== null)
      throw new RunError(`the workspaces in ${root} could not be removed`, { cause: failed })
  }

  return {
    async open(ask, identity) {
      const { ignore = [], protect = [], network = 'open' } = ask.workspace ?? {}
      try {
        const copy = await copies.take(await startOf(ask))
        const trial = { identity, ignore, protect, keep, network }
        return openTrial(copy, { sandbox, threads, copies, ...trial })
      } catch (error) {
        throw told(error)
      }
    },
    async review(ask, diff) {
      const { hidden = {} } = ask.workspace ?? {}
      try {
        const copy = await copies.take(await startOf(ask))
        return await openReview(copy, { sandbox, threads, copies, diff, hidden })
      } catch (error) {
        throw told(error)
      }
    },
    graded: (ask, diff, files) =>
      gradedWorkspace({
        start: () =>
          startOf(ask).catch((error: unknown) => {
            throw told(error)
          }),
        diff: diff ?? asDiff(files),
        ignore: ask.workspace?.ignore ?? [],
        hidden: ask.workspace?.hidden ?? {},
        threads,
        copies,
      }),
    expect(ask, trials) {
      const key = keyOf(ask)
      expected.set(key, (expected.get(key) ?? 0) + trials)
    },
    done(ask) {
      const key = keyOf(ask)
      const trials = (expected.get(key) ?? 0) - 1
      if (trials >= 0) expected.set(key, trials)
      if (trials !== 0) return
      const start = starts.get(key)
      starts.delete(key)
      if (start === undefined) return
      const retired: Promise<void> = start
        .then((one) => copies.retire(one))
        .catch(() => {})
        .finally(() => retiring.delete(retired))
      retiring.add(retired)
    },
    close() {
      closing ??= end()
      return closing
    },
  }
}

function removeQuietly(folder: string): void {
  try {
    removeTree(folder)
  } catch {
    // The folder cannot be removed now. The next store in this temporary folder removes it.
  }
}
