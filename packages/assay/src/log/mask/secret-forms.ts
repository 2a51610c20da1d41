/**
 * How a secret may look in a text: as it is, escaped for JSON, percent-encoded, in hex, and in base64 at each
 * of the three places that its first byte can have in a group of three bytes. So `Bearer KEY` and `user:KEY`
 * are found in base64 as well. Encodings that are wrapped into lines, or that are applied twice, are not among
 * the forms (docs/running.md lists them).
 */

/** Shorter values are too common to be told from ordinary text: masking them would destroy what is recorded. */
export const SHORTEST_SECRET = 8

export interface SecretForm {
  readonly text: string
  /** In base64, whether the character before it, and after it, holds bits of the secret too. */
  readonly before: boolean
  readonly after: boolean
}

/** Every form of the secret, each once; none where it is too short. */
export function secretForms(secret: string): SecretForm[] {
  const forms = new Map<string, SecretForm>()
  const add = (text: string, before = false, after = false): void => {
    const known = forms.get(text)
    if (text.length >= SHORTEST_SECRET)
      forms.set(text, {
        text,
        before: before || known?.before === true,
        after: after || known?.after === true,
      })
  }
  // A key that was read from a file may have a newline at its end, which nobody sends.
  for (const value of new Set([secret, secret.trim()])) {
    if (value.length < SHORTEST_SECRET) continue
    add(value)
    for (const text of escaped(value)) add(text)
    for (const text of percentEncoded(value)) for (const either of bothCases(text)) add(either)
    const bytes = Buffer.from(value)
    add(bytes.toString('hex'))
    add(bytes.toString('hex').toUpperCase())
    for (const offset of [0, 1, 2]) {
      const { text, before, after } = base64At(bytes, offset)
      add(text, before, after)
      add(text.replaceAll('+', '-').replaceAll('/', '_'), before, after)
    }
  }
  return [...forms.values()]
}

/** Whether the value is used and not masked. */
export const isTooShort = (secret: string): boolean =>
  secret !== '' && secret.trim().length < SHORTEST_SECRET

// ── Escapes ──────────────────────────────────────────────────────────────────────────────────────────

const json = (text: string): string => JSON.stringify(text).slice(1, -1)

/** As JSON, as JSON in a text of JSON, in ASCII alone, and with escaped slashes. */
function escaped(value: string): string[] {
  const once = json(value)
  const ascii = (hex: (code: string) => string): string =>
    once.replaceAll(
      /[\u007f-\uffff]/gu,
      (found) =>
        `\\u${hex(found.charCodeAt(0).toString(16).padStart(4, '0'))}${
          found.length === 2 ? `\\u${hex(found.charCodeAt(1).toString(16))}` : ''
        }`,
    )
  return [
    once,
    json(once),
    ascii((code) => code),
    ascii((code) => code.toUpperCase()),
    once.replaceAll('/', String.raw`\/`),
  ]
}

// ── Percent-encoding ─────────────────────────────────────────────────────────────────────────────────

/** As components of addresses, as whole addresses and as forms have it; with every byte encoded, too. */
function percentEncoded(value: string): string[] {
  const sound = value.toWellFormed()
  const component = encodeURIComponent(sound)
  return [
    component,
    // RFC 3986 reserves these as well.
    component.replaceAll(/[!'()*]/gu, percent),
    encodeURI(sound),
    new URLSearchParams([['', sound]]).toString().slice(1),
    component.replaceAll('%20', '+'),
    [...Buffer.from(sound)].map((byte) => percentByte(byte)).join(''),
  ]
}

const percentByte = (byte: number): string => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`
const percent = (text: string): string => percentByte(text.charCodeAt(0))

/** The digits are written in either case. */
const bothCases = (text: string): string[] => [
  text,
  text.replaceAll(/%[0-9A-F]{2}/gu, (code) => code.toLowerCase()),
]

// ── Base64 ───────────────────────────────────────────────────────────────────────────────────────────

/** The characters that the bytes alone decide, where so many other bytes come before them in their group. */
function base64At(bytes: Buffer, offset: number): SecretForm {
  const whole = Buffer.concat([Buffer.alloc(offset), bytes]).toString('base64')
  const bits = (offset + bytes.length) * 8
  const first = Math.ceil((offset * 8) / 6)
  const end = Math.floor(bits / 6)
  return { text: whole.slice(first, end), before: offset > 0, after: bits % 6 !== 0 }
}
