"""What a server is warm with: its own programs, and parts of the library that samples often want.

Not `random` nor `threading`: what they do after every fork costs more than the few who want them would save.
"""
import bisect  # noqa: F401
import cmath  # noqa: F401
import contextlib  # noqa: F401
import csv  # noqa: F401
import dataclasses  # noqa: F401
import datetime  # noqa: F401
import enum  # noqa: F401
import functools  # noqa: F401
import heapq  # noqa: F401
import importlib
import itertools  # noqa: F401
import string  # noqa: F401
import sys
import textwrap  # noqa: F401
import typing  # noqa: F401

from _assay import warmup, server


def start(hello, finder):
    for name in hello['warm']:
        importlib.import_module(name)
    # Only what the role needs: every page of memory costs each fork something.
    role = importlib.import_module('_assay.' + hello['role'])
    warmup.warmup(hello['role'], role.prepare)
    # Nobody needs the sources any more.
    sys.meta_path.remove(finder)
    del hello['programs']
    server.serve(role.prepare, hello['alone'], hello['lines'], hello['role'] == 'tester')
