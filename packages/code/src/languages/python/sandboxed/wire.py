"""Sends and receives frames on a descriptor: four bytes of length, then that many bytes of JSON.

The functions used here are kept under private names. So if a solution patches a library module, its connection
usually still works. A solution can only harm itself in this way, because the other process checks everything that
it receives.
"""
from _thread import allocate_lock
from json import JSONDecoder, JSONEncoder, encoder as _encoder
from os import read as _read, set_blocking as _set_blocking, write as _write
from select import poll as _poll, POLLIN as _POLLIN

#: The largest frame that the host accepts.
MOST_FRAME_BYTES = 16 * 1024 * 1024



def _make_encode():
    """Returns an encoder like `JSONEncoder.encode`, but it returns pieces of text and is set up only once."""
    plain = JSONEncoder(check_circular=False, separators=(',', ':'))
    if _encoder.c_make_encoder is None:
        return lambda message, _: [plain.encode(message)]
    return _encoder.c_make_encoder(
        None, plain.default, _encoder.encode_basestring_ascii, None, ':', ',', False, False, True
    )


_encode = _make_encode()
_decode = JSONDecoder().scan_once


class Broken(Exception):
    """Raised if the other process closed the connection or sent an invalid frame."""


class TooLong(ValueError):
    """Raised if the message is longer than the other process accepts."""


class Interrupted(Exception):
    """Raised if the host sent a message while we waited for the solution."""

    def __init__(self, message):
        super().__init__()
        self.message = message


def drain(fd):
    """Discards data that was sent but not read."""
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
        data = ''.join(_encode(message, 0)).encode('ascii')
        length = len(data)
        if length > MOST_FRAME_BYTES:
            raise TooLong('a value of %d MB is too large to be carried' % (length >> 20))
        data = length.to_bytes(4, 'big') + data
        with self._lock:
            written = _write(self._out, data)
            if written <= length:
                view = memoryview(data)[written:]
                while view:
                    view = view[_write(self._out, view):]

    def read(self):
        held = self._held or self._more(16384)
        while len(held) < 4:
            held += self._more(16384)
        end = int.from_bytes(held[:4], 'big') + 4
        if end > MOST_FRAME_BYTES + 4:
            raise Broken('the code sent more data than is taken')
        if len(held) < end:
            # A long message is collected in a list of pieces, because appending to one byte string would take
            # quadratic time.
            pieces, have = [held], len(held)
            while have < end:
                piece = self._more(16384 if end - have < 16384 else 1048576)
                pieces.append(piece)
                have += len(piece)
            held = b''.join(pieces)
        self._held = held[end:]
        text = held[4:end].decode('utf-8')
        try:
            message, end = _decode(text, 0)
        except StopIteration:
            raise ValueError('no JSON')
        # Nothing may follow the JSON value, because our messages have no surrounding whitespace.
        if end != len(text):
            raise ValueError('more than JSON')
        return message

    def waits(self, seconds):
        """True if there is something to read. Waits at most this many seconds for it."""
        if self._held:
            return True
        watch = _poll()
        watch.register(self.fd, _POLLIN)
        return bool(watch.poll(max(0, seconds * 1000)))

    def _more(self, most):
        piece = _read(self.fd, most)
        if not piece:
            raise Broken('the connection was closed')
        return piece


class Watched(Wire):
    """A connection that waits for the solution and also listens to the host."""

    def __init__(self, fd, out, host):
        super().__init__(fd, out)
        self._host = host
        self._watch = _poll()
        self._watch.register(fd, _POLLIN)
        self._watch.register(host.fd, _POLLIN)
        self._only = [(fd, _POLLIN)]

    def waits(self, seconds):
        return bool(self._held) or bool(self._watch.poll(max(0, seconds * 1000)))

    def _more(self, most):
        ready = self._watch.poll()
        if ready != self._only:
            ready = dict(ready)
            if ready.get(self._host.fd, 0) & _POLLIN:
                raise Interrupted(self._host.read())
            if self.fd not in ready:
                raise Broken('the connection was closed')
        piece = _read(self.fd, most)
        if not piece:
            raise Broken('the connection was closed')
        return piece
