"""What a server is warm with: its own programs, and the parts of the library that samples often want."""
import bisect  # noqa: F401
import cmath  # noqa: F401
import contextlib  # noqa: F401
import csv  # noqa: F401
import dataclasses  # noqa: F401
import enum  # noqa: F401
import functools  # noqa: F401
import heapq  # noqa: F401
import importlib
import itertools  # noqa: F401
import random  # noqa: F401
import statistics  # noqa: F401
import string  # noqa: F401
import sys
import textwrap  # noqa: F401
import typing  # noqa: F401

from _assay import judge, sample, server

#: Of one start, for both: the tests of the level `inventory` run in the sample's process.
_WORK = {'sample': sample.work, 'judge': judge.work}


def start(hello):
    for name in hello['warm']:
        importlib.import_module(name)
    sample.OURS.extend(name for name in sys.modules if name.split('.')[0] == '_assay')
    # Nobody needs the sources any more.
    del hello['programs']
    server.serve(_WORK[hello['role']], hello['alone'])
