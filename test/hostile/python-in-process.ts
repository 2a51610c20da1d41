/**
 * Hostile Python programs that run in the same process as their tests and try to get a verdict that they did not
 * earn.
 */
import { ENDLESS, FORGED, GONE, WRONG, type Hostile } from './program.ts'
import { forging, pythonSum } from './python-verdicts.ts'

export const pythonInProcess: readonly Hostile[] = [
  {
    kind: 7,
    name: 'an object that equals everything, tests beside it',
    task: 'sum',
    beside: true,
    source: pythonSum(
      'return Liar()',
      `class Liar:
    def __eq__(self, other): return True
    def __ne__(self, other): return False
    def __hash__(self): return 3
    def __sub__(self, other): return 0
    __class__ = int`,
    ),
    expect: WRONG,
  },
  {
    kind: 7,
    name: 'a number that equals everything, tests beside it',
    task: 'matched',
    beside: true,
    source: pythonSum(
      'return Liar(0)',
      `class Liar(int):
    def __eq__(self, other): return True
    def __ne__(self, other): return False
    def __sub__(self, other): return 0
    __rsub__ = __add__ = __radd__ = __sub__
    def __abs__(self): return 0
    def __round__(self, *args): return 0
    def __lt__(self, other): return True
    __le__ = __gt__ = __ge__ = __lt__
    __hash__ = int.__hash__`,
    ),
    expect: WRONG,
  },
  {
    kind: 7,
    name: 'liars of every plain type, tests beside them',
    task: 'matched',
    beside: true,
    source: pythonSum(
      'made.append(1)\nreturn [Text(), Many([]), Table(), Half(0), Pair()][len(made) % 5]',
      `made = []
def lying(base):
    return type('Liar', (base,), {'__eq__': lambda *_: True, '__ne__': lambda *_: False, '__hash__': lambda _: 3})
Text, Many, Table, Half, Pair = map(lying, (str, list, dict, float, tuple))`,
    ),
    expect: WRONG,
  },
  {
    kind: 6,
    name: 'patches unittest in a call, tests beside it',
    task: 'matched',
    beside: true,
    source: pythonSum(
      `import unittest
for name in dir(unittest.TestCase):
    if name.startswith(('assert', 'fail', '_base')):
        setattr(unittest.TestCase, name, lambda *args, **kwargs: None)
return 0`,
    ),
    expect: WRONG,
  },
  {
    kind: 6,
    name: 'raises a skip from code without a file, tests beside it',
    task: 'matched',
    beside: true,
    source: pythonSum(
      'return skip()',
      `import unittest
exec(compile('def skip():\\n    raise unittest.SkipTest("no")', '<tests>', 'exec'))`,
    ),
    expect: WRONG,
  },
  {
    kind: 8,
    name: 'patched builtins in a call, tests beside it',
    task: 'matched',
    beside: true,
    source: pythonSum(
      `import builtins, math
for name in ('isinstance', 'all', 'any', 'callable', 'hasattr'):
    setattr(builtins, name, lambda *args: True)
builtins.round = builtins.abs = lambda *args: 0
builtins.sorted = lambda *args, **kwargs: []
math.isclose = lambda *args, **kwargs: True
return 0`,
    ),
    expect: FORGED,
  },
  {
    kind: 3,
    name: 'exit at the second call, tests beside it',
    task: 'sum',
    beside: true,
    source: pythonSum(
      'calls.append(1)\nif len(calls) == 2:\n    os._exit(0)\nreturn a + b',
      'calls = []',
    ),
    expect: GONE,
  },
  {
    kind: 4,
    name: 'forged results, tests beside it',
    task: 'sum',
    beside: true,
    source: pythonSum('forge()\nos._exit(0)', forging),
    expect: FORGED,
  },
  {
    kind: 1,
    name: 'never ends beside its tests',
    task: 'sum',
    beside: true,
    source: pythonSum('while True: pass'),
    expect: ENDLESS,
  },
]
