import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  hasBubblewrap,
  hasPython,
  inNode,
  inPython,
  inShell,
  MIB,
  programOf,
  run,
  shownBy,
  type Wanted,
} from '../../test/sandboxed.ts'
import { openBubblewrap, type Way } from './bubblewrap.ts'
import { findProgram } from '../find-program.ts'
import { workingWay } from '../open-sandbox.ts'
import { SandboxError, type Sandbox } from '../sandbox.ts'

const home = realpathSync(mkdtempSync(join(tmpdir(), 'assay home-')))
let way: Way
let sandbox: Sandbox

/** The start of a program that drops root by itself (`drops`). */
const DROPS = `import sys
user = int(sys.argv[-1])
if user != 0:
    os.setgroups([]), os.setgid(user), os.setuid(user)`

describe.skipIf(!hasBubblewrap)('a program in bubblewrap', () => {
  beforeAll(async () => {
    way = await workingWay({})
    sandbox = openBubblewrap(way)
  })

  afterAll(async () => {
    rmSync(home, { recursive: true, force: true })
    await sandbox.close()
  })

  describe('sees', () => {
    it('no environment but its own', async () => {
      const env = await shownBy(sandbox, inNode('show(process.env)', { env: { ONLY: 'this' } }))
      // Bubblewrap itself sets PWD.
      expect(env).toEqual({ ONLY: 'this', PWD: '/scratch' })
    })

    it('no file but what it was given', async () => {
      const secret = join(home, 'secret')
      writeFileSync(secret, 'sesame')
      const paths = [
        ...[
          secret,
          home,
          import.meta.filename,
          '/etc/passwd',
          '/etc/shadow',
          '/proc',
          '/proc/1/environ',
        ],
        ...[
          '/sys',
          '/root',
          '/home',
          '/tmp',
          '/var',
          '/usr/local',
          '/usr/share',
          '/usr/src',
          '/usr/bin/env',
        ],
        ...['/dev/shm', '/dev/zero', '/dev/tty', '/bin'],
        // The folders above the program itself are visible, with nothing else in them.
      ].filter((path) => !process.execPath.startsWith(`${path}/`))
      const found = await shownBy(
        sandbox,
        inNode(`show(${JSON.stringify(paths)}.filter((path) => fs.existsSync(path)))`),
      )
      expect(found).toEqual([])
    })

    it('what it was given, and nothing beside it', async () => {
      const folder = join(home, 'given')
      mkdirSync(folder)
      writeFileSync(join(folder, 'file'), 'here')
      writeFileSync(join(home, 'beside'), 'not here')
      const seen = await shownBy(
        sandbox,
        inNode(
          `show([fs.readFileSync(${JSON.stringify(join(folder, 'file'))}, 'utf8'), fs.readdirSync(${JSON.stringify(home)})])`,
          {
            reads: [folder],
          },
        ),
      )
      expect(seen).toEqual(['here', ['given']])
    })

    it('what links lead to, under odd names too', async () => {
      const folder = join(home, '-- dev-bind \n"odd"')
      mkdirSync(join(folder, 'inner'), { recursive: true })
      writeFileSync(join(folder, 'inner', 'file'), 'found')
      symlinkSync(join(folder, 'inner'), join(home, '--link'))
      const path = join(home, '--link', 'file')
      const seen = await shownBy(
        sandbox,
        inNode(
          `show([fs.readFileSync(${JSON.stringify(path)}, 'utf8'), fs.realpathSync(${JSON.stringify(path)})])`,
          {
            reads: [path],
          },
        ),
      )
      expect(seen).toEqual(['found', join(folder, 'inner', 'file')])
    })

    it('no module that is installed for all users', async () => {
      const seen = await shownBy(
        sandbox,
        inNode(
          `show(['/usr/lib', '/usr/lib64'].flatMap((path) => attempt(() => fs.readdirSync(path + '/node_modules'))))`,
        ),
      )
      expect([...new Set(seen as string[])].filter((name) => name !== 'ENOENT')).toEqual([])
    })

    it('programs of the system only where that is wanted', async () => {
      const wanted: Wanted = { argv: ['/bin/sh', '-c', 'echo hello'] }
      expect(await run(sandbox, { ...wanted, system: true })).toMatchObject({
        code: 0,
        stdout: Buffer.from('hello\n'),
      })
      expect((await run(sandbox, wanted)).code).toBe(127)
    })

    it.skipIf(!hasPython)('no descriptor but the standard three and its pipes', async () => {
      // Descriptors that this process inherited are replaced by /dev/null.
      const source = `found = []
nothing = os.stat('/dev/null').st_rdev
for fd in range(512):
  try:
    if os.fstat(fd).st_rdev != nothing: found.append(fd)
  except OSError: pass
print(found)`
      const wanted = inPython(source, { pipes: 2, limits: { openFiles: 512 } })
      expect(await shownBy(sandbox, wanted)).toEqual([0, 1, 2, 3, 4])
    })
  })

  describe('writes', () => {
    it('nowhere but in its own folder', async () => {
      const folder = join(home, 'read only')
      mkdirSync(folder)
      const paths = [
        '/new',
        '/usr/new',
        '/usr/lib/new',
        '/dev/new',
        '/etc/ld.so.cache',
        join(folder, 'new'),
        'new',
      ]
      const results = await shownBy(
        sandbox,
        inNode(
          `show(${JSON.stringify(paths)}.map((path) => attempt(() => fs.writeFileSync(path, 'x') ?? 'written')))`,
          {
            reads: [folder],
          },
        ),
      )
      const last = (results as string[]).pop()
      expect(last).toBe('written')
      for (const result of results as string[])
        expect(['EROFS', 'EACCES', 'EPERM', 'ENOENT']).toContain(result)
      expect(readdirSync(folder)).toEqual([])
    })

    it('nowhere at all where it has no folder', async () => {
      const seen = await shownBy(
        sandbox,
        inNode(`show([process.cwd(), attempt(() => fs.writeFileSync('new', 'x'))])`, {
          scratchBytes: 0,
        }),
      )
      expect(seen).toEqual(['/', 'EROFS'])
    })

    it('no more than the size of its folder', async () => {
      const seen = await shownBy(
        sandbox,
        inNode(
          `show(attempt(() => { for (let i = 0; ; i++) fs.writeFileSync('f' + i, Buffer.alloc(100_000)) }))`,
        ),
      )
      expect(seen).toBe('ENOSPC')
    })

    it('no file beyond the limit', async () => {
      const wanted = inNode(
        `process.on('SIGXFSZ', () => {})
        const result = attempt(() => fs.writeFileSync('f', Buffer.alloc(200_000)))
        show([result, fs.statSync('f').size])`,
        { limits: { fileBytes: 100_000 } },
      )
      expect(await shownBy(sandbox, wanted)).toEqual(['EFBIG', 100_000])
    })
  })

  describe('is', () => {
    it('nobody, in no group, and cannot become anybody', async () => {
      const seen = await shownBy(
        sandbox,
        inNode(`show([process.getuid(), process.geteuid(), process.getgroups().filter((group) => group !== process.getgid()).length,
          attempt(() => process.setuid(0)), attempt(() => process.setgid(0))])`),
      )
      const [real, effective, groups, ...becoming] = seen as [
        number,
        number,
        number,
        string,
        string,
      ]
      expect(real).toBeGreaterThan(0)
      expect(effective).toBe(real)
      expect(groups).toBe(way.setpriv === null ? expect.any(Number) : 0)
      expect(becoming).toEqual(['EPERM', 'EPERM'])
    })

    it.skipIf(!hasPython)('without capabilities, for good, and filtered', async () => {
      const seen = await shownBy(
        sandbox,
        inPython(`libc = ctypes.CDLL(None)
head, caps = (ctypes.c_uint32 * 2)(0x20080522, 0), (ctypes.c_uint32 * 6)()
assert libc.capget(head, caps) == 0
print(json.dumps([any(caps), sum(libc.prctl(23, n, 0, 0, 0) for n in range(41)), libc.prctl(39, 0, 0, 0, 0), libc.prctl(21, 0, 0, 0, 0)]))`),
      )
      // The values: any capability held, number in the bounding set, no_new_privs, seccomp mode.
      expect(seen).toEqual([false, 0, 1, way.filter ? 2 : 0])
    })

    it.skipIf(!hasPython)('the same where it drops by itself, as it is told', async () => {
      const wanted = inPython(
        `${DROPS}
libc = ctypes.CDLL(None)
head, caps = (ctypes.c_uint32 * 2)(0x20080522, 0), (ctypes.c_uint32 * 6)()
assert libc.capget(head, caps) == 0
def attempt(become):
    try: become(0)
    except PermissionError: return 'EPERM'
print(json.dumps([user, list(os.getresuid()), list(os.getresgid()), os.getgroups(), any(caps[n] for n in (0, 1, 3, 4)),
    [libc.prctl(47, 1, n, 0, 0) for n in range(41) if libc.prctl(47, 1, n, 0, 0) == 1],
    libc.prctl(39, 0, 0, 0, 0), libc.prctl(21, 0, 0, 0, 0), attempt(os.setuid), attempt(os.setgid)]))`,
        { drops: true },
      )
      const [user, users, groups, others, ...rest] = (await shownBy(sandbox, wanted)) as [
        number,
        number[],
        number[],
        ...unknown[],
      ]
      if (way.setpriv === null) expect(user).toBe(0)
      else {
        expect(user).toBeGreaterThanOrEqual(2 ** 30)
        expect(others).toEqual([])
        expect([...users, ...groups]).toEqual(Array.from({ length: 6 }, () => user))
      }
      expect(users).not.toContain(0)
      // The values: any effective or permitted capability, the ambient ones, no_new_privs, seccomp mode.
      expect(rest).toEqual([false, [], 1, way.filter ? 2 : 0, 'EPERM', 'EPERM'])
    })

    it.skipIf(!hasPython)('held to its number of processes where it drops by itself', async () => {
      const wanted = inPython(
        `${DROPS}
made = 0
try:
    for n in range(60):
        if os.fork() == 0: signal.pause()
        made += 1
except BlockingIOError: pass
print(json.dumps(made), flush=True)
os.kill(-1, signal.SIGKILL)`,
        { drops: true, limits: { processes: 20 } },
      )
      const made = (await shownBy(sandbox, wanted)) as number
      expect(made).toBeGreaterThan(10)
      expect(made).toBeLessThanOrEqual(20)
    })

    it.skipIf(process.getuid?.() !== 0)('another user each time, started as root', async () => {
      const who = (): Promise<unknown> => shownBy(sandbox, inNode('show(process.getuid())'))
      const [one, other] = await Promise.all([who(), who()])
      expect(one === other).toBe(way.setpriv === null)
    })
  })

  it('talks both ways over its pipes', async () => {
    const program = sandbox.start(
      programOf(
        inNode(
          `const net = require('node:net')
        for (const fd of [3, 4]) { const pipe = new net.Socket({ fd }); pipe.pipe(pipe) }`,
          { pipes: 2 },
        ),
      ),
    )
    const echoes = await Promise.all(
      program.pipes.map(async (pipe, index) => {
        const sent = Buffer.alloc(300_000, index + 1)
        pipe.end(sent)
        const got: Buffer[] = []
        for await (const chunk of pipe) got.push(chunk as Buffer)
        return Buffer.concat(got).equals(sent)
      }),
    )
    expect(echoes).toEqual([true, true])
    await program.kill()
  })

  it('is refused where it cannot be started as described', async () => {
    const start = (wanted: Wanted) => () => sandbox.start(programOf(wanted))
    expect(start({ argv: ['--version'] })).toThrow(SandboxError)
    expect(start(inNode('0', { reads: ['/no/such/path'] }))).toThrow(/\/no\/such\/path/)
    expect(start({ argv: ['/bin/true', 'zero\0byte'] })).toThrow(SandboxError)
    const closed = openBubblewrap(way)
    await closed.close()
    expect(() => closed.start(programOf(inNode('0')))).toThrow(/closed/)
  })

  it.skipIf(findProgram('gcc') === null)(
    'compiles and links, where it has the programs of the system',
    async () => {
      const script = `printf 'int main(void) { return 42; }' > a.c && TMPDIR=. cc a.c -o a && ./a`
      const ended = await run(
        sandbox,
        inShell(script, { scratchBytes: 16 * MIB, limits: { openFiles: 256 } }),
      )
      expect(ended).toMatchObject({ code: 42 })
    },
  )

  it('finds its own program where it was told so', async () => {
    const wanted = inShell('readlink /proc/self/exe; ls /proc')
    expect((await run(sandbox, { ...wanted, self: '/usr/bin/sh' })).stdout.toString()).toBe(
      '/usr/bin/sh\nself\n',
    )
    expect((await run(sandbox, wanted)).stdout.toString()).toBe('')
  })
})
