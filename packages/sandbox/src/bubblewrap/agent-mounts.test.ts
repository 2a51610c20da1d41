import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { accounts, openPaths, OWN_PACKAGES } from './agent-mounts.ts'

it('knows the packages of Assay, its own first', () => {
  const names = OWN_PACKAGES.map(
    (folder) =>
      (JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { name: string }).name,
  )
  expect(names.toSorted()).toEqual([
    '@assay/code',
    '@assay/contract',
    '@assay/metrics',
    '@assay/sandbox',
    'assay',
  ])
  expect(import.meta.dirname.startsWith(`${OWN_PACKAGES[0]}/`)).toBe(true)
})

it.skipIf(process.platform !== 'linux')(
  'shows no place where people or services keep theirs',
  () => {
    const paths = openPaths()
    expect(paths).toContain('/usr')
    const theirs = /^\/(home|root|run|var|tmp|opt|srv|mnt|media|sys|boot)(\/|$)|shadow|private|sudo/
    expect(paths.filter((path) => path === '/etc' || theirs.test(path))).toEqual([])
  },
)

it('tells of one user, at home where the environment says', () => {
  const { passwd, group } = accounts({ uid: 1234, gid: 5678 }, '/home/agent')
  expect(passwd).toMatch(/^agent:x:1234:5678::\/home\/agent:\/bin\/(ba)?sh$/m)
  expect(group).toMatch(/^agent:x:5678:$/m)
})

it('lets no home write lines of its own', () => {
  for (const home of ['/x\nroot2:x:0:0::/:/bin/sh', '/x:y']) {
    const { passwd } = accounts({ uid: 1, gid: 1 }, home)
    expect(passwd.split('\n')).toHaveLength(4)
    expect(passwd).toMatch(/^agent:x:1:1::\/:/m)
  }
})
