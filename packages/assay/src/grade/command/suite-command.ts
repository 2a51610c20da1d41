/**
 * Runs a command of a suite in the sandbox, for graders. The working directory contains the answer's files, or is a
 * fresh copy of the workspace that an agent left.
 * In a workspace, the command has the sandbox, the environment and the limits of an agent, but its only network is
 * its own loopback interface. So a program that ran for the agent runs here too.
 * The command's processor time is limited, and the wall-clock limit is much higher. So a busy machine does not
 * change a verdict.
 * The sandbox first signals that the folder is ready, and only then starts the command. So a failure of the sandbox
 * never counts as a failure of the answer.
 */
import { dirname } from 'node:path'
import { text as textOf } from 'node:stream/consumers'
import { plain, type StagedParts, type StagedWorkspace } from '@assay/contract'
import {
  collect,
  commandTotal,
  limitedAs,
  npmReads,
  PROFILES,
  SandboxError,
  WALL_FACTOR,
  watchUse,
  WORK_IDLE_MS,
  WORK_PLACE,
  workEnvironment,
  workTotal,
  type Collected,
  type Program,
  type Sandbox,
  type SandboxedProcess,
} from '@assay/sandbox'
import { stageFiles } from '../files/staged-files.ts'
import type { GradedWorkspace } from '../grader.ts'
import { quoted, shortened } from '../shown.ts'
import { firstProgram } from './first-program.ts'

const MIB = 1024 * 1024
/** The limit on bytes of each output stream. Output beyond it is ignored. */
const MOST_OUTPUT = 16 * MIB
/** Extra time to start the sandbox, in addition to the command's own time. */
const START_MS = 2000

/**
 * The limits of a command. A limit that the suite does not set has a default that depends on where the command runs.
 */
export interface CommandLimits {
  /** The processor time of the command and of all processes that it starts. */
  readonly cpuMs: number
  /**
   * How long the command may stay idle. It is idle while it uses no processor and none of its processes is ready to
   * run.
   */
  readonly idleMs: number
  readonly memoryMb: number
  readonly processes: number
  readonly openFiles: number
}

export interface SuiteCommand {
  /** The command: a list of words, or a text that the shell runs. */
  readonly command: string | readonly string[]
  readonly input: string
  readonly env: Readonly<Record<string, string>>
  readonly limits: CommandLimits
  /** Folders with programs. They come first on the PATH. */
  readonly path?: readonly string[]
}

/** How a command ended. */
export interface CommandEnd extends Collected {
  /**
   * The time limit that ended the command: processor time, idle time or wall-clock time. Null if the command ended
   * in time.
   */
  readonly late: 'cpu' | 'idle' | 'wall' | null
}

/** Returns the default limits of a command: generous in a workspace, tight for the files of an answer. */
export function defaultLimits(isWork: boolean, timeoutMs: number): CommandLimits {
  const { cpuMs, memoryBytes, processes, openFiles } = isWork ? PROFILES.work : PROFILES.command
  return {
    cpuMs: Math.max(cpuMs, timeoutMs),
    idleMs: WORK_IDLE_MS,
    memoryMb: memoryBytes / MIB,
    processes,
    openFiles,
  }
}

/** Returns a sentence for people that says which time limit the command reached. Null if the command ended in time. */
export function lateness({ late }: CommandEnd, { cpuMs, idleMs }: CommandLimits): string | null {
  if (late === null) return null
  const used = 'the command and what it started'
  return {
    cpu: `${used} needed more than ${cpuMs / 1000} s of processor time`,
    idle: `${used} did nothing for ${idleMs / 1000} s`,
    wall: `the command did not end within ${(WALL_FACTOR * cpuMs) / 1000} s`,
  }[late]
}

/** Returns the command as a list of words. If the command is a single text, the shell runs it. */
export const wordsOf = (command: SuiteCommand['command']): readonly string[] =>
  typeof command === 'string' ? ['/bin/sh', '-c', command] : command

// ── The folder ───────────────────────────────────────────────────────────────────────────────────────

