/**
 * What a provider says about a failed request, made fit to be shown and kept: it may quote the key it was
 * sent, whole, in part ("sk-ab***wxyz") or as a header, and it may be megabytes of HTML. Whole keys
 * fall to the log's redactor; this file catches what is left of them, then cuts the text to length.
 */
import { redactor } from '../../log/index.ts'

const MOST_CHARACTERS = 500
/** Enough to hold a message; what is beyond is cut before the costlier searches. */
const MOST_SEARCHED = 16_384
/** A piece of a key this long is given away by no coincidence. */
const SHORTEST_PIECE = 8
/** What is left of a masked key: a few characters at either end. */
const SHORTEST_END = 3
const MARK = '[secret]'

const AUTH_HEADER =
  /((?:proxy-)?authorization|x-api-key|x-goog-api-key|api[-_ ]?key)(["']?\s*[:=]\s*["']?)(?:(?:bearer|basic)\s+)?[^\s"',;<>()[\]]+/giu
const BEARER = /\b(bearer|basic)\s+[\w.~+/=-]{8,}/giu
/** Keys of well-known shapes, whoever they belong to. */
const KEY_SHAPES = /\b(?:sk|pk|rk)-[\w-]{12,}|\bAIza[\w-]{20,}|\bgsk_\w{12,}|\bhf_\w{12,}/gu
const MASK = /[*•●…]+|\.{3,}|x{4,}/iu
/** Words that hold a mask; bounded, so that a hostile text cannot make the search quadratic. */
const MASKED = /[\w.-]{0,200}(?:[*•●…]|\.{3}|x{4})[\w*•●….-]{0,200}/giu

/** The text without secrets, on one line, at most about 500 characters. */
export function redactReply(text: string, secrets: readonly string[]): string {
  const long = secrets.filter((secret) => secret.length >= SHORTEST_PIECE)
  let rest = redactor(secrets)(text.slice(0, MOST_SEARCHED))
  for (const secret of long) rest = withoutPieces(rest, secret)
  rest = rest
    .replace(AUTH_HEADER, `$1$2${MARK}`)
    .replace(BEARER, `$1 ${MARK}`)
    .replace(KEY_SHAPES, MARK)
    .replace(MASKED, (word) => (long.some((secret) => isMasked(word, secret)) ? MARK : word))
  // Controls, escape sequences among them, could repaint a terminal.
  // oxlint-disable-next-line no-control-regex
  rest = rest.replace(/[\s\u0000-\u001f\u007f-\u009f]+/gu, ' ').trim()
  return rest.length <= MOST_CHARACTERS ? rest : `${rest.slice(0, MOST_CHARACTERS - 1)}…`
}

/** Replaces every run of the text that is also a run of the secret. */
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

/** Whether the word shows the beginning or the end of the secret around its mask. */
function isMasked(word: string, secret: string): boolean {
  const shown = word.replace(/\.$/u, '').split(MASK)
  const head = shown[0] ?? ''
  const tail = shown.at(-1) ?? ''
  return (
    (head.length >= SHORTEST_END && secret.startsWith(head)) ||
    (tail.length >= SHORTEST_END && secret.endsWith(tail))
  )
}
