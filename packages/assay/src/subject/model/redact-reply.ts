/**
 * Removes secrets from a provider's message about a failed request and shortens it, so that it can be shown and stored.
 * The message may contain the key as a whole, in part ("sk-ab***wxyz") or as a header. It may also be megabytes of
 * HTML. The log's redactor removes whole keys. The code here then removes parts of keys and cuts the text.
 */
import { redactor } from '../../log/index.ts'

const MOST_CHARACTERS = 500
/**
 * How many characters of a message are searched for parts of keys. The rest is cut off before, because these searches
 * are slow on long texts.
 */
const MOST_SEARCHED = 16_384
/** The shortest part of a key that is removed. A match of this length is not by chance. */
const SHORTEST_PIECE = 8
/** A masked key is recognized if at least this many characters of its beginning or end are visible. */
const SHORTEST_END = 3
const MARK = '[secret]'

const AUTH_HEADER =
  /((?:proxy-)?authorization|x-api-key|x-goog-api-key|api[-_ ]?key)(["']?\s*[:=]\s*["']?)(?:(?:bearer|basic)\s+)?[^\s"',;<>()[\]]+/giu
const BEARER = /\b(bearer|basic)\s+[\w.~+/=-]{8,}/giu
/** Matches keys in well-known formats, even if they are not the user's own keys. */
const KEY_SHAPES = /\b(?:sk|pk|rk)-[\w-]{12,}|\bAIza[\w-]{20,}|\bgsk_\w{12,}|\bhf_\w{12,}/gu
const MASK = /[*•●…]+|\.{3,}|x{4,}/iu
/**
 * Matches words that contain a mask, such as `sk-ab***wxyz`. The lengths are limited. Otherwise the search in a hostile
 * text would take quadratic time.
 */
const MASKED = /[\w.-]{0,200}(?:[*•●…]|\.{3}|x{4})[\w*•●….-]{0,200}/giu

/** Returns the text without secrets, on one line, with at most 500 characters. */
export function redactReply(text: string, secrets: readonly string[]): string {
  const long = secrets.filter((secret) => secret.length >= SHORTEST_PIECE)
  let rest = redactor(secrets)(text.slice(0, MOST_SEARCHED))
  for (const secret of long) rest = withoutPieces(rest, secret)
  rest = rest
    .replace(AUTH_HEADER, `$1$2${MARK}`)
    .replace(BEARER, `$1 ${MARK}`)
    .replace(KEY_SHAPES, MARK)
    .replace(MASKED, (word) => (long.some((secret) => isMasked(word, secret)) ? MARK : word))
  // Control characters, such as those in escape sequences, could change what a terminal shows.
  // oxlint-disable-next-line no-control-regex
  rest = rest.replace(/[\s\u0000-\u001f\u007f-\u009f]+/gu, ' ').trim()
  return rest.length <= MOST_CHARACTERS ? rest : `${rest.slice(0, MOST_CHARACTERS - 1)}…`
}

/** Replaces every part of the text that has 8 or more characters and also occurs in the secret. */
function withoutPieces(text: string, secret: string): string {
  const pieces = new Set<string>()
  for (let at = 0; at + SHORTEST_PIECE <= secret.length; at++) {
    pieces.add(secret.slice(at, at + SHORTEST_PIECE))
  }
  let kept = ''
  let at = 0
  while (at < text.length) {
    if (pieces.has(text.slice(at, at + SHORTEST_PIECE))) {
      let length = SHORTEST_PIECE
      while (pieces.has(text.slice(at + length - SHORTEST_PIECE + 1, at + length + 1))) length++
      kept += MARK
      at += length
    } else kept += text[at++]
  }
  return kept
}

/** Whether the word is a masked form of the secret: it shows the secret's beginning or end next to the mask. */
function isMasked(word: string, secret: string): boolean {
  const shown = word.replace(/\.$/u, '').split(MASK)
  const head = shown[0] ?? ''
  const tail = shown.at(-1) ?? ''
  return (
    (head.length >= SHORTEST_END && secret.startsWith(head)) ||
    (tail.length >= SHORTEST_END && secret.endsWith(tail))
  )
}
