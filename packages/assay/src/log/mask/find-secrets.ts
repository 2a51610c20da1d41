/**
 * Finds every form of every secret in a text in one pass. (A form is the secret as it is, or in an encoding such as
 * base64.) The search uses an Aho-Corasick automaton, stored as a table of next states. Its time depends only on the
 * length of the text, not on the number of secrets, and no answer can be crafted to slow it down. All characters that
 * occur in no form share one column of the table. If the forms together are too long for the table, it contains only
 * the beginning of each form, and the rest is compared directly.
 */
import { secretForms, type SecretForm } from './secret-forms.ts'

/** A part of a text to mask: `start` is its first character, `end` the first character after it. */
export interface SecretSpan {
  start: number
  end: number
}

/** Returns the spans to mask, in order and without overlaps. Empty if the text contains no secret. */
export type FindSecrets = (text: string) => readonly SecretSpan[]

const NOTHING: readonly SecretSpan[] = []
/** The maximum number of entries of the table. A table of this size takes 64 MB. */
const MOST_ENTRIES = 2 ** 24
/** The minimum number of characters of each form that the table contains, however many forms there are. */
const LEAST_IN_TABLE = 64

/**
 * A form that ends at a state of the automaton. Reaching the state means that the text contains the form's beginning.
 */
interface Ending {
  /**
   * `length`: how many of the form's characters are in the table. `rest`: the other characters, which must follow in
   * the text.
   */
  readonly length: number
  readonly rest: string
  readonly form: SecretForm
}

/** Returns a function that finds these secrets in a text. Null if no secret is long enough to be masked. */
export function secretFinder(secrets: readonly string[]): FindSecrets | null {
  const forms = new Map<string, SecretForm>()
  for (const secret of secrets) for (const form of secretForms(secret)) forms.set(form.text, form)
  if (forms.size === 0) return null
  const { columnOf, columns, table, endings } = automaton([...forms.values()])

  return (text) => {
    let spans: SecretSpan[] | null = null
    let state = 0
    for (let i = 0; i < text.length; i++) {
      // The table stores each state multiplied by the number of columns. It stores a state at which a form ends as a
      // negative number.
      const column = columnOf[text.charCodeAt(i)] as number
      state = table[(state < 0 ? -state : state) + column] as number
      if (state >= 0) continue
      for (const ending of endings.get(-state / columns) ?? []) {
        const span = spanOf(text, i + 1, ending)
        if (span !== null) insert((spans ??= []), span)
      }
    }
    return spans ?? NOTHING
  }
}

const BASE64 = /[\w+/-]/u

function spanOf(text: string, at: number, { length, rest, form }: Ending): SecretSpan | null {
  if (rest !== '' && !text.startsWith(rest, at)) return null
  const [start, end] = [at - length, at + rest.length]
  return {
    start: form.before && start > 0 && BASE64.test(text[start - 1] as string) ? start - 1 : start,
    end: form.after && end < text.length && BASE64.test(text[end] as string) ? end + 1 : end,
  }
}

/**
 * Adds a span and merges it with the spans that it overlaps. Without this, two secrets that overlap would be masked
 * only in part.
 */
function insert(spans: SecretSpan[], span: SecretSpan): void {
  let last = spans.at(-1)
  while (last !== undefined && last.end > span.start) {
    span.start = Math.min(span.start, last.start)
    span.end = Math.max(span.end, last.end)
    spans.pop()
    last = spans.at(-1)
  }
  spans.push(span)
}

interface Automaton {
  /** The table's column for each UTF-16 unit. It is 0 for units that occur in no form. */
  readonly columnOf: Uint16Array
  readonly columns: number
  readonly table: Int32Array
  readonly endings: ReadonlyMap<number, readonly Ending[]>
}

function automaton(forms: readonly SecretForm[]): Automaton {
  const columnOf = new Uint16Array(65_536)
  let columns = 1
  for (const { text } of forms)
    for (let i = 0; i < text.length; i++)
      if (columnOf[text.charCodeAt(i)] === 0) columnOf[text.charCodeAt(i)] = columns++
  const length = Math.max(LEAST_IN_TABLE, Math.floor(MOST_ENTRIES / columns / forms.length))
  const words = forms.map(({ text }) => text.slice(0, length))

  const most = words.reduce((sum, word) => sum + word.length, 1)
  const table = new Int32Array(most * columns)
  const endings = new Map<number, Ending[]>()
  let nodes = 1
  for (const [at, word] of words.entries()) {
    let node = 0
    for (let i = 0; i < word.length; i++) {
      const edge = node * columns + (columnOf[word.charCodeAt(i)] as number)
      if (table[edge] === 0) table[edge] = nodes++
      node = table[edge] as number
    }
    const form = forms[at] as SecretForm
    const ending = { length: word.length, rest: form.text.slice(word.length), form }
    endings.set(node, [...(endings.get(node) ?? []), ending])
  }
  close(table, columns, nodes, endings)
  return { columnOf, columns, table: table.subarray(0, nodes * columns), endings }
}

/**
 * Adds the missing edges of the automaton. If no form continues with a character, the edge leads to the state of the
 * longest suffix of the text read so far that begins a form.
 */
function close(
  table: Int32Array,
  columns: number,
  nodes: number,
  endings: Map<number, Ending[]>,
): void {
  const back = new Int32Array(nodes)
  const queue = new Int32Array(nodes)
  let length = 0
  for (let column = 0; column < columns; column++) {
    const child = table[column] as number
    if (child !== 0) queue[length++] = child
  }
  for (let at = 0; at < length; at++) {
    const node = queue[at] as number
    const shorter = back[node] as number
    const ends = endings.get(shorter)
    if (ends !== undefined) endings.set(node, [...(endings.get(node) ?? []), ...ends])
    for (let column = 0; column < columns; column++) {
      const edge = node * columns + column
      const next = table[shorter * columns + column] as number
      const child = table[edge] as number
      if (child === 0) table[edge] = next
      else {
        back[child] = next
        queue[length++] = child
      }
    }
  }
  for (let edge = 0; edge < nodes * columns; edge++) {
    const node = table[edge] as number
    table[edge] = endings.has(node) ? -node * columns : node * columns
  }
}
