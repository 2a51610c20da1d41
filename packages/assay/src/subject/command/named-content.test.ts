/**
 * Tests which files may be read for the record if an untrusted folder names them. The arguments of a command can
 * name files, directly or through links to files and folders, in /proc and elsewhere. A subject can also name files
 * and skills that are copied into a workspace.
 */
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { commandSubject } from './command.ts'
import { namedContent } from './named-content.ts'

let root = ''
let folder = ''

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'assay-named-'))
  folder = join(root, 'experiment')
  mkdirSync(join(folder, 'agent/lib'), { recursive: true })
  writeFileSync(join(folder, 'agent.sh'), 'echo 1')
  writeFileSync(join(folder, 'agent/lib/a.py'), '1')
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

const configOf = (argv: string[], given: string | null = folder) =>
  commandSubject({ id: 'x', argv, ...(given === null ? {} : { folder: given }) }).config

it('a command whose script was changed is another subject', () => {
  const before = configOf(['sh', './agent.sh'])
  expect(configOf(['sh', './agent.sh'])).toEqual(before)
  writeFileSync(join(folder, 'agent.sh'), 'echo 2')
  expect(configOf(['sh', './agent.sh'])).not.toEqual(before)
  expect(before).toHaveProperty('content', {
    './agent.sh': expect.stringMatching(/^[0-9a-f]{64}$/),
  })
})

it('the program itself counts, and everything in a folder but what running it makes', () => {
  const of = (word: string): string | undefined => namedContent([word], folder, false)[word]
  const program = of('./agent.sh')
  const before = of('./agent')
  mkdirSync(join(folder, 'agent/__pycache__'))
  writeFileSync(join(folder, 'agent/__pycache__/a.pyc'), 'x')
  expect(of('./agent')).toBe(before)
  writeFileSync(join(folder, 'agent/lib/a.py'), '2')
  expect(of('./agent')).not.toBe(before)
  expect(program).toBeDefined()
  expect(configOf(['./agent.sh'])).toHaveProperty('content', { './agent.sh': program })
})

it('a command that names no file of its own is recorded as ever', () => {
  for (const [argv, given] of [
    [['sh', '-c', 'echo'], folder],
    [['sh', './gone.sh'], folder],
    [['sh', 'agent.sh'], folder],
    [['sh', './agent.sh'], null],
  ] as const)
    expect(configOf([...argv], given)).not.toHaveProperty('content')
})

it('what is around it, too large or no file is left out', () => {
  execFileSync('mkfifo', [join(folder, 'pipe')])
  writeFileSync(join(folder, 'huge'), '')
  // The file is sparse, so it takes no space on the disk.
  truncateSync(join(folder, 'huge'), 2 ** 40)
  mkdirSync(join(folder, 'many'))
  for (let i = 0; i <= 2000; i++) writeFileSync(join(folder, 'many', String(i)), '')
  // This file in /proc reports a size of 0 but has an enormous content. `--dry-run` creates subjects of untrusted
  // folders too, so a folder could make Assay read it.
  symlinkSync('/proc/self/pagemap', join(folder, 'system'))
  const words = ['./', '../', '../experiment', './pipe', './huge', './many', './system']
  expect(namedContent(words, folder, false)).toEqual({})
})

it('only looks at files of its repository where the command may not be trusted', () => {
  writeFileSync(join(root, 'secret'), 'x')
  symlinkSync(join(root, 'secret'), join(folder, 'link'))
  symlinkSync('/proc/self', join(folder, 'process'))
  const words = ['./link', '../secret', './process/environ', './agent.sh']
  expect(Object.keys(namedContent(words, folder, true))).toEqual(['./agent.sh'])
  expect(Object.keys(namedContent(words.slice(0, 2), folder, false))).toHaveLength(2)
  expect(commandSubject({ id: 'x', argv: words, folder, lookOnly: true }).config).toHaveProperty(
    'content',
    { './agent.sh': expect.any(String) },
  )
})

it.runIf(process.platform === 'linux')(
  'does not believe the size of a file that has no end',
  () => {
    symlinkSync('/proc/self/pagemap', join(folder, 'endless'))
    expect(namedContent(['./endless'], folder, false)).toEqual({})
  },
)

it('a pipe that a subject would lay in a workspace is refused, not waited for', () => {
  execFileSync('mkfifo', [join(folder, 'pipe')])
  const files = { x: { from: join(folder, 'pipe') } }
  expect(() => commandSubject({ id: 'x', argv: ['sh'], files })).toThrow(/not an ordinary file/)
})
