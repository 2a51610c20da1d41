/** Limits of a program together with everything that it starts, on a machine where we may create control groups. */
import { readdirSync } from 'node:fs'
import { afterAll, describe, expect, it } from 'vitest'
import { hasBubblewrap } from '../test/sandboxed.ts'
import { collect } from './collect.ts'
import { hierarchiesIn, readTables } from './control-group/hierarchy.ts'
import { openSandbox } from './open-sandbox.ts'
import { limitedAs } from './profiles.ts'
import type { Program } from './sandbox.ts'

const bubblewrap = hasBubblewrap ? [await openSandbox('bubblewrap')] : []
const sandboxes = [...bubblewrap, await openSandbox('none')]
afterAll(async () => {
  for (const sandbox of sandboxes) await sandbox.close()
})

const { pids } = hierarchiesIn(readTables())
const hasGroups = sandboxes.every((one) => one.totalsHeldBy().startsWith('control groups'))
const MIB = 2 ** 20

const program = (script: string, total: NonNullable<Program['limits']['total']>): Program => ({
  argv: ['/bin/sh', '-c', script],
  reads: [process.execPath],
  env: { PATH: '/usr/bin:/bin' },
  ...limitedAs('command', { cpuMs: 20_000, wallMs: 60_000, memoryBytes: 4096 * MIB, total }),
  pipes: 0,
  system: true,
})
const PLENTY = { processes: 64, memoryBytes: 1024 * MIB }

describe.runIf(hasGroups).each(sandboxes.map((one) => [one.name, one] as const))(
  'a program in %s with a total',
  (_, sandbox) => {
    it('ends as others do, and its input, output and exit code are its own', async () => {
      const started = sandbox.start(program('cat; echo said >&2; exit 3', PLENTY))
      const { code, how, stdout, stderr, ...rest } = await collect(started, 'given')
      expect({ code, how, out: String(stdout), err: String(stderr) }).toEqual({
        code: 3,
        how: 'exit',
        out: 'given',
        err: 'said\n',
      })
      expect(rest).toEqual({ signal: null })
    })

    it('gets no more processes, and its end says so', async () => {
      const bomb = 'for i in $(seq 40); do sleep 1 & done; wait'
      const ended = await collect(sandbox.start(program(bomb, { ...PLENTY, processes: 12 })))
      expect(ended).toMatchObject({ reached: 'processes' })
      expect(ended.code).not.toBe(0)
    })

    it('gets no more memory, counted over all its processes', async () => {
      const hog = `${process.execPath} -e 'const all = []; for (let n = 0; n < 24; n++) all.push(Buffer.alloc(2 ** 22, 1)); setTimeout(() => {}, 1000)'`
      const script = `${hog} & ${hog} & ${hog} & ${hog} & wait`
      const total = { ...PLENTY, memoryBytes: 256 * MIB }
      expect(await collect(sandbox.start(program(script, total)))).toMatchObject({
        reached: 'memory',
      })
    })

    it('that is killed leaves no group', async () => {
      const started = sandbox.start(program('sleep 60 & sleep 60', PLENTY))
      await started.kill()
      const own = readdirSync(pids?.groups[0] ?? '/').find((name) =>
        name.includes(`-${process.pid}-`),
      )
      // The next program removes groups that the kernel still held.
      await collect(sandbox.start(program('true', PLENTY)))
      await collect(sandbox.start(program('true', PLENTY)))
      const groups = readdirSync(`${pids?.groups[0]}/${own}`).filter((name) => /^\d+$/.test(name))
      expect(groups.length).toBeLessThanOrEqual(1)
    })
  },
)

describe('what holds totals', () => {
  it('is told in words that records keep', () => {
    for (const sandbox of sandboxes)
      expect(sandbox.totalsHeldBy()).toMatch(
        /^(?:control groups of version [12] \(|scopes of systemd|limits of each process)/,
      )
  })
})
