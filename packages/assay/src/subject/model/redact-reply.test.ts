import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { redactReply } from './redact-reply.ts'

const KEY = 'sk-proj-9fA2bC7dE1gH4jK8mN3pQ6rS'

describe('redactReply', () => {
  it.each([
    ['whole', `Incorrect API key provided: ${KEY}.`],
    ['masked with its ends', 'Incorrect API key provided: sk-pr***********Q6rS.'],
    ['masked with its end', 'key ****************3pQ6rS is revoked'],
    ['masked with its beginning', 'key "sk-proj-9fA..." is revoked'],
    ['masked with letters', 'key sk-projxxxxxxxxxxxxQ6rS is revoked'],
    ['cut short', `the key ${KEY.slice(0, 20)} is not known`],
    ['its end only', `the key that ends in ${KEY.slice(-10)}`],
    ['as a header', `{"headers":{"Authorization":"Bearer ${KEY}"}}`],
    ['as another header', `x-api-key: ${KEY}\nhost: example.com`],
    ['in a URL', `https://example.com/v1?key=${encodeURIComponent(KEY)}`],
    ['encoded', `Basic ${Buffer.from(`user:${KEY}`).toString('base64')}`],
  ])('leaves nothing of a key that is shown %s', (_, text) => {
    const shown = redactReply(text, [KEY])
    expect(shown).toContain('[secret]')
    expect(shown).not.toContain(KEY)
    for (const piece of ['9fA2bC', '4jK8mN', 'Q6rS']) expect(shown).not.toContain(piece)
  })

  it('hides headers and keys of others too', () => {
    expect(redactReply('Authorization: Bearer abc.def', [])).toBe('Authorization: [secret]')
    expect(redactReply('got sk-ant-api03-AAAABBBBCCCCDDDD', [])).toBe('got [secret]')
    expect(redactReply('api_key=abcdef&x=1', [])).not.toContain('abcdef')
  })

  it('leaves ordinary text, masks and short placeholders as they are', () => {
    const text = 'The model `x` is overloaded... try again in 5s **please**'
    expect(redactReply(text, [KEY])).toBe(text)
    expect(redactReply('a test of the test', ['test'])).toBe('a test of the test')
  })

  it('never shows eight characters of a key in a row, wherever they stand', () => {
    const hex = fc.string({
      unit: fc.constantFrom(...'0123456789abcdef'.split('')),
      minLength: 24,
      maxLength: 48,
    })
    fc.assert(
      fc.property(hex, fc.string(), fc.string(), fc.nat(16), (key, before, after, from) => {
        const piece = key.slice(from)
        const shown = redactReply(`${before} ${piece} ${after}`, [key])
        for (let at = 0; at + 8 <= piece.length; at++) {
          const run = piece.slice(at, at + 8)
          if (!`${before} ${after}`.includes(run)) expect(shown).not.toContain(run)
        }
      }),
    )
  })

  it('is one line without control characters, of at most 500 characters', () => {
    expect(redactReply('a\n\tb\u001b[31mred', [])).toBe('a b [31mred')
    expect(redactReply('x y '.repeat(10_000), [KEY])).toHaveLength(500)
    expect(redactReply(`${'a'.repeat(495)} ${KEY}`, [KEY])).not.toContain('sk-')
  })

  it('is quick on hostile text', () => {
    const hostile = [
      'a'.repeat(1e6),
      '*'.repeat(1e6),
      'api key '.repeat(1e5),
      'x'.repeat(1e6),
      KEY.slice(0, 7).repeat(1e5),
    ]
    for (const text of hostile) expect(redactReply(text, [KEY]).length).toBeLessThanOrEqual(500)
  })
})
