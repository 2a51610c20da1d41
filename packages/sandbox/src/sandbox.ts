/**
 * The interface of a sandbox, which runs untrusted code. A program in a sandbox has no network, and sees only the
 * files and the environment variables that it is given. When it ends, everything that it started ends too. Each
 * backend (bubblewrap, or none) implements this interface. A caller describes the program and does not need to know
 * the backend.
 */
import type { Duplex, Readable, Writable } from 'node:stream'
import type { Amounts } from './control-group/available.ts'
import type { Short } from './control-group/program-group.ts'

/** What one program may use. Each limit is hard: the system refuses to give the program more, or kills it. */
export interface Limits {
  /** Processor time of each process. The kernel counts whole seconds, so fractions are rounded up. */
  readonly cpuMs: number
  /** Time from the start until the program is killed. Null if the caller watches the program and ends it. */
  readonly wallMs: number | null
  /** Memory that each process may allocate. Files that the process maps into memory do not count. */
  readonly memoryBytes: number
  /**
   * Address space of each process. Null for programs such as Node, which reserve far more address space than they
   * use.
   */
  readonly addressBytes: number | null
  /**
   * The most processes and threads at the same time. With `'threads'`, the program may start threads but no process.
   * The filter on system calls enforces this, in backends that have one.
   */
  readonly processes: number | 'threads'
  /** The largest size of each file that the program writes. */
  readonly fileBytes: number
  readonly openFiles: number
  /**
   * Limits for the program together with everything that it starts. A control group enforces them, if this user may
   * create one. If the machine has less, they are lowered. If they are set, the amount that the program writes to
   * shared folders is limited too. Absent for programs for which the limits of single processes are enough.
   */
  readonly total?: Amounts
}

/** A program to start. Unless a comment says otherwise, a path is the same inside the sandbox and outside. */
export interface Program {
  /** The absolute path of the program, and its arguments. */
  readonly argv: readonly [string, ...string[]]
  /** Files and folders that the program may read, in addition to the system's libraries. */
  readonly reads: readonly string[]
  /** Folders in `reads` whose content is hidden from an agent (`open`). */
  readonly hides?: readonly string[]
  /** The program's complete environment. */
  readonly env: Readonly<Record<string, string>>
  readonly limits: Limits
  /**
   * The size of the program's own empty writable folder, which is its working directory; 0 for none. For an agent
   * (`open`), this folder is `/tmp`. The folder is removed when the program ends. If the next program must find its
   * content, use a shared folder instead.
   */
  readonly scratchBytes: number
  /** The number of two-way pipes that the program gets after the standard three, from descriptor 3 on. */
  readonly pipes: number
  /**
   * Ends of pipes to other sandboxed programs, taken from their `SandboxedProcess`. The program gets them as its next
   * descriptors after `pipes`, so that the two programs communicate directly. This process then closes its copies.
   */
  readonly handed?: readonly Duplex[]
  /** Set if the program has only stderr: it gets no input, and its stdout is dropped. */
  readonly isQuiet?: boolean
  /**
   * True if the program itself changes from root to another user before it reads anything untrusted. Its last
   * argument is the number of the user and the group that it must become, or 0 if it does not run as root. The
   * command `setpriv` could do the change instead, but starting it takes as long as some solutions run.
   */
  readonly drops?: boolean
  /** Whether the program sees the programs of the system, such as a shell or a linker. */
  readonly system: boolean
  /**
   * The target of `/proc/self/exe`. If it is set, `/proc` contains only this link. Otherwise there is no `/proc`.
   * Some toolchains, such as rustc, use the link to find their own files.
   */
  readonly self?: string
  /**
   * Folders of the host that the program may write to, and the paths at which it sees them. The folders and their
   * content must belong to a user from `newOwner`. No folder may be inside another one, or inside a path of `reads`.
   * A path of `reads` may be inside a shared folder, unless that folder contains `cwd`. To mount the path there, an
   * empty file or folder is created in the shared folder.
   */
  readonly folders?: readonly SharedFolder[]
  /**
   * The working directory, as a path that the program sees. Default: its scratch folder, or the root if it has
   * none.
   */
  readonly cwd?: string
  /**
   * Set if the program is an agent. It then has the network, with the files for name resolution and certificates, a
   * `/proc` of its own namespace and the usual devices. The filter refuses only the most dangerous system calls,
   * because agents start compilers, browsers and their own sandboxes.
   */
  readonly open?: true
  /** Set for an agent (`open`) without the network. It can reach only its own loopback interface. */
  readonly offline?: true
}

