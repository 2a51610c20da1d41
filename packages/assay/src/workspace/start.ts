/**
 * Creates the start of a case, which is the initial content of its workspace. Cases with the same content share one
 * start. It consists of a git checkout, then a copied folder, then the case's own files. Setup commands run last. They
 * run in the sandbox, with a temporary home folder, at the path where the agent will see the workspace. They have no
 * network if the suite's folder is not trusted.
 *
 * Setup commands may write the path of the workspace into files: a Python environment or a build folder contains it. A
 * sandbox that mounts folders shows every workspace at the same path. Without such a sandbox, a copy at another path
 * would refer to the folder of the setup. So the start is then bound to the path at which its setup ran: only the copy
 * at this path is used, and every further copy is set up again at its own path.
 */
import { lchownSync, mkdirSync, renameSync } from 'node:fs'
import {
  type Case,
  type WorkspacePlan,
  type WorkspaceProgram,
  plain,
  plainLines,
} from '@assay/contract'
import type { Sandbox } from '@assay/sandbox'
import type { FileThreads } from './files/file-threads.ts'
import { checkOut } from './git-source.ts'
import { ourselves } from './files/chown-tree.ts'
import type { Index } from './files/index-tree.ts'
import { placeFile, type Owner } from './files/location.ts'
import { runProgram, type Place } from './program.ts'
import { WorkspaceError } from './workspace-error.ts'

export interface Start {
  /** The folder that contains all files of the start. */
  readonly around: string
  readonly folder: string
  /** Returns the list of the start's files. The disk is read at the first call only. */
  readonly index: () => Promise<Index>
  /** The path to which the start is bound. Null if its copies may be at any path. */
  readonly bound: BoundStart | null
}

export interface BoundStart {
  /** The parent folder of the only copy. The copy is its subfolder `project`. */
  readonly around: string
  /** Creates the start of the same case once more, bound to another path. */
  readonly another: () => Promise<Start>
}

export interface StartOptions {
  readonly sandbox: Sandbox
  readonly threads: FileThreads
  /** The folder in which the initial content of the workspace is created. It must be empty. */
  readonly at: string
  /** Creates the start of the same case once more, in another folder. */
  readonly another: () => Promise<Start>
  readonly offlineSetup: boolean
  /** Called before a commit is fetched from the network. The text tells the user what is fetched. */
  readonly onFetch?: ((text: string) => void) | undefined
  readonly signal: AbortSignal
}

/** Returns a key made of everything that the start depends on. Cases with the same key share one start. */
export const startKey = ({ workspace, files }: Case): string =>
  JSON.stringify([
    workspace?.git ?? null,
    workspace?.folder ?? null,
    workspace?.setup ?? [],
    workspace?.network ?? 'open',
    Object.entries(files).sort(([a], [b]) => (a < b ? -1 : 1)),
  ])

/** Creates the initial content of a workspace. Throws a `WorkspaceError` if the case cannot be set up. */
export async function buildStart(
  { workspace, files }: Case,
  options: StartOptions,
): Promise<Start> {
  const { sandbox, threads, at, onFetch, signal } = options
  const hasSetup = workspace !== null && workspace.setup.length > 0
  const bound =
    hasSetup && !sandbox.moves ? { around: `${at}/work`, another: options.another } : null
  const around = bound?.around ?? at
  const folder = `${around}/project`
  mkdirSync(folder, { recursive: true })
  const until = performance.now() + (workspace?.setupTimeoutMs ?? 0)
  const timeoutMs = (): number => Math.max(1, until - performance.now())
  if (workspace?.git != null)
    await checkOut(workspace.git, folder, {
      spare: `${at}/spare`,
      ...{ timeoutMs, signal, onFetch },
    })
  if (workspace?.folder != null)
    await threads.run({
      kind: 'bring',
      from: workspace.folder.path,
      root: folder,
      path: '',
      owner: null,
      ...(workspace.folder.without === undefined ? {} : { without: workspace.folder.without }),
    })
  await threads.run({ kind: 'texts', root: folder, texts: files, owner: null })
  if (hasSetup) {
    const place = { folder, home: `${around}/home`, temporary: `${around}/temporary` }
    await setUp(workspace, place, timeoutMs, options)
  }
  // The copy at the path of the setup is made later, as every other copy is.
  const kept = `${at}/project`
  if (folder !== kept) renameSync(folder, kept)
  let index: Promise<Index> | null = null
  return {
    around: at,
    folder: kept,
    index: () => (index ??= threads.run({ kind: 'index', folder: kept })),
    bound,
  }
}

