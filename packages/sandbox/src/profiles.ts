/**
 * The limits of every kind of program that runs in a sandbox, in one table, with the reason for each number. Only the
 * forks of a Python server have their limits elsewhere: in `PYTHON_FORKS`, below the table. A caller takes the
 * profile of its program and overrides the values that depend on the case, such as the times and the memory that a
 * suite may set. These are the reasons for numbers that many profiles share:
 *
 * - `addressBytes` is null everywhere: Node, Go programs and compilers reserve far more address space than they use.
 * - `openFiles` 64 is enough for the standard streams, pipes and a program's libraries. 256 is also enough for the
 *   modules that a program reads at its start.
 * - `processes` 'threads' means that the program may not start a process. These programs need none, and a process
 *   that a solution started could keep running after its verdict.
 * - `wallMs` null means that the caller watches the program and ends it.
 */
import { availableParallelism } from 'node:os'
import type { Amounts } from './control-group/available.ts'
import type { Limits } from './sandbox.ts'

const MIB = 2 ** 20
const GIB = 2 ** 30
const HOUR_MS = 3_600_000

/**
 * The limit on wall time divided by the limit on processor time. It is large, so that a busy machine, on which a
 * program must wait for a processor, does not change a verdict.
 */
export const WALL_FACTOR = 4

/** The processor time of each process of the Rust compiler. Typical solutions need about a hundredth of it. */
const RUST_CPU_MS = 10_000

export interface Profile extends Limits {
  /** Size of the program's own writable folder; 0 for none. */
  readonly scratchBytes: number
}

/** Limits shared by programs that handle many solutions, one after the other. */
const LASTING = {
  // The processor time for all solutions together. The caller also limits the time of each solution.
  cpuMs: 24 * HOUR_MS,
  wallMs: null,
  addressBytes: null,
} as const

