import { expect, it } from 'vitest'
import { ignored, patterns } from './patterns.ts'
import { tamperedPaths } from './tampered.ts'
import { planOf } from '../../../test/workspaces.ts'

it.each([
  ['tests', 'tests/a/b.ts', true],
  ['tests/', 'tests/a.ts', true],
  ['tests/**', 'tests/a.ts', true],
  ['tests/**', 'tests', true],
  ['./tests', 'tests/a.ts', true],
  ['tests', 'src/tests/a.ts', false],
  ['**/tests', 'src/tests/a.ts', true],
  ['**/tests/**', 'src/deep/tests/a.ts', true],
  ['**/*.test.ts', 'src/a.test.ts', true],
  ['**/*.test.ts', 'a.test.ts', true],
  ['src/*.ts', 'src/a/b.ts', false],
  ['**', 'anything/at/all', true],
  ['package.json', 'package.json', true],
  ['package.json', 'package.json.bak', false],
])('%s covers %s: %s', (pattern, path, isCovered) => {
  expect(patterns([pattern]).covers(path)).toBe(isCovered)
})

it('git’s own folders are ignored at any depth, and files that are only called alike are not', () => {
  const { covers } = ignored([])
  expect(['.git', '.git/HEAD', 'a/.git/config', '.gitignore', '.github/x'].map(covers)).toEqual([
    true,
    true,
    true,
    false,
    false,
  ])
})

it('any kind of change to a protected file is tampering, and none to others', () => {
  const diff = {
    version: 1,
    changes: [
      { path: 'src/a.ts', change: 'changed', text: '' },
      { path: 'tests', change: 'added', mode: '120000', text: '/etc' },
      { path: 'tests/a.test.ts', change: 'deleted' },
      { path: 'tests/new.ts', change: 'added', text: '' },
      { path: 'tests/run.sh', change: 'changed', modeBefore: '100755', mode: '100644', text: 'x' },
    ],
  } as const
  expect(tamperedPaths(planOf({ protect: ['tests/**'] }), diff)).toEqual([
    'tests',
    'tests/a.test.ts',
    'tests/new.ts',
    'tests/run.sh',
  ])
  expect(tamperedPaths(planOf(), diff)).toEqual([])
  expect(tamperedPaths(null, diff)).toEqual([])
})
