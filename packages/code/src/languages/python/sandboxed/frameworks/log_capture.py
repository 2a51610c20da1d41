"""The fixture `caplog`, and log records of a solution in another process.

The solution sends each record with the levels of all loggers that it passed through. If the tests have set a level
for a logger, it replaces the solution's level, as if both processes shared their loggers.
"""
import contextlib

#: The module `logging`, which is loaded when it is first needed.
logging = None
_FORMAT = '%(levelname)-8s %(name)s:%(filename)s:%(lineno)d %(message)s'
MOST_NAME = 200


def _load():
    global logging
    import logging as loaded

    logging = loaded


def replay(records):
    """Passes the solution's log records to the handlers of the tests. Raises an error if the data is not valid."""
    _load()
    for name, level, message, path, line, function, levels in records:
        if not (isinstance(name, str) and type(level) is int and isinstance(message, str) and type(line) is int):
            raise ValueError('not a log record')
        record = logging.makeLogRecord({
            'name': name, 'levelno': level, 'levelname': logging.getLevelName(level), 'msg': message, 'args': (),
            'pathname': str(path), 'filename': str(path).rpartition('/')[2], 'lineno': line, 'funcName': str(function),
            'module': str(path).rpartition('/')[2].partition('.')[0],
        })
        chain = [(_logger(one), int(own)) for one, own in levels[:20]]
        if level < _effective(chain):
            continue
        for logger, _ in chain:
            if logger is None:
                continue
            for handler in logger.handlers:
                if level >= handler.level:
                    handler.handle(record)
            if not logger.propagate:
                break


def _logger(name):
    if name == '' or name == 'root':
        return logging.getLogger()
    known = logging.Logger.manager.loggerDict.get(str(name)[:MOST_NAME])
    # A logger that the tests never used has no handlers in this process.
    return known if isinstance(known, logging.Logger) else None


def _effective(chain):
    for logger, theirs in chain:
        root = logger is not None and logger is logging.getLogger()
        own = 0 if logger is None or root and logger.level == logging.WARNING else logger.level
        if own or theirs:
            return own or theirs
    return logging.WARNING


def _make_handler():
    _load()

    class Handler(logging.Handler):
        def __init__(self):
            super().__init__()
            self.records = []
            self.setFormatter(logging.Formatter(_FORMAT))

        def emit(self, record):
            record.message = record.getMessage()
            self.records.append(record)

    return Handler()


class Capture:
    def __init__(self, ends):
        self.handler, self._levels = _make_handler(), {}
        logging.getLogger().addHandler(self.handler)
        ends.append(self._end)

    def _end(self):
        logging.getLogger().removeHandler(self.handler)
        for name, level in self._levels.items():
            logging.getLogger(name).setLevel(level)

    @property
    def records(self):
        return self.handler.records

    @property
    def messages(self):
        return [one.message for one in self.records]

    @property
    def record_tuples(self):
        return [(one.name, one.levelno, one.message) for one in self.records]

    @property
    def text(self):
        return ''.join(self.handler.format(one) + '\n' for one in self.records)

    def get_records(self, when):
        return list(self.records) if when == 'call' else []

    def clear(self):
        self.handler.records = []

    def set_level(self, level, logger=None):
        found = logging.getLogger(logger)
        self._levels.setdefault(logger, found.level)
        found.setLevel(level)
        self.handler.setLevel(level)

    @contextlib.contextmanager
    def at_level(self, level, logger=None):
        found = logging.getLogger(logger)
        old, old_handler = found.level, self.handler.level
        found.setLevel(level)
        self.handler.setLevel(level)
        try:
            yield self
        finally:
            found.setLevel(old)
            self.handler.setLevel(old_handler)
