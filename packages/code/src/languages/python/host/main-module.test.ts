/**
 * Tests run as the main module: code under `if __name__ == '__main__':` is executed, at both integrity levels.
 *
 * This file covers every form of tests that `collect.py` knows (script, asserts, suite, check), runners that such a
 * block starts (`unittest.main`, `pytest.main`), `sys.exit` in the block, and statements after the last assert.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { isPythonReady, openBench, type Bench } from '../../../../test/try-python.ts'

const RIGHT = 'def inc(x):\n    return x + 1\n'
const WRONG = [
  'def inc(x):\n    return x\n',
  'def inc(x):\n    return None\n',
  'def inc(x):\n    raise ValueError(x)\n',
  'def inc(x):\n    raise SystemExit(0)\n',
  'def other(x):\n    return x + 1\n',
]

const TESTS = {
  'a function that is only called there':
    "from solution import inc\n\ndef main():\n    assert inc(1) == 2\n\nif __name__ == '__main__':\n    main()\n",
  'asserts that are only there': "if __name__ == '__main__':\n    assert inc(1) == 2\n",
  'the reversed comparison':
    'def run():\n    assert inc(1) == 2\nif "__main__" == __name__:\n    run()\n',
  'an exit code': "import sys\nif __name__ == '__main__':\n    sys.exit(0 if inc(1) == 2 else 1)\n",
  'a function that returns the exit code':
    "import sys\ndef main():\n    assert inc(1) == 2\n    return 0\nif __name__ == '__main__':\n    sys.exit(main())\n",
  'a raised exit':
    "def main():\n    assert inc(1) == 2\nif __name__ == '__main__':\n    main()\n    raise SystemExit\n",
  'unittest.main':
    "import unittest\nclass T(unittest.TestCase):\n    def test_inc(self):\n        self.assertEqual(inc(1), 2)\nif __name__ == '__main__':\n    unittest.main()\n",
  'the result of unittest.main':
    "import sys, unittest\nclass T(unittest.TestCase):\n    def test_inc(self):\n        self.assertEqual(inc(1), 2)\nif __name__ == '__main__':\n    sys.exit(not unittest.main(exit=False).result.wasSuccessful())\n",
  'pytest.main':
    "import sys, pytest\ndef test_inc():\n    assert inc(1) == 2\nif __name__ == '__main__':\n    sys.exit(pytest.main([__file__]))\n",
  'a call after the last assert':
    'assert inc(0) is not inc\ndef more():\n    assert inc(1) == 2\nmore()\n',
  'a call in a block after the last assert':
    "assert callable(inc)\ndef more():\n    assert inc(1) == 2\nif __name__ == '__main__':\n    more()\n",
} as const

describe.skipIf(!(await isPythonReady()))('tests as a main module', () => {
  let bench: Bench
  beforeAll(async () => {
    bench = await openBench()
  })
  afterAll(() => bench.close())

  describe.each(['isolated', 'in-process'] as const)('integrity %s', (integrity) => {
    it.each(Object.entries(TESTS))('runs %s', async (_, tests) => {
      const passes = async (code: string): Promise<boolean> => {
        const report = await bench.run(code, tests, { integrity })
        return (report.tests ?? []).length > 0 && report.tests?.every((one) => one.passed) === true
      }
      expect(await passes(RIGHT)).toBe(true)
      for (const code of WRONG) expect(await passes(code), code).toBe(false)
    })
  })

  it('pickles what the tests define', async () => {
    const tests =
      'import pickle\nclass Box:\n    def __init__(self, n):\n        self.n = n\ndef test_box():\n    assert pickle.loads(pickle.dumps(Box(inc(1)))).n == 2\n'
    for (const integrity of ['isolated', 'in-process'] as const) {
      const report = await bench.run(RIGHT, tests, { integrity })
      expect(report.tests).toEqual([{ name: 'test_box', passed: true }])
    }
  })
})
