import { readdirSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  carrying,
  hasBubblewrap,
  hasPython,
  inNode,
  inPython,
  programOf,
  run,
} from '../../test/sandboxed.ts'
import { openBubblewrap } from './bubblewrap.ts'
import { workingWay } from '../open-sandbox.ts'
import type { Sandbox } from '../sandbox.ts'

let sandbox: Sandbox

describe.skipIf(!hasBubblewrap)('a program in bubblewrap', () => {
  beforeAll(async () => {
    sandbox = openBubblewrap(await workingWay({}))
  })

  afterAll(() => sandbox.close())

  describe('ends', () => {
    it('with its code or the signal that ended it', async () => {
      expect(await run(sandbox, inNode('process.exit(3)'))).toMatchObject({
        code: 3,
        signal: null,
        how: 'exit',
      })
      expect(await run(sandbox, inNode('process.abort()'))).toMatchObject({
        code: null,
        signal: 'SIGABRT',
        how: 'exit',
      })
      expect(await run(sandbox, inNode('process.kill(process.pid, "SIGKILL")'))).toMatchObject({
        signal: 'SIGKILL',
        how: 'exit',
      })
    })

    it('with everything that it started: a session of its own that ignores signals and holds stdout', async () => {
      const word = `assay-daemon-${process.pid}`
      const source = `require('node:child_process').spawn('/bin/sh', ['-c', 'trap "" TERM HUP INT; sleep 1000; : ${word}'],
        { detached: true, stdio: 'inherit' }).unref(); show('started'); process.exit(0)`
      const ended = await run(sandbox, inNode(source, { system: true }))
      expect(ended).toMatchObject({ code: 0, how: 'exit', stdout: Buffer.from('"started"') })
      expect(carrying(word)).toEqual([])
    })

    it.skipIf(!hasPython)('with a daemon that forked twice', async () => {
      const word = `assay-twice-${process.pid}`
      const source = `import time
if os.fork() == 0:
  os.setsid()
  if os.fork() == 0:
    for s in (1, 2, 15): signal.signal(s, signal.SIG_IGN)
    while True: time.sleep(1)  # ${word}
  os._exit(0)
os.wait()
print('"done"', flush=True)`
      expect(await run(sandbox, inPython(source))).toMatchObject({
        code: 0,
        stdout: Buffer.from('"done"\n'),
      })
      expect(carrying(word)).toEqual([])
    })

    it.each([
      ['stops itself', 'process.kill(process.pid, "SIGSTOP")'],
      ['stops its group', 'process.kill(0, "SIGSTOP")'],
      [
        'ignores every request',
        'for (const s of ["SIGTERM", "SIGINT", "SIGHUP"]) process.on(s, () => {}); setInterval(() => {}, 1e6)',
      ],
      ['floods a pipe that nobody reads', 'for (;;) fs.writeSync(1, Buffer.alloc(100_000))'],
    ])('when killed, though it %s', async (_, source) => {
      const word = `assay-stubborn-${process.pid}`
      const program = sandbox.start(programOf(inNode(`${source} // ${word}`)))
      await sleep(150)
      expect(carrying(word)).not.toEqual([])
      expect(await program.kill()).toEqual({ code: null, signal: 'SIGKILL', how: 'killed' })
      expect(carrying(word)).toEqual([])
    })

    it('alone: a signal to all that it may signal reaches nobody outside', async () => {
      const bystander = sandbox.start(programOf(inNode('setInterval(() => {}, 1e6)')))
      await run(sandbox, inNode('attempt(() => process.kill(-1, "SIGKILL"))'))
      await run(
        sandbox,
        inNode(
          'attempt(() => process.kill(0, "SIGKILL")); attempt(() => process.kill(process.ppid, "SIGKILL"))',
        ),
      )
      await sleep(50)
      expect(await bystander.kill()).toMatchObject({ how: 'killed' })
    })

    it('wherever it is in its start when it is killed', async () => {
      const word = `assay-early-${process.pid}`
      for (let wait = 0; wait < 20; wait++) {
        const program = sandbox.start(programOf(inNode(`setInterval(() => {}, 1e6) // ${word}`)))
        if (wait > 0) await sleep(wait)
        expect(await program.kill()).toMatchObject({ how: 'killed' })
      }
      expect(carrying(word)).toEqual([])
    })

    it('and leaves no descriptor with us', async () => {
      const count = (): number => readdirSync('/proc/self/fd').length
      await run(sandbox, inNode('0', { pipes: 2 }))
      const before = count()
      for (let round = 0; round < 5; round++) {
        await Promise.all([
          run(sandbox, inNode('0', { pipes: 2 })),
          run(sandbox, inNode('process.abort()')),
        ])
        await sandbox.start(programOf(inNode('setInterval(() => {}, 1e6)', { pipes: 1 }))).kill()
      }
      expect(count()).toBeLessThanOrEqual(before)
    })
  })
})
