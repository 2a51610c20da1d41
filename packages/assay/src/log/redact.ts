/** Takes secrets out of what is about to be written: a provider may echo the key it was sent. */

/** Shorter strings are too common to be told from ordinary text, and no key is that short. */
const SHORTEST = 8
const MARK = '[secret]'

export type Redact = (text: string) => string

/** A function that replaces every one of the secrets, plain and as JSON would write it. */
export function redactor(secrets: readonly string[]): Redact {
  const forms = new Set<string>()
  for (const secret of secrets) {
    if (secret.length < SHORTEST) continue
    forms.add(secret)
    forms.add(JSON.stringify(secret).slice(1, -1))
    forms.add(encodeURIComponent(secret))
    forms.add(Buffer.from(secret).toString('base64'))
  }
  // The longest first, so that a secret that holds another one goes whole.
  const longestFirst = [...forms].sort((a, b) => b.length - a.length)
  if (longestFirst.length === 0) return (text) => text
  return (text) => longestFirst.reduce((rest, form) => rest.replaceAll(form, MARK), text)
}
