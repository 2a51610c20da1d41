import fc from 'fast-check'
import { afterAll, describe, expect, it } from 'vitest'
import { fakeDiff } from '../../../test/fakes.ts'
import { judged, refusal } from '../../../test/grade-answer.ts'
import type { FileChange, WorkspaceDiff } from '@assay/contract'
import { closeGraders } from '../index.ts'
import { changedLines, diffText } from './diff-lines.ts'

afterAll(closeGraders)

const edited: FileChange = {
  path: 'src/a.ts',
  change: 'changed',
  modeBefore: '100644',
  mode: '100644',
  text: 'one\n++ two\nlast\n',
  patch: '@@ -1,3 +1,3 @@\n one\n-@@ -9 +9 @@ old\n+++ two\n last\n\\ No newline at end of file\n',
}
const image: FileChange = { path: 'logo.png', change: 'added', mode: '100644', base64: 'AAEC' }
const gone: FileChange = {
  path: 'b.ts',
  change: 'deleted',
  modeBefore: '100644',
  patch: '@@ -1 +0,0 @@\n-secret()\n',
}
const huge: FileChange = {
  path: 'huge.txt',
  change: 'changed',
  modeBefore: '100644',
  mode: '100644',
  text: 'x\n'.repeat(10),
}
const diff = fakeDiff(edited, gone, { 'new/c.ts': 'const c = 1\nconst d = 2\n' })

describe('the lines of a change', () => {
  it('are told apart by their marks, whatever they look like', () => {
    expect(changedLines(edited)).toEqual({ added: ['++ two'], removed: ['@@ -9 +9 @@ old'] })
    expect(changedLines(gone)).toEqual({ added: [], removed: ['secret()'] })
  })

  it('are all of a new text without a patch, and unknown of what is not text or too large', () => {
    expect(changedLines({ path: 'x', change: 'added', text: 'a\n\nb' }).added).toEqual([
      'a',
      '',
      'b',
    ])
    expect(changedLines(image)).toEqual({ added: null, removed: [] })
    expect(changedLines(huge)).toEqual({ added: null, removed: null })
    expect(changedLines({ path: 'x', change: 'deleted' })).toEqual({ added: [], removed: null })
  })

  it('come back from any patch that was made of them', () => {
    const line = fc.string().map((text) => text.replaceAll('\n', ''))
    const marked = fc.tuple(fc.constantFrom(' ', '+', '-'), line)
    fc.assert(
      fc.property(fc.array(marked), (lines) => {
        const patch = `@@ -1 +1 @@\n${lines.map(([mark, text]) => `${mark}${text}\n`).join('')}`
        const of = (mark: string) => lines.flatMap(([own, text]) => (own === mark ? [text] : []))
        const { added, removed } = changedLines({ path: 'x', change: 'changed', patch })
        expect([added, removed]).toEqual([of('+'), of('-')])
      }),
    )
  })

  it('are shown with a head for each file that nothing in them can end', () => {
    const changed: FileChange = { ...edited, path: 'a\n=== added "b"', modeBefore: '100755' }
    expect(diffText(fakeDiff(changed, image)).split('\n')).toEqual([
      '=== changed "a\\n=== added \\"b\\"", mode 100755 to 100644',
      '@@ -1,3 +1,3 @@',
      ' one',
      '-@@ -9 +9 @@ old',
      '+++ two',
      ' last',
      '\\ No newline at end of file',
      '=== added "logo.png"',
      '(no text, or too large to show)',
    ])
  })
})

describe('diff-contains', () => {
  const look = (options: object, given: WorkspaceDiff = diff) =>
    judged('diff-contains', options, '', { diff: given })

  it('finds texts and patterns in added lines, and not in others', async () => {
    expect(await look({ value: 'const c' })).toEqual({
      score: 1,
      passed: true,
      reason: 'the added lines: contains "const c"',
    })
    expect(await look({ value: 'last' })).toMatchObject({
      score: 0,
      passed: false,
      reason: 'the added lines: does not contain "last"',
    })
    expect((await look({ value: 'secret()' })).passed).toBe(false)
    expect((await look({ pattern: '^const \\w = 2$', flags: 'm' })).passed).toBe(true)
    expect((await look({ all: ['const c'], pattern: 'absent' })).reason).toBe(
      'nothing in the added lines matches /absent/',
    )
  })

  it('looks at removed lines, or both, and at some files only', async () => {
    expect((await look({ value: 'secret', in: 'removed' })).passed).toBe(true)
    expect((await look({ value: 'const', in: 'removed' })).passed).toBe(false)
    expect((await look({ all: ['secret', 'const'], in: 'any' })).passed).toBe(true)
    expect((await look({ value: 'const', path: 'src/**' })).passed).toBe(false)
    expect((await look({ value: 'const', path: 'new/*.ts' })).reason).toBe(
      'the added lines of "new/*.ts": contains "const"',
    )
  })

  it('does not let a change without lines pass for one without the text', async () => {
    expect(await look({ value: 'x' }, fakeDiff(image, huge))).toMatchObject({
      passed: false,
      final: true,
      reason: 'the added lines: does not contain "x"; 2 changed files have no lines to look at',
    })
    expect((await look({ value: 'x', path: '*.ts' }, fakeDiff(image, huge))).final).toBeUndefined()
  })

  it('refuses to look for nothing, and patterns that are none', () => {
    expect(refusal('diff-contains', { in: 'any' })).toContain('value, all, any or pattern')
    expect(refusal('diff-contains', { pattern: '(' })).toContain('a regular expression')
  })
})

