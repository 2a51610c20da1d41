"""Collects what a solution does apart from returning values: it prints, warns and logs. The next message takes
this to the tester, so that tests can check it."""
import io
import sys

MOST_PRINTED = 1024 * 1024
#: The most warnings, and the most log records, that are kept for one message.
MOST_EVENTS = 1000


class Printed(io.BufferedIOBase):
    """Collects printed output until the next message takes it. Output above the limit is dropped."""

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

    def stream(self):
        return io.TextIOWrapper(self, encoding='utf-8', errors='replace', write_through=True)


class Outlet:
    def __init__(self):
        self.out, self.err, self.warnings, self.records = Printed(), Printed(), [], []
        sys.stdout, sys.stderr = self.out.stream(), self.err.stream()

    def has(self):
        return self.out.size or self.err.size or self.warnings or self.records

    def take(self, encode):
        """Returns and clears what was collected since the last message. `encode` encodes a value for the other
        process."""
        warned, self.warnings = self.warnings, []
        records, self.records = self.records, []
        found = []
        for message, path, line in warned:
            try:
                found.append([encode(message), path, line])
            except Exception:
                # The warning cannot be encoded, for example because of its arguments. It is left out.
                continue
        return [self.out.take(), self.err.take(), found, records]

    def watch(self):
        """Collects warnings and log records from now on. It is called only if tests check them."""
        import logging
        import warnings

        def show(message, category, filename, lineno, file=None, line=None):
            if len(self.warnings) < MOST_EVENTS:
                error = message if isinstance(message, Warning) else category(message)
                self.warnings.append((error, str(filename), int(lineno)))

        warnings.simplefilter('always')
        warnings.showwarning = show
        enabled, handle = logging.Logger.isEnabledFor, logging.Logger.handle

        def collect(logger, record):
            if len(self.records) < MOST_EVENTS:
                self.records.append([
                    logger.name, record.levelno, record.getMessage(), record.pathname, record.lineno,
                    record.funcName or '', _levels(logger),
                ])
            if enabled(logger, record.levelno):
                handle(logger, record)

        # In pytest, a logger without a handler prints nothing, because pytest installs a handler itself.
        logging.lastResort = logging.NullHandler()
        # The tests decide which levels they see, so records of all levels are created.
        logging.Logger.isEnabledFor = lambda logger, level: True
        logging.Logger.handle = collect


def _levels(logger):
    found = []
    while logger is not None:
        found.append([logger.name if logger.parent is not None else '', logger.level])
        logger = logger.parent if logger.propagate else None
    return found
