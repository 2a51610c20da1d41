/** Takes secrets out of everything that a trial of an agent leaves behind. */
import type { Json, WorkspaceDiff } from '../../contract.ts'
import { redactor, type Redact } from '../../log/index.ts'

/** The same value, with every text in it redacted; keys too. */
export function redactedJson<Value>(value: Value, redact: Redact): Value {
  return walk(value as Json, redact) as Value
}

function walk(value: Json, redact: Redact): Json {
  if (typeof value === 'string') return redact(value)
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((one: Json) => walk(one, redact))
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, one]) =>
      one === undefined ? [] : [[redact(key), walk(one, redact)]],
    ),
  )
}

/** Files that are no text may hold a key as well: as bytes, wherever base64 puts them. */
export function redactedDiff(diff: WorkspaceDiff, secrets: readonly string[]): WorkspaceDiff {
  const redact = redactor(secrets)
  const redactBytes = redactor(secrets.map((secret) => Buffer.from(secret).toString('latin1')))
  return {
    version: 1,
    changes: diff.changes.map(({ base64, ...change }) => {
      const rest = redactedJson(change, redact)
      if (base64 === undefined) return rest
      const bytes = Buffer.from(base64, 'base64').toString('latin1')
      const clean = redactBytes(bytes)
      if (clean === bytes) return { ...rest, base64 }
      return { ...rest, base64: Buffer.from(clean, 'latin1').toString('base64') }
    }),
  }
}
