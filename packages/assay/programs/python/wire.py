"""Frames on a descriptor: four bytes of length, then that many bytes of JSON.

What is used here is kept by private names, so that a sample which patches a module breaks as little as
possible of its own connection. It can only harm itself: what arrives is checked on the other side.
"""
from _thread import allocate_lock
from json import JSONDecoder, JSONEncoder
from os import read as _read, set_blocking as _set_blocking, write as _write
from select import poll as _poll, POLLIN as _POLLIN

#: What the host passes on.
MOST_FRAME_BYTES = 16 * 1024 * 1024

_encode = JSONEncoder(separators=(',', ':')).encode
_decode = JSONDecoder().decode


class Broken(Exception):
    """The other side closed the connection, or sent what is no frame."""


class TooLong(ValueError):
    """A message that nobody would take."""


class Interrupted(Exception):
    """Somebody else had something to say while we waited."""

    def __init__(self, message):
        super().__init__()
        self.message = message


def drain(fd):
    """Throws away what was sent and nobody read."""
    _set_blocking(fd, False)
    try:
        while _read(fd, 1 << 20):
            pass
    except BlockingIOError:
        pass
    finally:
        _set_blocking(fd, True)


class Wire:
    def __init__(self, fd, out=None):
        self.fd = fd
        self._out = fd if out is None else out
        self._held = b''
        self._lock = allocate_lock()

    def write(self, message):
        data = _encode(message).encode('ascii')
        if len(data) > MOST_FRAME_BYTES:
            raise TooLong('a value of %d MB is too large to be carried' % (len(data) >> 20))
        view = memoryview(len(data).to_bytes(4, 'big') + data)
        with self._lock:
            while view:
                view = view[_write(self._out, view):]

    def read(self):
        head = self._take(4)
        length = int.from_bytes(head, 'big')
        if length > MOST_FRAME_BYTES:
            raise Broken('the code sent more data than is taken')
        return _decode(self._take(length).decode('utf-8'))

    def waits(self, seconds):
        """Whether there is something to read, after at most so many seconds."""
        if self._held:
            return True
        watch = _poll()
        watch.register(self.fd, _POLLIN)
        return bool(watch.poll(max(0, seconds * 1000)))

    def _take(self, length):
        while len(self._held) < length:
            # In one piece where it is long: putting it together bit by bit would take its square.
            pieces, have = [self._held], len(self._held)
            while have < length:
                piece = self._more(16384 if length - have < 16384 else 1048576)
                pieces.append(piece)
                have += len(piece)
            self._held = b''.join(pieces)
        held = self._held
        self._held = held[length:]
        return held[:length]

    def _more(self, most):
        piece = _read(self.fd, most)
        if not piece:
            raise Broken('the connection was closed')
        return piece


class Watched(Wire):
    """A connection on which we wait for one side and listen to another."""

    def __init__(self, fd, out, host):
        super().__init__(fd, out)
        self._host = host
        self._watch = _poll()
        self._watch.register(fd, _POLLIN)
        self._watch.register(host.fd, _POLLIN)

    def waits(self, seconds):
        return bool(self._held) or bool(self._watch.poll(max(0, seconds * 1000)))

    def _more(self, most):
        ready = dict(self._watch.poll())
        if ready.get(self._host.fd, 0) & _POLLIN:
            raise Interrupted(self._host.read())
        if self.fd not in ready:
            raise Broken('the connection was closed')
        return super()._more(most)
