/** Hostile Python programs that try to reach secrets, the network, other processes and the machine. */
import { indented, pythonStart, pythonSum as sum } from './python-verdicts.ts'
import { NOTHING, STOPPED, type Hostile, type World } from './program.ts'

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
    attempt(lambda: host[0].isalpha() and socket.getaddrinfo(host, port) and 'the address of ' + host)
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
