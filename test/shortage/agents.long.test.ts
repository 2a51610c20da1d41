/**
 * An agent that uses up a resource on purpose has failed; its trial is not an error. The machine is made small:
 * this process enters a control group with little memory, and its temporary folder is a small file system. So this
 * test needs root and control groups of version 1.
 */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Trial } from '@assay/contract'
import { inspectSandbox } from '@assay/sandbox'
import { fakeCase, fakeSuite } from '../../packages/assay/test/fakes.ts'
import { readTrials } from '../../packages/assay/src/log/index.ts'
import { hierarchiesIn, readTables } from '../../packages/sandbox/src/control-group/hierarchy.ts'
import { run } from '../../packages/assay/src/run/run.ts'
import { commandSubject } from '../../packages/assay/src/subject/index.ts'
import { canStarve, starving } from './starved.ts'

const isReady = canStarve && (await inspectSandbox()).ready
const MEMORY_BYTES = 1.5 * 2 ** 30

/** What each agent does until it is stopped. */
const HOGS: Readonly<Record<string, string>> = {
  processes: 'bomb() { bomb | bomb & bomb; }; bomb; sleep 600',
  memory: `node --max-old-space-size=100000 -e 'const all = []; for (;;) all.push(Buffer.alloc(2 ** 22, 1))'`,
  'memory of many':
    "for i in 1 2 3 4; do node -e 'const all = []; for (let n = 0; n < 120; n++) all.push(Buffer.alloc(2 ** 22, 1)); setTimeout(() => {}, 60000)' & done; wait; exit 1",
  'open files': `node -e 'const all = []; for (;;) all.push(require("fs").openSync("/dev/null"))'`,
  'disk in the workspace':
    'while :; do dd if=/dev/zero of=hog$((n = n + 1)) bs=65536 count=16 2>/dev/null; done',
  'disk in its home':
    'while :; do dd if=/dev/zero of=$HOME/hog$((n = n + 1)) bs=65536 count=16 2>/dev/null; done',
  'disk, and then it ends well':
    'dd if=/dev/zero of=$TMPDIR/hog bs=1048576 count=60 2>/dev/null; echo done > out.txt; exit 0',
  'many files': 'while :; do n=$((n + 1)); : > hog$n 2>/dev/null || sleep 0.01; done',
}

describe.runIf(isReady)('an agent that takes all there is', () => {
  const outer = mkdtempSync(join(tmpdir(), 'hogs-'))
  const disk = mkdtempSync(join(tmpdir(), 'disk-'))
  const before = process.env['TMPDIR']
  const own = hierarchiesIn(readTables()).memory?.groups[0]
  let machine: ReturnType<typeof starving> | null = null
  const enter = (group: string): void => writeFileSync(`${group}/cgroup.procs`, String(process.pid))
  let mounted = false

  beforeAll(() => {
    machine = starving({ memoryBytes: MEMORY_BYTES })
    for (const group of machine.groups) enter(group)
    const options = ['-t', 'tmpfs', '-o', 'size=64m,nr_inodes=4000,mode=1777', 'tmpfs', disk]
    mounted = spawnSync('mount', options).status === 0
    if (mounted) process.env['TMPDIR'] = disk
  })
  afterAll(async () => {
    if (own !== undefined) enter(own)
    await machine?.remove()
    if (before === undefined) delete process.env['TMPDIR']
    else process.env['TMPDIR'] = before
    if (mounted) spawnSync('umount', ['-l', disk])
    for (const folder of [outer, disk]) rmSync(folder, { recursive: true, force: true })
  })

  it.each(Object.entries(HOGS))('has failed: %s', async (name, script) => {
    expect(mounted).toBe(true)
    const folder = join(outer, name.replaceAll(/\W/g, '-'))
    await run({
      suites: [fakeSuite([fakeCase('c', { workspace: WORKSPACE, graders: [EXISTS] })])],
      subjects: [commandSubject({ id: 'agent', argv: ['sh', '-c', script], promptAs: 'stdin' })],
      folder,
      trials: 1,
      maxErrors: 1,
      agentTimeoutMs: 20_000,
    })
    const trials: Trial[] = []
    await readTrials(folder, (trial) => trials.push(trial))
    const { outcome, reason } = trials.at(-1) ?? {}
    expect({ outcome, text: reason?.text }).toEqual({
      outcome: 'failed',
      text: expect.any(String) as string,
    })
    if (/disk|many files|memory/.test(name)) expect(reason?.code).toBe('over-limit')
    expect(readFileSync(join(folder, 'run.json'), 'utf8')).toContain('programLimits')
  })
})

const WORKSPACE = {
  git: null,
  folder: null,
  setup: [],
  setupTimeoutMs: 20_000,
  ignore: [],
  protect: [],
  hidden: {},
}
const EXISTS = {
  type: 'file-exists',
  name: 'file-exists',
  weight: 1,
  required: false,
  negate: false,
  options: { path: 'out.txt' },
}
