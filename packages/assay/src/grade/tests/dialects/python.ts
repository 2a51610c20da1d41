/**
 * The test runners of Python: pytest and unittest. Their reporters are loaded before the tests and the modules that
 * the tests import.
 */
import { PYTEST_FORM, UNITTEST_FORM } from '../canary-forms.ts'
import type { Dialect, ReporterPaths } from '../dialect.ts'

/** Code of a reporter that opens the channel, reads its key and deletes its path. `javascript.ts` says why. */
const opening = ({ channel }: ReporterPaths): string => `
import json as _json, os as _os
_write, _dumps = _os.write, _json.dumps
_at, _key = None, ''
try:
    _at = _os.open(${JSON.stringify(channel)}, _os.O_RDWR | _os.O_APPEND)
    _key = _os.pread(_at, 256, 0).decode('latin1').split('\\n')[0]
    _os.unlink(${JSON.stringify(channel)})
except OSError:
    _at = None

def _tell(name, status):
    if _at is not None:
        _write(_at, (_key + ' ' + _dumps({'id': name, 'status': status}) + '\\n').encode())
`

/** Keeps Python from writing compiled files into the workspace, where they would look like part of the work. */
const NO_CACHE = { PYTHONDONTWRITEBYTECODE: '1' }

export const pytest: Dialect = {
  name: 'pytest',
  separator: '::',
  canaries: PYTEST_FORM,
  reporter: (paths) => ({
    files: {
      [`${paths.name}.py`]: `${opening(paths)}
_phases = {}

def pytest_runtest_logreport(report):
    seen = _phases.setdefault(report.nodeid, [])
    seen.append('skipped' if report.outcome == 'skipped' or hasattr(report, 'wasxfail') else report.outcome)
    if report.when == 'teardown':
        del _phases[report.nodeid]
        _tell(report.nodeid, 'failed' if 'failed' in seen else 'skipped' if 'skipped' in seen else 'passed')
`,
    },
    words: [],
    env: { ...NO_CACHE, PYTHONPATH: paths.folder, PYTEST_PLUGINS: paths.name },
  }),
}

export const unittest: Dialect = {
  name: 'unittest',
  separator: '.',
  canaries: UNITTEST_FORM,
  reporter: (paths) => ({
    files: {
      // Python loads this module before it searches the working directory. So a folder named `unittest` in the work
      // cannot replace the library.
      'sitecustomize.py': `import sys as _sys
if 'unittest' in getattr(_sys, 'orig_argv', _sys.argv):
    import unittest, unittest.case, unittest.loader, unittest.main, unittest.runner, unittest.suite
${opening(paths)
  .split('\n')
  .map((line) => (line === '' ? '' : `    ${line}`))
  .join('\n')}
    _states = {}

    def _wrap(method, status):
        original = getattr(unittest.TestResult, method)
        def call(self, test, *rest):
            worse = status if method != 'addSubTest' else ('failed' if rest[-1] is not None else None)
            if worse is not None and _states.get(id(test)) != 'failed':
                _states[id(test)] = worse
            return original(self, test, *rest)
        setattr(unittest.TestResult, method, call)

    for _method, _status in (('addSuccess', 'passed'), ('addFailure', 'failed'), ('addError', 'failed'),
                             ('addSkip', 'skipped'), ('addExpectedFailure', 'skipped'),
                             ('addUnexpectedSuccess', 'failed'), ('addSubTest', None)):
        _wrap(_method, _status)

    def _stop(original):
        def call(self, test):
            _tell(test.id(), _states.pop(id(test), 'failed'))
            return original(self, test)
        return call
    unittest.TestResult.stopTest = _stop(unittest.TestResult.stopTest)
`,
    },
    words: [],
    env: { ...NO_CACHE, PYTHONPATH: paths.folder },
  }),
}
