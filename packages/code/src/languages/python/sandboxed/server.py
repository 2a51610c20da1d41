"""The fork server: one interpreter with preloaded modules, and a new fork of it for every task.

The host sends commands to start and end forks on descriptor 3. Descriptor 4 belongs to the fork that works. A
solution's server and a tester's server share two pipes, called lines, on which their forks communicate. Only one
fork works at a time. A solution's fork is ended after its task. A tester's fork may also rest until its next task.

When a fork ends, everything else in the sandbox is killed. When a fork rests, everything else is stopped, so that
only the next fork runs. Then unread data is discarded, and a random mark that no fork has ever seen is written
after any leftover output, so that the next fork starts clean. The byte after the mark says whether the state is
clean. If it is not, for example because a socket option was changed, the host starts a new server.

A solution and its tester share a core, which the host chooses. One of the two always waits for the other, and
waking a process on another core takes longer than most calls.
"""
import _signal
import _socket
import fcntl
import gc
import os
import signal
import time
from select import POLLIN, poll

from _assay import resource_limits
from _assay.wire import Wire, drain

CONTROL, CHANNEL = 3, 4
#: Plain integers, because the enumerations of `signal` would make each fork copy a hundred pages of memory.
_SIGCHLD, _SIG_DFL, _SIGKILL, _SIGSTOP, _SIGCONT = map(
    int, (signal.SIGCHLD, signal.SIG_DFL, signal.SIGKILL, signal.SIGSTOP, signal.SIGCONT)
)


