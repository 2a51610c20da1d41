import fc from 'fast-check'
import { afterAll, describe, expect, it } from 'vitest'
import { gradedWorkspace, judged, refusal } from '../../../test/grade-answer.ts'
import { answerFiles } from './answer-files.ts'
import { matchesGlob } from '../../text/glob.ts'
import { closeGraders, GraderTimeout } from '../index.ts'

afterAll(closeGraders)

const files = { 'src/main.ts': 'export const x = 1\n', 'README.md': '# Title\n', 'a/b/c.ts': 'x' }

describe('a pattern of paths', () => {
  it.each([
    ['src/main.ts', 'src/main.ts', true],
    ['src/main.ts', 'src/*.ts', true],
    ['src/main.ts', '*.ts', false],
    ['src/main.ts', '**/*.ts', true],
    ['main.ts', '**/*.ts', true],
    ['a/b/c/d.ts', 'a/**/d.ts', true],
    ['a/d.ts', 'a/**/d.ts', true],
    ['a/b', 'a/**', true],
    ['src/main.ts', 'src/m??n.ts', true],
    ['src/main.ts', 'src/mai?.js', false],
    ['a.b', 'a?b', true],
    ['axb', 'a.b', false],
  ])('%s against %s', (path, pattern, expected) => {
    expect(matchesGlob(path, pattern)).toBe(expected)
  })

  it('agrees with a regular expression that means the same', () => {
    const name = fc.string({ unit: fc.constantFrom('a', 'b'), minLength: 1, maxLength: 4 })
    const paths = fc.array(name, { minLength: 1, maxLength: 3 }).map((steps) => steps.join('/'))
    const step = fc.string({
      unit: fc.constantFrom('a', 'b', '*', '?'),
      minLength: 1,
      maxLength: 4,
    })
    const patterns = fc
      .array(
        step.filter((one) => !one.includes('**')),
        { minLength: 1, maxLength: 3 },
      )
      .map((steps) => steps.join('/'))
    fc.assert(
      fc.property(paths, patterns, (path, pattern) => {
        const same = pattern.replaceAll('*', '[^/]*').replaceAll('?', '[^/]')
        expect(matchesGlob(path, pattern)).toBe(new RegExp(`^${same}$`).test(path))
      }),
    )
  })

  it('takes no path for ever', () => {
    // A matcher that tries every way to divide the path would never finish here.
    expect(matchesGlob('a'.repeat(2000), `${'*a'.repeat(200)}b`)).toBe(false)
    expect(matchesGlob('a/'.repeat(500), `${'**/a/'.repeat(50)}b`)).toBe(false)
  })
})

describe('the files of an answer', () => {
  it('are those beside its text, by plain paths', () => {
    const given = { './a.txt': '1', 'b\\c.txt': '2', '../out': '3', '/etc/passwd': '4' }
    expect([...answerFiles({ answer: '```js x.js\n```', files: given })]).toEqual([
      ['a.txt', '1'],
      ['b/c.txt', '2'],
    ])
  })

  it('else the fenced blocks that carry a name', () => {
    const answer = [
      '```ts src/a.ts\n1\n```',
      '```json title="data.json"\n2\n```',
      'Then the script:\n\n**run.sh**\n\n```sh\n3\n```',
      'An example:\n\n```ts\n4\n```',
      '```\n../x.ts\n```',
      '```js ../../x.js\n5\n```',
    ].join('\n\n')
    expect([...answerFiles({ answer, files: {} })]).toEqual([
      ['src/a.ts', '1'],
      ['data.json', '2'],
      ['run.sh', '3'],
    ])
  })
})

