import { describe, expect, it } from 'vitest'
import { readDiagnostics } from './languages/rust/host/diagnostics.ts'
import { shortened } from './shortened.ts'

describe('a message that is too long', () => {
  it.each([
    ['short', 10, 'short'],
    ['one line\nand another', 15, 'one line …'],
    ['A sentence. And another', 18, 'A sentence. …'],
    ['first part; second part', 18, 'first part; …'],
    ['words without an end', 16, 'words without …'],
    ['x'.repeat(20), 10, `${'x'.repeat(10)}…`],
  ])('%j in %d characters', (text, most, expected) => {
    expect(shortened(text, most)).toBe(expected)
  })

  it('of the Rust compiler ends with a whole sentence', () => {
    const message = 'The type is too long to be shown here. '.repeat(40)
    const said = readDiagnostics(JSON.stringify({ level: 'error', message, spans: [] }), String)
    expect(said.errors[0]?.message).toMatch(/shown here\. …$/u)
  })
})
