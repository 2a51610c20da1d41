/** The sandbox of an agent, started as the current user and as an ordinary user. */
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { createServer, type AddressInfo, type Server } from 'node:net'
import { homedir, tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  canBeUser,
  home as hostHome,
  Host,
  isRoot,
  node,
  secret,
  user,
} from '../../test/sandbox-host.ts'
import {
  carrying,
  hasBubblewrap,
  hasPython,
  inNode,
  inPython,
  inShell,
  MIB,
  programOf,
  run,
  type Wanted,
} from '../../test/sandboxed.ts'
import { openBubblewrap } from './bubblewrap.ts'
import { findProgram } from '../find-program.ts'
import { OWN_PACKAGES } from './agent-mounts.ts'
import { workingWay } from '../open-sandbox.ts'
import type { Owner, Sandbox, SharedFolder } from '../sandbox.ts'

const base = realpathSync(mkdtempSync(join(tmpdir(), 'agents ')))
chmodSync(base, 0o755)
let server: Server
let sandbox: Sandbox
let host: Host

interface Way {
  /** Whether this machine has such a sandbox. */
  readonly isThere: boolean
  readonly run: (wanted: Wanted) => Promise<{ readonly stdout: string; readonly stderr: string }>
  readonly owner: () => Owner | null
}

const WAYS: Readonly<Record<string, Way>> = {
  'as whoever runs this': {
    isThere: true,
    async run(wanted) {
      const { stdout, stderr } = await run(sandbox, wanted)
      return { stdout: stdout.toString(), stderr: stderr.toString() }
    },
    owner: () => sandbox.newOwner(),
  },
  'as an ordinary user': {
    isThere: canBeUser,
    run: (wanted) => host.run(wanted),
    owner: () => ({ uid: user, gid: user }),
  },
}

/** Makes a workspace and a home that only their owner can access, as temporary folders usually are. */
function newFolders(owner: Owner | null, ...places: readonly string[]): SharedFolder[] {
  const parent = mkdtempSync(join(base, 'trial-'))
  chmodSync(parent, 0o755)
  return (places.length === 0 ? ['/workspace', '/home/agent'] : places).map((at) => {
    const from = join(parent, at.slice(1).replace('/', '-'))
    mkdirSync(from, { mode: 0o700 })
    if (owner !== null) chownSync(from, owner.uid, owner.gid)
    return { from, at }
  })
}

const asAgent = (wanted: Wanted, folders: readonly SharedFolder[] = []): Wanted => ({
  ...wanted,
  open: true,
  folders,
  ...(folders.length === 0 ? {} : { cwd: '/workspace' }),
  env: { PATH: '/usr/bin:/bin', HOME: '/home/agent', ...wanted.env },
  scratchBytes: 4 * MIB,
  limits: { openFiles: 1024, ...wanted.limits },
})

