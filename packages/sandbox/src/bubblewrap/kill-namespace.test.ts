import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { afterAll, expect, it } from 'vitest'
import { canBeUser, home, Host, isRoot } from '../../test/sandbox-host.ts'
import { carrying, hasBubblewrap, hasPython, inPython } from '../../test/sandboxed.ts'
import { endOfAll } from './kill-namespace.ts'

afterAll(() => rmSync(home, { recursive: true, force: true }))

// If the first process in the namespace runs as root, the program cannot reach it.
const canReach = hasBubblewrap && (!isRoot || canBeUser)

it.skipIf(!canReach || !hasPython || process.arch !== 'x64')(
  'comes, whatever the program makes of the first process in its namespace',
  async () => {
    const word = `agent-hijack-${process.pid}`
    const wanted = inPython(`${HIJACK}\nimport time\ntime.sleep(1000) # ${word}`, { open: true })
    const host = new Host({ asUser: isRoot })
    try {
      const { stdout, how } = await host.run(wanted, 'output')
      expect([stdout, how]).toEqual(['left\n', 'killed'])
      expect(carrying(word)).toEqual([])
    } finally {
      await host.end()
    }
  },
)

it.skipIf(process.platform !== 'linux')(
  'of a program that ended by itself is seen at once, although its process group is still listed',
  async () => {
    const leader = spawn('sleep', ['60'], { detached: true, stdio: 'ignore' })
    const dead = spawn('true', { stdio: 'ignore' })
    const pid = leader.pid ?? 0
    await once(dead, 'exit')
    try {
      expect(endOfAll(pid, () => dead.pid ?? 0).isGone(false)).toBe(true)
      expect(endOfAll(pid, () => process.pid).isGone(false)).toBe(false)
      expect(endOfAll(pid, () => null).isGone(false)).toBe(false)
    } finally {
      leader.kill('SIGKILL')
    }
  },
)

/**
 * Makes the program leave our process group. Makes the first process leave it too, and not end when its parent
 * ends.
 */
const HIJACK = `
libc = ctypes.CDLL(None, use_errno=True)
libc.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]
def call(number, *args):
  saved, regs = (ctypes.c_ulonglong * 27)(), (ctypes.c_ulonglong * 27)()
  libc.ptrace(12, 1, None, saved); libc.ptrace(12, 1, None, regs)
  at = saved[16]
  memory = open('/proc/1/mem', 'r+b', 0)
  memory.seek(at); was = memory.read(2); memory.seek(at); memory.write(bytes([0x0f, 0x05]))
  regs[10] = number
  regs[15] = 2 ** 64 - 1
  for place, value in zip((14, 13), args): regs[place] = value
  libc.ptrace(13, 1, None, regs); libc.ptrace(9, 1, None, None); os.waitpid(1, 0x40000000)
  libc.ptrace(12, 1, None, regs)
  memory.seek(at); memory.write(was); libc.ptrace(13, 1, None, saved)
  return regs[10]
if libc.ptrace(16, 1, None, None) != 0: print('refused', flush=True)
else:
  os.waitpid(1, 0x40000000)
  os.setsid(); call(112); call(157, 1, 0)
  libc.ptrace(17, 1, None, None)
  print('left' if os.getsid(1) == 1 else 'stayed', flush=True)
`
