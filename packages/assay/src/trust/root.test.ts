/**
 * Links of a repository that lead out of it. Related paths that were checked: `assay init`, `view --export`, `merge -o`
 * and its default folder, `run -o`, `--report` of run, report, analyze, compare and merge, `report --judgments`,
 * `bless --output`, `import`, runs that are resumed, labelled, tagged or deleted by their folder; and the files that
 * errors quote: `label --import`, suites and experiments, `analyze`, `--gates`.
 */
import { mkdirSync, mkdtempSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { checkReadHere, checkWrittenHere } from './root.ts'

const top = realpathSync(mkdtempSync(join(tmpdir(), 'assay-root-')))
const before = process.cwd()
const REFUSED = 'leads out of this repository through a link'

beforeAll(() => {
  mkdirSync(join(top, 'repository', '.git'), { recursive: true })
  mkdirSync(join(top, 'repository', 'inside', 'deep'), { recursive: true })
  mkdirSync(join(top, 'other', '.git'), { recursive: true })
  mkdirSync(join(top, 'elsewhere', 'below'), { recursive: true })
  writeFileSync(join(top, 'elsewhere', 'file'), '')
  process.chdir(join(top, 'repository'))
  symlinkSync('../elsewhere', 'out')
  symlinkSync(join(top, 'elsewhere'), 'inside/out')
  symlinkSync('out', 'chain')
  symlinkSync('../nowhere', 'dangling')
  symlinkSync('loop', 'loop')
  symlinkSync('.', 'self')
  symlinkSync('inside', 'in')
  symlinkSync('../elsewhere', join(top, 'other', 'out'))
  symlinkSync('repository', join(top, 'mine'))
})
afterAll(() => process.chdir(before))

describe('a path through a link that leads out of the repository', () => {
  it.each([
    ...['out', 'out/', 'out/new/folder', './out', 'inside/out/x', 'in/out', 'chain', 'dangling'],
    // The system follows the link before it goes back.
    ...['out/..', 'out/../repository', 'inside/../out'],
    // The system leads from `self/..` to the folder above, but code that joins paths stays in the repository.
    'self/../out/new',
    join(top, 'repository', 'out', 'x'),
    join(top, 'mine', 'out'),
    join(top, 'other', 'out'),
  ])('is refused: %s', (path) => {
    expect(() => checkWrittenHere(path)).toThrow(REFUSED)
    expect(() => checkReadHere(path)).toThrow(REFUSED)
  })

  it('is refused from a folder of the repository below, too', () => {
    process.chdir('inside/deep')
    try {
      expect(() => checkWrittenHere('../../out')).toThrow(REFUSED)
      expect(() => checkWrittenHere('../new')).not.toThrow()
    } finally {
      process.chdir('../..')
    }
  })
})

it.each([
  ...['.', 'new', 'new/folder', 'inside', 'in/new', 'loop', '..', '../elsewhere', '../elsewhere/x'],
  join(top, 'elsewhere'),
  join(top, 'mine', 'inside'),
])('takes a path that no link of the repository leads out: %s', (path) => {
  expect(() => checkWrittenHere(path)).not.toThrow()
})
