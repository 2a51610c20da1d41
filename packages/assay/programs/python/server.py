"""The fork server: one warm interpreter, a fresh fork of it for every piece of work.

On descriptor 3 the host asks for a fork and for its end; descriptor 4 belongs to the fork. One fork at a
time: when it ends, everything else in the sandbox is killed, what nobody read is thrown away, and a mark
that the fork never knew is written behind whatever it left, so that the next one starts clean. Where
anything is odd the host starts a new server.
"""
import gc
import os
import signal
import time
from select import POLLIN, poll

from _assay import cage
from _assay.wire import Wire

CONTROL, CHANNEL = 3, 4


def serve(work, alone):
    """`work(wire)` is what a fork does. `alone`: every other process in sight belongs to the fork."""
    # A wrong answer to this would end processes of the user's.
    alone = alone and os.getppid() == 1
    null = os.open(os.devnull, os.O_RDWR)
    os.dup2(null, 0)
    cage.guard_server()
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
                _become(work, message['fork'], null, (CONTROL, woken, wake))
        else:
            ended = _end(child, ended, alone)
            _drain()
            os.write(CHANNEL, bytes.fromhex(message['end']))
            control.write({'ended': ended, 'clean': _clean()})
            child = 0


def _become(work, limits, null, closed):
    """The fork's whole life."""
    try:
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        os.setsid()
        os.dup2(null, 1)
        os.dup2(null, 2)
        for fd in (null, *closed):
            os.close(fd)
        cage.enter(limits)
        work(Wire(CHANNEL))
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


def _drain():
    """What the host sent and the fork did not read."""
    os.set_blocking(CHANNEL, False)
    try:
        while os.read(CHANNEL, 1 << 20):
            pass
    except BlockingIOError:
        pass
    finally:
        os.set_blocking(CHANNEL, True)


def _clean():
    """Whether nothing was left in the working folder, where there is one."""
    try:
        here = os.getcwd()
        return here == '/' or not os.listdir(here)
    except OSError:
        return False
