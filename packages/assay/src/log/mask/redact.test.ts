/**
 * Every form of a secret that docs/reference/running.md lists is found anywhere in a text, and nothing else is changed. These
 * tests cover texts, pieces of a stream and bytes (redact.ts). masked.test.ts covers records. Replies of providers
 * are masked with redact.ts too (subject/redact-reply.ts), and then shortened.
 */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { makeRedactor, MARK, masksAnything, redactor } from './redact.ts'
import { isTooShort } from './secret-forms.ts'

const KEY = 'sk-"very"/secret\\key+ä ü€'

const base64 = (text: string): string => Buffer.from(text).toString('base64')
const lowerHex = (text: string): string => text.replaceAll(/%../gu, (code) => code.toLowerCase())
const everyByte = (text: string): string =>
  Buffer.from(text)
    .toString('hex')
    .replaceAll(/../gu, (hex) => `%${hex.toUpperCase()}`)
const asciiJson = (text: string): string =>
  JSON.stringify(text).replaceAll(
    /[\u0080-\uffff]/g,
    (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )

const FORMS: Readonly<Record<string, (key: string) => string>> = {
  plain: (key) => `the key is ${key}!`,
  'as JSON': (key) => JSON.stringify({ key }),
  'as JSON in JSON': (key) => JSON.stringify({ body: JSON.stringify({ key }) }),
  'as JSON in ASCII': asciiJson,
  'in an address': (key) => `?key=${encodeURIComponent(key)}&x`,
  'in an address with small digits': (key) => `?key=${lowerHex(encodeURIComponent(key))}&x`,
  'in a whole address': (key) => encodeURI(key),
  'in a form': (key) => new URLSearchParams({ key }).toString(),
  'with every byte encoded': everyByte,
  'in hex': (key) => Buffer.from(key).toString('hex'),
  'in large hex': (key) => Buffer.from(key).toString('hex').toUpperCase(),
  'in base64': base64,
  'in base64 without padding': (key) => base64(key).replaceAll('=', ''),
  'in base64url': (key) => Buffer.from(key).toString('base64url'),
  'in base64 after Bearer': (key) => base64(`Bearer ${key}`),
  'in base64 after a user': (key) => base64(`user:${key}`),
  'in base64 among others': (key) => base64(`a${key}bc`),
  'in base64 with more behind': (key) => base64(`ab${key}, and so on`),
}

describe('a secret', () => {
  it.each(Object.entries(FORMS))('is masked %s', (_, form) => {
    const text = form(KEY)
    const masked = redactor([KEY])(text)
    expect(masked).toContain(MARK)
    expect(masked.replaceAll(MARK, '').length).toBeLessThan(text.length - KEY.length + 6)
  })

  it('of eight characters or more is masked, a shorter one is left and can be told', () => {
    expect(redactor(['password'])('the password')).toBe(`the ${MARK}`)
    expect(redactor(['passwor'])('the password')).toBe('the password')
    expect(redactor([])('anything')).toBe('anything')
    expect(masksAnything(['short', ''])).toBe(false)
    expect(['', 'passwor', 'password', ' passwor\n'].map(isTooShort)).toEqual([
      false,
      true,
      false,
      true,
    ])
  })

  it('is masked as it is sent, without the newline that its file ended with', () => {
    expect(redactor(['my-key-12345\n'])('Bearer my-key-12345')).toBe(`Bearer ${MARK}`)
  })

  it('that holds another one, or shares a part with one, goes whole', () => {
    const redact = redactor(['abcdefgh', '0abcdefgh1', 'fgh1XYZUVW'])
    expect(redact('-0abcdefgh1-')).toBe(`-${MARK}-`)
    expect(redact('-0abcdefgh1XYZUVW-')).toBe(`-${MARK}-`)
    expect(redact('-abcdefgh-')).toBe(`-${MARK}-`)
  })

  it('of characters that mean something to a pattern is only itself', () => {
    const redact = redactor(['.*.*.*.*', '$&$1(?:a)[b]'])
    expect(redact('anything at all .*.*.*.* $&$1(?:a)[b]')).toBe(`anything at all ${MARK} ${MARK}`)
  })

  it('leaves none of its bits in the characters of base64 next to it', () => {
    const shown = Buffer.from(redactor(['SECRETKEY'])(base64('a:SECRETKEY!')), 'latin1').toString()
    expect(shown).toMatch(/^YTp?\[secret\]h?$/u)
  })

  it('that is very long is masked whole, among many others too', () => {
    const long = Array.from({ length: 60 }, (_, i) => `${i}-${'k'.repeat(9000)}-${i}`)
    const redact = redactor(long)
    expect(redact(`<${long[7]}>`)).toBe(`<${MARK}>`)
    expect(redact(`<${long[7]?.slice(0, -1)}>`)).not.toContain(MARK)
  })
})

const anySecret = fc.string({ unit: 'grapheme', minLength: 8, maxLength: 40 }).filter(
  // The mark is `[secret]`. If a secret contained parts of it, a mark and the text next to it could look like the
  // secret.
  (text) => text.length >= 8 && !/[[\]]|secret/u.test(text) && text.trim() === text,
)

describe('masking', () => {
  it('leaves no form of any secret, wherever it stands', () => {
    fc.assert(
      fc.property(
        fc.array(anySecret, { minLength: 1, maxLength: 5 }),
        fc.array(fc.record({ form: fc.nat(), secret: fc.nat(), words: fc.string() }), {
          maxLength: 8,
        }),
        (secrets, parts) => {
          const forms = Object.values(FORMS)
          const text = parts
            .map(({ form, secret, words }) => {
              const make = forms[form % forms.length] as (key: string) => string
              return `${words} ${make((secrets[secret % secrets.length] as string).toWellFormed())}`
            })
            .join(' ')
          const masked = redactor(secrets)(text)
          for (const secret of secrets) {
            expect(masked).not.toContain(secret)
            expect(masked).not.toContain(base64(secret).replaceAll('=', '').slice(0, -1))
            expect(masked).not.toContain(Buffer.from(secret).toString('hex'))
          }
        },
      ),
      { numRuns: 60 },
    )
  })

  it('changes nothing but secrets, and nothing twice', () => {
    fc.assert(
      fc.property(
        fc.array(anySecret, { maxLength: 3 }),
        fc.array(fc.string(), { maxLength: 5 }),
        (secrets, words) => {
          const redact = redactor(secrets)
          const text = words.join(' ')
          if (!secrets.some((secret) => text.includes(secret))) expect(redact(text)).toBe(text)
          const mixed = words.flatMap((word) => [word, ...secrets]).join(' ')
          const once = redact(mixed)
          expect(redact(once)).toBe(once)
        },
      ),
      { numRuns: 60 },
    )
  })

  it('of pieces is that of the whole, however it is cut', () => {
    fc.assert(
      fc.property(anySecret, fc.string(), fc.string(), fc.array(fc.nat()), (key, a, b, cuts) => {
        const whole = `${a}${key}${b}`
        const at = [...new Set(cuts.map((cut) => cut % (whole.length + 1)))].sort((x, y) => x - y)
        const texts = [0, ...at].map((from, i) => whole.slice(from, at[i]))
        const masked = makeRedactor([key]).pieces(texts)
        expect(masked).toHaveLength(texts.length)
        expect(masked.join('').replaceAll(MARK, '')).toBe(
          redactor([key])(whole).replaceAll(MARK, ''),
        )
      }),
    )
  })

  it('finds a secret in bytes that are not text', () => {
    const bytes = Buffer.concat([Buffer.from([255, 0]), Buffer.from(KEY), Buffer.from([254])])
    const masked = makeRedactor([KEY]).bytes(bytes.toString('base64'))
    expect(Buffer.from(masked, 'base64').toString('latin1')).toBe(`ÿ\0${MARK}þ`)
    expect(makeRedactor([KEY]).bytes('/wD+')).toBe('/wD+')
  })

  it('takes steps in proportion to the text, also of one made to slow it down', () => {
    const keys = Array.from({ length: 20 }, (_, i) => `sk-proj-${String(i).repeat(40)}`)
    const redact = redactor([...keys, `${'a'.repeat(300)}b`, 'a'.repeat(200)])
    for (const text of [
      'sk-proj-'.repeat(2e5),
      'a'.repeat(2e6),
      `${keys[3]?.slice(0, -1)}!`.repeat(5e4),
    ])
      expect(redact(text).length).toBeLessThanOrEqual(text.length)
  })
})