/** The folder in which a command starts, and how the sandbox shows it. */
export interface StagedFolder {
  /**
   * The first two arguments of the script: either the folder to copy into the working directory, or the folder
   * to enter.
   */
  readonly words: readonly [how: 'copy' | 'enter', folder: string]
  readonly shown: Pick<Program, 'reads' | 'folders' | 'env' | 'open' | 'offline'>
  readonly isWork: boolean
  remove(): Promise<void>
}

export interface StagedWork {
  /** Which files are in the copy. Default: all files. */
  readonly what?: StagedParts
  /** Changes the copy before the command sees it. */
  readonly prepare?: (laid: StagedWorkspace) => Promise<void>
}

/** Makes a fresh copy of the workspace for a command. */
export async function stageWork(
  workspace: GradedWorkspace,
  sandbox: Sandbox,
  { what, prepare }: StagedWork = {},
): Promise<StagedFolder> {
  const laid = await workspace.lay(what)
  const { folder, home, temporary } = laid
  try {
    await prepare?.(laid)
  } catch (error) {
    await laid.remove()
    throw error
  }
  const seen = sandbox.moves ? WORK_PLACE : { folder, home, temporary }
  return {
    words: ['enter', seen.folder],
    shown: {
      reads: npmReads(),
      folders: [
        { from: folder, at: seen.folder },
        { from: home, at: seen.home },
        { from: temporary, at: seen.temporary },
      ],
      env: workEnvironment(seen),
      open: true,
      offline: true,
    },
    isWork: true,
    remove: () => laid.remove(),
  }
}

/** Prepares the files of an answer, together with those of the case, for a command. */
export async function stageAnswer(
  ofCase: Readonly<Record<string, string>>,
  ofAnswer: ReadonlyMap<string, string>,
): Promise<StagedFolder> {
  const laid = await stageFiles(ofCase, ofAnswer)
  const { folder } = laid
  return {
    words: ['copy', folder],
    shown: {
      reads: [folder],
      env: { LANG: 'C.UTF-8', PATH: `${dirname(process.execPath)}:/usr/bin:/bin` },
    },
    isWork: false,
    remove: () => laid.remove(),
  }
}

// ── Running ──────────────────────────────────────────────────────────────────────────────────────────

/**
 * A shell script that copies the files or enters the workspace, checks that the command's program exists, writes
 * `ready` to a pipe, and then executes the command. The command does not inherit the pipe. If there is no workspace,
 * HOME is the command's working directory and not a home folder of the machine.
 */
const SCRIPT = `case $1 in
copy) HOME=$PWD TMPDIR=$PWD; export HOME TMPDIR; cp -R "$2"/. . || exit 1 ;;
*) cd "$2" || exit 1 ;;
esac
named=$3
shift 3
case $named in
'') ;;
/*) [ -x "$named" ] || { echo missing >&3; exit 1; } ;;
*) command -v "$named" >/dev/null || { echo missing >&3; exit 1; } ;;
esac
echo ready >&3
exec 3>&-
exec "$@"`

function programOf(given: SuiteCommand, { words, shown, isWork }: StagedFolder): Program {
  const { limits } = given
  const { cpuMs, memoryMb, processes, openFiles } = limits
  const memoryBytes = memoryMb * MIB
  const argv = wordsOf(given.command)
  return {
    argv: ['/bin/sh', '-c', SCRIPT, 'sh', ...words, firstProgram(given.command) ?? '', ...argv],
    ...shown,
    reads: [...shown.reads, process.execPath],
    env: {
      ...given.env,
      ...shown.env,
      PATH: [...(given.path ?? []), shown.env['PATH'] ?? ''].join(':'),
    },
    ...limitedAs(isWork ? 'work' : 'command', {
      cpuMs,
      wallMs: WALL_FACTOR * cpuMs + START_MS,
      memoryBytes,
      processes,
      openFiles,
      total: (isWork ? workTotal : commandTotal)(memoryBytes, processes),
    }),
    pipes: 1,
    system: true,
  }
}

