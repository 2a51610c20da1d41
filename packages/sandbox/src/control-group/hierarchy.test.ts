/** Layouts of control groups, as different kinds of machines show them. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { hierarchiesIn } from './hierarchy.ts'

const root = mkdtempSync(join(tmpdir(), 'hierarchy-'))
afterAll(() => rmSync(root, { recursive: true }))

/** Makes a group of version 2 in a temporary folder. The code under test reads the controllers from its file. */
function second(path: string, controllers: string): string {
  mkdirSync(join(root, path), { recursive: true })
  writeFileSync(join(root, path, 'cgroup.controllers'), `${controllers}\n`)
  return join(root, path)
}

const mount2 = (group = '/') =>
  `30 23 0:26 ${group} ${root} rw,nosuid - cgroup2 cgroup2 rw,nsdelegate`
const mount1 = (controller: string, group = '/', at = `/sys/fs/cgroup/${controller}`) =>
  `35 31 0:32 ${group} ${at} rw,relatime shared:9 - cgroup cgroup rw,${controller}`

describe('where a process is', () => {
  it('is found in version 1, each controller in a hierarchy of its own', () => {
    const groups = '8:pids:/\n4:memory:/a/b\n1:cpu,cpuacct:/\n0::/\n'
    const mounts = `${mount1('memory')}\n${mount1('pids')}\n${mount2()}\n`
    expect(hierarchiesIn({ groups, mounts })).toEqual({
      pids: { version: 1, groups: ['/sys/fs/cgroup/pids'] },
      memory: {
        version: 1,
        groups: ['/sys/fs/cgroup/memory/a/b', '/sys/fs/cgroup/memory/a', '/sys/fs/cgroup/memory'],
      },
    })
  })

  it('is found in version 2, up to the last group that can be seen', () => {
    const own = second('user.slice/session.scope', 'cpu memory pids')
    const groups = '0::/user.slice/session.scope\n'
    const wanted = { version: 2, groups: [own, join(root, 'user.slice'), root] }
    expect(hierarchiesIn({ groups, mounts: mount2() })).toEqual({ pids: wanted, memory: wanted })
  })

  it('has no controllers in a version 2 that has none, beside one without this controller', () => {
    second('plain', 'cpu')
    const mounts = `${mount1('memory')}\n${mount2()}`
    const found = hierarchiesIn({ groups: '4:memory:/\n0::/plain\n', mounts })
    expect(found.pids).toBeNull()
    expect(found.memory?.version).toBe(1)
  })

  it('is seen from a container: the mount shows its own group as the root', () => {
    const groups = '4:memory:/docker/abc\n8:pids:/docker/abc/inner\n'
    const mounts = `${mount1('memory', '/docker/abc')}\n${mount1('pids', '/docker/abc')}`
    expect(hierarchiesIn({ groups, mounts })).toMatchObject({
      memory: { groups: ['/sys/fs/cgroup/memory'] },
      pids: { groups: ['/sys/fs/cgroup/pids/inner', '/sys/fs/cgroup/pids'] },
    })
  })

  it('is unknown where its group cannot be seen, or nothing is mounted', () => {
    const nothing = { pids: null, memory: null }
    const mounts = mount1('pids', '/other')
    expect(hierarchiesIn({ groups: '8:pids:/docker/abc\n', mounts })).toEqual(nothing)
    expect(hierarchiesIn({ groups: '0::/../../a\n', mounts: mount2() })).toEqual(nothing)
    expect(hierarchiesIn({ groups: '0::/\n', mounts: '' })).toEqual(nothing)
    expect(hierarchiesIn(null)).toEqual(nothing)
    expect(hierarchiesIn({ groups: 'x', mounts: 'y\n\n - \n' })).toEqual(nothing)
  })

  it('is read where the path of a mount has white space', () => {
    const mounts = mount1('pids', '/', '/mnt/control\\040groups')
    expect(hierarchiesIn({ groups: '8:pids:/a', mounts }).pids?.groups[0]).toBe(
      '/mnt/control groups/a',
    )
  })
})
