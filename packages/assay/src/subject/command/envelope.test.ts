import { describe, expect, it } from 'vitest'
import { readEnvelope } from './envelope.ts'

const read = (value: unknown) => readEnvelope(JSON.stringify(value))

describe('readEnvelope', () => {
  it('needs a text and nothing else', () => {
    expect(read({ text: 'a' })).toEqual({ text: 'a', stop: 'end', usage: null, usd: null })
    expect(read({ text: 'a', usage: null, costUsd: null })).toEqual(read({ text: 'a' }))
  })

  it('takes everything a command can say', () => {
    const files = { 'src/a.ts': 'x', __proto__x: 'y' }
    expect(
      read({
        text: '',
        usage: { input: 10, output: 5, cacheRead: 3, reasoning: 2 },
        costUsd: 0.25,
        files,
        stop: 'length',
        note: 'cut',
      }),
    ).toEqual({
      text: '',
      stop: 'length',
      note: 'cut',
      files,
      usage: { input: 10, cacheRead: 3, cacheWrite: 0, output: 5, reasoning: 2 },
      usd: 0.25,
    })
  })

  it.each([
    [{}, 'text must be'],
    [{ text: 1 }, 'text must be'],
    [[], 'not an object'],
    [{ text: '', cost_usd: 1 }, 'unknown key "cost_usd"'],
    [{ text: '', usage: { input: 1 } }, 'usage must hold'],
    [{ text: '', usage: { input: 1, output: 1, total: 2 } }, 'usage must hold'],
    [{ text: '', usage: 7 }, 'usage must hold'],
    [{ text: '', stop: 'exit' }, 'stop must be one of'],
    [{ text: '', note: 1 }, 'note must be'],
    [{ text: '', files: { '../x': '' } }, 'files must hold'],
    [{ text: '', files: { '/etc/x': '' } }, 'files must hold'],
    [{ text: '', files: { 'a/..\\..\\x': '' } }, 'files must hold'],
    [{ text: '', files: { 'C:x': '' } }, 'files must hold'],
    [{ text: '', files: { x: 1 } }, 'files must hold'],
  ])('says what is wrong with %j', (value, wrong) => {
    expect(read(value)).toEqual({ wrong: expect.stringContaining(wrong) })
  })

  it.each([-1, '1', 1e300, true, []])('does not count a cost of %j, and says so', (costUsd) => {
    expect(read({ text: 'a', costUsd })).toEqual({
      text: 'a',
      stop: 'end',
      usage: null,
      usd: null,
      remarks: ['a cost is no sum of money that can be, and does not count'],
    })
  })

  it.each([1.5, -1, '3', 1e300, null])('does not count %j tokens, and says so', (input) => {
    expect(read({ text: 'a', usage: { input, output: 1 } })).toEqual({
      text: 'a',
      stop: 'end',
      usage: null,
      usd: null,
      remarks: ['a count of tokens is not a number that can be, and does not count'],
    })
  })

  it('says so when it is not JSON', () => {
    expect(readEnvelope('hello')).toEqual({ wrong: 'it is not JSON' })
  })
})