/** Starts a command. Its first pipe says when the folder is ready. The caller must end the command. */
export const startCommand = (
  sandbox: Sandbox,
  given: SuiteCommand,
  staged: StagedFolder,
): SandboxedProcess => sandbox.start(programOf(given, staged))

/**
 * Runs the command to its end. Throws a `SandboxError` if the sandbox failed before the command started, or if it
 * lacks the program that the command names. Rejects with the signal's reason when the signal aborts.
 */
export async function runCommand(
  sandbox: Sandbox,
  given: SuiteCommand,
  staged: StagedFolder,
  signal: AbortSignal,
): Promise<CommandEnd> {
  signal.throwIfAborted()
  const started = startCommand(sandbox, given, staged)
  const stop = (): void => void started.kill()
  signal.addEventListener('abort', stop, { once: true })
  let late: CommandEnd['late'] = null
  const unwatch = watchUse(started.pid, given.limits, (why) => {
    late = why
    stop()
  })
  try {
    const [pipe] = started.pipes
    const saying = pipe === undefined ? Promise.resolve('') : textOf(pipe).catch(() => '')
    const ended = await collect(started, given.input, MOST_OUTPUT)
    signal.throwIfAborted()
    const said = await saying
    if (said.includes('missing'))
      throw new SandboxError(
        `there is no program ${quoted(firstProgram(given.command) ?? '', 60)} in the sandbox`,
      )
    if (!said.includes('ready')) {
      const words = plain(shortened(ended.stderr.toString('utf8').trim(), 300))
      throw new SandboxError(
        `the command could not be prepared in the sandbox: ${words}`,
        ended.starved === undefined ? {} : { starved: ended.starved },
      )
    }
    return {
      ...ended,
      late: late ?? (ended.how === 'cpu' || ended.how === 'wall' ? ended.how : null),
    }
  } finally {
    unwatch()
    signal.removeEventListener('abort', stop)
  }
}

// ── The control command ──────────────────────────────────────────────────────────────────────────────

/**
 * The control command is assumed to need at least this much processor time. Its wall-clock limit is computed from that.
 */
const CONTROL_CPU_MS = 200

/**
 * A shell command that shows whether the machine has enough resources. First it starts nested processes, each of
 * which waits for the next one. A test runner with its helpers needs about as many. If this fails, the machine
 * cannot start enough processes. Then it computes for a moment. If it gets too little processor time, other programs
 * occupy the processors. In both cases the graded command is not at fault.
 */
const CONTROL = `start() { [ "$1" = 0 ] || ( start $(($1 - 1)) ) || exit 1; }; start 14 || exit 1
i=0; while [ $i -lt 100000 ]; do i=$((i + 1)); done; times`

/** The size of a file that is copied for the control command. Copying it fails if the disk is full. */
const CONTROL_BYTES = 65_536

/**
 * Whether the control command succeeds in the sandbox, with the same limits but without the answer's files. If it
 * fails, the machine lacks resources, and the answer is not at fault.
 */
export async function controlWorks(
  sandbox: Sandbox,
  limits: CommandLimits,
  signal: AbortSignal,
): Promise<boolean> {
  const files = new Map([['control', 'x'.repeat(CONTROL_BYTES)]])
  const staged = await stageAnswer({}, files).catch(() => null)
  if (staged === null) return false
  try {
    const began = performance.now()
    const given = { command: CONTROL, input: '', env: {}, limits }
    const ended = await runCommand(sandbox, given, staged, signal)
    const tookMs = performance.now() - began - START_MS
    const usedMs = Math.max(CONTROL_CPU_MS, processorMs(ended.stdout.toString('utf8')))
    return ended.code === 0 && ended.starved === undefined && tookMs <= WALL_FACTOR * usedMs
  } finally {
    await staged.remove()
  }
}

/** Reads the output of the shell's `times`: user and system time of the shell, then of its children. */
const processorMs = (printed: string): number =>
  [...printed.matchAll(/(\d+)m([\d.]+)s/gu)]
    .map(([, minutes, seconds]) => Number(minutes) * 60_000 + Number(seconds) * 1000)
    .reduce((sum, ms) => sum + ms, 0)
