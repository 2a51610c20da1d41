/**
 * No isolation: a plain process with the given environment, its own temporary folder, the limits that the
 * system holds without a sandbox, and an end for all that it started. It sees the files and the network
 * that this process sees, and shared folders where they are. For machines without bubblewrap and code that
 * its user trusts.
 */
import { spawn, type ChildProcess } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { realpathSync, rmSync } from 'node:fs'
import { carriersOf, groupIsGone, killSurvivors, MARK_VARIABLE } from './survivors.ts'
import { watchProcess } from './sandboxed-process.ts'
import { standing } from './bubblewrap/descriptors.ts'
import { findProgram } from './find-program.ts'
import { makeOwnedFolder } from './owned-folder.ts'
import { limitArguments, readCeilings } from './limits.ts'
import { SandboxError, type SandboxedProcess, type Program, type Sandbox } from './sandbox.ts'

interface Running {
  readonly boxed: SandboxedProcess
  readonly kill: () => void
  readonly clear: () => void
}

export function openNone(): Sandbox {
  // Not on macOS, where the time alone is limited.
  const prlimit = findProgram('prlimit')
  const ceilings = readCeilings()
  const running = new Set<Running>()
  let isClosed = false
  /** This process ends without having closed the sandbox. */
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
    // An open program has the machine's own temporary folder, as it has all others.
    const hasFolder = program.scratchBytes > 0 && program.open !== true
    const folder = hasFolder ? newFolder() : null
    const clear = (): void => {
      if (folder !== null) rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
    }
    const [command, ...args] =
      prlimit === null
        ? argv
        : // Processes of this user are counted together, whoever started them: no limit on them makes sense.
          ([prlimit, ...limitArguments(limits, ceilings, false), '--', ...argv] as const)
    let child: ChildProcess
    try {
      child = spawn(command, args, {
        cwd: program.cwd ?? folder ?? '/',
        env: { ...program.env, [MARK_VARIABLE]: marked(mark) },
        detached: true,
        windowsHide: true,
        stdio: standing(program),
      })
      for (const stream of program.handed ?? []) stream.destroy()
    } catch (error) {
      clear()
      throw new SandboxError(`${argv[0]} could not be started: ${String(error)}`, { cause: error })
    }
    const { pid } = child
    if (pid === undefined) {
      clear()
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
        // What it left running, in its group or out of it, is not killed by the end of the program itself.
        if (!isSwept) kill()
        isSwept = true
        return groupIsGone(pid, thorough) && carriersOf(mark, pid).length === 0
      },
      read: (code, signal) => ({ code, signal }),
      clear() {
        clear()
        running.delete(one)
      },
    })
    const one: Running = { boxed: started, kill, clear }
    running.add(one)
    return started
  }

  return {
    name: 'none',
    version: 'no isolation',
    moves: false,
    newOwner: () => null,
    start,
    async close() {
      isClosed = true
      await Promise.all([...running].map((one) => one.boxed.kill()))
      process.removeListener('exit', onExit)
    },
  }
}

/** The marks of those around us stay: whoever ends them ends this too. */
const marked = (mark: string): string =>
  [process.env[MARK_VARIABLE], mark].filter((one) => one !== undefined).join('/')

/** Without links on the way, so that what the program is told of its folder is what it sees. */
const newFolder = (): string => realpathSync(makeOwnedFolder('assay-scratch'))
