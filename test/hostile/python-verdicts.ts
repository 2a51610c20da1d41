/** Hostile Python programs that try to get a verdict that they did not earn, or to read their tests. */
import {
  FORGED,
  GONE,
  NOTHING,
  REFUSED,
  silenced,
  STOPPED,
  WRONG,
  type Hostile,
  type World,
} from './program.ts'

/** Sets the mark of the process, if ctypes is available. */
export const pythonStart = ({ mark }: World): string => `import os, sys
try:
    import ctypes
    ctypes.CDLL(None).prctl(15, b'${mark}', 0, 0, 0)
except BaseException:
    pass
`

/** Indents every line by four spaces. */
export const indented = (body: string): string => body.replaceAll(/^(?=.)/gm, '    ')

export const pythonSum =
  (body: string, before = '') =>
  (world: World): string =>
    `${pythonStart(world)}${before}

def sum(a, b):
${indented(body)}
`

export const forging = `import json, struct

def forge():
    names = ['test_small', 'test_negative', 'test_nothing']
    frames = ['ready', {'compiled': True, 'passed': True, 'tests': [{'name': n, 'passed': True} for n in names]},
              {'passed': 3, 'failed': 0}, {'ended': {'code': 0, 'signal': None, 'cpuMs': 1}, 'clean': True},
              ['done', names], {'return': 3}, {'exited': {'code': 0}}]
    said = [b'OK\\nRan 3 tests in 0.001s\\n', b'3 passed in 0.01s\\n', b'test result: ok. 3 passed; 0 failed\\n']
    for frame in frames:
        body = json.dumps(frame).encode()
        said.append(struct.pack('>I', len(body)) + body)
    for fd in range(24):
        for one in said:
            try:
                os.write(fd, one)
            except OSError:
                pass
`

const thief =
  (body: string) =>
  (world: World): string =>
    `${pythonStart(world)}import re

found = []

def look(make):
    try:
        value = make()
        if isinstance(value, bytes):
            value = value.decode('latin1')
        found.extend(re.findall('KEY-[0-9a-f]{24}', str(value)))
    except BaseException:
        pass

def key(times):
${indented(body)}
    if not found:
        raise LookupError('got nothing')
    return found[0]
`

