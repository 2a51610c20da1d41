"""Requests and replies between the judge and the sample, in both directions and within each other.

A test calls the sample, which calls a function of the test's, which may call the sample again. Whoever
waits for a reply serves what is asked of it meanwhile. More than one thread may wait; one of them reads for
all.
"""
import io
import itertools
import sys
import time
from _thread import RLock, allocate_lock

from _assay.requests import Requests
from _assay.values import Unreadable
from _assay.wire import Broken, Interrupted, TooLong

MOST_PRINTED = 1024 * 1024


class SampleGone(BaseException):
    """There is no sample to talk to any more; the test has failed, whatever it makes of this."""


class Printed(io.BufferedIOBase):
    """What was printed since it was last asked for. Beyond some it is dropped."""

    def __init__(self):
        self.pieces, self.size = [], 0

    def writable(self):
        return True

    def write(self, data):
        data = bytes(data)
        if self.size < MOST_PRINTED:
            self.pieces.append(data)
            self.size += len(data)
        return len(data)

    def take(self):
        text = b''.join(self.pieces).decode('utf-8', 'replace')
        self.pieces, self.size = [], 0
        return text


class _Turn:
    """A lock and a bell. `threading` has one, and makes every fork pay for being loaded."""

    def __init__(self):
        self._lock, self._bells = allocate_lock(), []

    def __enter__(self):
        self._lock.acquire()

    def __exit__(self, *_):
        self._lock.release()

    def wait(self):
        bell = allocate_lock()
        bell.acquire()
        self._bells.append(bell)
        self._lock.release()
        try:
            bell.acquire()
        finally:
            self._lock.acquire()

    def notify_all(self):
        bells, self._bells = self._bells, []
        for bell in bells:
            bell.release()


class Peer(Requests):
    def __init__(self, wire, wary, printed=None, secret=()):
        super().__init__(wary, secret)
        self._wire, self._printed = wire, printed
        self._ids = itertools.count()
        self._turn = _Turn()
        self._speaking = RLock()
        self._held_back = None
        self._reading = False
        self._replies, self._waiting = {}, set()
        #: Why there is nobody on the other side.
        self.gone = None
        #: Whether that was for what it sent; `flooded`: for how much.
        self.broken = self.flooded = False
        self._special = {}

    def offer(self, **special):
        """Requests that are answered beside those for objects."""
        self._special.update(special)

    def changes(self):
        held, self._held_back = self._held_back, None
        found = super().changes()
        if held is None or found is None:
            return held or found
        return [before + now for before, now in zip(held, found)]

    def ask(self, operation, *args):
        if self.gone is not None:
            raise SampleGone(self.gone)
        number = next(self._ids)
        self._waiting.add(number)
        with self._speaking:
            changes, mark = self.changes(), self.mark()
            try:
                encoded = self.encode_all(args)
            except BaseException:
                self.rollback(mark)
                self._held_back = changes
                self._waiting.discard(number)
                raise
            self._wire.write(['q', number, operation, changes, encoded])
        return self._outcome(self._wait(number))

    def serve(self):
        """Answers until the connection ends."""
        self._wait(None)

    def rest(self, seconds):
        """Waits as `time.sleep` does, but answers meanwhile."""
        end = time.monotonic() + seconds
        while True:
            left = end - time.monotonic()
            if left <= 0 or self._reading or not self._wire.waits(left):
                break
            self._one()
        if left > 0:
            _sleep(left)

    # ── One message after the other ──────────────────────────────────────────────────────────────

    def _wait(self, number):
        while True:
            with self._turn:
                while True:
                    if number in self._replies:
                        return self._replies.pop(number)
                    if self.gone is not None:
                        raise SampleGone(self.gone)
                    if not self._reading:
                        self._reading = True
                        break
                    self._turn.wait()
            self._read()

    def _one(self):
        with self._turn:
            if self._reading:
                return
            self._reading = True
        self._read()

    def _read(self):
        request = None
        try:
            message = self._wire.read()
            kind = message[0]
            if kind == 'q':
                request = message
            elif message[1] in self._waiting:
                self._waiting.discard(message[1])
                self._replies[message[1]] = message
            else:
                raise Unreadable('a reply to nothing')
        except Interrupted as host:
            self.gone = host.message['gone']
        except Broken as error:
            self.gone = str(error)
            self.broken = self.flooded = True
        except (Unreadable, ValueError, TypeError, LookupError, RecursionError, MemoryError):
            if not self.wary:
                raise
            self.gone, self.broken = 'the sample sent something that is no message', True
        finally:
            with self._turn:
                self._reading = False
                self._turn.notify_all()
        if request is not None:
            self._answer(request)

    def _answer(self, request):
        _, number, operation, changes, args = request
        kind = 'r'
        try:
            self._taking(self.accept, changes)
            args = self._taking(self.decode_all, args)
            special = self._special.get(operation)
            value = self.perform(operation, args) if special is None else special(*args)
        except SampleGone:
            raise
        except BaseException as error:
            kind, value = 'x', error
        # Nothing but the other side may hold the arguments now: then they are done with.
        args = None
        with self._speaking:
            changes, mark = self.changes(), self.mark()
            try:
                encoded = self.encode(value)
            except Exception as error:
                self.rollback(mark)
                kind, encoded = 'x', self.encode(error)
            message = [kind, number, changes, encoded]
            if self._printed is not None and self._printed.size:
                message.append(self._printed.take())
            try:
                self._wire.write(message)
            except (MemoryError, TooLong) as error:
                self.rollback(mark)
                self._wire.write(['x', number, changes, self.encode(MemoryError() if str(error) == '' else error)])

    def _outcome(self, message):
        try:
            self._taking(self.accept, message[2])
            value = self._taking(self.decode, message[3])
            if len(message) > 4 and isinstance(message[4], str):
                sys.stdout.write(message[4])
            raised = message[0] == 'x'
            if raised and not isinstance(value, BaseException):
                raise Unreadable('no exception')
        except (Unreadable, LookupError) as error:
            self._broke(error)
        if raised:
            raise value
        return value

    def _taking(self, take, raw):
        """What cannot be read ends the connection: nobody knows what it would have been."""
        try:
            return take(raw)
        except (Unreadable, LookupError, TypeError, ValueError, AttributeError, RecursionError, MemoryError,
                ArithmeticError, ImportError) as error:
            if not self.wary:
                raise
            self._broke(error)

    def _broke(self, error):
        self.broken = True
        if self.gone is None:
            deep = isinstance(error, RecursionError)
            self.gone = (
                'the sample returned a value that is nested too deeply'
                if deep
                else 'the sample sent a value that cannot be read'
            )
        raise SampleGone(self.gone)


_sleep = time.sleep
