/**
 * The filter on system calls (seccomp). It is a program in the kernel's filter language, classic BPF, that the kernel
 * runs before each system call. Calls that ordinary programs need are allowed. Three kinds of calls are refused:
 *
 * - calls that reach out of the sandbox: sockets, memory of other processes, the kernel's keys and modules;
 * - calls that build another sandbox inside: namespaces, mounts;
 * - calls that allocate memory that no limit counts: shared memory without a file, System V shared memory.
 *
 * A refused call returns an error and does not kill the program, so that libraries can fall back to another call.
 *
 * An agent (a program with `open`) gets a weaker filter, because agents start debuggers, browsers and their own
 * sandboxes. Namespaces, mounts and tracing are allowed, because they act only inside the agent's own namespaces.
 * Calls on which namespaces have no effect stay refused: the kernel's keys, rarely used kernel features that often
 * have security bugs, control of the machine, and sockets that are neither local nor of the internet.
 *
 * The call numbers are from Linux's tables, which never change.
 */

export type Architecture = 'x64' | 'arm64'

/**
 * Which filter a program gets. `threads`: the program may start threads but no process. `open`: the program is an
 * agent.
 */
export type Filtered = 'any' | 'threads' | 'open'

const AUDIT_ARCHITECTURES = { x64: 0xc000_003e, arm64: 0xc000_00b7 } as const

/** Whether a filter exists for this processor architecture. */
export const hasFilter = (architecture: string): architecture is Architecture =>
  Object.hasOwn(AUDIT_ARCHITECTURES, architecture)

/**
 * Call numbers from here on belong to the x32 ABI, a second set of numbers for the same functions. A program could
 * use them to avoid the filter.
 */
const X32 = 0x4000_0000

const EPERM = 1
const ENOSYS = 38

type Numbers = Readonly<Record<Architecture, number | null>>
const call = (x64: number, arm64: number | null = x64): Numbers => ({ x64, arm64 })

/** System calls that are always refused, whatever their arguments are. The numbers are those of x64 and arm64. */
const REFUSED = {
  // These calls change which files the program sees.
  mount: call(165, 40),
  umount2: call(166, 39),
  pivot_root: call(155, 41),
  chroot: call(161, 51),
  open_tree: call(428),
  move_mount: call(429),
  fsopen: call(430),
  fsconfig: call(431),
  fsmount: call(432),
  fspick: call(433),
  mount_setattr: call(442),
  statmount: call(457),
  listmount: call(458),
  open_tree_attr: call(467),
  open_by_handle_at: call(304, 265),
  quotactl: call(179, 60),
  quotactl_fd: call(443),
  // These calls build another sandbox inside this one.
  unshare: call(272, 97),
  setns: call(308, 268),
  // These calls act on other processes.
  ptrace: call(101, 117),
  process_vm_readv: call(310, 270),
  process_vm_writev: call(311, 271),
  pidfd_getfd: call(438),
  kcmp: call(312, 272),
  // These calls use features of the kernel that are rarely needed and often have security bugs.
  bpf: call(321, 280),
  perf_event_open: call(298, 241),
  userfaultfd: call(323, 282),
  io_uring_setup: call(425),
  io_uring_enter: call(426),
  io_uring_register: call(427),
  personality: call(135, 92),
  modify_ldt: call(154, null),
  lookup_dcookie: call(212, 18),
  fanotify_init: call(300, 262),
  add_key: call(248, 217),
  request_key: call(249, 218),
  keyctl: call(250, 219),
  // These calls control the machine itself.
  kexec_load: call(246, 104),
  kexec_file_load: call(320, 294),
  init_module: call(175, 105),
  finit_module: call(313, 273),
  delete_module: call(176, 106),
  swapon: call(167, 224),
  swapoff: call(168, 225),
  reboot: call(169, 142),
  syslog: call(103, 116),
  acct: call(163, 89),
  vhangup: call(153, 58),
  // These calls use the network. `socketpair` stays allowed, because a pair of connected sockets is only a pipe.
  socket: call(41, 198),
  // These calls allocate memory that the memory limit of a process does not count.
  memfd_create: call(319, 279),
  memfd_secret: call(447),
  shmget: call(29, 194),
  semget: call(64, 190),
  msgget: call(68, 186),
  mq_open: call(240, 180),
} satisfies Record<string, Numbers>

/** The calls that are refused to agents too, whose filter is weaker. */
const REFUSED_TO_ALL: readonly (keyof typeof REFUSED)[] = [
  ...(['open_by_handle_at', 'quotactl', 'quotactl_fd'] as const),
  ...(['bpf', 'perf_event_open', 'userfaultfd', 'modify_ldt', 'lookup_dcookie'] as const),
  ...(['io_uring_setup', 'io_uring_enter', 'io_uring_register', 'fanotify_init'] as const),
  ...(['add_key', 'request_key', 'keyctl'] as const),
  ...(['kexec_load', 'kexec_file_load', 'init_module', 'finit_module', 'delete_module'] as const),
  ...(['swapon', 'swapoff', 'reboot', 'syslog', 'acct', 'vhangup'] as const),
]

/** The socket families that agents may use: local, IPv4, IPv6, and netlink, which name resolution needs. */
const FAMILIES = [1, 2, 10, 16]

const FORKS: readonly Numbers[] = [call(57, null), call(58, null)]
const CLONE = call(56, 220)
const CLONE3 = call(435)
const MMAP = call(9, 222)
const SOCKETPAIR = call(53, 199)

