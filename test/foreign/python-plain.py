"""Runs test files with the plain tools, unittest and pytest, each in a process of its own.

Reads JSON: a list of {tool, tests, files}. Writes JSON: for each the outcome of every test by name.
"""
import io
import json
import os
import signal
import sys
import tempfile
import unittest


def by_unittest(module):
    seen = {}

    class Result(unittest.TestResult):
        def note(self, test, outcome):
            name = test.id()
            prefix = module + '.'
            # The examples of the file itself are those of the main module in Assay.
            name = name[len(prefix):] if name.startswith(prefix) else '__main__' if name == module else name
            key = name if seen.get(name) is None or test is last.get(name) else name + ' #' + str(len(seen))
            last[name] = test
            if seen.get(key) != 'failed':
                seen[key] = outcome

        def addSuccess(self, test):
            self.note(test, 'passed')

        def addError(self, test, err):
            self.note(test, 'failed')

        addFailure = addError

        def addSkip(self, test, reason):
            self.note(test, 'skipped')

        def addExpectedFailure(self, test, err):
            self.note(test, 'passed')

        def addUnexpectedSuccess(self, test):
            self.note(test, 'failed')

        def addSubTest(self, test, subtest, err):
            if err is not None:
                self.note(test, 'failed')

    last = {}
    suite = unittest.defaultTestLoader.loadTestsFromName(module)
    suite.run(Result())
    return seen


def by_pytest(path):
    import pytest

    seen = {}

    class Plugin:
        strict = ()

        def pytest_collection_modifyitems(self, items):
            marked = [(item.nodeid, item.get_closest_marker('xfail')) for item in items]
            self.strict = {name for name, mark in marked if mark is not None and mark.kwargs.get('strict')}

        def pytest_runtest_logreport(self, report):
            name = report.nodeid.partition('::')[2].replace('::', '.')
            # A test that may fail says nothing: neither tool reports it as a failure.
            outcome = 'skipped' if hasattr(report, 'wasxfail') else report.outcome
            if outcome == 'skipped' and hasattr(report, 'wasxfail') and report.nodeid in self.strict:
                outcome = 'passed'
            if report.outcome == 'failed':
                outcome = 'failed'
            if seen.get(name) != 'failed' and (report.when == 'call' or outcome != 'passed'):
                seen[name] = outcome

        def pytest_collectreport(self, report):
            if report.failed:
                seen['<the tests cannot be loaded>'] = 'failed'

    pytest.main(['-q', '-p', 'no:cacheprovider', '-p', 'no:asyncio', path], plugins=[Plugin()])
    return seen


def run(job):
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        sys.path.insert(0, folder)
        for name, text in job['files'].items():
            with open(name, 'w', encoding='utf-8') as file:
                file.write(text)
        sys.stdout, sys.stderr = io.StringIO(), io.StringIO()
        if job['tool'] == 'pytest':
            return by_pytest(job['tests'])
        try:
            return by_unittest(job['tests'][:-3])
        except BaseException as error:
            return {'<the tests cannot be loaded> ' + repr(error): 'failed'}


def main():
    jobs = json.load(sys.stdin)
    if any(job['tool'] == 'pytest' for job in jobs):
        import pytest  # noqa: F401 - loaded once, before the forks
    sys.dont_write_bytecode = True
    outcomes = []
    for job in jobs:
        read, write = os.pipe()
        child = os.fork()
        if child == 0:
            # A mutant may never end.
            signal.alarm(20)
            os.close(read)
            with os.fdopen(write, 'w') as pipe:
                json.dump(run(job), pipe)
                pipe.flush()
                os._exit(0)
        os.close(write)
        with os.fdopen(read) as pipe:
            outcomes.append(json.loads(pipe.read() or '{"<the process ended>": "failed"}'))
        os.waitpid(child, 0)
    json.dump(outcomes, sys.stdout)


main()