export interface SharedFolder {
  /** The absolute path on the host. If the sandbox has its own users, the folder must belong to one from `newOwner`. */
  readonly from: string
  /** The path inside the sandbox. A sandbox with `moves` false ignores it: the program sees the folder at `from`. */
  readonly at: string
}

/** A user number and a group number that no account of the machine has. */
export interface Owner {
  readonly uid: number
  readonly gid: number
}

/** How a program ended. */
export interface Ended {
  /** Null if a signal ended the program. */
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  /**
   * How the program ended. `wall`: killed at its wall time. `cpu`: ended at its CPU time. `killed`: ended by `kill`.
   * `exit`: in any other way.
   */
  readonly how: 'exit' | 'cpu' | 'wall' | 'killed'
  /**
   * The resource for which the program reached a limit of its `total`, in its control group or in its shared
   * folders on the disk.
   */
  readonly reached?: Short
  /**
   * The resource that the program could not get although it was below its own limits. The cause is that the machine,
   * or a control group above the program's, reached its limit.
   */
  readonly starved?: Short
}

/** A started program. */
export interface SandboxedProcess {
  readonly pid: number
  /** The program's stdin. For a program with `isQuiet`, a stream that drops its input. */
  readonly stdin: Writable
  /** The program's stdout. For a program with `isQuiet`, a stream that has already ended. */
  readonly stdout: Readable
  readonly stderr: Readable
  readonly pipes: readonly Duplex[]
  /** Resolves when the program and everything that it started are gone. Never rejects. */
  readonly ended: Promise<Ended>
  /** Kills the program and everything that it started. Resolves when they are gone. */
  kill(): Promise<Ended>
  /** Lets Assay's process exit while the program still runs. */
  unref(): void
}

export interface Sandbox {
  /** The name in records: `bubblewrap` or `none`. */
  readonly name: string
  readonly version: string
  /** Whether programs see a shared folder at its path `at`. If false, they see it at its real path. */
  readonly moves: boolean
  /** Describes, for records, what enforces the `total` of programs here. The first call may create a control group. */
  totalsHeldBy(): string
  /**
   * Returns a new user for shared folders. Before the first program shares a folder, the caller makes this user the
   * owner of the folder and all its content (`lchown` of each entry). A program runs as the owner of the folders that
   * it shares, so all folders of one program must have the same owner. Each call returns another user, so that trials
   * cannot access each other's files. Null if programs run as the current user. Then the folders need no other owner.
   */
  newOwner(): Owner | null
  /**
   * Starts a program. Throws `SandboxError` if that is impossible. A start can also fail later, inside the sandbox.
   * Then the program ends without any output. So a program must report that it is ready before it loads a solution.
   * Otherwise, a failed start would look the same as a solution that ends at once.
   */
  start(program: Program): SandboxedProcess
  /** Kills all programs that still run. */
  close(): Promise<void>
}

/** Thrown if the sandbox failed to run a program. The trial then counts as errored, whatever the answer was. */
export class SandboxError extends Error {
  override readonly name = 'SandboxError'
  /** The resource that ran out on the machine or in a control group above the program; absent if that is not known. */
  readonly starved?: Short

  constructor(message: string, options: ErrorOptions & { readonly starved?: Short } = {}) {
    super(message, options)
    if (options.starved !== undefined) this.starved = options.starved
  }
}