it('what cannot be kept counts as changed, once', async () => {
  const given = { ...fakeDiff(gone), unkept: ['b.ts', 'tests/\ufffdbad.py'] }
  const none = { ...fakeDiff(), unkept: ['pipe'] }
  expect(await judged('diff-empty', {}, '', { diff: none })).toMatchObject({
    passed: false,
    reason: 'added "pipe"',
  })
  expect(await judged('files-touched', { allow: ['b.ts'] }, '', { diff: given })).toMatchObject({
    passed: false,
    score: 0.5,
  })
  const size = await judged('diff-size', { maxFiles: 1 }, '', { diff: given })
  expect(size).toMatchObject({ passed: false, facts: { files: 2 } })
  expect(size.evidence).toContain('bad.py')
})

describe('diff-empty', () => {
  it('holds where nothing was changed, not even a mode', async () => {
    expect((await judged('diff-empty', {}, '', { diff: fakeDiff() })).passed).toBe(true)
    const mode: FileChange = { ...edited, modeBefore: '100755', patch: '' }
    expect(await judged('diff-empty', {}, '', { diff: fakeDiff(mode) })).toMatchObject({
      score: 0,
      passed: false,
      reason: 'changed "src/a.ts"',
    })
  })
})

describe('diff-size', () => {
  const size = (options: object, given: WorkspaceDiff = diff) =>
    judged('diff-size', options, '', { diff: given })

  it('counts files, lines that were added and removed, and bytes as they are now', async () => {
    expect(await size({ maxFiles: 3, maxLines: 5, maxBytes: 100 })).toEqual({
      score: 1,
      passed: true,
      reason: '3 files, within 3; 5 lines, within 5; 40 bytes, within 100',
      facts: { files: 3, lines: 5, bytes: 40 },
    })
  })

  it('scores by the bound that is missed by most', async () => {
    expect(await size({ maxFiles: 2, maxLines: 4 })).toMatchObject({
      score: 0.5,
      passed: false,
      reason: '3 files, over 2; 5 lines, over 4',
    })
  })

  it('counts what has no patch by what is known of it', async () => {
    expect((await size({ maxFiles: 9 }, fakeDiff(image, huge))).facts).toEqual({
      files: 2,
      lines: 10,
      bytes: 23,
    })
  })

  it('refuses to bound nothing', () => {
    expect(refusal('diff-size', {})).toContain('maxFiles, maxLines or maxBytes')
  })
})

describe('files-touched', () => {
  const touched = (options: object) => judged('files-touched', options, '', { diff })

  it('a folder may be written with a slash at its end', async () => {
    expect(refusal('files-touched', { allow: ['src/'] })).toBe('')
    const link: FileChange = { path: 'src', change: 'added', mode: '120000', text: '/etc' }
    const replaced = { diff: { version: 1 as const, changes: [link] } }
    expect((await judged('files-touched', { allow: ['src/**'] }, '', replaced)).passed).toBe(false)
    expect((await judged('files-touched', { allow: ['src'] }, '', replaced)).passed).toBe(true)
    expect(await touched({ allow: ['new/', 'src/', 'b.ts'] })).toMatchObject({ passed: true })
    expect(await touched({ disallow: ['new/'] })).toMatchObject({ passed: false })
  })

  it('scores the share of changed files that are allowed', async () => {
    expect(await touched({ allow: ['src/**', 'new/*', 'b.ts'] })).toEqual({
      score: 1,
      passed: true,
      reason: '3 changed files, all of them allowed',
    })
    expect(await touched({ allow: ['src/**', 'new/*'] })).toMatchObject({
      score: 2 / 3,
      passed: false,
      reason: '1 of 3 changed files may not be: deleted "b.ts"',
    })
    expect((await touched({ allow: ['src', 'n*', 'b.ts'] })).passed).toBe(true)
    expect((await touched({ disallow: ['**/*.lock', 'src/b', 'a.ts'] })).passed).toBe(true)
    expect((await touched({ allow: ['**'], disallow: ['src/a.ts'] })).passed).toBe(false)
  })

  it('refuses to look for nothing, and patterns that lead out', () => {
    expect(refusal('files-touched', {})).toContain('allow or disallow')
    expect(refusal('files-touched', { allow: ['../x'] })).toContain('a relative path')
  })
})