export const PROFILES = {
  /** Tests whether the sandbox works: runs `prlimit --version`, which needs almost nothing. */
  tryout: {
    cpuMs: 10_000,
    // The wall time is twice the processor time. With less, a busy machine could look like one without a working
    // sandbox.
    wallMs: 20_000,
    memoryBytes: 256 * MIB,
    addressBytes: null,
    // The program starts no process. The limit of 16 leaves a margin.
    processes: 16,
    fileBytes: MIB,
    openFiles: 64,
    scratchBytes: MIB,
  },

  /**
   * The limits of an agent. An agent builds and tests software as its user would, so they are generous. Only its time
   * and its `total`, the limits for all of its processes together, are strict.
   */
  agent: {
    // `agentLimits` computes the processor time from the wall time.
    cpuMs: Number.MAX_SAFE_INTEGER,
    wallMs: null,
    memoryBytes: Number.MAX_SAFE_INTEGER,
    addressBytes: null,
    // A parallel build with its tests has hundreds of processes. The limit stops a fork bomb.
    processes: 4096,
    // More than any build writes to one file, and less than most disks hold.
    fileBytes: 64 * GIB,
    // The limit is high, because programs that watch a large project for changes keep one file open for each folder.
    openFiles: 65_536,
    // The agent has no scratch folder. Its temporary folder is a shared folder, so that the next program of the trial
    // sees it too.
    scratchBytes: 0,
    // The same number of processes as above, but counted for everything that the agent starts. No memory limit is set
    // here. Then the general limit applies: the share of the machine's memory that one program may use.
    total: { processes: 4096, memoryBytes: Infinity },
  },

  /**
   * A command that grades the work of an agent in its workspace. Tests must run here as they ran for the agent. So it
   * has the agent's limits, and in addition a bound on time and memory. A suite may set each limit.
   */
  work: {
    // Enough time for a large test suite, with a margin. The caller counts the time of all processes together.
    cpuMs: 600_000,
    wallMs: WALL_FACTOR * 600_000,
    memoryBytes: 4096 * MIB,
    addressBytes: null,
    processes: 4096,
    fileBytes: 64 * GIB,
    openFiles: 65_536,
    // No scratch folder is needed: the home folder and `/tmp` are shared folders on the disk, as for an agent.
    scratchBytes: 0,
  },

  /** A command that grades the files of an answer (`run`). The suite sets its times and its memory. */
  command: {
    cpuMs: 0,
    wallMs: null,
    memoryBytes: 0,
    addressBytes: null,
    // Enough processes for a test runner with its workers.
    processes: 64,
    // One file may be as large as the whole folder, because a build may write one large output.
    fileBytes: 256 * MIB,
    openFiles: 256,
    scratchBytes: 256 * MIB,
  },

  /**
   * A Python server that forks a process for each solution. Each fork lowers these limits to its own, which are
   * in `PYTHON_FORKS` and in the suite.
   */
  pythonServer: {
    ...LASTING,
    // More than any `memoryMb` of a suite, so that each fork can get the memory that its suite sets.
    memoryBytes: 64 * GIB,
    // The maximum number of forks at the same time. A server for testers also keeps idle forks, which later tests
    // use.
    processes: 48,
    // One file may be as large as the whole folder.
    fileBytes: 32 * MIB,
    openFiles: 256,
    scratchBytes: 32 * MIB,
  },

  /** Lints Python: the linter ruff runs as WebAssembly in Node. */
  pythonLinter: {
    ...LASTING,
    // The processor time for all requests together. The caller gives each request ten seconds.
    cpuMs: HOUR_MS,
    // The limit is high, because the memory of WebAssembly grows and never shrinks.
    memoryBytes: 2048 * MIB,
    processes: 'threads',
    // The program writes no files.
    fileBytes: 0,
    openFiles: 64,
    scratchBytes: 0,
  },

  /** Runs the tests of TypeScript and JavaScript solutions. The caller adds its pipes to solutions to `openFiles`. */
  nodeTester: {
    ...LASTING,
    memoryBytes: 2048 * MIB,
    processes: 'threads',
    fileBytes: 16 * MIB,
    openFiles: 64,
    scratchBytes: 0,
  },

  /** Runs a solution in TypeScript or JavaScript. The suite sets its processor time. */
  nodeSample: {
    ...LASTING,
    // The memory that Node itself takes before it runs any code (data, not address space). The caller adds the memory
    // that the suite allows.
    memoryBytes: 560 * MIB,
    processes: 'threads',
    // The program writes no files.
    fileBytes: 0,
    openFiles: 64,
    scratchBytes: 0,
  },

  /** Checks the types of TypeScript and lints it: `tsc` and oxlint, started by Node. */
  nodeAnalyzer: {
    ...LASTING,
    // The limit is high, because the type checker runs its garbage collector rarely (GOGC=400).
    memoryBytes: 3072 * MIB,
    // Enough for two native programs, each with at least one thread per processor.
    processes: 256,
    fileBytes: 16 * MIB,
    openFiles: 256,
    // The sources of one solution. The checker reads them from files.
    scratchBytes: 64 * MIB,
  },

  /** Compiles and lints a Rust solution. */
  rustCompiler: {
    cpuMs: RUST_CPU_MS,
    // The wall time covers two steps, one after the other: the check and the build.
    wallMs: 2 * WALL_FACTOR * RUST_CPU_MS,
    // An answer for which the compiler needs more memory than this is at fault, not the machine.
    memoryBytes: 2560 * MIB,
    addressBytes: null,
    // Enough for the shell, the compiler with its threads, and the linker.
    processes: 64,
    // Enough for a program with its debug information. The folder holds the program and the object files that it is
    // linked from.
    fileBytes: 96 * MIB,
    openFiles: 256,
    scratchBytes: 128 * MIB,
  },

  /** Compiles the packages that a Rust case depends on, once for all of its solutions. */
  rustDependencies: {
    // Enough for dozens of crates, each compiled in its own process.
    cpuMs: 300_000,
    wallMs: 900_000,
    memoryBytes: 4096 * MIB,
    addressBytes: null,
    // Cargo compiles one crate for each processor at the same time.
    processes: 256,
    fileBytes: 512 * MIB,
    openFiles: 1024,
    scratchBytes: 2048 * MIB,
  },

  /** Runs a compiled Rust solution. The suite sets its times. */
  rustSample: {
    cpuMs: 0,
    wallMs: null,
    // Memory for the program itself and the stacks of its threads. The caller adds the memory that the suite allows.
    memoryBytes: 64 * MIB,
    addressBytes: null,
    processes: 'threads',
    // The program writes no files.
    fileBytes: 0,
    openFiles: 64,
    scratchBytes: 0,
  },
} as const satisfies Readonly<Record<string, Profile>>

