"""Limits that a forked child sets for itself before untrusted code is loaded.

The kernel enforces the limits on CPU time, memory, files and descriptors. If ctypes is available and the processor
is known, a seccomp filter also prevents the child from starting processes and from accessing other processes. This
stops fork bombs, daemons, and signals to the server that the child was forked from. The filter is a second line of
defense. Without it, the sandbox and the server's clean-up between solutions protect the host.
"""
import errno
import os
import resource
import struct
import sys

try:
    import ctypes

    _prctl = ctypes.CDLL(None).prctl
    _prctl.argtypes = [ctypes.c_int] + 4 * [ctypes.c_ulong]
except (ImportError, OSError, AttributeError):
    _prctl = None

_PR_SET_DUMPABLE, _PR_SET_SECCOMP, _PR_SET_NO_NEW_PRIVS = 4, 22, 38
_CLONE_THREAD = 0x00010000
_LOAD, _EQUAL, _ANY_BIT, _AT_LEAST, _RETURN = 0x20, 0x15, 0x45, 0x35, 0x06
_ALLOW, _ERRNO = 0x7FFF0000, 0x00050000

# For each machine: the audit number of the architecture, then its system call numbers.
_MACHINES = {
    'x86_64': dict(
        audit=0xC000003E, clone=56, clone3=435, prlimit=302, kill=62, tgkill=234,
        denied=(57, 58, 200, 129, 297, 424, 434, 438, 101, 310, 311, 141, 142, 144, 203, 251, 314),
    ),
    'aarch64': dict(
        audit=0xC00000B7, clone=220, clone3=435, prlimit=261, kill=129, tgkill=131,
        denied=(130, 138, 240, 424, 434, 438, 117, 270, 271, 140, 118, 119, 122, 30, 274),
    ),
}
_machine = _MACHINES.get(os.uname().machine) if sys.maxsize > 2**32 else None


def guard_server():
    """Protects the server's memory and descriptors from other processes of the same user."""
    if _prctl is not None:
        _prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0)


def give_back():
    """Returns free memory to the system, because every fork would inherit it."""
    try:
        ctypes.CDLL(None).malloc_trim(0)
    except (NameError, OSError, AttributeError):
        # ctypes is not available, or the C library does not have this function.
        pass


_plans = {}


def plan(limits):
    """Returns the limits that a fork has to set. The server computes them before it forks, because each
    computation in a fork makes it copy memory pages."""
    key = tuple(limits.values())
    if key not in _plans:
        _plans[key] = _make_plan(limits)
    return _plans[key]


def _make_plan(limits):
    seconds = max(1, -(-limits['cpuMs'] // 1000))
    wanted = {
        resource.RLIMIT_CPU: (seconds, seconds + 1),
        resource.RLIMIT_DATA: 2 * (limits['memoryBytes'],),
        # Only this limit counts shared mappings. Libraries and the memory arenas of threads reserve address space
        # without using it, so 256 MiB are added.
        resource.RLIMIT_AS: 2 * (limits['memoryBytes'] + 256 * 1024 * 1024,),
        resource.RLIMIT_NOFILE: 2 * (limits['openFiles'],),
        resource.RLIMIT_FSIZE: 2 * (limits['fileBytes'],),
        resource.RLIMIT_CORE: (0, 0),
    }
    steps = []
    for which, pair in wanted.items():
        now = resource.getrlimit(which)
        if now[1] != resource.RLIM_INFINITY:
            pair = min(pair[0], now[1]), min(pair[1], now[1])
        if pair != now:
            steps.append((which, pair))
    return steps, limits['filter'] and _prepared is not None


def enter(steps, filtered):
    """Sets the limits for this process and all processes that it starts. They cannot be raised again."""
    for which, pair in steps:
        _setrlimit(which, pair)
    if filtered:
        held, own, _, program = _prepared
        number = _getpid().to_bytes(4, sys.byteorder)
        for at in own:
            held[at:at + 4] = number
        _prctl(_PR_SET_SECCOMP, 2, program, 0, 0)


_setrlimit, _getpid = resource.setrlimit, os.getpid


def _prepare(machine):
    """Builds the filter in the kernel's format, with slots in which each process inserts its own process id."""
    refuse, own = _ERRNO | errno.EPERM, []
    steps = [(_LOAD, 0, 0, 4), (_EQUAL, 1, 0, machine['audit']), (_RETURN, 0, 0, refuse), (_LOAD, 0, 0, 0)]
    # The numbers of the x32 system calls on x86-64 begin here.
    steps += [(_AT_LEAST, 0, 1, 0x40000000), (_RETURN, 0, 0, refuse)]
    for call in machine['denied']:
        steps += [(_EQUAL, 0, 1, call), (_RETURN, 0, 0, refuse)]
    # A filter cannot read the flags of clone3, which are in memory. With ENOSYS, libc falls back to clone.
    steps += [(_EQUAL, 0, 1, machine['clone3']), (_RETURN, 0, 0, _ERRNO | errno.ENOSYS)]
    steps += [(_EQUAL, 0, 4, machine['clone']), (_LOAD, 0, 0, 16), (_ANY_BIT, 0, 1, _CLONE_THREAD)]
    steps += [(_RETURN, 0, 0, _ALLOW), (_RETURN, 0, 0, refuse)]
    for call in (machine['kill'], machine['tgkill'], machine['prlimit']):
        steps += [(_EQUAL, 0, 4, call), (_LOAD, 0, 0, 16)]
        if call != machine['prlimit']:
            own.append(len(steps) * 8 + 4)
        steps += [(_EQUAL, 0, 1, 0), (_RETURN, 0, 0, _ALLOW), (_RETURN, 0, 0, refuse)]
    steps.append((_RETURN, 0, 0, _ALLOW))
    code = b''.join(struct.pack('HBBI', *step) for step in steps)
    held = bytearray(code)
    kept = (ctypes.c_char * len(held)).from_buffer(held)
    program = struct.pack('HxxxxxxP', len(steps), ctypes.addressof(kept))
    holder = ctypes.create_string_buffer(program, len(program))
    _prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    return held, own, (kept, holder), ctypes.addressof(holder)


_prepared = _prepare(_machine) if _prctl is not None and _machine is not None else None
