/**
 * The forms in which a secret may appear in a text: as it is, escaped for JSON, percent-encoded, in hex, and in base64.
 * Base64 encodes groups of three bytes, so there is one base64 form for each position of the secret's first byte in its
 * group. That way `Bearer KEY` and `user:KEY` are found in base64 as well. Encodings that are wrapped into lines, or
 * applied twice, are not covered (docs/reference/running.md lists them).
 */

/**
 * The minimum length of a secret that is masked. Shorter values are so common in ordinary text that masking them would
 * destroy the records.
 */
export const SHORTEST_SECRET = 8

export interface SecretForm {
  readonly text: string
  /**
   * For base64: whether the character before the form also contains bits of the secret (`before`), and the one after it
   * (`after`).
   */
  readonly before: boolean
  readonly after: boolean
}

/** Returns each form of the secret once. Empty if the secret is too short. */
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
  // A key that was read from a file may end with a newline, which is not sent to the provider. So the trimmed secret is
  // searched for too.
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

/** Whether the secret is not empty but too short to be masked. */
export const isTooShort = (secret: string): boolean =>
  secret !== '' && secret.trim().length < SHORTEST_SECRET

// ── Escapes ──────────────────────────────────────────────────────────────────────────────────────────

const json = (text: string): string => JSON.stringify(text).slice(1, -1)

/**
 * Returns the value escaped for JSON: once, twice (JSON inside a JSON string), in ASCII only, and with escaped slashes.
 */
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

/** Returns the value percent-encoded: as a URL component, as a whole URL, as form data, and with every byte encoded. */
function percentEncoded(value: string): string[] {
  const sound = value.toWellFormed()
  const component = encodeURIComponent(sound)
  return [
    component,
    // `encodeURIComponent` leaves these characters as they are, but RFC 3986 reserves them, and other encoders encode
    // them.
    component.replaceAll(/[!'()*]/gu, percent),
    encodeURI(sound),
    new URLSearchParams([['', sound]]).toString().slice(1),
    component.replaceAll('%20', '+'),
    [...Buffer.from(sound)].map((byte) => percentByte(byte)).join(''),
  ]
}

const percentByte = (byte: number): string => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`
const percent = (text: string): string => percentByte(text.charCodeAt(0))

/** Returns the text with its percent-encoded bytes in upper-case and in lower-case hex digits. */
const bothCases = (text: string): string[] => [
  text,
  text.replaceAll(/%[0-9A-F]{2}/gu, (code) => code.toLowerCase()),
]

// ── Base64 ───────────────────────────────────────────────────────────────────────────────────────────

/**
 * Returns the base64 characters that depend only on `bytes`, if `offset` other bytes come first in their group of
 * three.
 */
function base64At(bytes: Buffer, offset: number): SecretForm {
  const whole = Buffer.concat([Buffer.alloc(offset), bytes]).toString('base64')
  const bits = (offset + bytes.length) * 8
  const first = Math.ceil((offset * 8) / 6)
  const end = Math.floor(bits / 6)
  return { text: whole.slice(first, end), before: offset > 0, after: bits % 6 !== 0 }
}