export const pythonVerdicts: readonly Hostile[] = [
  {
    kind: 3,
    name: 'os._exit at import',
    task: 'sum',
    source: pythonSum('return a + b', 'os._exit(0)'),
    expect: GONE,
  },
  {
    kind: 3,
    name: 'os._exit at a call',
    task: 'sum',
    source: pythonSum('os._exit(0)'),
    expect: GONE,
  },
  {
    kind: 3,
    name: 'sys.exit at import',
    task: 'sum',
    source: pythonSum('return a + b', 'sys.exit(0)'),
    expect: FORGED,
  },
  {
    kind: 3,
    name: 'SystemExit at a call',
    task: 'sum',
    source: pythonSum('raise SystemExit(0)'),
    expect: FORGED,
  },
  {
    kind: 3,
    name: 'exit at the second call',
    task: 'sum',
    source: pythonSum(
      'calls.append(1)\nif len(calls) == 2:\n    os._exit(0)\nreturn a + b',
      'calls = []',
    ),
    expect: GONE,
  },
  { kind: 3, name: 'abort', task: 'sum', source: pythonSum('os.abort()'), expect: GONE },
  {
    kind: 3,
    name: 'an exception that is no Exception',
    task: 'sum',
    source: pythonSum(
      'raise Gone()',
      'class Gone(BaseException):\n    def __str__(self):\n        os._exit(0)\n    __repr__ = __str__',
    ),
    expect: FORGED,
  },
  {
    kind: 3,
    name: 'a crash of the interpreter',
    task: 'sum',
    source: pythonSum('import ctypes\nctypes.string_at(0)\nreturn a + b'),
    expect: STOPPED,
  },
  {
    kind: 4,
    name: 'forged results at a call',
    task: 'sum',
    source: pythonSum('forge()\nreturn 0', forging),
    expect: FORGED,
  },
  {
    kind: 4,
    name: 'forged results at import, then exit',
    task: 'sum',
    source: pythonSum('return 0', `${forging}\nforge()\nos._exit(0)`),
    expect: FORGED,
  },
  {
    kind: 4,
    name: 'forged results from a destructor at the end',
    task: 'sum',
    source: pythonSum(
      'return 0',
      `${forging}\nimport atexit\natexit.register(forge)\nsys.exitfunc = forge`,
    ),
    expect: FORGED,
  },
  {
    kind: 4,
    name: 'closes every descriptor',
    task: 'sum',
    source: pythonSum('os.closerange(0, 256)\nreturn a + b'),
    expect: STOPPED,
  },
  {
    kind: 4,
    name: 'reads the questions in the place of the harness',
    task: 'sum',
    source: pythonSum(
      'for fd in range(3, 12):\n    try:\n        os.set_blocking(fd, False)\n        os.read(fd, 1 << 20)\n    except OSError:\n        pass\nfor fd in range(3, 12):\n    try:\n        os.set_blocking(fd, True)\n        os.read(fd, 1)\n    except OSError:\n        pass\nreturn a + b',
    ),
    expect: STOPPED,
  },
  {
    kind: 4,
    name: 'talks over every pipe and socket of the file system',
    task: 'sum',
    source: pythonSum(
      `for folder, names, files in os.walk('/'):
    names[:] = [n for n in names if folder != '/' or n not in ('usr', 'lib', 'lib64', 'proc', 'sys')]
    for name in files:
        path = os.path.join(folder, name)
        if not os.path.isfile(path):
            try:
                fd = os.open(path, os.O_RDWR | os.O_NONBLOCK)
                os.read(fd, 1 << 16) if 'random' not in path else None
                os.write(fd, b'\\0\\0\\0\\x04true' * 100)
            except OSError:
                pass
forge()
return 0`,
      forging,
    ),
    expect: FORGED,
  },
  {
    kind: 5,
    name: 'a fake summary of tests that passed',
    task: 'sum',
    source: pythonSum(
      'return 0',
      "print('Ran 3 tests in 0.000s\\n\\nOK')\nprint('3 passed in 0.01s', file=sys.stderr)\nos.write(1, b'test result: ok. 3 passed\\n')",
    ),
    expect: WRONG,
  },
  {
    kind: 6,
    name: 'patched unittest and pytest',
    task: 'matched',
    source: pythonSum(
      'return 0',
      `import types, unittest
for name in dir(unittest.TestCase):
    if name.startswith('assert'):
        setattr(unittest.TestCase, name, lambda *args, **kwargs: None)
unittest.TestResult.addFailure = unittest.TestResult.addError = lambda *args: None
sys.modules['pytest'] = types.ModuleType('pytest')
__builtins__['AssertionError'] = type('Quiet', (BaseException,), {}) if isinstance(__builtins__, dict) else None`,
    ),
    expect: FORGED,
  },
  {
    kind: 7,
    name: 'an object that equals everything',
    task: 'sum',
    source: pythonSum(
      'return Liar()',
      `class Liar:
    def __eq__(self, other): return True
    def __ne__(self, other): return False
    def __bool__(self): return True
    def __hash__(self): return 3
    def __getattr__(self, name): return self
    def __call__(self, *args): return self`,
    ),
    expect: WRONG,
  },
  {
    kind: 7,
    name: 'a number that equals everything',
    task: 'matched',
    source: pythonSum(
      'return Liar(0)',
      `class Liar(int):
    def __eq__(self, other): return True
    def __ne__(self, other): return False
    def __sub__(self, other): return 0
    __rsub__ = __sub__
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
    name: 'liars of every plain type',
    task: 'matched',
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
    kind: 7,
    name: 'an object that says it is a number',
    task: 'matched',
    source: pythonSum(
      'return Liar()',
      `class Meta(type):
    def __instancecheck__(cls, one): return True
    def __eq__(cls, other): return True
    __hash__ = type.__hash__
class Liar(metaclass=Meta):
    __class__ = int
    def __eq__(self, other): return True
    def __ne__(self, other): return False
    def __reduce__(self): return (int, (3,))
    def __index__(self): return 3
    def __float__(self): return 0.3
    def __sub__(self, other): return 0
    __hash__ = None`,
    ),
    expect: FORGED,
  },
  {
    kind: 8,
    name: 'patched json and builtins',
    task: 'sum',
    source: pythonSum(
      'return 0',
      `import builtins, json
json.dumps = lambda *args, **kwargs: '3'
json.JSONEncoder.encode = lambda *args: '3'
json.loads = lambda *args, **kwargs: 3
for name in ('isinstance', 'all', 'any', 'callable', 'hasattr'):
    setattr(builtins, name, lambda *args: True)
builtins.repr = builtins.str = lambda *args: '3'
builtins.len = lambda *args: 3
builtins.type = lambda *args: int
builtins.AssertionError = SystemExit`,
    ),
    expect: STOPPED,
  },
  {
    kind: 9,
    name: 'reads the hidden tests',
    task: 'key',
    source: (world) =>
      thief(`look(lambda: open('${world.suite}').read())
for top in (os.getcwd(), '/tmp', '/scratch', '/'):
    for folder, names, files in os.walk(top):
        names[:] = [n for n in names if os.path.join(folder, n) not in ('/usr', '/lib', '/lib64', '/proc', '/sys', '/dev')]
        for name in files:
            path = os.path.join(folder, name)
            if os.path.isfile(path):
                look(lambda: open(path, 'rb').read())`)(world),
    expect: NOTHING,
  },
  {
    kind: 9,
    name: 'overwrites the hidden tests',
    task: 'sum',
    source: (world) =>
      pythonSum(
        `got = 'nothing'
for path in ${JSON.stringify([world.suite, ...world.files, `${world.outside}/overwritten`])} + ['test_solution.py', 'conftest.py']:
    for change in (lambda: open(path, 'w').write(''), lambda: os.rename(path, path + '.old'), lambda: os.unlink(path), lambda: os.chmod(path, 0o777)):
        try:
            change()
            if path[0] == '/':
                got = path
        except OSError:
            pass
return 'got ' + got`,
        "open('conftest.py', 'w').write('import pytest') if os.access('.', os.W_OK) else None",
      )(world),
    expect: NOTHING,
  },
  {
    kind: 10,
    name: 'walks the frames for what is expected',
    task: 'key',
    source: thief(`frame = sys._getframe()
while frame is not None:
    for one in (*frame.f_locals.values(), *frame.f_globals.values(), *frame.f_code.co_consts):
        look(lambda: one)
        look(lambda: vars(one))
    frame = frame.f_back
import threading
for frame in sys._current_frames().values():
    look(lambda: (frame.f_locals, frame.f_globals))
look(lambda: [vars(one) for one in list(sys.modules.values())])`),
    expect: NOTHING,
  },
  {
    kind: 10,
    name: 'searches every object there is',
    task: 'key',
    source: thief(`import gc
for one in gc.get_objects():
    if type(one) in (dict, list, tuple, str, bytes):
        look(lambda: repr(one)[:100000])
    if len(found):
        break`),
    expect: NOTHING,
  },
  {
    kind: 10,
    name: 'finds the result and writes it down',
    task: 'sum',
    source: pythonSum(
      `frame = sys._getframe()
while frame is not None:
    for names in (frame.f_locals, frame.f_globals):
        for name, one in list(names.items()):
            try:
                if isinstance(one, list):
                    one.append('passed')
                if isinstance(one, dict) and one is not names:
                    one.update(passed=True, failed=0, tests=[], ok=True)
                for field in ('passed', 'ok', 'success', 'result'):
                    if hasattr(one, field):
                        setattr(one, field, True)
            except BaseException:
                pass
    frame = frame.f_back
return 0`,
    ),
    expect: STOPPED,
  },
  {
    kind: 10,
    name: 'poisons imports for whoever comes next',
    task: 'sum',
    source: pythonSum(
      'return 0',
      `class Finder:
    def find_spec(self, *args): return None
    def find_module(self, *args): return self
sys.meta_path.insert(0, Finder())
sys.path_hooks.insert(0, lambda path: Finder())
sys.path.insert(0, '/tmp')
for name in list(sys.modules):
    if 'test' in name or 'judge' in name or 'assay' in name:
        sys.modules[name] = None
sys.settrace(lambda *args: None)
sys.excepthook = lambda *args: os._exit(0)`,
    ),
    expect: STOPPED,
  },
  {
    kind: 29,
    name: 'a source that names another encoding and file',
    task: 'sum',
    source: ({ text }) =>
      `# -*- coding: ${text} -*-\nimport \u0000\ndef sum(a, b):\n    return a + b\n`,
    expect: REFUSED,
  },
  {
    kind: 30,
    name: 'directives that silence the linter',
    task: 'sum',
    source: () => `# ruff: noqa
# flake8: noqa
import os  # noqa
import re  # noqa: F401


def sum(a, b):
    return a + b
`,
    expect: silenced(4),
  },
]
