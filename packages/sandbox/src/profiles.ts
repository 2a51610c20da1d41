/**
 * The limits of every kind of program that runs in a sandbox, in one table, with the reason of each number.
 * Whoever starts a program takes its profile and says what depends on the case: times and memory that a
 * suite may set. Numbers that many profiles share have their reason here:
 *
 * - `addressBytes` is null everywhere: Node, Go programs and compilers reserve far more than they use.
 * - `openFiles` 64 is enough for the standard streams, pipes and a program's libraries; 256 also for the
 *   modules that a program reads at its start.
 * - `processes` 'threads' means no process at all: nothing that these programs do needs one, and a sample
 *   that could start some could outlive its verdict.
 * - `wallMs` null: the owner watches the program and ends it.
 */
import { availableParallelism } from 'node:os'
import type { Limits } from './sandbox.ts'

const MIB = 2 ** 20
const GIB = 2 ** 30
const HOUR_MS = 3_600_000

/** The time on the clock, in processor times: so that a busy machine does not change a verdict. */
export const WALL_FACTOR = 4

/** For each process of the Rust compiler. What samples need is a hundredth of it. */
const RUST_CPU_MS = 10_000

export interface Profile extends Limits {
  /** Size of its own writable folder; 0 for none. */
  readonly scratchBytes: number
}

/** What the profiles of programs have in common that live on and see one sample after another. */
const LASTING = {
  // It lives as long as its samples together; the clock of each is its owner's.
  cpuMs: 24 * HOUR_MS,
  wallMs: null,
  addressBytes: null,
} as const

export const PROFILES = {
  /** Tries out whether the sandbox works: `prlimit --version`, which needs next to nothing. */
  tryout: {
    cpuMs: 10_000,
    // Twice that: a machine that is busy must not look like one without a sandbox.
    wallMs: 20_000,
    memoryBytes: 256 * MIB,
    addressBytes: null,
    // It starts none; some to spare.
    processes: 16,
    fileBytes: MIB,
    openFiles: 64,
    scratchBytes: MIB,
  },

  /** An agent builds and tests as its user would: its time is what ends it, and the machine's own limits. */
  agent: {
    // By its time on the clock: `agentLimits`.
    cpuMs: Number.MAX_SAFE_INTEGER,
    wallMs: null,
    memoryBytes: Number.MAX_SAFE_INTEGER,
    addressBytes: null,
    // A parallel build with its tests has hundreds; what starts them without end has to stop somewhere.
    processes: 4096,
    // Larger than any artefact of a build, smaller than most disks.
    fileBytes: 64 * GIB,
    // Programs that watch a large project hold one open for each folder.
    openFiles: 65_536,
    // Its temporary folder is a shared one, which the next program finds too.
    scratchBytes: 0,
  },

  /** A command that grades a workspace (`run`). Its times and its memory are the suite's. */
  command: {
    cpuMs: 0,
    wallMs: null,
    memoryBytes: 0,
    addressBytes: null,
    // A test runner with its workers.
    processes: 64,
    // A file may fill the whole folder: a build writes its result there.
    fileBytes: 256 * MIB,
    openFiles: 256,
    scratchBytes: 256 * MIB,
  },

  /** A forking server of Python. Each fork lowers these limits to its own. */
  pythonServer: {
    ...LASTING,
    // More than any `memoryMb`, so that each fork may have what its suite says.
    memoryBytes: 64 * GIB,
    // Forks that run at once. A server of testers has those that it keeps in addition.
    processes: 48,
    // As much as its folder holds.
    fileBytes: 32 * MIB,
    openFiles: 256,
    scratchBytes: 32 * MIB,
  },

  /** Lints Python: ruff as WebAssembly in Node. */
  pythonLinter: {
    ...LASTING,
    // A request has ten seconds on its owner's clock; this is for all of them.
    cpuMs: HOUR_MS,
    // The memory of WebAssembly grows and never shrinks.
    memoryBytes: 2048 * MIB,
    processes: 'threads',
    // It writes nothing.
    fileBytes: 0,
    openFiles: 64,
    scratchBytes: 0,
  },

  /** Runs the tests of TypeScript and JavaScript samples. Links to samples come on top of its open files. */
  nodeTester: {
    ...LASTING,
    memoryBytes: 2048 * MIB,
    processes: 'threads',
    fileBytes: 16 * MIB,
    openFiles: 64,
    scratchBytes: 0,
  },

  /** Holds a sample of TypeScript or JavaScript. Its processor time is the suite's. */
  nodeSample: {
    ...LASTING,
    // What Node takes before it runs anything (data, not address space). The suite's memory comes on top.
    memoryBytes: 560 * MIB,
    processes: 'threads',
    // It writes nothing.
    fileBytes: 0,
    openFiles: 64,
    scratchBytes: 0,
  },

  /** Checks the types of TypeScript and lints it: `tsc` and oxlint, started by Node. */
  nodeAnalyzer: {
    ...LASTING,
    // The checker collects its garbage late (GOGC=400).
    memoryBytes: 3072 * MIB,
    // Two native programs with a thread or more for each processor.
    processes: 256,
    fileBytes: 16 * MIB,
    openFiles: 256,
    // The sources of one sample, which the checker reads from files.
    scratchBytes: 64 * MIB,
  },

  /** Compiles and lints a Rust sample. */
  rustCompiler: {
    cpuMs: RUST_CPU_MS,
    // Two steps, one after the other.
    wallMs: 2 * WALL_FACTOR * RUST_CPU_MS,
    // An answer that makes the compiler need more than this is at fault, not the machine.
    memoryBytes: 2560 * MIB,
    addressBytes: null,
    // The shell, the compiler with its threads, the linker.
    processes: 64,
    // A program with its debug information; the folder holds it and the objects it is linked from.
    fileBytes: 96 * MIB,
    openFiles: 256,
    scratchBytes: 128 * MIB,
  },

  /** Compiles the packages that a Rust case depends on, once for all of its samples. */
  rustDependencies: {
    // Dozens of crates, each in a process of its own.
    cpuMs: 300_000,
    wallMs: 900_000,
    memoryBytes: 4096 * MIB,
    addressBytes: null,
    // Cargo compiles as many crates at once as there are processors.
    processes: 256,
    fileBytes: 512 * MIB,
    openFiles: 1024,
    scratchBytes: 2048 * MIB,
  },

  /** Runs a compiled Rust sample. Its times are the suite's. */
  rustSample: {
    cpuMs: 0,
    wallMs: null,
    // For the program itself and its threads' stacks. The suite's memory comes on top.
    memoryBytes: 64 * MIB,
    addressBytes: null,
    processes: 'threads',
    // It writes nothing.
    fileBytes: 0,
    openFiles: 64,
    scratchBytes: 0,
  },
} as const satisfies Readonly<Record<string, Profile>>