describe.skipIf(!hasBubblewrap)('an agent', () => {
  beforeAll(async () => {
    server = createServer((socket) => socket.end('reached')).listen(0, '127.0.0.1')
    sandbox = openBubblewrap(await workingWay({}))
    if (canBeUser) {
      host = new Host({ asUser: true })
      await host.state
    }
    if (!server.listening) await once(server, 'listening')
  })

  afterAll(async () => {
    server.close()
    await Promise.all([sandbox.close(), canBeUser ? host.end() : null])
    for (const folder of [base, hostHome]) rmSync(folder, { recursive: true, force: true })
  })

  describe.each(Object.entries(WAYS))('%s', (_, way) => {
    async function shown(source: string, options: Omit<Wanted, 'argv'> = {}): Promise<unknown> {
      const folders = options.folders ?? newFolders(way.owner())
      const { stdout, stderr } = await way.run(asAgent(inNode(source, options, node), folders))
      if (stdout === '') throw new Error(stderr)
      return JSON.parse(stdout)
    }

    it.skipIf(!way.isThere)(
      'reaches the network of the machine, which graded code does not',
      async () => {
        const { port } = server.address() as AddressInfo
        const source = `require('node:net').connect(${port}, 'localhost').on('data', () => show('reached'))
        .on('error', (error) => show(error.code))`
        expect(await shown(source)).toBe('reached')
        const { stdout } = await way.run(inNode(source, {}, node))
        expect(stdout).not.toContain('reached')
      },
    )

    it.skipIf(!way.isThere)(
      'works in its folder, one program after the other, and leaves all of it to us',
      async () => {
        const folders = newFolders(way.owner())
        const [workspace, home] = folders.map(({ from }) => from) as [string, string]
        const first = `fs.mkdirSync('made', { mode: 0o700 }); fs.writeFileSync('made/file', 'one', { mode: 0o600 })
        fs.writeFileSync(process.env.HOME + '/.session', 'kept'); show([process.cwd(), process.env.PWD])`
        expect(await shown(first, { folders })).toEqual(['/workspace', '/workspace'])
        const second = `fs.appendFileSync('made/file', ', two'); show(fs.readFileSync('/home/agent/.session', 'utf8'))`
        expect(await shown(second, { folders })).toBe('kept')
        expect(readFileSync(join(workspace, 'made', 'file'), 'utf8')).toBe('one, two')
        expect(lstatSync(join(workspace, 'made')).uid).toBe(lstatSync(workspace).uid)
        for (const folder of [workspace, home]) rmSync(folder, { recursive: true })
        expect(existsSync(workspace)).toBe(false)
      },
    )

    it.skipIf(!way.isThere)(
      'sees nothing else of the machine: no home, no Assay, no /run, no other /tmp',
      async () => {
        const paths = [
          ...[base, secret, homedir(), import.meta.filename, ...OWN_PACKAGES, process.cwd()],
          ...['/root', '/run', '/var', '/sys', '/opt', '/srv', '/mnt', '/boot'],
          ...['/etc/shadow', '/etc/ssl/private', '/etc/sudoers', '/etc/ssh', '/etc/machine-id'],
        ].filter((path) => path !== '/' && !node.startsWith(`${path}/`))
        // If the repository is below /tmp or /home, then the Node that programs run with is there too. The
        // folders on the path to it are visible.
        const ways = [hostHome, node].map((path) => path.split('/')[2])
        const root = process.cwd()
        const source = `const isThere = ${JSON.stringify(paths)}.filter(fs.existsSync)
        const othersIn = (folder) => fs.readdirSync(folder).filter((name) => !${JSON.stringify(ways)}.includes(name))
        const ofClone = fs.existsSync(${JSON.stringify(root)}) ? fs.readdirSync(${JSON.stringify(root)}) : []
        show([isThere, othersIn('/home'), othersIn('/tmp'), fs.readFileSync('/proc/1/comm', 'utf8'), ofClone])`
        const [isThere, ...others] = (await shown(source)) as [string[]]
        // /run may be visible, because the resolver's configuration file can be in it.
        expect(isThere.filter((path) => path !== '/run')).toEqual([])
        const wayInClone = node.startsWith(`${root}/`)
          ? [node.slice(root.length + 1).split('/')[0]]
          : []
        expect(others).toEqual([['agent'], [], 'bwrap\n', wayInClone])
      },
    )

    it.skipIf(!way.isThere)('is somebody with a name, a home and no rights', async () => {
      const source = `const { username, uid, homedir } = require('node:os').userInfo()
        const status = fs.readFileSync('/proc/self/status', 'utf8')
        show([username, uid === process.getuid() && uid > 0, homedir, attempt(() => process.setuid(0)),
          /CapEff:\\s*(\\w+)/.exec(status)[1], /NoNewPrivs:\\s*(\\d)/.exec(status)[1]])`
      expect(await shown(source)).toEqual([
        ...['agent', true, '/home/agent', expect.stringMatching(/EPERM|EINVAL/)],
        ...['0000000000000000', '1'],
      ])
    })

    it.skipIf(!way.isThere)(
      'writes to its /tmp and shared memory, within bounds, and to no other place',
      async () => {
        const paths = ['/tmp/x', '/dev/shm/x', '/dev/null', '/x', '/dev/x', '/etc/x', '/usr/x']
        const source =
          `const can = ${JSON.stringify(paths)}.filter((path) => attempt(() => fs.writeFileSync(path, 'x') ?? true) === true)
        const filled = attempt(() => { for (let i = 0; ; i++) fs.writeFileSync('/tmp/' + i, Buffer.alloc(MiB)) })
        show([can, filled, attempt(() => fs.openSync('/dev/tty'))])`.replace('MiB', String(MIB))
        expect(await shown(source)).toEqual([paths.slice(0, 3), 'ENOSPC', 'ENXIO'])
      },
    )

    it.skipIf(!way.isThere)('takes with it the daemons that it started', async () => {
      const word = `agent-daemon-${process.pid}-${randomInt(1e9)}`
      const script = `setsid sh -c 'trap "" TERM HUP; (sleep 1000; : ${word}) & : ${word}; sleep 1000' & sleep 0.1; ls /workspace`
      await way.run(asAgent(inShell(script), newFolders(way.owner())))
      expect(carrying(word)).toEqual([])
    })

    it.skipIf(!way.isThere || findProgram('git') === null)('runs the usual programs', async () => {
      const script = `set -e; git init -q .; echo one > file; git add .
        git -c user.name=a -c user.email=a@b commit -q -m first; git log --format=%s
        "$NODE" -p '[1, 2].length'; nproc > /dev/null; date > /dev/null; mktemp > /dev/null`
      const wanted = inShell(script, { reads: [node], env: { PATH: '/usr/bin:/bin', NODE: node } })
      const { stdout, stderr } = await way.run(asAgent(wanted, newFolders(way.owner())))
      expect([stdout, stderr]).toEqual(['first\n2\n', ''])
    })

    it.skipIf(!way.isThere || !hasPython || process.arch !== 'x64')(
      'may not use doors of the kernel that know no namespace',
      async () => {
        const source = `import socket, multiprocessing
libc = ctypes.CDLL(None, use_errno=True)
def refused(number, *args):
  ctypes.set_errno(0)
  return libc.syscall(number, *args) == -1 and ctypes.get_errno() == 1
print(json.dumps([refused(n, 0, 0, 0, 0, 0) for n in (250, 248, 321, 298, 425, 304)]
  + [refused(41, family, 3, 0) for family in (38, 40)] + [multiprocessing.Lock().acquire()]))`
        const { stdout, stderr } = await way.run(asAgent(inPython(source)))
        expect([JSON.parse(stdout || '0'), stderr]).toEqual([Array(9).fill(true), ''])
      },
    )
  })

  it('does not see Assay where that lies in what it is shown', async () => {
    const [own = ''] = OWN_PACKAGES
    const all = OWN_PACKAGES.map((folder) => `ls -A '${folder}';`).join(' ')
    const wanted = inShell(`ls '${dirname(own)}'; ${all} echo end`, { reads: [dirname(own)] })
    const { stdout } = await run(sandbox, asAgent(wanted))
    const said = stdout.toString().trim().split('\n')
    expect(said).toEqual([...readdirSync(dirname(own)), 'end'])
  })

  it.skipIf(dirname(base) !== '/tmp')(
    'may have a folder as its /tmp, though it reads from the /tmp of the machine, turn after turn',
    async () => {
      const folders = newFolders(sandbox.newOwner(), '/tmp', '/workspace')
      const program = join(base, 'program')
      writeFileSync(program, '#!/bin/sh\necho "$0"; cat /tmp/kept', { mode: 0o755 })
      const inside = join('/tmp', basename(base))
      // The second turn leaves a symbolic link on the path to the program. The link leads out of the folder.
      const turns = [
        'echo one > /tmp/kept',
        `mv '${inside}' /tmp/moved; ln -s / '${inside}'`,
        'true',
      ]
      for (const turn of turns) {
        const wanted = inShell(`'${program}' 2>&1; ${turn}`, { reads: [program] })
        const { stdout, stderr } = await run(sandbox, {
          ...asAgent(wanted, folders),
          scratchBytes: 0,
        })
        expect(stderr.toString()).toBe('')
        expect(stdout.toString()).toMatch(
          turn === turns[0] ? /^.*program\ncat:/ : /program\none\n$/,
        )
      }
      expect(readdirSync(base)).toContain('program')
    },
  )

  it('is not started with folders that are no folder, or overlap', () => {
    const [folder] = newFolders(sandbox.newOwner())
    const from = folder?.from ?? ''
    const start = (folders: SharedFolder[]) => () =>
      sandbox.start(programOf({ ...asAgent(inShell('true')), folders }))
    symlinkSync('/', join(base, 'link'))
    writeFileSync(join(base, 'file'), '')
    for (const wrong of ['link', 'file', 'missing'])
      expect(start([{ from: join(base, wrong), at: '/w' }]), wrong).toThrow(/folder|belongs/)
    expect(
      start([from, from].map((one, at) => ({ from: one, at: `/w${'/x'.repeat(at)}` }))),
    ).toThrow(/cannot share a folder at \/w\/x/)
  })

  it.skipIf(!isRoot)(
    'is nobody whom the machine knows, and another one in each trial',
    async () => {
      const [one, other] = [sandbox.newOwner(), sandbox.newOwner()] as [Owner, Owner]
      if (one === null) return
      expect(one).not.toEqual(other)
      const mine = newFolders(one)
      const { stdout } = await run(sandbox, asAgent(inShell('id -u'), mine))
      expect(Number(stdout.toString())).toBe(one.uid)
      const start = (folders: readonly SharedFolder[]) => () =>
        sandbox.start(programOf(asAgent(inShell('true'), folders)))
      expect(start(newFolders(null))).toThrow(/belongs to a user of this machine/)
      expect(start(newFolders({ uid: 1000, gid: 1000 }))).toThrow(
        /belongs to a user of this machine/,
      )
      expect(start([...mine.slice(0, 1), ...newFolders(other).slice(1)])).toThrow(/one user/)
    },
  )
})
