/**
 * The Python pipeline: py_compile, unittest and pyflakes, each in a fresh interpreter. unittest also runs test
 * functions in pytest's style, because it takes a fifth of pytest's processor time. pytest runs only the tests that
 * import it, and only their verdict is used.
 */
import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Naive, Sample } from './pipeline.ts'

const SYSTEM = '/usr/bin/python3'
const PYTHON = existsSync(SYSTEM) ? SYSTEM : 'python3'

export const python: Naive = {
  language: 'python',
  pipelines: [
    {
      name: 'py_compile + unittest + pyflakes',
      commands: ['py_compile', 'unittest', 'pyflakes'],
      target: 15,
    },
    { name: 'for scale: python3 -c 0', commands: ['python3 -c 0'], target: null },
  ],

  prepare(root) {
    const packages = ['-m', 'pip', 'install', '--retries', '0', '--target', join(root, 'packages')]
    // Any version of pip works, because the packages are plain Python. If pip fails, the error contains its output.
    execFileSync('python3', [...packages, '-r', join(import.meta.dirname, 'requirements.txt')], {
      stdio: ['ignore', 'ignore', 'pipe'],
    })
  },

  commands(sample, root) {
    const tests = sample.case.tests ?? callsAsTests(sample)
    const isPytest = /^\s*(?:import|from) pytest\b/m.test(tests)
    const env = { PYTHONPATH: join(root, 'packages') }
    return {
      files: {
        'solution.py': sample.code,
        'test_solution.py': hasClass(tests) || isPytest ? tests : withClass(tests, sample),
        ...sample.case.files,
        ...sample.beside,
      },
      compile: [
        { name: 'py_compile', argv: [PYTHON, '-m', 'py_compile', 'solution.py'] },
        { name: 'python3 -c 0', argv: [PYTHON, '-c', '0'], every: 5 },
      ],
      test: isPytest
        ? { name: 'pytest', argv: [PYTHON, '-m', 'pytest', '-q'], env, foreign: true }
        : { name: 'unittest', argv: [PYTHON, '-m', 'unittest', '-q', 'test_solution'] },
      lint: [{ name: 'pyflakes', argv: [PYTHON, '-m', 'pyflakes', 'solution.py'], env }],
    }
  },
}

const hasClass = (tests: string): boolean => /\bTestCase\b/.test(tests)

/**
 * Appends code with which unittest runs the functions named `test_…`. If there are none, it runs `check(candidate)` as
 * one test.
 */
const withClass = (tests: string, { case: { entryPoint } }: Sample): string => `${tests}

import unittest as _unittest

def load_tests(loader, standard, pattern):
    import solution
    found = [f for name, f in list(globals().items()) if name.startswith('test') and callable(f)]
    if not found and 'check' in globals():
        found = [lambda: check(getattr(solution, ${JSON.stringify(entryPoint ?? '')}))]
    return _unittest.TestSuite(_unittest.FunctionTestCase(one) for one in found)
`

/**
 * Returns test source for tests that the suite gives as data (calls with expected results), as a person would write it.
 */
function callsAsTests({ case: { calls, entryPoint } }: Sample): string {
  const data = JSON.stringify(JSON.stringify(calls))
  return `import json
import unittest
import solution


class Calls(unittest.TestCase):
    def close(self, result, expected, tolerance):
        if isinstance(expected, list):
            self.assertEqual(len(result), len(expected))
            for one, other in zip(result, expected):
                self.close(one, other, tolerance)
        else:
            self.assertAlmostEqual(result, expected, delta=tolerance)

    def test_all(self):
        for call in json.loads(${data}):
            with self.subTest(call=call):
                if 'throws' in call:
                    with self.assertRaises(Exception) as caught:
                        solution.${entryPoint}(*call['args'])
                    self.assertIn(call['throws'], [c.__name__ for c in type(caught.exception).__mro__])
                elif 'tolerance' in call:
                    self.close(solution.${entryPoint}(*call['args']), call['returns'], call['tolerance'])
                else:
                    self.assertEqual(solution.${entryPoint}(*call['args']), call['returns'])
`
}
