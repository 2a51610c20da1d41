"""The fork server: one warm interpreter, a fresh fork of it for every piece of work.

On descriptor 3 the host asks for a fork and for its end; descriptor 4 belongs to the fork. A sample's server
and a judge's share two pipes, the lines, on which their forks talk. One fork at a time: when it ends,
everything else in the sandbox is killed, what nobody read is thrown away, and a mark that the fork never
knew is written behind whatever it left, so that the next one starts clean. Where anything is odd, a changed
option of a socket among it, the host starts a new server.
"""
import _socket
import fcntl
import gc
import os
import signal
import time
from select import POLLIN, poll

from _assay import cage
from _assay.wire import Wire

CONTROL, CHANNEL = 3, 4


def serve(work, alone, paths, last):
    """
    `work(wire, lines)` is what a fork does. `alone`: every other process in sight belongs to the fork.
    `last`: the forks on the other end of the lines are gone when ours are ended.
    """
    # A wrong answer to this would end processes of the user's.
    alone = alone and os.getppid() == 1
    null = os.open(os.devnull, os.O_RDWR)
    os.dup2(null, 0)
    cage.guard_server()
    # For both ways: opening waits for nobody, and nobody's end is the end of the line.
    lines = [os.open(path, os.O_RDWR) for path in paths or ()]
    used = _Used([CHANNEL, *lines])
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
    gc.freeze()
    control.write('ready')
    child, ended = 0, None
    while True:
        ready = dict(watch.poll())
        if woken in ready:
            try:
                os.read(woken, 4096)
            except BlockingIOError:
                pass
            if child and ended is None:
                ended = _reaped(child, os.WNOHANG)
                if ended is not None:
                    control.write({'exited': ended})
        if CONTROL not in ready:
            continue
        message = control.read()
        if 'fork' in message:
            ended = None
            try:
                child = os.fork()
            except OSError as error:
                control.write({'refused': str(error)})
                continue
            if child == 0:
                _become(work, lines, message['fork'], (null, CONTROL, woken, wake, used.watch))
        else:
            ended = _end(child, ended, alone)
            clean = used.reset() and _clean()
            for fd in (CHANNEL, *(lines if last else ())):
                _drain(fd)
            os.write(CHANNEL, bytes.fromhex(message['end']))
            control.write({'ended': ended, 'clean': clean})
            child = 0


def _become(work, lines, limits, closed):
    """The fork's whole life."""
    try:
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        os.setsid()
        os.dup2(0, 1)
        os.dup2(0, 2)
        for fd in closed:
            os.close(fd)
        cage.enter(limits)
        work(Wire(CHANNEL), lines)
    except BaseException:  # noqa: B036 - nobody is left to tell
        os._exit(70)
    os._exit(0)


def _reaped(child, flags=0):
    try:
        pid, status, used = os.wait4(child, flags)
    except ChildProcessError:
        return {'code': None, 'signal': None, 'cpuMs': 0}
    if pid == 0:
        return None
    stopped = os.WIFSIGNALED(status)
    return {
        'code': None if stopped else os.WEXITSTATUS(status),
        'signal': os.WTERMSIG(status) if stopped else None,
        'cpuMs': round((used.ru_utime + used.ru_stime) * 1000),
    }


def _end(child, ended, alone):
    """Kills the fork and what it started."""
    if child and ended is None:
        _kill(child, child)
        ended = _reaped(child)
    if child and not alone:
        _kill(-child, 0)
    while alone:
        try:
            os.kill(-1, signal.SIGKILL)
        except ProcessLookupError:
            break
        time.sleep(0.001)
    return ended


def _kill(pid, group):
    try:
        os.kill(pid, signal.SIGKILL)
        if group:
            os.killpg(group, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        pass


def _drain(fd):
    """What was sent and nobody read."""
    os.set_blocking(fd, False)
    try:
        while os.read(fd, 1 << 20):
            pass
    except BlockingIOError:
        pass
    finally:
        os.set_blocking(fd, True)


class _Used:
    """Descriptors that one fork after another has: what one changed about them must not meet the next."""

    _OPTIONS = ('SO_RCVTIMEO', 'SO_SNDTIMEO', 'SO_RCVLOWAT', 'SO_RCVBUF', 'SO_SNDBUF', 'SO_PASSCRED')
    _PIPE_SIZE = 1032

    def __init__(self, fds):
        self._flags = [(fd, fcntl.fcntl(fd, fcntl.F_GETFL)) for fd in fds]
        self._pipes = fds[1:]
        self.watch = os.dup(fds[0])
        self._socket = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM, 0, self.watch)
        self._first = self._options()

    def reset(self):
        """Puts back what can be; whether the rest is as it was."""
        for fd, flags in self._flags:
            fcntl.fcntl(fd, fcntl.F_SETFL, flags)
        return self._options() == self._first

    def _options(self):
        numbers = [getattr(_socket, name, None) for name in self._OPTIONS]
        found = [self._socket.getsockopt(_socket.SOL_SOCKET, one, 16) for one in numbers if one is not None]
        return found + [fcntl.fcntl(fd, self._PIPE_SIZE) for fd in self._pipes]


def _clean():
    """Whether nothing was left in the working folder, where there is one."""
    try:
        here = os.getcwd()
        return here == '/' or not os.listdir(here)
    except OSError:
        return False
