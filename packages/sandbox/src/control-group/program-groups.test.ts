/**
 * Control groups of programs. Version 1 is tested with the real kernel if these tests run as root on a machine
 * that has it. Version 2 and systemd are tested with files in a folder that look as the kernel would write them.
 */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync } from 'node:fs'
import { chmodSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, describe, expect, it } from 'vitest'
import { hierarchiesIn, readTables } from './hierarchy.ts'
import type { ProgramGroup, ProgramGroups } from './program-group.ts'
import { openProgramGroups } from './program-groups.ts'
import { makeScopes } from './systemd-scopes.ts'

const { pids, memory } = hierarchiesIn(readTables())
const isFirst = process.getuid?.() === 0 && pids?.version === 1 && memory?.version === 1
const MIB = 2 ** 20
const PLENTY = { memoryBytes: 512 * MIB, processes: 64 }

const open: ProgramGroups[] = []
const opened = (...around: Parameters<typeof openProgramGroups>): ProgramGroups => {
  const groups = openProgramGroups(...around)
  open.push(groups)
  return groups
}
afterEach(() => {
  for (const groups of open.splice(0)) groups.close()
})

/** Returns the groups of this process that exist. */
const left = (): string[] =>
  [pids, memory].flatMap((hierarchy) =>
    readdirSync(hierarchy?.groups[0] ?? '/').filter(
      (name) => name.startsWith('assay-group-') && name.includes(`-${process.pid}-`),
    ),
  )

async function run(group: ProgramGroup | null, ...argv: readonly string[]) {
  const [command = '', ...args] = [...(group?.words ?? []), ...argv]
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'ignore'], detached: true })
  let out = ''
  child.stdout.on('data', (chunk: Buffer) => (out += String(chunk)))
  await once(child, 'close')
  return { code: child.exitCode, signal: child.signalCode, out, end: group?.end() }
}

/** Returns the file that lists the processes of the group. */
const groupOf = (group: ProgramGroup | null): string =>
  group?.words.find((word) => word.endsWith('/cgroup.procs')) ?? ''

const forks = (count: number): string => `for i in $(seq ${count}); do sleep 1 & done; wait`

