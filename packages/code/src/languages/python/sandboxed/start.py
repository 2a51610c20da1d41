"""Preloads the server's own programs and library modules that solutions often use.

`random` and `threading` are not preloaded: their work after every fork costs more than it would save for the few
solutions that use them.
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
    # Load only what the role needs: every page of memory slows down each fork.
    role = importlib.import_module('_assay.' + hello['role'])
    warmup.warmup(hello['role'], role.prepare)
    # The sources are no longer needed.
    sys.meta_path.remove(finder)
    del hello['programs']
    server.serve(role.prepare, hello['alone'], hello['lines'], hello['role'] == 'tester')
