/**
 * Masks the secrets in everything that a run prints, throws or sends to a judge. Graders see unmasked answers. Also
 * finds the secrets that the record will contain unmasked, so that the user can be warned. These are values that
 * are too short to be masked, and secrets inside the user's own suites and names. Names are not masked because a
 * run is read and resumed by them. Suites are not masked because a later run compares the
 * hashes of its cases with the recorded ones.
 */
import type { Subject, Suite } from '@assay/contract'
import { isTooShort, masksAnything, redactor, type Redact, type Unmasked } from '../log/index.ts'
import type { RunEvent } from './schedule/events.ts'

/** Null if every secret is masked. */
export function unmaskedIn(
  suites: readonly Suite[],
  subjects: readonly Subject[],
  secrets: readonly string[],
): Unmasked | null {
  const redact = redactor(secrets)
  const holds = (text: string): boolean => redact(text) !== text
  const short = subjects.filter((one) => one.secrets.some(isTooShort)).map(({ id }) => id)
  const written = [
    ...subjects.filter(({ id }) => holds(id)).map(({ id }) => `subject ${id}`),
    // Without secrets, serializing a large suite would be wasted work.
    ...(masksAnything(secrets) ? suites : [])
      .filter((suite) => holds(JSON.stringify(suite)))
      .map(({ id }) => `suite ${id}`),
  ]
  if (short.length + written.length === 0) return null
  return {
    ...(short.length === 0 ? {} : { short: [...new Set(short)] }),
    ...(written.length === 0 ? {} : { written: [...new Set(written)] }),
  }
}

/**
 * Masks the texts of events, because the receiver prints them. Trials in events were masked when they were written to
 * the log.
 */
export function maskedEvents(
  onEvent: (event: RunEvent) => void,
  secrets: readonly string[],
): (event: RunEvent) => void {
  const redact = redactor(secrets)
  return (event) => {
    if (event.type === 'warning' || event.type === 'note' || event.type === 'give-up')
      onEvent({ ...event, text: redact(event.text) })
    else if (event.type === 'wait') onEvent({ ...event, why: redact(event.why) })
    else onEvent(event)
  }
}

/** Returns the same error with its message masked, because the message is printed. */
export function maskedError(error: unknown, secrets: readonly string[]): unknown {
  if (!(error instanceof Error)) return error
  const redact = redactor(secrets)
  const message = redact(error.message)
  if (message !== error.message) error.message = message
  if (error.stack !== undefined && redact(error.stack) !== error.stack)
    error.stack = redact(error.stack)
  return error
}

/**
 * Returns a function that makes a redactor for a judge. It masks all secrets except the judge's own, which its provider
 * knows.
 */
export function redactorsFor(secrets: readonly string[]): (judge: Subject) => Redact {
  const made = new Map<Subject, Redact>()
  return (judge) => {
    let redact = made.get(judge)
    if (redact === undefined) {
      redact = redactor(secrets.filter((secret) => !judge.secrets.includes(secret)))
      made.set(judge, redact)
    }
    return redact
  }
}
