/**
 * Malicious solutions. None of them passes or learns a secret, and none of their processes survives. Each gets a
 * failure reason that people understand, and a correct solution that is tested directly afterwards passes.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer, type AddressInfo, type Server } from 'node:net'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import type { CodeReport, Fault } from '../../../language.ts'
import { isPythonReady, openBench, type Bench } from '../../../../test/try-python.ts'

const isReady = await isPythonReady()

const TESTS =
  'from solution import f\n\ndef test_two():\n    assert f(2) == 4\n\ndef test_three():\n    assert f(3) == 9\n'
const GOOD = 'def f(n):\n    return n * n\n'
const SECRET = 'assay-planted-secret'

interface Hostile {
  readonly name: string
  readonly code: string
  /**
   * The expected fault, or a list of which any one may occur. Null: there is no fault; the solution runs to its end
   * and fails its tests.
   */
  readonly fault: Fault['kind'] | null | readonly (Fault['kind'] | null)[]
  readonly says?: RegExp
}

/** Python code that finds the two pipes to the tester. */
const LINES = `
def lines():
    found = []
    for fd in range(3, 64):
        try:
            if stat.S_ISFIFO(os.fstat(fd).st_mode):
                found.append(fd)
        except OSError:
            pass
    assert len(found) == 2
    return found
`

const inF = (...lines: string[]): string =>
  `import os, stat, sys, signal, time\n${LINES}\ndef f(n):\n${lines.map((line) => `    ${line}\n`).join('')}`

/**
 * Solutions that run until a limit ends them. The limits are low and the solutions run in parallel, because they
 * only take time.
 */
const ENDLESS: readonly Hostile[] = [
  {
    name: 'loops without end',
    code: inF('while True: pass'),
    fault: 'timeout',
    says: /processor time|did not end within 2 s/,
  },
  { name: 'loops without end when it is loaded', code: 'while True: pass\n', fault: 'timeout' },
  {
    name: 'sleeps',
    code: inF('time.sleep(60)'),
    fault: 'timeout',
    says: /did not end within 2 s|only waited/,
  },
  {
    name: 'a pattern that backtracks without end',
    code: inF('import re', 'return re.match("(a+)+$", "a" * 40 + "b")'),
    fault: 'timeout',
  },
  {
    name: 'stops itself',
    code: inF('os.kill(os.getpid(), signal.SIGSTOP)', 'return n * n + 1'),
    fault: 'timeout',
  },
  {
    name: 'ignores every signal',
    code: inF(
      'for s in range(1, 65):',
      '    try: signal.signal(s, signal.SIG_IGN)',
      '    except (OSError, ValueError): pass',
      'while True: pass',
    ),
    fault: 'timeout',
  },
]