/**
 * The limits to which a fork of a Python server (`pythonServer`) lowers its own. A suite sets the other limits of
 * a solution.
 */
export const PYTHON_FORKS = {
  /** The open files of a solution or a tester. */
  openFiles: 64,
  /**
   * The limits of a tester. The time is for all solutions that it tests. The host also limits the time of each
   * solution.
   */
  tester: { cpuMs: HOUR_MS, memoryBytes: 1024 * MIB },
  /** The limits of a process that imports the tests and lists them. Importing takes most of its time. */
  lister: { cpuMs: 10_000, memoryBytes: 512 * MIB },
} as const

/** Size of the temporary folder of a custom grader. The folder is in memory. */
export const GRADER_SCRATCH_BYTES = GIB

/**
 * The most threads of a program that may not start processes. Each thread needs a stack, so the memory limit bounds
 * their number too.
 */
export const mostThreads = (): number => 128 + 4 * availableParallelism()

/** The stack that Linux gives a program by default. */
export const STACK_BYTES = 8 * MIB
/** The largest stack that a program may set for itself. No other limit counts the stack. */
export const MOST_STACK_BYTES = 64 * MIB

/**
 * Returns a profile as `limits` and `scratchBytes` of a `Program`. `over` contains the values that depend on the
 * case.
 */
export function limitedAs(
  name: keyof typeof PROFILES,
  over: Partial<Profile> = {},
): { readonly limits: Limits; readonly scratchBytes: number } {
  const { scratchBytes, ...limits }: Profile = { ...PROFILES[name], ...over }
  return { limits, scratchBytes }
}

/**
 * Returns the limits of an agent, or of a program with an agent's rights. If `timeoutMs` is null, there is no time
 * limit, because the caller ends the program.
 */
export function agentLimits(timeoutMs: number | null): Limits {
  if (timeoutMs === null) return limitedAs('agent').limits
  const cpuMs = Math.min(timeoutMs * availableParallelism(), PROFILES.agent.cpuMs)
  return limitedAs('agent', { wallMs: timeoutMs, cpuMs }).limits
}

/**
 * A command that grades is ended if it waits for this long: it uses no processor time and nothing in it is ready to
 * run.
 */
export const WORK_IDLE_MS = 60_000

/**
 * All processes of a command together may use this many times the memory limit of one process, because a build or
 * its tests run several large processes at once.
 */
const COMMAND_SHARES = 4
/** The shells and sandbox programs that run around a command. They are counted together with it. */
const AROUND_COMMAND = 8

/**
 * The limits for a command that grades, together with everything that it starts. The files in its folder are kept in
 * memory, so the size of the folder is added to the memory limit.
 */
export const commandTotal = (memoryBytes: number, processes: number): Amounts => ({
  processes: processes + AROUND_COMMAND,
  memoryBytes: COMMAND_SHARES * memoryBytes + PROFILES.command.scratchBytes,
})

/** The limits for a command that grades in a workspace, together with everything that it starts. */
export const workTotal = (memoryBytes: number, processes: number): Amounts => ({
  processes: processes + AROUND_COMMAND,
  memoryBytes,
})
