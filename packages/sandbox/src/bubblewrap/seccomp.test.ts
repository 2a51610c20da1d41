import { describe, expect, it } from 'vitest'
import { hasFilter, seccompFilter, type Architecture, type Filtered } from './seccomp.ts'

const ALLOWED = 'allowed'
const EPERM = 'error 1'
const ENOSYS = 'error 38'
const KILLED = 'killed'

interface Call {
  readonly number: number
  readonly args?: readonly number[]
  /** The kernel's number for the architecture. Default: the architecture of the filter. */
  readonly audit?: number
}

const AUDITS: Readonly<Record<Architecture, number>> = { x64: 0xc000003e, arm64: 0xc00000b7 }

/** Runs the filter as the kernel does: one register, offsets into the call's data, forward jumps. */
function decide(
  architecture: Architecture,
  filtered: Filtered,
  { number, args = [], audit = AUDITS[architecture] }: Call,
): string {
  const program = seccompFilter(architecture, filtered)
  const data = Buffer.alloc(64)
  data.writeUInt32LE(number >>> 0, 0)
  data.writeUInt32LE(audit, 4)
  for (const [index, arg] of args.entries()) data.writeBigUInt64LE(BigInt(arg), 16 + 8 * index)
  let register = 0
  for (let at = 0; at < program.length / 8; at++) {
    const code = program.readUInt16LE(8 * at)
    const value = program.readUInt32LE(8 * at + 4)
    const jump = (holds: boolean): void => {
      at += program.readUInt8(8 * at + (holds ? 2 : 3))
    }
    if (code === 0x20) register = data.readUInt32LE(value)
    else if (code === 0x54) register = (register & value) >>> 0
    else if (code === 0x15) jump(register === value)
    else if (code === 0x35) jump(register >= value)
    else if (code === 0x45) jump((register & value) !== 0)
    else if (code === 0x06) {
      if (value === 0x7fff0000) return ALLOWED
      return value === 0x80000000 ? KILLED : `error ${value & 0xffff}`
    } else throw new Error(`unknown instruction ${code}`)
  }
  throw new Error('the filter ran past its end')
}

/** Numbers from the kernel's tables, for the calls that the tests use. */
const NUMBERS = {
  x64: {
    ...{ read: 0, write: 1, mmap: 9, execve: 59, exit_group: 231, openat: 257, prlimit64: 302 },
    ...{ socket: 41, connect: 42, socketpair: 53, clone: 56, fork: 57, vfork: 58, clone3: 435 },
    ...{ ptrace: 101, mount: 165, unshare: 272, setns: 308, memfd_create: 319, bpf: 321 },
    ...{ setresuid: 117, shmget: 29, keyctl: 250, io_uring_setup: 425, futex: 202, kill: 62 },
  },
  arm64: {
    ...{ read: 63, write: 64, mmap: 222, execve: 221, exit_group: 94, openat: 56, prlimit64: 261 },
    ...{ socket: 198, connect: 203, socketpair: 199, clone: 220, clone3: 435 },
    ...{ ptrace: 117, mount: 40, unshare: 97, setns: 268, memfd_create: 279, bpf: 280 },
    ...{ setresuid: 147, shmget: 194, keyctl: 219, io_uring_setup: 425, futex: 98, kill: 129 },
  },
} as const

const CLONE_OF_A_THREAD = 0x3d0f00
const CLONE_OF_A_FORK = 0x1200011
const CLONE_OF_A_SPAWN = 0x4111
const NAMESPACES = [0x20000, 0x2000000, 0x4000000, 0x8000000, 0x10000000, 0x20000000, 0x40000000]