describe('file-exists', () => {
  it('finds a file by path or pattern, and says what there is instead', async () => {
    expect(await judged('file-exists', { path: 'src/main.ts' }, '', { files })).toMatchObject({
      score: 1,
      reason: 'has the file "src/main.ts"',
    })
    expect((await judged('file-exists', { path: '**/*.md' }, '', { files })).passed).toBe(true)
    expect(await judged('file-exists', { path: 'main.ts' }, '', { files })).toMatchObject({
      score: 0,
      passed: false,
      reason: 'no file "main.ts": it has "README.md", "a/b/c.ts", "src/main.ts"',
    })
    expect(await judged('file-exists', { path: '__proto__' }, 'no files')).toMatchObject({
      passed: false,
      reason: 'no file "__proto__": it has no files',
    })
  })

  it('refuses paths that lead out', () => {
    for (const path of ['../x', '/x', 'C:\\x', 'a//b', './a', ''])
      expect(refusal('file-exists', { path })).not.toBe('')
  })
})

describe('file-contains', () => {
  it('looks into the file, and into any that a pattern means', async () => {
    const has = async (path: string, value: string) =>
      await judged('file-contains', { path, value }, 'export const y', { files })
    expect(await has('src/main.ts', 'const x')).toMatchObject({
      passed: true,
      reason: '"src/main.ts" contains "const x"',
    })
    // The text of the answer is not searched as a file.
    expect((await has('src/main.ts', 'const y')).passed).toBe(false)
    expect((await has('**/*.ts', 'const x')).passed).toBe(true)
    expect((await has('**/*.ts', 'absent')).reason).toBe(
      'none of 2 files fits; "a/b/c.ts" does not contain "absent"',
    )
    expect((await has('b.ts', 'x')).reason).toContain('no file "b.ts"')
  })
})

describe('file-matches', () => {
  it('searches the file, and any that a pattern means', async () => {
    const options = { path: '**/*.ts', pattern: 'x = \\d' }
    expect(await judged('file-matches', options, '', { files })).toMatchObject({
      passed: true,
      reason: '"x = 1" in "src/main.ts" matches /x = \\d/ at line 1, column 14',
    })
    const other = { path: 'README.md', pattern: '^title', flags: 'm' }
    expect(await judged('file-matches', other, '', { files })).toMatchObject({
      passed: false,
      reason: 'nothing in "README.md" matches /^title/m',
    })
  })

  it('ends a catastrophic pattern at one deadline for all files', async () => {
    // If each file had its own deadline, grading them all would exceed the test's timeout.
    const bad = Object.fromEntries(
      Array.from({ length: 4000 }, (_, i) => [`f${i}`, 'a'.repeat(40)]),
    )
    const options = { path: '*', pattern: '(a+)+b' }
    const work = judged('file-matches', options, '', { files: bad }, { timeoutMs: 100 })
    await expect(work).rejects.toThrow(GraderTimeout)
  })
})

describe('files of a workspace', () => {
  const workspace = {
    ...gradedWorkspace({ 'src/main.ts': 'export const x = 1\n', 'README.md': '# Title\n' }),
    list: () => Promise.resolve(['README.md', 'logo.png', 'src/main.ts']),
  }
  const look = (type: string, options: object) =>
    judged(type, options, '```ts other.ts\nx\n```', { workspace, files: { 'changed.ts': 'x' } })

  it('are looked at instead of those of the answer', async () => {
    expect((await look('file-exists', { path: '**/*.ts' })).reason).toBe(
      'has the file "src/main.ts"',
    )
    expect(await look('file-exists', { path: 'other.ts' })).toMatchObject({
      passed: false,
      reason: 'no file "other.ts": it has "README.md", "logo.png", "src/main.ts"',
    })
    expect((await look('file-contains', { path: '*', value: '# Title' })).passed).toBe(true)
    expect((await look('file-matches', { path: '**', pattern: 'x = \\d' })).passed).toBe(true)
  })

  it('that are not text have nothing in them', async () => {
    expect(await look('file-contains', { path: 'logo.png', value: 'x' })).toMatchObject({
      passed: false,
      reason: '"logo.png" is not text',
    })
    expect(await look('file-matches', { path: 'logo.png', pattern: '^' })).toEqual({
      score: 0,
      passed: false,
      reason: 'nothing in "logo.png" matches /^/',
    })
    expect((await look('file-exists', { path: 'logo.png' })).passed).toBe(true)
  })
})
