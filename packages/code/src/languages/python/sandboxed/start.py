"""Loads the server's own programs and library modules that solutions often use.

`random` and `threading` are not loaded in advance. They do some work after every fork, which costs more than it
saves for the few solutions that use them.
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
    # Only the modules for this role are loaded, because more memory makes each fork slower.
    role = importlib.import_module('_assay.' + hello['role'])
    warmup.warmup(hello['role'], role.prepare)
    # The sources of our programs are no longer needed.
    sys.meta_path.remove(finder)
    del hello['programs']
    server.serve(role.prepare, hello['alone'], hello['lines'], hello['role'] == 'tester')
