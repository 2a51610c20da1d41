/**
 * How subjects are written on the command line:
 *
 *     openai/gpt-5                       a model, as provider/model
 *     command:node solve.js              a program; it gets the prompt on stdin
 *     command:solve --ask {prompt}       … or as an argument
 *     command+json:solve                 … and prints an envelope with its usage
 *     agent:claude                       an agent, in the workspace of the case
 *     agent:codex/gpt-5                  … with a model of its own
 *     replay:.assay/runs/may#openai/x    answers of a subject of an earlier run
 *     replay:samples.jsonl.gz            answers made elsewhere
 *     simulated:pass=0.8,seed=3          pretends (simulated-options.ts)
 *     careful                            a subject that assay.toml names
 *
 * Several are separated by commas. A comma separates only where a subject starts after it, so that those
 * inside of one need no care: `simulated:pass=0.8,seed=3,openai/gpt-5` are two. A command goes on until
 * a scheme or a known name follows; anywhere, quotes keep a comma: `command:grep "a,replay:b"`.
 */
import { UsageError } from '@assay/contract'
import { nearest } from '../text/index.ts'
import { SCHEMES, SUBJECT_FORMS, type Scheme } from './names.ts'

/** A subject as it was written, taken apart. */
type Written =
  | { readonly scheme: Scheme; readonly rest: string }
  | { readonly scheme: 'model'; readonly rest: string }
  | { readonly scheme: 'name'; readonly rest: string }

const SCHEME = /^\s*([A-Za-z][A-Za-z0-9+-]*):/
const MODEL = /^\s*[\w.-]+\/[^\s,=]/
const WORD = /^\s*([^\s,:/='"]+)\s*(?:,|$)/

/** Parts of a text up to a comma outside of quotes; what a backslash keeps is kept. */
const PART = /(?:'[^']*'|"(?:[^"\\]|\\[^])*"|\\[^]|[^,'"\\]|['"\\])+/g

/** The subjects of a comma-separated list. `names` are those of assay.toml. */
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
 * What looks like a model behind a comma of a command. The comma is part of the command, and whoever wrote it may
 * have meant a second subject. Null where there is no doubt: quotes around a comma leave none.
 */
export function modelInCommand(subject: string): string | null {
  if (schemeOf(subject)?.startsWith('command') !== true) return null
  const [, ...parts] = subject.match(PART) ?? []
  return parts.find((part) => MODEL.test(part))?.trim() ?? null
}

/** Whether a new subject starts with `rest`, after the one that has been read so far. */
function startsSubject(rest: string, before: string, known: ReadonlySet<string>): boolean {
  if (schemeOf(rest) !== null) return true
  const word = WORD.exec(rest)?.[1]
  if (word !== undefined && known.has(word)) return true
  // The only option of a simulated subject that needs no value.
  if (word === 'realtime' && schemeOf(before) === 'simulated') return false
  if (schemeOf(before)?.startsWith('command') === true) return false
  return MODEL.test(rest) || word !== undefined || rest.trim() === ''
}

function schemeOf(text: string): Scheme | null {
  const name = SCHEME.exec(text)?.[1]
  return SCHEMES.find((scheme) => scheme === name) ?? null
}

/** Takes a subject apart; throws a `UsageError` for what is none. */
export function readSubject(text: string, names: Iterable<string> = []): Written {
  const given = text.trim()
  const known = [...names]
  if (known.includes(given)) return { scheme: 'name', rest: given }
  if (given === 'simulated') return { scheme: 'simulated', rest: '' }
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
