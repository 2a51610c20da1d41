/** Python that reaches out of its sandbox, or wants more of time, memory, disk, output and processes than it has. */
import { indented, pythonStart, pythonSum as sum } from './python-verdicts.ts'
import {
  BOMB,
  ENDLESS,
  GREEDY,
  NOTHING,
  STOPPED,
  WRONG,
  type Hostile,
  type World,
} from './program.ts'

const reaching = (body: (world: World) => string) => (world: World) =>
  `${pythonStart(world)}
got = []

def attempt(make):
    try:
        value = make()
        if value:
            got.append(str(value)[:400])
    except BaseException:
        pass

def sum(a, b):
${indented(body(world))}
    told = 'got ' + (' | '.join(got) or 'nothing')
    try:
        os.write(2, told.encode())
    except OSError:
        pass
    return told
`

const names = (paths: readonly string[]): string => JSON.stringify(paths)

/** What the parser or the compiler may get through; then the answer is wrong. */
const bomb = (before: string) => () =>
  `${before}

def sum(a, b):
    return a - b - 1
`

export const pythonReach: readonly Hostile[] = [
  {
    kind: 11,
    name: 'keys in the environment',
    task: 'sum',
    source: reaching(
      ({ variable }) => `attempt(lambda: os.environ['${variable}'])
attempt(lambda: [v for k, v in os.environ.items() if 'KEY' in k or 'PLANTED' in k])
for who in ('self', os.getpid(), os.getppid(), 1, 2, 3):
    attempt(lambda: (open('/proc/%s/environ' % who), 'opened %s' % who)[1])
import ctypes
attempt(lambda: ctypes.CDLL(None).getenv(b'${variable}'))`,
    ),
    expect: NOTHING,
  },
  {
    kind: 12,
    name: 'keys at home, passwords, the harness',
    task: 'sum',
    source: reaching(
      ({
        files,
        suite,
        json,
        text,
        system,
      }) => `for path in ${names([...files, suite, json, text])}:
    attempt(lambda: open(path, errors='replace').read())
for path in ${names(system)}:
    attempt(lambda: (open(path), 'opened ' + path)[1])
    attempt(lambda: (os.scandir(path), 'opened ' + path)[1])`,
    ),
    expect: NOTHING,
  },
  {
    kind: 13,
    name: 'connections to the machine and beyond',
    task: 'sum',
    source: reaching(
      ({ tcp, udp, abstract, socket, beyond }) => `import socket
def connect(family, to):
    with socket.socket(family, socket.SOCK_STREAM) as one:
        one.settimeout(0.3)
        one.connect(to)
        return 'a connection to %r' % (to,)
def send(to):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as one:
        return one.sendto(b'hello', to) and 'sent'
def listen():
    one = socket.socket()
    one.bind(('0.0.0.0', 0))
    one.listen()
    return 'listens'
attempt(lambda: connect(socket.AF_INET, ('127.0.0.1', ${tcp})))
attempt(lambda: connect(socket.AF_INET6, ('::ffff:127.0.0.1', ${tcp})))
for place in ${names(beyond)}:
    host, port = place.split(':')
    attempt(lambda: connect(socket.AF_INET, (host, int(port))))
    attempt(lambda: socket.getaddrinfo(host, port) and 'the address of ' + host)
attempt(lambda: connect(socket.AF_UNIX, '\\0${abstract}'))
attempt(lambda: connect(socket.AF_UNIX, '${socket}'))
attempt(lambda: send(('127.0.0.1', ${udp})))
attempt(listen)
import ctypes
attempt(lambda: ctypes.CDLL(None).socket(2, 1, 0) >= 0 and 'a socket')
attempt(lambda: ctypes.CDLL(None).syscall(41, 2, 1, 0) >= 0 and 'a socket by number')`,
    ),
    expect: NOTHING,
  },
  {
    kind: 14,
    name: 'forks and forks',
    task: 'sum',
    source: sum('while True:\n    try:\n        os.fork()\n    except OSError:\n        pass'),
    expect: STOPPED,
  },
  {
    kind: 14,
    name: 'two hundred shells that fork',
    task: 'sum',
    source: reaching(
      ({ mark }) => `import subprocess
for _ in range(200):
    attempt(lambda: subprocess.Popen(['/bin/sh', '-c', ': ${mark}; b() { b | b & }; b; sleep 30']))`,
    ),
    expect: STOPPED,
  },
  {
    kind: 15,
    name: 'kills everybody it can',
    task: 'sum',
    source: reaching(
      () => `for who in (-1, os.getppid(), 1, *range(1, 300)):
    for signal in (19, 9):
        if who != os.getpid():
            attempt(lambda: os.kill(who, signal))
attempt(lambda: os.killpg(0, 9))`,
    ),
    expect: STOPPED,
  },
  {
    kind: 16,
    name: 'a daemon that ignores signals',
    task: 'sum',
    source: reaching(
      ({ outside }) => `import signal, time
def daemon():
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            for number in range(1, 32):
                try:
                    signal.signal(number, signal.SIG_IGN)
                except (OSError, ValueError):
                    pass
            while True:
                time.sleep(0.1)
                try:
                    open('${outside}/daemon', 'w')
                except OSError:
                    pass
        os._exit(0)
    return 'a daemon'
attempt(daemon)
time.sleep(0.2)`,
    ),
    expect: STOPPED,
  },
  {
    kind: 17,
    name: 'a daemon that holds the pipes open',
    task: 'sum',
    source: sum(
      'try:\n    if os.fork() == 0:\n        os.setsid()\n        while True:\n            time.sleep(1)\nexcept OSError:\n    pass\nos._exit(0)',
      'import time',
    ),
    expect: STOPPED,
  },
  {
    kind: 27,
    name: 'another namespace, mounts, the first process, root',
    task: 'sum',
    source: reaching(
      ({ text, outside }) => `import ctypes
libc = ctypes.CDLL(None, use_errno=True)
for flags in (0x10000000, 0x10020000, 0x20000000, 0x40000000):
    attempt(lambda: libc.unshare(flags) == 0 and 'a namespace')
attempt(lambda: libc.mount(b'proc', b'/proc', b'proc', 0, None) == 0 and 'a mount')
attempt(lambda: libc.chroot(b'/') == 0 and 'a root')
attempt(lambda: libc.ptrace(16, os.getppid(), 0, 0) == 0 and 'a trace')
attempt(lambda: libc.syscall(310, 1, 0, 0, 0, 0, 0) >= 0 and 'memory of the first')
attempt(lambda: libc.syscall(165, b'none', b'/tmp', b'tmpfs', 0, 0) == 0 and 'a mount by number')
attempt(lambda: libc.syscall(425, 8, 0) >= 0 and 'a ring')
attempt(lambda: libc.syscall(321, 0, 0, 0) >= 0 and 'a filter')
attempt(lambda: os.setuid(0) or 'root')
for path in ('/proc/1/mem', '/proc/self/mem', '/proc/1/root/etc/hostname', '/dev/mem', '/dev/kvm', '/dev/vda', '/sys/kernel'):
    attempt(lambda: (open(path), path)[1])
attempt(lambda: os.symlink('${text}', 'result.json') or open('result.json').read())
attempt(lambda: os.symlink('/etc/passwd', '${outside}/link') or 'a link outside')
attempt(lambda: os.link('${text}', 'hard') or open('hard').read())
import resource
attempt(lambda: resource.setrlimit(resource.RLIMIT_CPU, (10**6, 10**6)) or 'time')
attempt(lambda: resource.setrlimit(resource.RLIMIT_DATA, (2**40, 2**40)) or 'memory')`,
    ),
    expect: NOTHING,
  },
]

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
