/**
 * Secrets of a run outside of its log. Graders see answers as they came; what is printed, thrown, or sent to a
 * judge is masked. And what is written although it is a secret, or may be one, is said: values that are too short
 * to be masked, and secrets that stand in what the user wrote. Names must stay what they are, for a run is read
 * and resumed by them, and so must suites, for their cases are compared.
 */
import type { Subject, Suite } from '@assay/contract'
import { isTooShort, redactor, type Redact, type Unmasked } from '../log/index.ts'
import type { RunEvent } from './schedule/events.ts'

/** Null where there is nothing to say. */
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
    ...suites.filter((suite) => holds(JSON.stringify(suite))).map(({ id }) => `suite ${id}`),
  ]
  if (short.length + written.length === 0) return null
  return {
    ...(short.length === 0 ? {} : { short: [...new Set(short)] }),
    ...(written.length === 0 ? {} : { written: [...new Set(written)] }),
  }
}

/** Whoever listens prints it. Trials come masked from the log. */
export function maskedEvents(
  onEvent: (event: RunEvent) => void,
  secrets: readonly string[],
): (event: RunEvent) => void {
  const redact = redactor(secrets)
  return (event) => {
    if (event.type === 'warning' || event.type === 'give-up')
      onEvent({ ...event, text: redact(event.text) })
    else if (event.type === 'wait') onEvent({ ...event, why: redact(event.why) })
    else onEvent(event)
  }
}

/** The same error; its text is printed. */
export function maskedError(error: unknown, secrets: readonly string[]): unknown {
  if (!(error instanceof Error)) return error
  const redact = redactor(secrets)
  const message = redact(error.message)
  if (message !== error.message) error.message = message
  if (error.stack !== undefined && redact(error.stack) !== error.stack)
    error.stack = redact(error.stack)
  return error
}

/** For a judge: all secrets but its own, which its provider knows. */
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