describe.runIf(isFirst)('a control group of version 1', () => {
  it('holds a program with everything it starts, and is gone afterwards', async () => {
    const groups = opened()
    expect(groups.name).toBe('control groups of version 1 (processes, memory)')
    const { code, out, end } = await run(
      groups.make(PLENTY, {}),
      ...['/bin/sh', '-c', 'cat /proc/self/cgroup; sh -c "sleep 0.1"'],
    )
    expect(code).toBe(0)
    expect(out).toMatch(/:pids:.*assay-group-[^\n]*\/1\n/)
    expect(out).toMatch(/:memory:.*assay-group-[^\n]*\/1\n/)
    expect(end).toEqual({ reached: null, starved: null })
    groups.close()
    expect(left()).toEqual([])
  })

  it('is used again only if nothing of the earlier program counts for the next', async () => {
    const groups = opened()
    const shown = ['/bin/sh', '-c', 'cat /proc/self/cgroup']
    const at = (out: string): string => /:memory:[^\n]*\/(\d+)\n/.exec(out)?.[1] ?? ''
    const first = await run(groups.make(PLENTY, {}), ...shown)
    const again = await run(groups.make(PLENTY, {}), ...shown)
    expect([at(first.out), at(again.out)]).toEqual(['1', '1'])
    // Other limits need another group.
    const other = { ...PLENTY, processes: 8 }
    expect(at((await run(groups.make(other, {}), ...shown)).out)).toBe('2')
    // A refused process, or memory that ran out, would count again.
    const refused = await run(groups.make(other, {}), '/bin/sh', '-c', forks(20))
    expect(refused.end).toEqual({ reached: 'processes', starved: null })
    expect(at((await run(groups.make(other, {}), ...shown)).out)).toBe('3')
    // Files in memory would take from the limit of the next program.
    const file = join(mkdtempSync('/dev/shm/group-'), 'file')
    try {
      await run(
        groups.make(PLENTY, {}),
        '/bin/dd',
        'if=/dev/zero',
        `of=${file}`,
        'bs=1M',
        'count=8',
      )
      expect(at((await run(groups.make(PLENTY, {}), ...shown)).out)).toBe('4')
    } finally {
      rmSync(join(file, '..'), { recursive: true })
    }
    // A process that is still there, too.
    const busy = groups.make(PLENTY, {})
    const words = [...(busy?.words ?? []), 'sleep', '60']
    const child = spawn(words[0] ?? '', words.slice(1), { stdio: 'ignore' })
    const members = (): string => readFileSync(groupOf(busy), 'utf8').trim()
    await expect.poll(members).toBe(String(child.pid))
    busy?.end()
    expect(at((await run(groups.make(PLENTY, {}), ...shown)).out)).toBe('5')
    child.kill('SIGKILL')
    await once(child, 'exit')
    groups.close()
    expect(left()).toEqual([])
  })

  it('refuses processes beyond its own limit, and says that it was its own', async () => {
    const { code, end } = await run(
      opened().make({ ...PLENTY, processes: 8 }, {}),
      ...['/bin/sh', '-c', forks(20)],
    )
    expect(code).not.toBe(0)
    expect(end).toEqual({ reached: 'processes', starved: null })
  })

  it('says that a limit above refused them, where the program is below its own', async () => {
    const above = mkdtempSync(`${pids?.groups[0]}/starved-`)
    writeFileSync(`${above}/pids.max`, '6')
    const tables = readTables()
    const groups = (tables?.groups ?? '').replace(/:pids:.*/, `:pids:/${above.split('/').at(-1)}`)
    const here = opened({ tables: { groups, mounts: tables?.mounts ?? '' } })
    const { code, end } = await run(here.make(PLENTY, {}), '/bin/sh', '-c', forks(20))
    expect(code).not.toBe(0)
    expect(end).toEqual({ reached: null, starved: 'processes' })
    here.close()
    await removed(above)
  })

  it('ends a program that needs more memory than its limit', async () => {
    const grow = 'const all = []; for (;;) all.push(Buffer.alloc(2 ** 20, 1))'
    const { signal, end } = await run(
      opened().make({ ...PLENTY, memoryBytes: 128 * MIB }, {}),
      ...[process.execPath, '-e', grow],
    )
    expect(signal).toBe('SIGKILL')
    expect(end).toEqual({ reached: 'memory', starved: null })
  })

  it('of a process that was killed is removed by the next start, with whoever is in it', async () => {
    const script = `
      import { openProgramGroups } from ${JSON.stringify(import.meta.resolve('./program-groups.ts'))}
      import { spawn } from 'node:child_process'
      const { words } = openProgramGroups().make({ memoryBytes: 2 ** 28, processes: 64 }, {})
      const child = spawn(words[0], [...words.slice(1), '/bin/sleep', '600'], { detached: true, stdio: 'ignore' })
      setTimeout(() => console.log(child.pid), 300)
      setTimeout(() => {}, 600_000)`
    const folder = mkdtempSync(join(tmpdir(), 'groups-'))
    writeFileSync(join(folder, 'host.mjs'), script)
    const host = spawn(process.execPath, [join(folder, 'host.mjs')], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const [said] = (await once(host.stdout, 'data')) as [Buffer]
    host.kill('SIGKILL')
    await once(host, 'close')
    rmSync(folder, { recursive: true })
    const sleeper = Number(String(said))
    expect(lives(sleeper)).toBe(true)
    const name = `-${host.pid}-`
    const hostGroups = (): string[] =>
      readdirSync(pids?.groups[0] ?? '').filter((one) => one.includes(name))
    expect(hostGroups()).toHaveLength(1)
    opened()
    expect(hostGroups()).toEqual([])
    expect(lives(sleeper)).toBe(false)
  })
})

function lives(pid: number): boolean {
  try {
    return !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return false
  }
}

async function removed(folder: string): Promise<void> {
  for (let tries = 0; existsSync(folder) && tries < 100; tries++) {
    spawnSync('rmdir', [folder], { stdio: 'ignore' })
    await sleep(10)
  }
}

describe('a control group of version 2', () => {
  const root = mkdtempSync(join(tmpdir(), 'groups-'))
  afterAll(() => rmSync(root, { recursive: true }))

  /** Makes a group with these files, as the kernel would show them. */
  function group(path: string, files: Readonly<Record<string, string>>): string {
    const folder = join(root, path)
    mkdirSync(folder, { recursive: true })
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
    return folder
  }

  const BOTH = 'cpu memory pids\n'
  const tables = (path: string) => ({
    groups: `0::${path}\n`,
    mounts: `30 23 0:26 / ${root} rw - cgroup2 cgroup2 rw`,
  })
  const INNER = { 'cgroup.controllers': BOTH, 'cgroup.subtree_control': BOTH, 'cgroup.procs': '' }

  it('is made below the nearest group that gives its controllers on', () => {
    group('', INNER)
    const given = group('given', { ...INNER, 'memory.max': '1073741824', 'pids.max': '100' })
    group('given/own', { 'cgroup.controllers': BOTH, 'cgroup.subtree_control': '' })
    const groups = opened({ tables: tables('/given/own'), scopes: null })
    expect(groups.name).toBe('control groups of version 2 (memory, processes)')
    const name = readdirSync(given).find((one) => one.startsWith('assay-group-')) ?? ''
    const text = (path: string): string => readFileSync(join(given, name, path), 'utf8')
    expect(text('cgroup.subtree_control')).toBe('+memory +pids')
    // All programs together get nine tenths of the available amount. One program gets less.
    expect(text('pids.max')).toBe('90')
    expect(text('memory.max')).toBe(String(Math.floor(2 ** 30 * 0.9)))
    const made = groups.make({ memoryBytes: Infinity, processes: 4096 }, {})
    expect(text('1/pids.max')).toBe('64')
    expect(text('1/memory.max')).toBe(String(2 ** 30 * 0.75))
    expect(made?.words.slice(-2)).toEqual([join(given, name, '1', 'cgroup.procs'), '--'])
  })

  it.each([
    ['nothing', {}, {}, { reached: null, starved: null }],
    [
      'its own limit on processes (Linux 6.11)',
      { 'pids.events.local': 'max 3\n', 'pids.events': 'max 3\n' },
      {},
      { reached: 'processes', starved: null },
    ],
    [
      'a limit on processes above (Linux 6.11)',
      { 'pids.events.local': 'max 0\n', 'pids.events': 'max 0\n' },
      { 'pids.events.local': 'max 8\n' },
      { reached: null, starved: 'processes' },
    ],
    [
      'its own limit on processes (before)',
      { 'pids.events': 'max 3\n', 'pids.peak': '64\n' },
      {},
      { reached: 'processes', starved: null },
    ],
    [
      'a limit on processes above (before)',
      { 'pids.events': 'max 3\n', 'pids.peak': '12\n' },
      {},
      { reached: null, starved: 'processes' },
    ],
    [
      'a limit on processes, and nobody can say whose',
      { 'pids.events': 'max 3\n' },
      {},
      { reached: 'processes', starved: null },
    ],
    [
      'its own limit on memory',
      { 'memory.events': 'low 0\nhigh 0\nmax 9\noom 1\noom_kill 1\n' },
      {},
      { reached: 'memory', starved: null },
    ],
    [
      'a limit on memory above',
      { 'memory.events': 'low 0\nhigh 0\nmax 0\noom 0\noom_kill 1\n' },
      {},
      { reached: null, starved: 'memory' },
    ],
  ])('tells from its counters: %s', (_, own, above, wanted) => {
    const parent = group('counted', { ...INNER, 'pids.events.local': 'max 7\n' })
    group('counted/own', { 'cgroup.controllers': BOTH })
    const groups = opened({ tables: tables('/counted/own'), scopes: null })
    const made = groups.make(PLENTY, {})
    const folder = made?.words.at(-2)?.replace('/cgroup.procs', '') ?? ''
    for (const [name, text] of Object.entries(own)) writeFileSync(join(folder, name), text)
    for (const [name, text] of Object.entries(above)) writeFileSync(join(parent, name), text)
    expect(made?.end()).toEqual(wanted)
    rmSync(parent, { recursive: true })
  })

  it('is not made where no group gives controllers on, or where this user may not write', () => {
    group('closed', { ...INNER, 'cgroup.subtree_control': 'cpu\n' })
    group('', { ...INNER, 'cgroup.subtree_control': '' })
    const groups = opened({ tables: tables('/closed'), scopes: null })
    expect(groups.name).toBe('limits of each process (no control group)')
    expect(groups.make(PLENTY, {})).toBeNull()
    if (process.getuid?.() === 0) return
    chmodSync(group('closed', INNER), 0o555)
    expect(opened({ tables: tables('/closed'), scopes: null }).make(PLENTY, {})).toBeNull()
  })

  it('comes from systemd where that runs, which makes it for ordinary users too', () => {
    const programs = { run: '/usr/bin/systemd-run', env: '/usr/bin/env' }
    const own = { XDG_RUNTIME_DIR: '/run/user/1000', HOME: '/home/u', SECRET: 'k' }
    const scopes = makeScopes({ ...programs, isRoot: false, own })
    group('systemd', { ...INNER })
    const groups = opened({ tables: tables('/systemd'), scopes })
    expect(groups.name).toBe('scopes of systemd (processes, memory)')
    const made = groups.make({ memoryBytes: 2 ** 20, processes: 10 }, {})
    expect(made?.words).toEqual([
      ...['/usr/bin/systemd-run', '--user', '--scope', '--quiet', '--collect'],
      ...['-p', 'TasksMax=10', '-p', 'MemoryMax=1048576', '-p', 'MemorySwapMax=0', '--'],
      ...['/usr/bin/env', '-u', 'XDG_RUNTIME_DIR'],
    ])
    expect(made?.env).toEqual({ XDG_RUNTIME_DIR: '/run/user/1000' })
    // If the program's own environment sets the variable, the program keeps that value.
    const kept = groups.make(PLENTY, { XDG_RUNTIME_DIR: '/tmp' })
    expect(kept?.words.slice(-2)).toEqual(['/usr/bin/env', 'XDG_RUNTIME_DIR=/tmp'])
    const asRoot = makeScopes({ ...programs, isRoot: true, own }).start(PLENTY, {})
    expect(asRoot.env).toEqual({})
    expect(asRoot.words).not.toContain('--user')
  })
})
