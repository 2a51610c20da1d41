/**
 * Masks the secrets in everything that a run prints, throws or sends to a judge. Graders see unmasked answers. This
 * file also finds the secrets that the record will contain unmasked, so that the user can be warned. These are values
 * that are too short to be masked, and secrets in the user's own suites and names. Names are not masked, because a run
 * is found and resumed by them. Suites are not masked, because a later run compares the hashes of its cases with the
 * recorded hashes.
 */
import type { Subject, Suite } from '@assay/contract'
import { isTooShort, masksAnything, redactor, type Redact, type Unmasked } from '../log/index.ts'
import type { RunEvent } from './schedule/events.ts'

/** Returns where the record will contain secrets unmasked. Returns null if every secret will be masked. */
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
    // If there are no secrets, the suites are not searched, because turning a large suite into JSON takes time.
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
 * Masks the texts of events, because the receiver of the events prints them. The trials in events are masked already:
 * they were masked for the log.
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
 * Returns a function that creates the redactor for a judge. The redactor masks all secrets except the judge's own,
 * because its provider knows that one.
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