describe.each(['x64', 'arm64'] as const)('the filter for %s', (architecture) => {
  const numbers = NUMBERS[architecture]
  const any = (call: Call): string => decide(architecture, 'any', call)
  const threads = (call: Call): string => decide(architecture, 'threads', call)

  it('lets ordinary calls pass', () => {
    const { read, write, execve, exit_group, openat, prlimit64, setresuid, futex, kill } = numbers
    for (const number of [
      read,
      write,
      execve,
      exit_group,
      openat,
      prlimit64,
      setresuid,
      futex,
      kill,
    ]) {
      expect(any({ number }), `call ${number}`).toBe(ALLOWED)
      expect(threads({ number }), `call ${number}`).toBe(ALLOWED)
    }
  })

  it('refuses what reaches out or builds another sandbox', () => {
    const { socket, ptrace, mount, unshare, setns, memfd_create, bpf } = numbers
    const { shmget, keyctl, io_uring_setup } = numbers
    for (const number of [socket, ptrace, mount, unshare, setns, memfd_create, bpf]) {
      expect(any({ number }), `call ${number}`).toBe(EPERM)
      expect(threads({ number }), `call ${number}`).toBe(EPERM)
    }
    for (const number of [shmget, keyctl, io_uring_setup])
      expect(any({ number }), `call ${number}`).toBe(EPERM)
  })

  it('refuses a process in namespaces of its own, with whatever other flags', () => {
    for (const flag of NAMESPACES)
      for (const others of [0, 17, CLONE_OF_A_THREAD]) {
        const call = { number: numbers.clone, args: [(flag | others) >>> 0] }
        expect(any(call), `flags ${flag}`).toBe(EPERM)
        expect(threads(call), `flags ${flag}`).toBe(EPERM)
      }
  })

  it('tells threads from processes', () => {
    const { number } = { number: numbers.clone }
    expect(any({ number, args: [CLONE_OF_A_THREAD] })).toBe(ALLOWED)
    expect(any({ number, args: [CLONE_OF_A_FORK] })).toBe(ALLOWED)
    expect(threads({ number, args: [CLONE_OF_A_THREAD] })).toBe(ALLOWED)
    expect(threads({ number, args: [CLONE_OF_A_FORK] })).toBe(EPERM)
    expect(threads({ number, args: [CLONE_OF_A_SPAWN] })).toBe(EPERM)
  })

  it('hides clone3, whose flags no filter sees', () => {
    expect(any({ number: numbers.clone3 })).toBe(ENOSYS)
    expect(threads({ number: numbers.clone3 })).toBe(ENOSYS)
  })

  it('leaves pairs of local sockets, and no other pairs', () => {
    expect(any({ number: numbers.socketpair, args: [1, 1, 0] })).toBe(ALLOWED)
    expect(any({ number: numbers.socketpair, args: [30, 1, 0] })).toBe(EPERM)
  })

  it('refuses shared memory without a file, which no limit counts', () => {
    const map = (flags: number): string =>
      any({ number: numbers.mmap, args: [0, 4096, 3, flags, 2 ** 32 - 1, 0] })
    expect(map(0x22), 'private').toBe(ALLOWED)
    expect(map(0x20022), 'the stack of a thread').toBe(ALLOWED)
    expect(map(0x01), 'a file, shared').toBe(ALLOWED)
    expect(map(0x02), 'a file, private').toBe(ALLOWED)
    expect(map(0x21), 'shared').toBe(EPERM)
    expect(map(0x8021), 'shared and filled').toBe(EPERM)
  })

  it('leaves agents their debuggers and sandboxes, and nothing that knows no namespace', () => {
    const open = (call: Call): string => decide(architecture, 'open', call)
    const { ptrace, mount, unshare, setns, memfd_create, shmget, clone, clone3, mmap } = numbers
    for (const number of [ptrace, mount, unshare, setns, memfd_create, shmget, clone, clone3])
      expect(open({ number, args: [NAMESPACES[4] ?? 0] }), `call ${number}`).toBe(ALLOWED)
    expect(open({ number: mmap, args: [0, 4096, 3, 0x21, 2 ** 32 - 1, 0] })).toBe(ALLOWED)
    const { bpf, keyctl, io_uring_setup, read } = numbers
    for (const number of [bpf, keyctl, io_uring_setup])
      expect(open({ number }), `call ${number}`).toBe(EPERM)
    expect(open({ number: read, audit: 0x40000003 })).toBe(KILLED)
  })

  it('leaves agents local sockets and those of the internet', () => {
    const family = (of: number): string =>
      decide(architecture, 'open', { number: numbers.socket, args: [of, 1, 0] })
    for (const of of [1, 2, 10, 16]) expect(family(of), `family ${of}`).toBe(ALLOWED)
    // In order: AF_UNSPEC, raw packets, the kernel's ciphers, the host of a virtual machine, and a family that
    // does not exist yet.
    for (const of of [0, 17, 38, 40, 46]) expect(family(of), `family ${of}`).toBe(EPERM)
  })

  it('ends programs that call as another architecture does', () => {
    const foreign = architecture === 'x64' ? 0x40000003 : 0x40000028
    expect(any({ number: numbers.read, audit: foreign })).toBe(KILLED)
    expect(
      any({ number: numbers.read, audit: AUDITS[architecture === 'x64' ? 'arm64' : 'x64'] }),
    ).toBe(KILLED)
  })
})

it('refuses the second set of calls that x64 has', () => {
  for (const number of [0, 41, 59, 520, 0x3fffffff])
    expect(decide('x64', 'any', { number: 0x40000000 + number }), `call ${number}`).toBe(EPERM)
})

it('refuses fork and vfork to a program that has threads only', () => {
  for (const number of [NUMBERS.x64.fork, NUMBERS.x64.vfork]) {
    expect(decide('x64', 'any', { number })).toBe(ALLOWED)
    expect(decide('x64', 'threads', { number })).toBe(EPERM)
  }
})

it('is there for two architectures', () => {
  expect(['x64', 'arm64', 'ia32', 'riscv64', 'toString'].filter(hasFilter)).toEqual([
    'x64',
    'arm64',
  ])
})
