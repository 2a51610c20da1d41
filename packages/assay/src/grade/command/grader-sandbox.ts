/**
 * The sandbox for graders that are programs of the suite (`custom` and `program`, with `sandbox = true`). It has the
 * restrictions of the agents' sandbox and, in addition, no network. A grader in it sees the suite's repository
 * read-only and without the data of version control (`.git`), the system's programs, Node and an empty /tmp. It sees no other process and no file
 * of a home folder.
 * The run has another sandbox, which cannot be used here for two reasons. A grader's sandbox is needed as soon as a
 * suite is read. And `--sandbox none` must not apply to graders.
 */
import { realpathSync } from 'node:fs'
import { realpath, stat } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import {
  agentLimits,
  GRADER_SCRATCH_BYTES,
  findProgram,
  holdsHome,
  isWithin,
  openAgentSandbox,
  OWN_PACKAGES,
  realPathIn,
  repositoryOf,
  SandboxError,
  type SandboxedProcess,
  type Sandbox,
  type ProcessEnd,
  versionControlFolders,
} from '@assay/sandbox'

/** A sandbox in which a suite's folder is visible. */
export interface GraderSandbox {
  readonly sandbox: Sandbox
  /** The absolute path of the suite's folder. Programs start in this folder. */
  readonly folder: string
  /** The paths outside the sandbox that programs in it can see. */
  readonly shown: readonly string[]
  /**
   * The folders under `shown` that programs see as empty. These are folders such as `.git`, which may contain a login
   * and the user's commits.
   */
  readonly hidden: readonly string[]
}

const TEMPORARY = '/tmp'
const PATH = [dirname(process.execPath), '/usr/local/bin', '/usr/bin', '/bin', '/usr/sbin', '/sbin']
/** Extra time to start the sandbox, in addition to the program's own time. */
const START_MS = 2000
const MOST_STDERR = 8192

let opening: Promise<Sandbox> | null = null

/**
 * Opens the sandbox. Throws a `SandboxError` that says what is missing and how to get it, or why the sandbox
 * must not show the folder.
 */
export async function graderSandbox(given: string): Promise<GraderSandbox> {
  const folder = resolve(given)
  // If the folder is a link, the checks apply to the link's target.
  const real = await realpath(folder)
  if (holdsHome(real))
    throw new SandboxError(
      `a sandboxed grader sees the folder of its suite, and ${real} holds a whole home folder: move the suite to a folder of its own`,
    )
  const sandbox = await opened()
  if (sandbox.newOwner() !== null && ((await stat(real)).mode & OTHERS) !== OTHERS)
    throw new SandboxError(
      `Assay runs as root, so a sandboxed grader is another user, who cannot read ${real}: chmod a+rX it, or start Assay as an ordinary user`,
    )
  const repository = repositoryOf(real)
  return { sandbox, folder, shown: [folder, repository], hidden: await hiddenIn(repository) }
}

/** The file mode bits with which other users can list and enter a folder. */
const OTHERS = 0o005

async function opened(): Promise<Sandbox> {
  opening ??= openAgentSandbox()
  try {
    return await opening
  } catch (error) {
    opening = null
    throw error
  }
}

/** The hidden folders of each repository. A repository is searched once for all graders of a run. */
const hiddenFolders = new Map<string, Promise<string[]>>()

function hiddenIn(repository: string): Promise<string[]> {
  const known = hiddenFolders.get(repository) ?? versionControlFolders(repository)
  hiddenFolders.set(repository, known)
  return known
}

/** Closes the sandbox. The next grader that needs it opens it again. */
export async function closeGraderSandbox(): Promise<void> {
  const open = opening
  opening = null
  hiddenFolders.clear()
  await (await open?.catch(() => null))?.close()
}

// ── Visible files ────────────────────────────────────────────────────────────────────────────────────

/** The folders of the machine's programs that the sandbox shows. */
const SYSTEM = ['/usr', '/bin', '/sbin', '/lib', '/lib64', '/opt', '/nix/store']

/**
 * Whether the sandbox may show a program. It may be a program of the repository, a program of the system, or
 * Node itself.
 */
export function isShownProgram(program: string, folder: string): boolean {
  if (realPathIn(folder, program) !== null) return true
  try {
    const real = realpathSync(resolve(folder, program))
    return (
      real === realpathSync(process.execPath) || SYSTEM.some((system) => isWithin(real, system))
    )
  } catch {
    return false
  }
}

// ── Running ──────────────────────────────────────────────────────────────────────────────────────────

interface Started {
  readonly argv: readonly [string, ...string[]]
  /** The time limit of the program. Null if there is none. The caller then ends the program. */
  readonly timeoutMs: number | null
  readonly pipes: number
}

export function startSandboxed(
  { sandbox, folder, shown, hidden }: GraderSandbox,
  { argv, timeoutMs, pipes }: Started,
): SandboxedProcess {
  return sandbox.start({
    argv,
    reads: [...shown, ...OWN_PACKAGES, process.execPath, argv[0]],
    hides: hidden,
    env: { PATH: PATH.join(':'), HOME: TEMPORARY, TMPDIR: TEMPORARY, LANG: 'C.UTF-8' },
    limits: agentLimits(timeoutMs),
    scratchBytes: GRADER_SCRATCH_BYTES,
    pipes,
    system: true,
    open: true,
    offline: true,
    cwd: folder,
  })
}

interface SandboxedRequest {
  /** The command line. If the program's name has no slash, it is searched among the system's programs and Node. */
  readonly argv: readonly string[]
  readonly input: string
  readonly timeoutMs: number
  readonly mostBytes: number
  readonly signal: AbortSignal
}

/** Runs a program like `runProcess`, but in the sandbox. */
export async function runSandboxed(
  sandbox: GraderSandbox,
  { argv, input, timeoutMs, mostBytes, signal }: SandboxedRequest,
): Promise<ProcessEnd> {
  signal.throwIfAborted()
  const [name = '', ...words] = argv
  const program = name.includes('/') ? name : findProgram(name, PATH.join(':'))
  if (program === null || (name.includes('/') && !isShownProgram(program, sandbox.folder)))
    throw new SandboxError(`there is no program ${name} in the sandbox`)
  const boxed = startSandboxed(sandbox, {
    argv: [program, ...words],
    timeoutMs: timeoutMs + START_MS,
    pipes: 0,
  })
  let how: ProcessEnd['how'] = 'ended'
  let bytes = 0
  const stdout: Buffer[] = []
  let stderr: Buffer = Buffer.alloc(0)
  boxed.stdout.on('data', (chunk: Buffer) => {
    if (bytes < mostBytes) stdout.push(chunk.subarray(0, mostBytes - bytes))
    bytes += chunk.length
    if (bytes <= mostBytes) return
    how = 'too-much'
    void boxed.kill()
  })
  boxed.stderr.on('data', (chunk: Buffer) => {
    stderr = Buffer.concat([stderr, chunk.subarray(-MOST_STDERR)]).subarray(-MOST_STDERR)
  })
  boxed.stdin.end(input)
  const abort = (): void => void boxed.kill()
  signal.addEventListener('abort', abort, { once: true })
  const ended = await boxed.ended
  signal.removeEventListener('abort', abort)
  signal.throwIfAborted()
  const { code, signal: killer } = ended
  const late = ended.how === 'wall' || ended.how === 'cpu'
  return {
    how: late ? 'timeout' : how,
    code,
    signal: killer,
    stdout: Buffer.concat(stdout),
    stderr,
  }
}
