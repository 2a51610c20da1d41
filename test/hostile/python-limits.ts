/**
 * Hostile Python programs that exceed their limits of time, memory, disk, output and processes, or block the
 * compiler.
 */
import { pythonSum as sum } from './python-verdicts.ts'
import { BOMB, ENDLESS, GREEDY, STOPPED, WRONG, type Hostile } from './program.ts'

/** The parser or compiler may accept it. Then the answer is wrong. */
const bomb = (before: string) => () =>
  `${before}

def sum(a, b):
    return a - b - 1
`

export const pythonLimits: readonly Hostile[] = [
  {
    kind: 1,
    name: 'a loop without end',
    task: 'sum',
    source: sum('while True:\n    pass'),
    expect: ENDLESS,
  },
  {
    kind: 1,
    name: 'a loop without end at import',
    task: 'sum',
    source: sum('return a + b', 'while True:\n    pass'),
    expect: ENDLESS,
  },
  {
    kind: 1,
    name: 'a loop that catches everything',
    task: 'sum',
    source: sum(
      'while True:\n    try:\n        while True:\n            pass\n    except BaseException:\n        pass',
    ),
    expect: ENDLESS,
  },
  {
    kind: 1,
    name: 'one call that never returns',
    task: 'sum',
    source: sum('return 3 ** 3 ** 3 ** 3'),
    expect: STOPPED,
  },
  {
    kind: 2,
    name: 'sleeps',
    task: 'sum',
    source: sum('time.sleep(600)\nreturn a + b', 'import time'),
    expect: ENDLESS,
  },
  {
    kind: 2,
    name: 'an event loop without end',
    task: 'sum',
    source: sum('asyncio.run(asyncio.Event().wait())\nreturn a + b', 'import asyncio'),
    expect: STOPPED,
  },
  {
    kind: 2,
    name: 'waits for itself',
    task: 'sum',
    source: sum(
      'lock = threading.Lock()\nlock.acquire()\nlock.acquire()\nreturn a + b',
      'import threading',
    ),
    expect: ENDLESS,
  },
  {
    kind: 18,
    name: 'a list without end',
    task: 'sum',
    source: sum('kept = []\nwhile True:\n    kept.append([0] * 100000)'),
    expect: GREEDY,
  },
  {
    kind: 18,
    name: 'eight gigabytes at once',
    task: 'sum',
    source: sum("return len(b'x' * 8 * 2 ** 30)"),
    expect: GREEDY,
  },
  {
    kind: 19,
    name: 'shared memory without end',
    task: 'sum',
    source: sum(
      'import mmap\nkept = []\nwhile True:\n    one = mmap.mmap(-1, 1 << 26)\n    one.write(b"x" * (1 << 26))\n    kept.append(one)',
    ),
    expect: GREEDY,
  },
  {
    kind: 20,
    name: 'many children with half a gigabyte each',
    task: 'sum',
    source: sum(
      'for _ in range(40):\n    try:\n        if os.fork() == 0:\n            kept = bytearray(b"x") * (512 << 20)\n            time.sleep(30)\n            os._exit(0)\n    except BaseException:\n        pass\ntime.sleep(0.3)\nreturn 0',
      'import time',
    ),
    expect: STOPPED,
  },
  {
    kind: 21,
    name: 'fills every disk',
    task: 'sum',
    source: (world) =>
      sum(
        `wrote = 0
for folder in ('.', '/tmp', '/dev/shm', '/scratch', '${world.outside}'):
    try:
        with open(folder + '/filled', 'wb', 0) as file:
            for _ in range(4096):
                wrote += file.write(b'x' * (1 << 20))
    except OSError:
        pass
return 'wrote %d' % wrote`,
      )(world),
    expect: STOPPED,
  },
  {
    kind: 21,
    name: 'a flood of files',
    task: 'sum',
    source: (world) =>
      sum(
        `made = 0
for folder in ('.', '/tmp', '/dev/shm', '/scratch', '${world.outside}'):
    try:
        for at in range(1000000):
            os.close(os.open(folder + '/flood%d' % at, os.O_CREAT | os.O_WRONLY))
            made += 1
    except OSError:
        pass
return 'made %d' % made`,
      )(world),
    expect: STOPPED,
  },
  {
    kind: 22,
    name: 'a flood of output',
    task: 'sum',
    source: sum(
      "while True:\n    print('x' * (1 << 20))\n    os.write(1, b'x' * (1 << 20))\n    os.write(2, b'x' * (1 << 20))",
    ),
    expect: STOPPED,
  },
  {
    kind: 22,
    name: 'a flood of messages to the harness',
    task: 'sum',
    source: sum(
      'while True:\n    for fd in range(3, 8):\n        try:\n            os.write(fd, bytes(1 << 20))\n        except OSError:\n            pass',
    ),
    expect: STOPPED,
  },
  {
    kind: 22,
    name: 'a message that never ends',
    task: 'sum',
    source: sum(
      "for fd in range(3, 8):\n    try:\n        os.write(fd, b'\\xff' * 65536)\n    except OSError:\n        pass\nreturn a + b",
    ),
    expect: STOPPED,
  },
  {
    kind: 22,
    name: 'returns five hundred megabytes',
    task: 'sum',
    source: sum("return 'x' * (500 << 20)"),
    expect: GREEDY,
  },
  {
    kind: 22,
    name: 'returns two hundred megabytes',
    task: 'sum',
    source: sum("return 'x' * (200 << 20)"),
    expect: GREEDY,
  },
  {
    kind: 22,
    name: 'returns a list a million deep',
    task: 'sum',
    source: sum('deep = []\nfor _ in range(1000000):\n    deep = [deep]\nreturn deep'),
    expect: STOPPED,
  },
  {
    kind: 22,
    name: 'returns a number of a million digits',
    task: 'sum',
    source: sum('return 7 ** 1200000'),
    expect: STOPPED,
  },
  {
    kind: 22,
    name: 'raises a message of a hundred megabytes',
    task: 'sum',
    source: sum("raise ValueError('x' * (100 << 20))"),
    expect: STOPPED,
  },
  {
    kind: 23,
    name: 'recursion without end',
    task: 'sum',
    source: sum('return sum(a, b) + 1'),
    expect: WRONG,
  },
  {
    kind: 23,
    name: 'recursion past the stack',
    task: 'sum',
    source: sum('sys.setrecursionlimit(10 ** 9)\nreturn sum(a, b) + 1'),
    expect: STOPPED,
  },
  {
    kind: 23,
    name: 'recursion of the interpreter itself',
    task: 'sum',
    source: sum(
      'sys.setrecursionlimit(10 ** 9)\ndeep = []\nfor _ in range(10 ** 6):\n    deep = [deep]\nreturn repr(deep)',
    ),
    expect: STOPPED,
  },
  {
    kind: 24,
    name: 'a pattern that takes for ever',
    task: 'sum',
    source: sum("return 0 if re.match('(a+)+$', 'a' * 60 + '!') else a + b", 'import re'),
    expect: ENDLESS,
  },
  {
    kind: 25,
    name: 'stops itself',
    task: 'sum',
    source: sum('os.kill(os.getpid(), 19)\ntime.sleep(600)', 'import time'),
    expect: ENDLESS,
  },
  {
    kind: 25,
    name: 'ignores every signal it can',
    task: 'sum',
    source: sum(
      'for number in range(1, 65):\n    try:\n        signal.signal(number, signal.SIG_IGN)\n    except (OSError, ValueError):\n        pass\nwhile True:\n    pass',
      'import signal',
    ),
    expect: ENDLESS,
  },
  {
    kind: 26,
    name: 'opens files until there are none left',
    task: 'sum',
    source: sum("kept = []\nwhile True:\n    kept.append(open('/dev/null'))"),
    expect: WRONG,
  },
  {
    kind: 26,
    name: 'fifty busy threads',
    task: 'sum',
    source: sum(
      'def spin():\n    while True:\n        pass\nfor _ in range(50):\n    try:\n        threading.Thread(target=spin).start()\n    except RuntimeError:\n        pass\nspin()',
      'import threading',
    ),
    expect: STOPPED,
  },
  {
    kind: 28,
    name: 'twenty thousand nested brackets',
    task: 'sum',
    source: bomb(`deep = ${'['.repeat(20_000)}${']'.repeat(20_000)}`),
    expect: BOMB,
  },
  {
    kind: 28,
    name: 'nesting without a bracket',
    task: 'sum',
    source: bomb(
      `a = ${'-'.repeat(100_000)}1\nb = ${'not '.repeat(50_000)}1\nc = ${'1 if 1 else '.repeat(20_000)}1`,
    ),
    expect: BOMB,
  },
  {
    kind: 28,
    name: 'sums and attributes without end',
    task: 'sum',
    source: bomb(`def f(x):\n    return x${'.x'.repeat(60_000)}\na = ${'1+'.repeat(60_000)}1`),
    expect: BOMB,
  },
  {
    kind: 28,
    name: 'blocks ninety deep, and elifs without end',
    task: 'sum',
    source: bomb(
      `${Array.from({ length: 95 }, (_, at) => `${' '.repeat(at)}if 1:`).join('\n')}\n${' '.repeat(95)}pass\nif 0:\n    pass\n${'elif 0:\n    pass\n'.repeat(20_000)}`,
    ),
    expect: BOMB,
  },
  {
    kind: 28,
    name: 'a constant of gigabytes',
    task: 'sum',
    source: bomb("a = 'x' * 4096 * 4096 * 4096\nb = (1,) * 10 ** 9\nc = 1 << (1 << 40)"),
    expect: BOMB,
  },
  {
    kind: 28,
    name: 'thirty thousand functions',
    task: 'sum',
    source: bomb(
      Array.from(
        { length: 30_000 },
        (_, at) => `def f${at}(a):\n    return f${(at * 7) % 30_000}(a)\n`,
      ).join('\n'),
    ),
    expect: BOMB,
  },
]
