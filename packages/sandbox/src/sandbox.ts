/**
 * Where untrusted code runs. A sandbox starts programs that see no network, no file but what they are
 * given, no environment but what is listed, and that end with everything they started. One interface, one
 * file per backend; whoever needs a program run describes it and never asks which backend it is.
 */
import type { Duplex, Readable, Writable } from 'node:stream'

/** What one program may use. All of them are ends, not hints: reaching one ends the program. */
export interface Limits {
  /** Of processor time, for each process. Whole seconds are held; parts are rounded up. */
  readonly cpuMs: number
  /** From the start until it is killed. Null for a program that lives on and is watched by its owner. */
  readonly wallMs: number | null
  /** Memory that each process may allocate (data, not what is mapped from files). */
  readonly memoryBytes: number
  /** Address space for each process; null where the program reserves more than it uses (Node does). */
  readonly addressBytes: number | null
  /**
   * Processes and threads at once. `'threads'`: it may not start a process at all, however many threads
   * it has, which the kernel's filter enforces where the backend has one.
   */
  readonly processes: number | 'threads'
  /** Of one file. */
  readonly fileBytes: number
  readonly openFiles: number
}

/** A program to start. Paths are those of the host, inside as outside. */
export interface Program {
  /** The program and its arguments; the program as an absolute path. */
  readonly argv: readonly [string, ...string[]]
  /** Files and folders of the host that it may read, beside the system's libraries. */
  readonly reads: readonly string[]
  /** All of its environment. */
  readonly env: Readonly<Record<string, string>>
  readonly limits: Limits
  /**
   * Size of its own empty writable folder, which is its working directory; 0 for none. An open program has
   * it as /tmp, gone with the program; share a folder there instead where the next program is to find it.
   */
  readonly scratchBytes: number
  /** How many two-way pipes it gets beside the standard three, from descriptor 3 on. */
  readonly pipes: number
  /**
   * Ends of pipes to other programs, taken from their `SandboxedProcess`, which it gets as its next descriptors, so
   * that the two talk to each other and not through this process. They are closed here.
   */
  readonly handed?: readonly Duplex[]
  /** It has standard error alone: what it prints is nobody's concern, and it is told nothing. */
  readonly isQuiet?: boolean
  /**
   * It lets go of root by itself, before it reads anything of a stranger's: its last argument is the number
   * of the user that it is to become, and of the group; 0 where it need not. To start a program that does
   * it for it takes as long as some samples run.
   */
  readonly drops?: boolean
  /** Programs of the system that it may start (a shell, a compiler's linker). Off, it finds none. */
  readonly system: boolean
  /**
   * What `/proc/self/exe` names; there is nothing else of `/proc`, and without this not even that. For
   * toolchains that look for their own parts beside themselves: rustc, and what finds its libraries so.
   */
  readonly self?: string
  /**
   * Folders of the host that it may write to, and where it sees them. They belong to a `newOwner` of the
   * sandbox, with all that is in them; none lies in another, nor in what it `reads`. What it reads may lie
   * in one at that path, for which an empty place is made in it; not in the one that holds its `cwd`.
   */
  readonly folders?: readonly SharedFolder[]
  /** Where it starts; its scratch folder, else the root, unless given. A path as it sees it. */
  readonly cwd?: string
  /**
   * It is an agent: it reaches the network, with the files that name resolution and certificates need, it
   * has a /proc of its own namespace and all devices of a usual program, and only the filter's worst system
   * calls are refused, for agents start compilers, browsers and sandboxes of their own.
   */
  readonly open?: true
  /** An open program without the network: it has a loopback of its own and nothing else. */
  readonly offline?: true
}

export interface SharedFolder {
  /** Absolute; where the sandbox has users of its own, its owner is one from `newOwner`. */
  readonly from: string
  /** Where it is inside; heeded only by a sandbox that `moves`, else the same as `from`. */
  readonly at: string
}

/** A user of the machine whom nobody else is. */
export interface Owner {
  readonly uid: number
  readonly gid: number
}

/** How a program ended. */
export interface Ended {
  /** Null where a signal ended it. */
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  /** `wall`: killed at its wall time. `cpu`: ended at its CPU time. `killed`: by `kill`. Else `exit`. */
  readonly how: 'exit' | 'cpu' | 'wall' | 'killed'
}

/** A program that was started. */
export interface SandboxedProcess {
  readonly pid: number
  /** Of a quiet program, one that leads nowhere. */
  readonly stdin: Writable
  /** Of a quiet program, one that is at its end. */
  readonly stdout: Readable
  readonly stderr: Readable
  readonly pipes: readonly Duplex[]
  /** Settles when the program and everything it started are gone; never rejects. */
  readonly ended: Promise<Ended>
  /** Ends the program and everything it started. Resolves when they are gone. */
  kill(): Promise<Ended>
  /** From here on it does not keep this process alive. */
  unref(): void
}

export interface Sandbox {
  /** What records say: `bubblewrap`, `none`. */
  readonly name: string
  readonly version: string
  /** Whether programs see shared folders where they are told to, or where they really are. */
  readonly moves: boolean
  /**
   * Who folders must be given to (`lchown` of each entry), with all that is in them, before the first program
   * shares them: programs run as the owner of what they share. Another one each time, so that two trials are
   * strangers; folders of one program have one owner. Null: they stay ours.
   */
  newOwner(): Owner | null
  /**
   * Starts a program. Throws `SandboxError` where that is impossible; a start that fails later ends the
   * program before it said anything, so what runs inside says when it is ready, before it loads a sample.
   */
  start(program: Program): SandboxedProcess
  /** Ends whatever still runs. */
  close(): Promise<void>
}

/** The sandbox could not do its work: the trial is errored, whatever the answer was. */
export class SandboxError extends Error {
  override readonly name = 'SandboxError'
}
