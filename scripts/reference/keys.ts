/** Lists the keys of a JSON Schema as rows of a table: the path, the type and the meaning of each key. */

export interface JsonSchema {
  readonly type?: string | readonly string[]
  readonly description?: string
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly required?: readonly string[]
  readonly items?: JsonSchema
  readonly additionalProperties?: JsonSchema | boolean
  readonly anyOf?: readonly JsonSchema[]
  readonly oneOf?: readonly JsonSchema[]
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly default?: unknown
}

export interface KeyRow {
  readonly path: string
  readonly type: string
  readonly isRequired: boolean
  readonly text: string
}

/** Returns a row for each key at any depth. `elsewhere` holds the names of keys that another page describes. */
export function keyRows(
  schema: JsonSchema,
  elsewhere: ReadonlySet<string>,
  path = '',
): readonly KeyRow[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, one]) => {
    if (name === '$schema') return []
    const at = path === '' ? name : `${path}.${name}`
    const row: KeyRow = {
      path: at,
      type: typeText(one),
      isRequired: schema.required?.includes(name) === true,
      text: one.description ?? '',
    }
    return elsewhere.has(name) ? [row] : [row, ...rowsInside(one, elsewhere, at)]
  })
}

/**
 * Returns the rows of all objects inside a value. If a value can have several forms with the same key, the key gets
 * only one row.
 */
function rowsInside(
  schema: JsonSchema,
  elsewhere: ReadonlySet<string>,
  path: string,
): readonly KeyRow[] {
  const rows = [
    ...keyRows(schema, elsewhere, path),
    ...(schema.items === undefined ? [] : rowsInside(schema.items, elsewhere, `${path}[]`)),
    ...(typeof schema.additionalProperties === 'object'
      ? rowsInside(schema.additionalProperties, elsewhere, `${path}.NAME`)
      : []),
    ...formsOf(schema).flatMap((form) => rowsInside(form, elsewhere, path)),
  ]
  const first = new Map<string, KeyRow>()
  for (const row of rows) {
    const known = first.get(row.path)
    if (known === undefined) first.set(row.path, row)
    else if (known.text === '') first.set(row.path, { ...known, text: row.text })
  }
  return [...first.values()]
}

const formsOf = (schema: JsonSchema): readonly JsonSchema[] => schema.anyOf ?? schema.oneOf ?? []

const LONGEST_LIST = 12

export function typeText(schema: JsonSchema): string {
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  if (schema.enum !== undefined) {
    const values = schema.enum.map((value) => JSON.stringify(value))
    return values.length > LONGEST_LIST ? 'text' : values.join(', ')
  }
  const forms = [...new Set(formsOf(schema).map((form) => typeText(form)))]
  if (forms.length > 0) return forms.join(' or ')
  if (schema.items !== undefined) {
    const inside = typeText(schema.items)
    return inside === 'anything' ? 'list' : `list of ${inside}`
  }
  switch (schema.type) {
    case 'string':
      return 'text'
    case 'integer':
      return 'whole number'
    case 'boolean':
      return 'true or false'
    case 'object':
      return 'table'
    case 'array':
      return 'list'
    case undefined:
      return 'anything'
    default:
      return Array.isArray(schema.type) ? schema.type.join(' or ') : String(schema.type)
  }
}

/** Escapes a text for a cell of a Markdown table. */
export const cell = (text: string): string =>
  text.replaceAll('|', '\\|').replaceAll(/\s+/g, ' ').replaceAll('<', '&lt;').trim()

export const keyTable = (rows: readonly KeyRow[]): readonly string[] => [
  '| key | type | meaning |',
  '|---|---|---|',
  ...rows.map(
    ({ path, type, isRequired, text }) =>
      `| \`${path}\`${isRequired ? ' (required)' : ''} | ${cell(type)} | ${cell(text)} |`,
  ),
]
