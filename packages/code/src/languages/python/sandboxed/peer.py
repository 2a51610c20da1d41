"""Requests and replies between the tester and the solution, in both directions and nested.

A test calls the solution, which calls a function of the test, which may call the solution again. While a process
waits for a reply, it also answers incoming requests. Several threads may wait. One of them reads the messages for
all.
"""
import itertools
import sys
import time
from _thread import RLock, allocate_lock

from _assay.requests import Requests
from _assay.values import Unreadable
from _assay.wire import Broken, Interrupted, TooLong

#: Types that JSON represents exactly.
_PLAIN = frozenset((int, str, float, bool, type(None)))
_NO_MESSAGE = (Unreadable, ValueError, TypeError, LookupError, RecursionError, MemoryError)
_NO_VALUE = (*_NO_MESSAGE, AttributeError, ArithmeticError, ImportError)


class SampleGone(BaseException):
    """Raised if the solution's process has ended. The test then fails, even if it catches this exception."""


class Peer(Requests):
    def __init__(self, wire, wary, outlet=None, secret=()):
        super().__init__(wary, secret)
        self._wire, self._outlet = wire, outlet
        self._ids = itertools.count()
        # `threading` has a condition variable for this, but loading it would slow down every fork.
        self._turn, self._bells = allocate_lock(), []
        self._speaking = RLock()
        self._held_back = None
        self._reading = False
        self._replies, self._waiting = {}, set()
        #: Why the other process has ended; None while it is alive.
        self.gone = None
        #: `broken`: the other process was disconnected because of an invalid message. `flooded`: because it sent too
        #: much data.
        self.broken = self.flooded = False
        #: Values that the solution sent before they were requested. They are dropped at any other request, because it
        #: may change them.
        self.ahead = None
        self._special = {}
        #: Function that handles log records of the other process. The tester sets it.
        self.replay = None

    def offer(self, **special):
        """Registers functions that answer further requests, in addition to those for objects."""
        self._special.update(special)

    def changes(self):
        if not self._mine and not self._theirs and not self._gone and self._held_back is None:
            return None
        found = super().changes()
        held = self._held_back
        if held is None:
            return found
        self._held_back = None
        return held if found is None else [before + now for before, now in zip(held, found)]

    def ask(self, operation, *args):
        if self.gone is not None:
            raise SampleGone(self.gone)
        if operation != 'name_get':
            self.ahead = None
        number = next(self._ids)
        self._waiting.add(number)
        with self._speaking:
            changes, mark = self.changes(), (self._next, self._count)
            try:
                encoded = [self.encode(value) for value in args]
            except BaseException:
                self.rollback(mark)
                self._held_back = changes
                self._waiting.discard(number)
                raise
            message = ['q', number, operation, changes, encoded]
            if self._outlet is not None and self._outlet.has():
                message.append(self._outlet.take(self.encode))
            self._wire.write(message)
        return self._outcome(self._wait(number))

    def call(self, function, args, named):
        if named:
            return self.ask('call_named', function, tuple(named.items()), *args)
        return self.ask('call', function, *args)

    def call_method(self, value, name, args, named):
        if named:
            return self.ask('get', value, name)(*args, **named)
        return self.ask('method', value, name, *args)

    def serve(self):
        """Answers requests until the connection ends."""
        self._wait(None)

    def rest(self, seconds):
        """Waits like `time.sleep`, but answers requests meanwhile."""
        end = time.monotonic() + seconds
        while True:
            left = end - time.monotonic()
            if left <= 0 or self._reading or not self._wire.waits(left):
                break
            self._one()
        if left > 0:
            _sleep(left)

    # ── One message at a time ────────────────────────────────────────────────────────────────────

    def _wait(self, number):
        while True:
            bell = None
            with self._turn:
                if number in self._replies:
                    return self._replies.pop(number)
                if self.gone is not None:
                    raise SampleGone(self.gone)
                if self._reading:
                    bell = allocate_lock()
                    bell.acquire()
                    self._bells.append(bell)
                else:
                    self._reading = True
            if bell is not None:
                bell.acquire()
                continue
            reply = self._read(number)
            if reply is not None:
                return reply

    def _one(self):
        with self._turn:
            if self._reading:
                return
            self._reading = True
        self._read(None)

    def _read(self, number):
        """Reads one message. Returns the reply to this number, stores other replies, and executes requests."""
        request = reply = None
        try:
            message = self._wire.read()
            if message[0] == 'q':
                request = message
            else:
                # Raises an error if the message is not a reply that we wait for.
                self._waiting.remove(message[1])
                if message[1] == number:
                    reply = message
                else:
                    self._replies[message[1]] = message
        except Interrupted as host:
            self.gone = host.message['gone']
        except Broken as error:
            self.gone = str(error)
            self.broken = self.flooded = True
        except _NO_MESSAGE:
            if not self.wary:
                raise
            self.gone, self.broken = 'the sample sent something that is no message', True
        finally:
            with self._turn:
                self._reading = False
                while self._bells:
                    self._bells.pop().release()
        if request is not None:
            self._answer(request)
        return reply

    def _answer(self, request):
        _, number, operation, changes, args, *aside = request
        kind = 'r'
        try:
            if aside:
                self._happened(aside[0])
            args = self._taken(changes, self.decode_all, args)
            special = self._special.get(operation)
            value = self.perform(operation, args) if special is None else special(*args)
        except SampleGone:
            raise
        except BaseException as error:
            kind, value = 'x', error
        # Drops our references to the arguments, so that objects that only the other process still uses can be
        # released.
        args = None
        with self._speaking:
            changes, mark = self.changes(), (self._next, self._count)
            try:
                encoded = self.encode(value)
            except Exception as error:
                self.rollback(mark)
                kind, encoded = 'x', self.encode(error)
            message = [kind, number, changes, encoded]
            if self._outlet is not None and self._outlet.has():
                message.append(self._outlet.take(self.encode))
            try:
                self._wire.write(message)
            except (MemoryError, TooLong) as error:
                self.rollback(mark)
                self._wire.write(['x', number, changes, self.encode(MemoryError() if str(error) == '' else error)])

    def _outcome(self, message):
        if len(message) == 4 and message[0] == 'r' and message[2] is None and type(message[3]) in _PLAIN:
            return message[3]
        try:
            value = self._taken(message[2], self.decode, message[3])
            raised = message[0] == 'x'
            if raised and not isinstance(value, BaseException):
                raise Unreadable('no exception')
        except (Unreadable, LookupError) as error:
            self._broke(error)
        if len(message) > 4:
            self._happened(message[4])
        if raised:
            raise value
        return value

    def _happened(self, aside):
        """Repeats in this process what the solution printed, warned and logged."""
        try:
            out, err, warned, records = aside
            if not (isinstance(out, str) and isinstance(err, str) and isinstance(warned, list)):
                raise Unreadable('not what happened')
            warned = [(self.decode(raw), str(path), int(line)) for raw, path, line in warned]
            if not all(isinstance(one, Warning) for one, _, _ in warned):
                raise Unreadable('not a warning')
            if out:
                sys.stdout.write(out)
            if err and sys.stderr is not None:
                sys.stderr.write(err)
            if records and self.replay is not None:
                self.replay(records)
        except _NO_VALUE as error:
            self._broke(error)
        if warned:
            import warnings

            for one, path, line in warned:
                warnings.warn_explicit(one, None, path, line)

    def _taken(self, changes, decode, raw):
        """Decodes a message. A message that cannot be decoded ends the connection, because the state of both
        processes may differ afterwards."""
        try:
            if changes is not None:
                self.accept(changes)
            return decode(raw)
        except _NO_VALUE as error:
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