async function setUp(
  { setup, setupTimeoutMs, network = 'open' }: WorkspacePlan,
  place: Place,
  timeoutMs: () => number,
  { sandbox, threads, offlineSetup, signal }: StartOptions,
): Promise<void> {
  const owner = sandbox.newOwner()
  makePlace(place, owner)
  if (owner !== null) await threads.run({ kind: 'give', folder: place.folder, owner })
  for (const command of setup) {
    let said: Buffer = Buffer.alloc(0)
    const program: WorkspaceProgram = {
      argv: ['/bin/sh', '-c', command],
      env: {},
      reads: [],
      input: '',
      timeoutMs: timeoutMs(),
      mostBytes: Number.MAX_SAFE_INTEGER,
      signal,
      onOutput(chunk) {
        said = Buffer.concat([said, chunk]).subarray(-MOST_SAID)
        return 'go on'
      },
    }
    const allowed = offlineSetup ? 'none' : network
    const { how, code, stderr, ...ended } = await runProgram(sandbox, place, program, allowed)
    if (how === 'ended' && code === 0) continue
    const { reached, starved } = ended
    const limit =
      reached !== undefined
        ? ` at its limit of ${reached}`
        : starved !== undefined
          ? ` while the machine had too little left (${starved})`
          : ''
    const why =
      how === 'timeout'
        ? `did not end within the ${setupTimeoutMs / 1000} s that all of them have`
        : `ended with ${code === null ? String(ended.signal) : `exit code ${code}`}${limit}`
    const output = plainLines(`${said.toString('utf8')}\n${stderr}`)
      .trim()
      .slice(-MOST_SAID)
    throw new WorkspaceError(
      `the setup command "${plain(command)}" ${why}${offlineSetup ? OFFLINE : network === 'open' ? '' : CLOSED}${output === '' ? '' : `:\n${output}`}`,
    )
  }
  const us = ourselves()
  if (us !== null) await threads.run({ kind: 'give', folder: place.folder, owner: us })
  for (const path of [place.home, place.temporary])
    await threads.run({ kind: 'remove', folder: path })
  await threads.run({ kind: 'check-size', folder: place.folder })
}

const MOST_SAID = 2000
const OFFLINE =
  ', without network, because the folder is not trusted: look at it, then allow it with `assay trust` or once with --trust'

/** Added to the error message if the case limits the network. Setup commands have the same network as the agent. */
const CLOSED = ', with the network that the case allows'

/** Git needs a name and an e-mail address for commits, and a new home folder has no git settings. */
const GIT_CONFIG = '[user]\n\tname = agent\n\temail = agent@localhost\n'

/**
 * Creates the home folder and the folder for temporary files, for an agent or for the commands that grade its work.
 * Unlike `makePlace`, it also writes git settings.
 */
export function makeHome(place: Place, owner: Owner): void {
  makePlace(place, owner)
  placeFile(place.home, '.gitconfig', GIT_CONFIG, '100644', owner)
}

/** Creates an empty home folder and an empty folder for temporary files. */
export function makePlace({ home, temporary }: Place, owner: Owner): void {
  for (const path of [home, temporary]) {
    mkdirSync(path, { mode: 0o700 })
    if (owner !== null) lchownSync(path, owner.uid, owner.gid)
  }
}
