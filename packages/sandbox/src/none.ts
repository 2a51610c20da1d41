/**
 * The sandbox backend without isolation, for machines without bubblewrap and for code that the user trusts. A program
 * is an ordinary process with the given environment, its own temporary folder and the limits that need no sandbox.
 * When it ends, everything that it started is killed. It sees all files and the network that Assay sees, and it sees
 * shared folders at their real paths.
 */
import { spawn, type ChildProcess } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { realpathSync, rmSync } from 'node:fs'
import { carriersOf, groupIsGone, killSurvivors, MARK_VARIABLE } from './survivors.ts'
import { watchProcess } from './sandboxed-process.ts'
import { standing } from './bubblewrap/descriptors.ts'
import { findProgram } from './find-program.ts'
import { makeOwnedFolder } from './owned-folder.ts'
import { heldTotals, type StartedGroup } from './control-group/held-totals.ts'
import { limitArguments, readCeilings } from './limits.ts'
import { SandboxError, type SandboxedProcess, type Program, type Sandbox } from './sandbox.ts'

interface Running {
  readonly boxed: SandboxedProcess
  readonly kill: () => void
  readonly clear: () => void
}

export function openNone(): Sandbox {
  // macOS has no prlimit, so only the time is limited there.
  const prlimit = findProgram('prlimit')
  const ceilings = readCeilings()
  const running = new Set<Running>()
  const totals = heldTotals()
  let isClosed = false
  /** Kills the running programs if this process ends without closing the sandbox. */
  const onExit = (): void => {
    for (const { kill, clear } of running) {
      kill()
      clear()
    }
  }
  process.once('exit', onExit)

  function start(program: Program): SandboxedProcess {
    if (isClosed) throw new SandboxError('the sandbox was closed')
    const { limits, pipes } = program
    const argv = [...program.argv, ...(program.drops === true ? ['0'] : [])] as const
    if (!argv[0].startsWith('/') && process.platform !== 'win32')
      throw new SandboxError(`the sandbox starts absolute paths only, not "${argv[0]}"`)
    const mark = randomUUID()
    // An agent (`open`) does not get its own folder. It uses the machine's temporary folder.
    const hasFolder = program.scratchBytes > 0 && program.open !== true
    const folder = hasFolder ? newFolder() : null
    const clear = (): void => {
      if (folder !== null) rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
    }
    let group: StartedGroup
    try {
      group = totals.group(program)
    } catch (error) {
      clear()
      throw error
    }
    const limited =
      prlimit === null
        ? argv
        : // The kernel counts all processes of this user together here, so their number is not limited.
          ([prlimit, ...limitArguments(limits, ceilings, false), '--', ...argv] as const)
    const [command = argv[0], ...args] = [...group.words, ...limited] as const
    let child: ChildProcess
    try {
      child = spawn(command, args, {
        cwd: program.cwd ?? folder ?? '/',
        env: { ...program.env, ...group.env, [MARK_VARIABLE]: marked(mark) },
        detached: true,
        windowsHide: true,
        stdio: standing(program),
      })
      for (const stream of program.handed ?? []) stream.destroy()
    } catch (error) {
      clear()
      void group.end()
      throw new SandboxError(`${argv[0]} could not be started: ${String(error)}`, { cause: error })
    }
    const { pid } = child
    if (pid === undefined) {
      clear()
      void group.end()
      child.on('error', () => {})
      throw new SandboxError(
        `${argv[0]} could not be started: it is missing, or there are no processes or open files left`,
      )
    }
    const kill = (): void => killSurvivors(pid, mark)
    let isSwept = false
    const started = watchProcess(child, pid, pipes, {
      wallMs: limits.wallMs,
      cpuMs: limits.cpuMs,
      kill,
      isGone(thorough) {
        // Processes that the program left running do not end by themselves, so they are killed here.
        if (!isSwept) kill()
        isSwept = true
        return groupIsGone(pid, thorough) && carriersOf(mark, pid).length === 0
      },
      read: (code, signal) => ({ code, signal }),
      clear() {
        clear()
        running.delete(one)
        return group.end()
      },
    })
    const one: Running = { boxed: started, kill, clear }
    group.watch(() => void started.kill())
    running.add(one)
    return started
  }

  return {
    name: 'none',
    version: 'no isolation',
    moves: false,
    totalsHeldBy: () => totals.name(),
    newOwner: () => null,
    start,
    async close() {
      isClosed = true
      await Promise.all([...running].map((one) => one.boxed.kill()))
      totals.release()
      process.removeListener('exit', onExit)
    },
  }
}

/**
 * Returns the marks for a program's environment. One is the program's own mark. If this Assay process itself runs
 * inside trials of another Assay, their marks are kept, so that the outer Assay finds and kills this program too.
 */
const marked = (mark: string): string =>
  [process.env[MARK_VARIABLE], mark].filter((one) => one !== undefined).join('/')

/**
 * Makes a folder and resolves all links in its path. A program that asks for its working directory then gets the same
 * path that it was given.
 */
const newFolder = (): string => realpathSync(makeOwnedFolder('assay-scratch'))
