"""Describes why a test failed."""

#: The file name of test sources in tracebacks.
FILE = '<tests>'


def came_through(error):
    """Returns the last line of the solution in the exception's traceback. Only for tests in the solution's
    process."""
    found, traceback = None, error.__traceback__
    while traceback is not None:
        name = traceback.tb_frame.f_code.co_filename
        if not name.startswith(('<', '/', '_assay')):
            found = [name, traceback.tb_lineno]
        traceback = traceback.tb_next
    return found


def is_answers(error):
    """True if the answer raised the exception. For in-process tests, this function is replaced by a check that the
    answer cannot deceive."""
    return came_through(error) is not None


def describe(error):
    """Describes in a line or two why a test failed."""
    text = str(error) if isinstance(error, AssertionError) else '%s: %s' % (type(error).__name__, error)
    text = text.strip().rstrip(':')
    sub = getattr(error, '__dict__', {}).get('_assay_sub')
    where = getattr(error, '__dict__', {}).get('_assay_where')
    line, traceback = None, error.__traceback__
    while traceback is not None:
        if traceback.tb_frame.f_code.co_filename == FILE:
            line = traceback.tb_lineno
        traceback = traceback.tb_next
    return ''.join(
        [
            'line %d: ' % line if line else '',
            sub + ' ' if sub else '',
            text if len(text) <= 1500 else text[:1499] + '…',
            ' (%s, line %s)' % tuple(where) if isinstance(where, list) and len(where) == 2 else '',
        ]
    )
