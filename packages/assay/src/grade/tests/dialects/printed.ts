/** Test runners whose report the command prints or writes to a file: cargo test, TAP and JUnit. */
import { RUST_FORM } from '../canary-forms.ts'
import type { Dialect, Reported } from '../dialect.ts'

export const cargoTest: Dialect = {
  name: 'cargo-test',
  separator: '::',
  canaries: RUST_FORM,
  reporter: null,
  read: { from: 'printed', parse: parseCargo },
}

function parseCargo(text: string): Reported[] {
  const found: Reported[] = []
  for (const line of text.split('\n')) {
    const [, id, result] =
      /^test (.+?)(?: - should panic)? \.\.\. (ok|FAILED|ignored\b.*)$/u.exec(line.trimEnd()) ?? []
    if (id === undefined || result === undefined) continue
    found.push({
      id,
      status: result === 'ok' ? 'passed' : result === 'FAILED' ? 'failed' : 'skipped',
    })
  }
  return found
}

export const tap: Dialect = {
  name: 'tap',
  separator: ' > ',
  canaries: null,
  reporter: null,
  read: { from: 'printed', parse: parseTap },
}

/** Reads TAP 13 and 14. The tests of a group are indented, and the result of the group follows them. */
function parseTap(text: string): Reported[] {
  interface Point extends Reported {
    readonly depth: number
  }
  let points: Point[] = []
  for (const line of text.split('\n')) {
    const [, indent = '', not, rest] = /^( *)(not )?ok\b(?: +\d+)?(.*)$/u.exec(line.trimEnd()) ?? []
    if (rest === undefined) continue
    const [, name = '', directive] = /^\s*-?\s*(.*?)(?:\s+#\s*(skip|todo)\b.*)?$/iu.exec(rest) ?? []
    const depth = indent.length
    const status = directive !== undefined ? 'skipped' : not === undefined ? 'passed' : 'failed'
    const from = points.findLastIndex((one) => one.depth <= depth) + 1
    const inner = points.slice(from)
    points =
      inner.length === 0
        ? [...points, { id: name, status, depth }]
        : [
            ...points.slice(0, from),
            ...inner.map((one) => ({ ...one, id: `${name} > ${one.id}`, depth })),
          ]
  }
  return points.map(({ id, status }) => ({ id, status }))
}

export const junit: Dialect = {
  name: 'junit',
  separator: ' > ',
  canaries: null,
  reporter: null,
  read: { from: 'file', parse: parseJunit },
}

/**
 * Reads the test cases of a JUnit file. The full name of a test is its class name and its name. The text is only
 * searched for tags and not parsed as XML. That is enough, because only tags decide results in this format.
 */
function parseJunit(text: string): Reported[] {
  const found: Reported[] = []
  const bare = text.replaceAll(/<!--[\s\S]*?-->|<!\[CDATA\[[\s\S]*?\]\]>/gu, '')
  let open: { readonly id: string; status: Reported['status'] } | null = null
  const close = (): void => {
    if (open !== null) found.push(open)
    open = null
  }
  for (const [tag, end, name = '', attributes = ''] of bare.matchAll(
    /<(\/)?([\w:.-]+)((?:\s+[\w:.-]+\s*=\s*(?:"[^"]*"|'[^']*'))*)\s*\/?>/gu,
  )) {
    if (name === 'testcase') {
      close()
      if (end !== undefined) continue
      const [group, own] = ['classname', 'name'].map((key) => attributeOf(attributes, key))
      const id = [group, own].filter((one) => one !== undefined && one !== '').join(' > ')
      open = { id, status: 'passed' }
      if (tag.endsWith('/>')) close()
    } else if (open !== null && end === undefined) {
      if (name === 'failure' || name === 'error') open.status = 'failed'
      else if (name === 'skipped' && open.status === 'passed') open.status = 'skipped'
    }
  }
  close()
  return found
}

const ENTITIES: Readonly<Record<string, string>> = {
  lt: '<',
  gt: '>',
  amp: '&',
  quot: '"',
  apos: "'",
}

function attributeOf(attributes: string, key: string): string | undefined {
  const found = new RegExp(String.raw`(?:^|\s)${key}\s*=\s*(?:"([^"]*)"|'([^']*)')`, 'u').exec(
    attributes,
  )
  const text = found?.[1] ?? found?.[2]
  return text?.replaceAll(
    /&(?:#x([\da-f]{1,6})|#(\d{1,7})|(\w+));/giu,
    (all, hex, decimal, name) => {
      if (name !== undefined) return ENTITIES[String(name)] ?? all
      const point = hex === undefined ? Number(decimal) : Number.parseInt(String(hex), 16)
      return point <= 0x10_ffff ? String.fromCodePoint(point) : all
    },
  )
}