/** What a fork of a Python server lowers its limits to. A sample's are its suite's. */
export const PYTHON_FORKS = {
  /** Of a solution, and of a tester. */
  openFiles: 64,
  /** Of all the samples that a tester sees; the clock of each is the host's. */
  tester: { cpuMs: HOUR_MS, memoryBytes: 1024 * MIB },
  /** Imports the tests and lists them, which takes as long as their imports. */
  lister: { cpuMs: 10_000, memoryBytes: 512 * MIB },
} as const

/** The temporary folder of a grader of the user's own: it is in memory. */
export const GRADER_SCRATCH_BYTES = GIB

/** Threads of a program that may start no process. Its memory bounds them too: each has a stack. */
export const mostThreads = (): number => 128 + 4 * availableParallelism()

/** What the system itself gives a program. */
export const STACK_BYTES = 8 * MIB
/** What a program may raise its own stack to, which counts in no other limit. */
export const MOST_STACK_BYTES = 64 * MIB

/** A profile as a program takes it, with what depends on the case. */
export function limitedAs(
  name: keyof typeof PROFILES,
  over: Partial<Profile> = {},
): { readonly limits: Limits; readonly scratchBytes: number } {
  const { scratchBytes, ...limits }: Profile = { ...PROFILES[name], ...over }
  return { limits, scratchBytes }
}

/** For an agent, or a program that may do what an agent may. Null: its owner ends it. */
export function agentLimits(timeoutMs: number | null): Limits {
  if (timeoutMs === null) return limitedAs('agent').limits
  const cpuMs = Math.min(timeoutMs * availableParallelism(), PROFILES.agent.cpuMs)
  return limitedAs('agent', { wallMs: timeoutMs, cpuMs }).limits
}