const CLONE_THREAD = 0x0001_0000
/** All flags of `clone` that create a namespace (CLONE_NEW*). */
const CLONE_NEW = 0x7e02_0000
const MAP_TYPE = 0x0f
const MAP_SHARED = 0x01
const MAP_ANONYMOUS = 0x20
const AF_UNIX = 1

// ── The instructions of a filter: one register, loads, forward jumps, returns ────────────────────────

const LOAD = 0x20
const AND = 0x54
const JUMP_EQUAL = 0x15
const JUMP_AT_LEAST = 0x35
const JUMP_ANY_BIT = 0x45
const RETURN = 0x06

const ALLOW = 0x7fff_0000
const KILL_PROCESS = 0x8000_0000
const ERROR = 0x0005_0000

/**
 * Offsets in the structure that describes a call to the filter: the number, the architecture, and six arguments
 * of 64 bits.
 */
const NUMBER = 0
const ARCHITECTURE = 4
/** The offset of the lower half of a call's argument. All flags that this filter tests are in the lower half. */
const argument = (index: number): number => 16 + 8 * index

type Outcome = 'allow' | 'refuse' | 'absent' | 'kill'

interface Instruction {
  readonly code: number
  readonly value: number
  /** Where to jump if the test is true (`yes`) or false (`no`): to an outcome, or over this number of instructions. */
  readonly yes?: Outcome | number
  readonly no?: Outcome | number
}

const load = (offset: number): Instruction => ({ code: LOAD, value: offset })
const jump = (
  code: number,
  value: number,
  yes: Outcome | number,
  no: Outcome | number = 0,
): Instruction => ({ code, value, yes, no })

/**
 * Returns the filter for bubblewrap's option `--seccomp`. Its numbers are little-endian, because both architectures
 * are.
 */
export function seccompFilter(architecture: Architecture, filtered: Filtered): Buffer {
  const numberOf = (numbers: Numbers): number[] =>
    numbers[architecture] === null ? [] : [numbers[architecture]]
  /** Returns instructions that run only for calls with one of these numbers. All other calls skip them. */
  const only = (numbers: Numbers, then: readonly Instruction[]): Instruction[] =>
    numberOf(numbers).flatMap((number) => [jump(JUMP_EQUAL, number, 0, then.length), ...then])

  const refusing = (all: readonly Numbers[]): Instruction[] =>
    all.flatMap(numberOf).map((number) => jump(JUMP_EQUAL, number, 'refuse'))
  const head = [
    load(ARCHITECTURE),
    jump(JUMP_EQUAL, AUDIT_ARCHITECTURES[architecture], 0, 'kill'),
    load(NUMBER),
    ...(architecture === 'x64' ? [jump(JUMP_AT_LEAST, X32, 'refuse')] : []),
  ]
  if (filtered === 'open')
    return assemble([
      ...head,
      ...only(REFUSED.socket, [
        load(argument(0)),
        ...FAMILIES.map((family) => jump(JUMP_EQUAL, family, 'allow')),
        jump(JUMP_AT_LEAST, 0, 'refuse'),
      ]),
      ...refusing(REFUSED_TO_ALL.map((name) => REFUSED[name])),
    ])
  return assemble([
    ...head,
    ...only(MMAP, [
      load(argument(3)),
      jump(JUMP_ANY_BIT, MAP_ANONYMOUS, 0, 'allow'),
      { code: AND, value: MAP_TYPE },
      jump(JUMP_EQUAL, MAP_SHARED, 'refuse', 'allow'),
    ]),
    ...only(CLONE, [
      load(argument(0)),
      jump(JUMP_ANY_BIT, CLONE_NEW, 'refuse', filtered === 'threads' ? 0 : 'allow'),
      ...(filtered === 'threads' ? [jump(JUMP_ANY_BIT, CLONE_THREAD, 'allow', 'refuse')] : []),
    ]),
    // The flags of `clone3` are in memory, where a filter cannot read them. So `clone3` is refused as if the kernel
    // did not have it. The C library then uses `clone`, whose flags the filter can read.
    ...numberOf(CLONE3).map((number) => jump(JUMP_EQUAL, number, 'absent')),
    ...only(SOCKETPAIR, [load(argument(0)), jump(JUMP_EQUAL, AF_UNIX, 'allow', 'refuse')]),
    ...refusing([...Object.values(REFUSED), ...(filtered === 'threads' ? FORKS : [])]),
  ])
}

/**
 * Adds the outcomes at the end and encodes the program. A call that no instruction refuses reaches the end, where the
 * first outcome applies.
 */
function assemble(instructions: readonly Instruction[]): Buffer {
  const outcomes: Readonly<Record<Outcome, number>> = {
    allow: ALLOW,
    refuse: ERROR | EPERM,
    absent: ERROR | ENOSYS,
    kill: KILL_PROCESS,
  }
  const names = Object.keys(outcomes)
  const whole = [
    ...instructions,
    ...Object.values(outcomes).map((value): Instruction => ({ code: RETURN, value })),
  ]
  const program = Buffer.alloc(8 * whole.length)
  for (const [at, { code, value, yes = 0, no = 0 }] of whole.entries()) {
    const distance = (to: Outcome | number): number =>
      typeof to === 'number' ? to : instructions.length + names.indexOf(to) - at - 1
    program.writeUInt16LE(code, 8 * at)
    // A jump's distance is stored in one byte. This throws if the filter is too long for that.
    program.writeUInt8(distance(yes), 8 * at + 2)
    program.writeUInt8(distance(no), 8 * at + 3)
    program.writeUInt32LE(value >>> 0, 8 * at + 4)
  }
  return program
}
