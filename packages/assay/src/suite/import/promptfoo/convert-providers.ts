/**
 * Converts the providers of a promptfoo configuration to models. A provider with parameters becomes a named subject.
 */
import type { Json } from '@assay/contract'
import { isTable, modelName, type Findings, type Table } from './convert-asserts.ts'

const PARAMETERS: Readonly<Record<string, string>> = {
  temperature: 'temperature',
  max_tokens: 'maxTokens',
  max_completion_tokens: 'maxTokens',
  top_p: 'topP',
}

export function subjectsOf(given: Json | undefined, findings: Findings): Table {
  const list = given === undefined ? [] : Array.isArray(given) ? given : [given]
  const models: string[] = []
  const subjects: Table = {}
  for (const [at, one] of list.entries()) {
    const where = `providers[${at}]`
    const [key, inside] =
      isTable(one) && one['id'] === undefined ? (Object.entries(one)[0] ?? []) : []
    const table = key === undefined ? one : { ...(isTable(inside) ? inside : {}), id: key }
    const id = isTable(table) ? table['id'] : table
    const model = typeof id === 'string' ? modelName(id) : null
    if (model === null) {
      findings.lost(
        where,
        `${typeof id === 'string' ? id : 'a provider without an id'}: name it in assay.toml, or use command: or a function`,
      )
      continue
    }
    const config = isTable(table) && isTable(table['config']) ? table['config'] : {}
    const parameters: Table = {}
    for (const [name, value] of Object.entries(config))
      if (Object.hasOwn(PARAMETERS, name)) parameters[PARAMETERS[name] as string] = value
      else findings.lost(where, `config.${name}`)
    if (Object.keys(parameters).length === 0) models.push(model)
    else {
      const label = isTable(table) && typeof table['label'] === 'string' ? table['label'] : model
      const free = label.replaceAll(/[\s,:/='"]+/g, '-')
      const name = free in subjects ? `${free}-${at + 1}` : free
      subjects[name] = { model, ...parameters }
      models.push(name)
    }
  }
  return {
    ...(models.length === 0 ? {} : { model: models }),
    ...(Object.keys(subjects).length === 0 ? {} : { subjects }),
  }
}
