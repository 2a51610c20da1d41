/**
 * Masks secrets in everything that is about to be written. Without this, a run folder could contain a key: a provider
 * may repeat the key that it was sent, and an agent may print its environment. These functions take single texts, never
 * a serialized JSON document, because masking a short secret in JSON could break the syntax. masked.ts knows which
 * values of a record are texts.
 */
import { secretFinder, type FindSecrets, type SecretSpan } from './find-secrets.ts'

export const MARK = '[secret]'

export type Redact = (text: string) => string

export interface Redactor {
  readonly text: Redact
  /**
   * Masks texts that are consecutive pieces of one stream: a secret that begins in one piece and continues in the next
   * is masked in both.
   */
  readonly pieces: (texts: readonly string[]) => readonly string[]
  /** Masks the content of a binary file, given in base64. The file may contain a secret as bytes at any offset. */
  readonly bytes: (base64: string) => string
}

const NOTHING: Redactor = {
  text: (text) => text,
  pieces: (texts) => texts,
  bytes: (base64) => base64,
}

/** Redactors by list of secrets. They are kept because building one takes longer than masking a short text with it. */
const made = new WeakMap<readonly string[], Redactor>()

/** Returns a redactor that masks every form (secret-forms.ts) of each secret that is long enough. */
export function makeRedactor(secrets: readonly string[]): Redactor {
  const known = made.get(secrets)
  if (known !== undefined) return known
  const find = secretFinder(secrets)
  const redactor = find === null ? NOTHING : redactorBy(find, secrets)
  made.set(secrets, redactor)
  return redactor
}

function redactorBy(find: FindSecrets, secrets: readonly string[]): Redactor {
  let findBytes: FindSecrets | null = null
  return {
    text: (text) => replaced(text, find(text)),
    pieces: (texts) => replacedPieces(texts, find(texts.join(''))),
    bytes: (base64) => replacedBytes(base64, (findBytes ??= byteFinder(secrets) ?? find)),
  }
}

/** Returns a function that finds secrets in a text in which each character stands for one byte. */
const byteFinder = (secrets: readonly string[]): FindSecrets | null =>
  secretFinder(secrets.flatMap((secret) => [secret, Buffer.from(secret).toString('latin1')]))

/** Whether any secret is long enough to be masked. */
export const masksAnything = (secrets: readonly string[]): boolean =>
  makeRedactor(secrets) !== NOTHING

export const redactor = (secrets: readonly string[]): Redact => makeRedactor(secrets).text

function replaced(text: string, spans: readonly SecretSpan[]): string {
  if (spans.length === 0) return text
  const kept: string[] = []
  let from = 0
  for (const { start, end } of spans) {
    kept.push(text.slice(from, start), MARK)
    from = end
  }
  kept.push(text.slice(from))
  return kept.join('')
}

function replacedPieces(texts: readonly string[], spans: readonly SecretSpan[]): readonly string[] {
  if (spans.length === 0) return texts
  let offset = 0
  let next = 0
  return texts.map((text) => {
    const [from, to] = [offset, offset + text.length]
    offset = to
    while (next < spans.length && (spans[next] as SecretSpan).end <= from) next++
    const inside: SecretSpan[] = []
    for (let i = next; i < spans.length && (spans[i] as SecretSpan).start < to; i++) {
      const { start, end } = spans[i] as SecretSpan
      inside.push({ start: Math.max(0, start - from), end: Math.min(to, end) - from })
    }
    return replaced(text, inside)
  })
}

function replacedBytes(base64: string, find: FindSecrets): string {
  const bytes = Buffer.from(base64, 'base64').toString('latin1')
  const clean = replaced(bytes, find(bytes))
  return clean === bytes ? base64 : Buffer.from(clean, 'latin1').toString('base64')
}