const HOSTILE: readonly Hostile[] = [
  { name: 'os._exit(0) in a call', code: inF('os._exit(0)'), fault: 'exit', says: /exit code 0/ },
  { name: 'os._exit(0) when it is loaded', code: 'import os\nos._exit(0)\n', fault: 'exit' },
  { name: 'sys.exit(0)', code: inF('sys.exit(0)'), fault: null, says: /SystemExit: 0/ },
  {
    name: 'sys.exit when it is loaded',
    code: 'import sys\nsys.exit(0)\n',
    fault: null,
    says: /failed when it was loaded: SystemExit/,
  },
  {
    name: 'KeyboardInterrupt',
    code: inF('raise KeyboardInterrupt'),
    fault: null,
    says: /KeyboardInterrupt/,
  },
  {
    name: 'raises what skips tests',
    code: `import unittest\n${inF('raise unittest.SkipTest("x")')}`,
    fault: null,
    says: /SkipTest/,
  },
  {
    name: 'always equal',
    code: `class Any:\n    def __eq__(self, other): return True\n    def __hash__(self): return 0\n${inF('return Any()')}`,
    fault: null,
  },
  {
    name: 'an int that is always equal',
    code: `class Any(int):\n    def __eq__(self, other): return True\n    def __hash__(self): return 0\n${inF('return Any(5)')}`,
    fault: null,
  },
  {
    name: 'walks frames for expected values',
    code: inF(
      'frame = sys._getframe()',
      'while frame:',
      '    for key, value in list(frame.f_locals.items()):',
      '        if "expect" in key or isinstance(value, dict) and "tests" in value: return value',
      '    frame = frame.f_back',
      'return -1',
    ),
    fault: null,
  },
  {
    name: 'eats memory',
    code: inF('return len(bytearray(8 * 2 ** 30))'),
    fault: 'memory',
    says: /more than 512 MB|MemoryError/,
  },
  {
    name: 'eats memory bit by bit',
    code: inF('xs = []', 'while True: xs.append("x" * 10 ** 6 + str(len(xs)))'),
    fault: 'memory',
  },
  { name: 'recurses without end', code: inF('return f(n)'), fault: null, says: /RecursionError/ },
  {
    name: 'recurses without end and without limit',
    code: inF('sys.setrecursionlimit(10 ** 9)', 'return f(n) + 1'),
    fault: ['crash', 'memory', 'timeout'],
  },
  {
    name: 'overflows the stack',
    code: inF(
      'sys.setrecursionlimit(10 ** 9)',
      'x = []',
      'for _ in range(10 ** 6): x = [x]',
      'return repr(x)',
    ),
    fault: ['crash', 'memory', null],
  },
  {
    name: 'returns a value a million deep',
    code: inF('x = []', 'for _ in range(10 ** 6): x = [x]', 'return x'),
    fault: null,
    says: /deep|recursion/i,
  },
  {
    name: 'sends a value a million deep by itself',
    code: inF(
      'body = b"[" * 10 ** 6 + b"]" * 10 ** 6',
      'os.write(lines()[1], len(body).to_bytes(4, "big") + body)',
      'time.sleep(60)',
    ),
    fault: 'crash',
    says: /no message/,
  },
  {
    name: 'returns 500 MB',
    code: inF('return "x" * (200 * 2 ** 20)'),
    fault: [null, 'memory', 'timeout'],
    says: /too long|too large|MemoryError/,
  },
  {
    name: 'floods the pipe',
    code: inF('while True: os.write(lines()[1], b"\\x00\\x00\\x00\\x02{}" * 1000)'),
    fault: 'crash',
    says: /no message/,
  },
  {
    name: 'floods the pipe with one long message',
    code: inF('os.write(lines()[1], b"\\xff" * 60000)', 'time.sleep(60)'),
    fault: 'output',
  },
  {
    name: 'floods the host',
    code: inF('while True: os.write(4, b"\\x00\\x00\\x00\\x02{}" * 1000)'),
    fault: 'output',
    says: /not its own/,
  },
  {
    name: 'leaves its connections changed',
    code: inF(
      'import fcntl, socket',
      's = socket.socket(fileno=os.dup(4))',
      's.setsockopt(socket.SOL_SOCKET, socket.SO_RCVTIMEO, b"\\x00" * 8 + b"\\x01" + b"\\x00" * 7)',
      's.setblocking(False)',
      'for fd in lines():',
      '    os.set_blocking(fd, False)',
      '    fcntl.fcntl(fd, 1031, 4096)',
      'os.write(lines()[0], b"left over")',
      'return -1',
    ),
    fault: [null, 'crash'],
  },
  {
    name: 'forges messages of the tester',
    code: inF(
      'for body in (b\'{"result":[0,true,null]}\', b\'{"result":[1,true,null]}\', b\'{"done":true,"memory":false}\'):',
      '    os.write(4, len(body).to_bytes(4, "big") + body)',
      'os._exit(0)',
    ),
    fault: ['output', 'exit'],
  },
  {
    name: 'forges words of its server',
    code: inF(
      'for fd in (3, 5, 8, 9):',
      '    try: os.write(fd, b\'\\x00\\x00\\x00\\x07"ready"\')',
      '    except OSError: pass',
      'return -1',
    ),
    fault: null,
  },
  {
    name: 'opens all files',
    code: inF('held = []', 'while True: held.append(open("/dev/null"))'),
    fault: null,
    says: /Too many open files|OSError/,
  },
  {
    name: 'fills the disk',
    code: inF('open("big", "wb").write(b"x" * 2 ** 30)'),
    fault: null,
    says: /Read-only|OSError|PermissionError/,
  },
  {
    name: 'patches what everybody uses',
    code: `import builtins, json, unittest, operator\nbuiltins.AssertionError = Exception\nbuiltins.isinstance = lambda *a: True\nunittest.TestCase.assertEqual = lambda *a: None\njson.JSONEncoder.encode = lambda *a: "[]"\noperator.eq = lambda *a: True\n${inF('return -1')}`,
    fault: [null, 'crash'],
  },
  {
    name: 'import hooks',
    code: `import sys\nclass Hook:\n    def find_spec(self, name, path=None, target=None): raise SystemExit(0)\nsys.meta_path.insert(0, Hook())\n${inF('import tests', 'return tests')}`,
    fault: null,
  },
  {
    name: 'closes its connection',
    code: inF('os.closerange(3, 64)', 'return n * n'),
    fault: 'crash',
  },
  {
    name: 'reads the tests',
    code: inF(
      'found = []',
      'for root, folders, names in os.walk("/"):',
      '    folders[:] = [one for one in folders if one not in ("usr", "lib", "lib64")]',
      '    for name in names:',
      '        try: found.append(open(root + "/" + name, "rb").read(999) if stat.S_ISREG(os.stat(root + "/" + name).st_mode) else b"")',
      '        except OSError: pass',
      'return b"".join(found)',
    ),
    fault: null,
    says: /line 4: b['"]/,
  },
  {
    name: 'segfaults',
    code: inF('import ctypes', 'ctypes.string_at(0)'),
    fault: 'crash',
    says: /SIGSEGV/,
  },
]

/**
 * Solutions that only the filter on system calls stops. Without it, they can attack the server or start processes
 * that outlive them.
 */
const REACHING: readonly Hostile[] = [
  {
    name: 'kills its parent',
    code: inF('os.kill(os.getppid(), signal.SIGKILL)', 'time.sleep(0.2)', 'return n * n'),
    fault: 'crash',
  },
  {
    name: 'kills everybody',
    code: inF('os.kill(-1, signal.SIGKILL)', 'time.sleep(0.2)', 'return n * n + 1'),
    fault: 'crash',
  },
  {
    name: 'stops its parent',
    code: inF('os.kill(os.getppid(), signal.SIGSTOP)', 'return n + 1'),
    fault: null,
  },
  {
    name: 'a fork bomb',
    code: inF('while True:', '    try: os.fork()', '    except OSError: pass'),
    fault: 'timeout',
  },
  {
    name: 'a daemon that answers for it',
    code: inF(
      'if os.fork() == 0:',
      '    os.setsid()',
      '    if os.fork() == 0:',
      '        signal.signal(signal.SIGTERM, signal.SIG_IGN)',
      '        while True: time.sleep(1)',
      '    os._exit(0)',
      'return -1',
    ),
    fault: null,
  },
  {
    name: 'a child that lives on',
    code: inF('if os.fork() == 0:', '    while True: pass', 'os._exit(0)'),
    fault: 'exit',
  },
  {
    name: 'children that eat memory',
    code: inF(
      'for _ in range(8):',
      '    if os.fork() == 0:',
      '        x = bytearray(100 * 2 ** 20)',
      '        time.sleep(60)',
      'return -1',
    ),
    fault: null,
  },
  {
    name: 'reaches into its parent',
    code: inF(
      'import ctypes',
      'libc = ctypes.CDLL(None, use_errno=True)',
      'return libc.ptrace(16, os.getppid(), 0, 0)',
    ),
    fault: null,
    says: /-1 == 4/,
  },
]

/** Returns the number of processes that descend from this one. */
function descendants(): number {
  const parents = new Map<number, number>()
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue
    try {
      const stat = readFileSync(`/proc/${name}/stat`, 'latin1')
      const [state, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
      if (state !== 'Z') parents.set(Number(name), Number(parent))
    } catch {
      // The process has ended meanwhile.
    }
  }
  const isOurs = (pid: number): boolean =>
    pid === process.pid || (parents.has(pid) && isOurs(parents.get(pid) ?? 0))
  return [...parents.values()].filter((parent) => isOurs(parent)).length
}

function expectHarmless({ code, fault, says }: Hostile, report: CodeReport): void {
  expect(report.compiled, code).toBe(true)
  expect(report.tests).toHaveLength(2)
  expect(report.tests?.every(({ passed }) => passed)).toBe(false)
  const kinds = Array.isArray(fault) ? (fault as unknown[]) : [fault]
  expect(kinds, JSON.stringify(report)).toContain(report.fault?.kind ?? null)
  const words = [report.fault?.text, ...(report.tests ?? []).map(({ message }) => message)].join(
    '\n',
  )
  if (says !== undefined) expect(words).toMatch(says)
  expect(words).not.toContain(SECRET)
  expect(words).not.toContain('def test')
}

const SOON = { cpuMs: 500, memoryBytes: 512 * 2 ** 20 }

describe.skipIf(!isReady)('hostile Python', () => {
  let bench: Bench
  let bare: Bench
  beforeAll(async () => {
    bench = await openBench()
    bare = await openBench({ filter: false })
    await Promise.all([bench, bare].map((one) => one.run(GOOD, TESTS)))
  })
  /** Returns the number of processes after a correct answer, when its tester waits for the next solution. */
  async function atRest(on: Bench): Promise<number> {
    await on.run(GOOD, TESTS)
    return descendants()
  }

  async function expectGraded(on: Bench, hostile: Hostile): Promise<void> {
    const limits = hostile.fault === 'timeout' ? { limits: SOON } : {}
    expectHarmless(hostile, await on.run(hostile.code, TESTS, limits))
    const after = await on.run(GOOD, TESTS)
    expect(after.tests?.map(({ passed }) => passed)).toEqual([true, true])
  }

  it('ends what does not end by itself', async () => {
    const reports = await Promise.all(
      ENDLESS.map(({ code }) => bench.run(code, TESTS, { limits: SOON })),
    )
    for (const [index, hostile] of ENDLESS.entries())
      expectHarmless(hostile, reports[index] as CodeReport)
  })

  it.each(HOSTILE)('$name', (hostile) => expectGraded(bench, hostile))

  it.each(REACHING)('without the filter: $name', async (hostile) => {
    const before = await atRest(bare)
    await expectGraded(bare, hostile)
    await expect.poll(() => atRest(bare)).toBeLessThanOrEqual(before)
  })

  it.each(REACHING)('with the filter: $name', async ({ code }) => {
    const before = await atRest(bench)
    const report = await bench.run(code, TESTS, { limits: SOON })
    expect(report.tests?.every(({ passed }) => passed)).toBe(false)
    expect(['timeout', null]).toContain(report.fault?.kind ?? null)
    await expect.poll(() => atRest(bench)).toBeLessThanOrEqual(before)
  })

  it('tells a sample nothing of this machine', async () => {
    process.env['ASSAY_TEST_SECRET'] = SECRET
    const folder = await mkdtemp(join(homedir(), '.assay-test-'))
    await writeFile(join(folder, 'secret'), SECRET)
    const server: Server = createServer((socket) => socket.end(SECRET))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    const code = inF(
      'import socket',
      'found = [repr(dict(os.environ))]',
      `for path in ("/etc/shadow", "/etc/passwd", "/proc/1/environ", "/proc/self/environ", ${JSON.stringify(join(folder, 'secret'))}, "/etc/hostname"):`,
      '    try: found.append(open(path).read())',
      '    except OSError as error: found.append(type(error).__name__)',
      'try:',
      `    s = socket.create_connection(("127.0.0.1", ${port}), 1)`,
      '    found.append("connected " + s.recv(99).decode())',
      'except OSError as error: found.append("no network")',
      'try: socket.getaddrinfo("example.org", 80); found.append("resolved")',
      'except OSError: pass',
      'return "\\n".join(found)',
    )
    try {
      const report = await bench.run(code, TESTS)
      const said = JSON.stringify(report)
      expect(said).toContain('no network')
      expect(said).toContain('FileNotFoundError')
      expect(said).not.toContain(SECRET)
      expect(said).not.toContain('root:')
      expect(said).not.toContain('resolved')
    } finally {
      delete process.env['ASSAY_TEST_SECRET']
      server.close()
      await rm(folder, { recursive: true })
    }
  })

  it('survives sources that are meant for the compiler and the linter', async () => {
    const deep = `x = ${'['.repeat(100)}${']'.repeat(100)}\n`
    const sources = [
      `x = ${'['.repeat(20_000)}${']'.repeat(20_000)}\n`,
      `x = ${'-'.repeat(200_000)}1\n`,
      `x = ${'1 + '.repeat(100_000)}1\n`,
      `${Array.from({ length: 90 }, (_, depth) => `${' '.repeat(depth)}if x:\n`).join('')}${' '.repeat(90)}pass\n`,
      'x = 1\n'.repeat(50_000),
      `x = ${'9'.repeat(100_000)}\n`,
      deep,
    ]
    for (const source of sources) {
      const report = await bench.run(source, null, { lint: true })
      expect([true, false]).toContain(report.compiled)
      if (!report.compiled) expect(report.errors[0]?.message).not.toBe('')
    }
    expect((await bench.run(GOOD, TESTS, { lint: true })).warnings).toEqual([])
  })

  it('ends at once when the run is stopped', async () => {
    const stop = new AbortController()
    const graded = bench.run(inF('while True: pass'), TESTS, { signal: stop.signal })
    setTimeout(() => stop.abort(new Error('stopped')), 200)
    await expect(graded).rejects.toThrow('stopped')
    expect((await bench.run(GOOD, TESTS)).tests?.every(({ passed }) => passed)).toBe(true)
  })

  it('leaves nothing running', async () => {
    expect(descendants()).toBeGreaterThan(0)
    await bench.close()
    await bare.close()
    expect(descendants()).toBe(0)
  })
})