def serve(prepare, alone, paths, testers):
    """Serves until the host closes the connection. `prepare(lines)` returns the function that a fork runs; it gets
    the fork's connection to the host, a `Wire`. `alone`: every other visible process was started by the forks.
    `testers`: the forks of this server may rest."""
    # Checked again here, because the server kills all visible processes if `alone` is true. Outside of a sandbox,
    # these would be the user's.
    alone = alone and os.getppid() == 1
    null = os.open(os.devnull, os.O_RDWR)
    os.dup2(null, 0)
    resource_limits.guard_server()
    # The pipes are opened for reading and writing. So opening does not wait for the other process, and the pipe stays
    # open when one process ends.
    lines = [os.open(path, os.O_RDWR) for path in paths or ()]
    cores = sorted(os.sched_getaffinity(0)) if hasattr(os, 'sched_getaffinity') else []
    used, left = _Used([CHANNEL, *lines]), _Left(lines)
    channel, work = Wire(CHANNEL), prepare(lines)
    woken, wake = os.pipe()
    os.set_blocking(woken, False)
    os.set_blocking(wake, False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
    control = Wire(CONTROL)
    watch = poll()
    watch.register(CONTROL, POLLIN)
    watch.register(woken, POLLIN)
    gc.collect()
    resource_limits.give_back()
    gc.freeze()
    control.write('ready')
    forks, core = {}, None
    while True:
        ready = dict(watch.poll())
        if woken in ready:
            try:
                os.read(woken, 4096)
            except BlockingIOError:
                pass
            for seat, fork in forks.items():
                if fork.ended is None and fork.has_ended():
                    control.write({'exited': fork.ended, 'seat': seat})
        if CONTROL not in ready:
            continue
        message = control.read()
        if message.get('core') not in (None, core):
            core = message['core']
            _move(0, cores, core)
        if 'turn' in message:
            fork = forks[message['turn']]
            if fork.core != core:
                fork.core = core
                _move(fork.child, cores, core)
            # Resumes the fork. It was stopped while it waited for its next task.
            _send(-fork.child, _SIGCONT)
        elif 'fork' in message:
            limits = resource_limits.plan(message['fork'])
            if not testers:
                # No other fork uses the lines now, and this fork will be the next to read them.
                left.drain()
            try:
                child = os.fork()
            except OSError as error:
                control.write({'refused': str(error)})
                continue
            if child == 0:
                _become(work, channel, limits, (null, CONTROL, woken, wake, used.watch))
            forks[message['seat']] = _Fork(child, core)
        else:
            if 'rest' in message:
                _stop(forks[message['seat']], alone)
            else:
                _end(forks.values(), alone)
                forks.clear()
            clean = used.reset() and _clean()
            drain(CHANNEL)
            os.write(CHANNEL, bytes.fromhex(message.get('rest') or message['end']) + (b'+' if clean else b'-'))


def _become(work, channel, limits, closed):
    """Runs as the child after the fork: does the work, then exits."""
    try:
        _signal.set_wakeup_fd(-1)
        _signal.signal(_SIGCHLD, _SIG_DFL)
        os.setsid()
        os.dup2(0, 1)
        os.dup2(0, 2)
        for fd in closed:
            os.close(fd)
        resource_limits.enter(*limits)
        work(channel)
    except BaseException:  # noqa: B036 - nobody is left to tell
        os._exit(70)
    os._exit(0)


class _Fork:
    """A fork of this server. `ended`: how it ended, or None while it is alive."""

    def __init__(self, child, core):
        self.child, self.core, self.ended = child, core, None

    def has_ended(self):
        try:
            pid, status, used = os.wait4(self.child, os.WNOHANG)
        except ChildProcessError:
            self.ended = {'code': None, 'signal': None, 'cpuMs': 0}
            return True
        if pid == 0:
            return False
        stopped = os.WIFSIGNALED(status)
        self.ended = {
            'code': None if stopped else os.WEXITSTATUS(status),
            'signal': os.WTERMSIG(status) if stopped else None,
            'cpuMs': round((used.ru_utime + used.ru_stime) * 1000),
        }
        return True


def _move(process, cores, core):
    if cores:
        try:
            os.sched_setaffinity(process, {cores[core % len(cores)]})
        except OSError:
            pass


def _stop(fork, alone):
    """Stops this fork and, if `alone`, all other processes in the sandbox. Other forks are already stopped."""
    _send(-1 if alone else -fork.child, _SIGSTOP)
    try:
        # Wait until the stop has taken effect.
        os.waitid(os.P_PID, fork.child, os.WSTOPPED | os.WEXITED | os.WNOWAIT)
    except ChildProcessError:
        pass


def _end(forks, alone):
    """Kills the forks and all processes that they started."""
    living = [fork.child for fork in forks if fork.ended is None]
    if alone:
        _send(-1, _SIGKILL)
    for child in living:
        if not alone:
            _send(child, _SIGKILL)
            _send(-child, _SIGKILL)
        try:
            os.waitpid(child, 0)
        except ChildProcessError:
            pass
    if not alone:
        for fork in forks:
            _send(-fork.child, _SIGKILL)
    while alone:
        try:
            os.kill(-1, _SIGKILL)
        except ProcessLookupError:
            break
        time.sleep(0.001)


def _send(process, signal_number):
    try:
        os.kill(process, signal_number)
    except (ProcessLookupError, PermissionError):
        pass


class _Used:
    """Descriptors that one fork after another uses. Changes that one fork makes to them must not affect the next."""

    _OPTIONS = ('SO_RCVTIMEO', 'SO_SNDTIMEO', 'SO_RCVLOWAT', 'SO_RCVBUF', 'SO_SNDBUF', 'SO_PASSCRED')
    _PIPE_SIZE = 1032

    def __init__(self, fds):
        self._flags = [(fd, fcntl.fcntl(fd, fcntl.F_GETFL)) for fd in fds]
        self._pipes = fds[1:]
        self.watch = os.dup(fds[0])
        self._socket = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM, 0, self.watch)
        self._first = self._options()

    def reset(self):
        """Restores the flags of the descriptors. Returns whether their other options are unchanged."""
        for fd, flags in self._flags:
            fcntl.fcntl(fd, fcntl.F_SETFL, flags)
        return self._options() == self._first

    def _options(self):
        numbers = [getattr(_socket, name, None) for name in self._OPTIONS]
        found = [self._socket.getsockopt(_socket.SOL_SOCKET, one, 16) for one in numbers if one is not None]
        return found + [fcntl.fcntl(fd, self._PIPE_SIZE) for fd in self._pipes]


class _Left:
    """Discards data that was written to the lines but not read."""

    def __init__(self, lines):
        self._lines, self._watch = lines, poll()
        for fd in lines:
            self._watch.register(fd, POLLIN)

    def drain(self):
        for fd, _ in self._watch.poll(0):
            drain(fd)


def _clean():
    """True if there is no working folder or nothing was left in it."""
    try:
        here = os.getcwd()
        return here == '/' or not os.listdir(here)
    except OSError:
        return False
