/**
 * Reads subjects from the command line:
 *
 *     openai/gpt-5                       a model, as provider/model
 *     command:node solve.js              a program; it gets the prompt on stdin
 *     command:solve --ask {prompt}       … or as an argument
 *     command+json:solve                 … and prints an envelope with its usage
 *     agent:claude                       an agent, in the workspace of the case
 *     agent:codex/gpt-5                  … with a given model
 *     replay:.assay/runs/may#openai/x    answers of a subject of an earlier run
 *     replay-agent:RUN#agent:claude      that agent again, answered from the traffic that RUN recorded
 *     replay:samples.jsonl.gz            answers that were not made by Assay
 *     simulated:pass=0.8,seed=3          simulated answers (simulated-options.ts)
 *     reference, nothing                 the reference of each case, and a subject that does nothing
 *     careful                            a subject that assay.toml names
 *
 * Several subjects are separated by commas. A comma separates only if a new subject starts after it, so commas
 * inside a subject need no quotes: `simulated:pass=0.8,seed=3,openai/gpt-5` is two subjects. A command continues
 * until a scheme or a known name follows. A quoted comma never separates: `command:grep "a,replay:b"`.
 */
import { UsageError } from '@assay/contract'
import { nearest } from '../text/index.ts'
import { BASELINES, SCHEMES, SUBJECT_FORMS, type Scheme } from './names.ts'

/** A subject from the command line, split into its scheme (the part before the colon) and the rest. */
type Written =
  | { readonly scheme: Scheme; readonly rest: string }
  | { readonly scheme: 'model'; readonly rest: string }
  | { readonly scheme: 'name'; readonly rest: string }

const SCHEME = /^\s*([A-Za-z][A-Za-z0-9+-]*):/
const MODEL = /^\s*[\w.-]+\/[^\s,=]/
const WORD = /^\s*([^\s,:/='"]+)\s*(?:,|$)/

/** Matches a part of the list up to a comma outside of quotes. A comma after a backslash does not end the part. */
const PART = /(?:'[^']*'|"(?:[^"\\]|\\[^])*"|\\[^]|[^,'"\\]|['"\\])+/g

/** Returns the subjects of a comma-separated list. `names` are the names of the subjects that assay.toml defines. */
export function splitSubjects(list: string, names: Iterable<string> = []): string[] {
  const known = new Set(names)
  const subjects: string[] = []
  let start = 0
  for (const part of list.matchAll(PART)) {
    const comma = part.index + part[0].length
    const rest = list.slice(comma + 1)
    if (comma < list.length && !startsSubject(rest, list.slice(start, comma), known)) continue
    subjects.push(list.slice(start, comma).trim())
    start = comma + 1
  }
  return subjects.filter((subject) => subject !== '')
}

/**
 * Returns the text after a comma in a command if that text looks like a model. The comma is part of the command, but
 * the user may have meant a second subject. Returns null if there is no such text, or if the comma is quoted.
 */
export function modelInCommand(subject: string): string | null {
  if (schemeOf(subject)?.startsWith('command') !== true) return null
  const [, ...parts] = subject.match(PART) ?? []
  return parts.find((part) => MODEL.test(part))?.trim() ?? null
}

/** Whether the text `rest` begins a new subject. `before` is the subject before the comma. */
function startsSubject(rest: string, before: string, known: ReadonlySet<string>): boolean {
  if (schemeOf(rest) !== null) return true
  const word = WORD.exec(rest)?.[1]
  if (word !== undefined && known.has(word)) return true
  // `realtime` is the only option of a simulated subject without a value. So it would look like the name of a subject.
  if (word === 'realtime' && schemeOf(before) === 'simulated') return false
  if (schemeOf(before)?.startsWith('command') === true) return false
  return MODEL.test(rest) || word !== undefined || rest.trim() === ''
}

function schemeOf(text: string): Scheme | null {
  const name = SCHEME.exec(text)?.[1]
  return SCHEMES.find((scheme) => scheme === name) ?? null
}

/** Splits a subject into its scheme and the rest. Throws a `UsageError` if it is not a subject. */
export function readSubject(text: string, names: Iterable<string> = []): Written {
  const given = text.trim()
  const known = [...names]
  if (known.includes(given)) return { scheme: 'name', rest: given }
  if (given === 'simulated') return { scheme: 'simulated', rest: '' }
  if (BASELINES.some((one) => one === given)) return { scheme: 'baseline', rest: given }
  const scheme = schemeOf(given)
  if (scheme !== null) return { scheme, rest: given.slice(scheme.length + 1).trim() }
  if (MODEL.test(given)) return { scheme: 'model', rest: given }
  const wrong = SCHEME.exec(given)?.[1]
  const candidates = wrong === undefined ? known : SCHEMES
  const near = nearest(wrong ?? given, candidates)
  const hint = near === null ? '.' : `: did you mean ${near}${wrong === undefined ? '' : ':…'}?`
  const named = known.length === 0 ? '' : `, or a name from assay.toml (${known.join(', ')})`
  throw new UsageError(
    `there is no subject "${given}"${hint} Write ${SUBJECT_FORMS.join(', ')}${named}`,
  )
}
