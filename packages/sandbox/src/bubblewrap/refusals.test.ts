import { once } from 'node:events'
import { createServer, type AddressInfo, type Server } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  hasBubblewrap,
  hasPython,
  inNode,
  inPython,
  inShell,
  MIB,
  run,
  shownBy,
} from '../../test/sandboxed.ts'
import { openBubblewrap, type Way } from './bubblewrap.ts'
import { workingWay } from '../open-sandbox.ts'
import type { Sandbox } from '../sandbox.ts'

let way: Way
let sandbox: Sandbox
let server: Server

describe.skipIf(!hasBubblewrap)('a program in bubblewrap', () => {
  beforeAll(async () => {
    way = await workingWay({})
    sandbox = openBubblewrap(way)
    server = createServer((socket) => socket.end('reached')).listen(0, '127.0.0.1')
    await once(server, 'listening')
  })

  afterAll(async () => {
    server.close()
    await sandbox.close()
  })

  describe('reaches', () => {
    const tries = (port: number): string => `
      const net = require('node:net'), dgram = require('node:dgram'), dns = require('node:dns')
      const connect = (where) => new Promise((done) => {
        try {
          const socket = net.connect(where)
          socket.on('error', (error) => done(error.code)).on('data', String).on('end', () => done('reached'))
        } catch (error) { done(error.code) }
      })
      const datagram = () => new Promise((done) => {
        try {
          const socket = dgram.createSocket('udp4')
          socket.on('error', (error) => done(error.code))
          socket.send('x', 53, '192.0.2.1', (error) => { socket.close(); done(error?.code ?? 'sent') })
        } catch (error) { done(error.code) }
      })
      const name = () => new Promise((done) => dns.lookup('example.com', (error) => done(error?.code ?? 'found')))
      Promise.all([connect({ port: ${port}, host: '127.0.0.1' }), connect({ path: '\\0assay-test-${process.pid}' }),
        connect({ port: 80, host: '169.254.169.254' }), datagram(), name()]).then(show)`
    const goals = ['a port of the host', 'an abstract socket', 'an address', 'a datagram', 'a name']

    it.each([
      ['with the filter', true],
      ['by its namespace alone', false],
    ])('no network, %s', async (_, filter) => {
      const box = openBubblewrap({ ...way, filter })
      const abstract = createServer((socket) => socket.end()).listen({
        path: `\0assay-test-${process.pid}`,
      })
      try {
        const { port } = server.address() as AddressInfo
        const results = (await shownBy(box, inNode(tries(port)))) as string[]
        for (const [at, result] of results.entries())
          expect(['reached', 'sent', 'found'], goals[at]).not.toContain(result)
        // The filter itself refuses the call. It does not fail merely because no server listens there.
        if (filter && way.filter) expect(results.slice(0, 3)).toEqual(['EPERM', 'EPERM', 'EPERM'])
      } finally {
        abstract.close()
        await box.close()
      }
    })
  })

  describe.skipIf(!hasPython || process.arch !== 'x64')('may not', () => {
    it('mount, trace, make namespaces or use any other door of the kernel', async () => {
      const refused = {
        ...{
          mount: 165,
          umount2: 166,
          pivot_root: 155,
          chroot: 161,
          unshare: 272,
          setns: 308,
          ptrace: 101,
        },
        ...{ process_vm_readv: 310, bpf: 321, perf_event_open: 298, userfaultfd: 323, keyctl: 250 },
        ...{
          io_uring_setup: 425,
          personality: 135,
          open_by_handle_at: 304,
          socket: 41,
          memfd_create: 319,
        },
        ...{ shmget: 29, syslog: 103, reboot: 169, fsopen: 430, open_tree: 428, pidfd_getfd: 438 },
        x32_getpid: 0x40000027,
      }
      const seen = await shownBy(
        sandbox,
        inPython(`libc = ctypes.CDLL(None, use_errno=True)
seen = {}
for name, number in json.loads('${JSON.stringify(refused)}').items():
  ctypes.set_errno(0)
  seen[name] = [libc.syscall(number, 0, 0, 0, 0, 0), ctypes.get_errno()]
print(json.dumps(seen))`),
      )
      expect(seen).toEqual(Object.fromEntries(Object.keys(refused).map((name) => [name, [-1, 1]])))
    })

    it('start a process in namespaces of its own', async () => {
      const seen = await shownBy(
        sandbox,
        inPython(`libc = ctypes.CDLL(None, use_errno=True)
seen = [[libc.syscall(56, flag | 17, 0, 0, 0, 0), ctypes.get_errno()] for flag in (0x10000000, 0x20000, 0x40000000)]
seen.append([libc.syscall(435, 0, 0), ctypes.get_errno()])
print(json.dumps(seen))`),
      )
      expect(seen).toEqual([
        [-1, 1],
        [-1, 1],
        [-1, 1],
        [-1, 38],
      ])
    })

    it('call the kernel as 32-bit programs do', async () => {
      const ended = await run(
        sandbox,
        inPython(`import mmap
code = mmap.mmap(-1, 4096, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, 7)
code.write(bytes.fromhex('b814000000cd80c3'))
print(ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(code)))())`),
      )
      expect(ended).toMatchObject({ signal: 'SIGSYS', stdout: Buffer.alloc(0) })
    })

    it('share memory that no limit counts', async () => {
      const seen = await shownBy(
        sandbox,
        inPython(`import mmap
try: mmap.mmap(-1, 1 << 33); print('"mapped"')
except OSError as error: print(error.errno)`),
      )
      expect(seen).toBe(1)
    })
  })

  describe('is held to', () => {
    it('its processor time', async () => {
      const ended = await run(sandbox, inNode('for (;;);', { limits: { cpuMs: 1000 } }))
      expect(ended).toMatchObject({ code: null, signal: 'SIGXCPU', how: 'cpu' })
    })

    it.skipIf(!hasPython)('its processor time even when it ignores the signal', async () => {
      const ended = await run(
        sandbox,
        inPython('signal.signal(signal.SIGXCPU, signal.SIG_IGN)\nwhile True: pass', {
          limits: { cpuMs: 1000 },
        }),
      )
      expect(ended).toMatchObject({ code: null, signal: 'SIGKILL' })
    })

    it('its wall time', async () => {
      const ended = await run(
        sandbox,
        inNode('setInterval(() => {}, 1000)', { limits: { wallMs: 300 } }),
      )
      expect(ended).toMatchObject({ code: null, signal: 'SIGKILL', how: 'wall' })
    })

    it('its memory', async () => {
      const ended = await run(
        sandbox,
        inNode(
          `const kept = []; for (let i = 0; i < 40; i++) kept.push(Buffer.alloc(100e6, 1)); show('had 4 GB')`,
        ),
      )
      expect(ended.stdout.toString()).toBe('')
      expect(ended.code).not.toBe(0)
    })

    it('its number of processes, with others of the same kind beside it', async () => {
      const forks = `i=0; while [ $i -lt 40 ]; do sleep 5 & i=$((i+1)); done; echo all`
      const wanted = inShell(forks, { limits: { processes: 20, wallMs: 10_000 } })
      const ends = await Promise.all([run(sandbox, wanted), run(sandbox, wanted)])
      for (const { stdout, stderr } of ends) {
        expect(stdout.toString()).toBe('')
        expect(stderr.toString()).toMatch(/fork/i)
      }
      const few = inShell('sleep 0 & sleep 0 & wait; echo all', { limits: { processes: 20 } })
      expect((await run(sandbox, few)).stdout.toString()).toBe('all\n')
    })

    it('its open files', async () => {
      const seen = await shownBy(
        sandbox,
        inNode(`const open = []; const result = attempt(() => { for (;;) open.push(fs.openSync('/dev/null')) })
          for (const one of open) fs.closeSync(one)
          show([result, open.length < 64])`),
      )
      expect(seen).toEqual(['EMFILE', true])
    })

    it('threads, where it may start no process, and has those', async () => {
      const source = `const { spawnSync } = require('node:child_process'), { Worker } = require('node:worker_threads')
        const started = spawnSync(process.execPath, ['-v']).error?.code
        new Worker('require("node:worker_threads").parentPort.postMessage(42)', { eval: true })
          .on('message', (value) => fs.promises.readdir('/').then((names) => show([started, value, names.includes('usr')])))`
      const seen = await shownBy(
        sandbox,
        inNode(source, { limits: { processes: 'threads', memoryBytes: 2048 * MIB } }),
      )
      expect(seen).toEqual([way.filter ? 'EPERM' : expect.anything(), 42, true])
    })
  })
})
