"""Why a test failed, in words."""

#: What test sources are called in tracebacks.
FILE = '<tests>'


def came_through(error):
    """The last line of the sample's own that an exception came through, where they share a process."""
    found, traceback = None, error.__traceback__
    while traceback is not None:
        name = traceback.tb_frame.f_code.co_filename
        if not name.startswith(('<', '/', '_assay')):
            found = [name, traceback.tb_lineno]
        traceback = traceback.tb_next
    return found


def is_answers(error):
    """Whether the answer raised it; replaced by what cannot be deceived where they share a process."""
    return came_through(error) is not None


def describe(error):
    """Why a test failed, in a line or two."""
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
