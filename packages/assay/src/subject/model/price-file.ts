/**
 * Reads the user's price file, which is TOML:
 *
 *     source = "our contract of May"         # optional, for people
 *
 *     [models."openai/gpt-4o"]               # provider/model, exactly as the run names it
 *     input = 5.00                           # US dollars per 1,000,000 tokens
 *     output = 15.00
 *     cacheRead = 2.50                       # optional: without it, the cost of answers that read
 *     cacheWrite = 6.25                      # from or wrote to the provider's cache is unknown
 *     aliases = ["openai/gpt-4o-2024-05-13"] # optional: other names with the same price
 */
import { createHash } from 'node:crypto'
import { UsageError } from '@assay/contract'
import { readNamed } from '../../log/index.ts'
import { isRecord, type JsonRecord } from '../json.ts'

/** A price in US dollars per million tokens. Null if the price of a token class is unknown. */
export interface Price {
  readonly input: number
  readonly output: number
  readonly cacheRead: number | null
  readonly cacheWrite: number | null
}

export interface PriceFile {
  readonly path: string
  readonly sha256: string
  /** The prices, by provider/model. */
  readonly prices: ReadonlyMap<string, Price>
}

/**
 * The highest price that is accepted. It is higher than the price of any model, and low enough that the cost of any
 * number of tokens is finite.
 */
const MOST_PRICE = 1e9

const KEYS = ['input', 'output', 'cacheRead', 'cacheWrite', 'aliases']

export async function readPriceFile(path: string): Promise<PriceFile> {
  let text: string
  try {
    text = readNamed(path)
  } catch (error) {
    throw new UsageError(`the price file ${path} cannot be read: ${(error as Error).message}`)
  }
  const { parse } = await import('smol-toml')
  let table: unknown
  try {
    table = parse(text)
  } catch (error) {
    throw new UsageError(`the price file ${path} is not valid TOML: ${faultOf(error)}`)
  }
  return {
    path,
    sha256: createHash('sha256').update(text).digest('hex'),
    prices: readPrices(table, path),
  }
}

/** Returns the TOML parser's message without the lines that it quotes from the file. These lines may be private. */
function faultOf(error: unknown): string {
  const { message, line, column } = error as Error & { line?: number; column?: number }
  const [first = ''] = message.split('\n')
  return line === undefined ? first : `${first} (line ${line}, column ${column ?? 1})`
}

function readPrices(table: unknown, path: string): Map<string, Price> {
  const problems: string[] = []
  const prices = new Map<string, Price>()
  const top = isRecord(table) ? table : {}
  for (const key of Object.keys(top)) {
    if (key !== 'models' && key !== 'source') {
      problems.push(`unknown key "${key}": expected source and [models."provider/model"]`)
    }
  }
  const models = top['models']
  if (!isRecord(models) || Object.keys(models).length === 0) {
    problems.push('there is no [models."provider/model"] table')
  }
  for (const [name, entry] of Object.entries(isRecord(models) ? models : {})) {
    const where = `[models."${name}"]`
    if (!isRecord(entry)) {
      problems.push(`${where} must be a table`)
      continue
    }
    const price = readPrice(entry, where, problems)
    for (const alias of [name, ...readAliases(entry, where, problems)]) {
      if (!/^[^/]+\/.+$/u.test(alias)) problems.push(`"${alias}" is not a provider/model`)
      if (prices.has(alias)) problems.push(`"${alias}" has two prices`)
      prices.set(alias, price)
    }
  }
  if (problems.length > 0) {
    throw new UsageError(`the price file ${path} is not valid:\n  ${problems.join('\n  ')}`)
  }
  return prices
}

function readPrice(entry: JsonRecord, where: string, problems: string[]): Price {
  for (const key of Object.keys(entry)) {
    if (!KEYS.includes(key)) {
      problems.push(`${where} has an unknown key "${key}": expected ${KEYS.join(', ')}`)
    }
  }
  const read = (key: string): number | null => {
    const value = entry[key]
    if (value === undefined) return null
    if (typeof value === 'number' && value >= 0 && value <= MOST_PRICE) return value
    problems.push(
      `${where} ${key} must be US dollars per 1,000,000 tokens, from 0, found ${typeof value === 'number' ? value : `a ${typeof value}`}`,
    )
    return null
  }
  const needed = (key: string): number => {
    if (entry[key] === undefined) problems.push(`${where} needs ${key}`)
    return read(key) ?? 0
  }
  return {
    input: needed('input'),
    output: needed('output'),
    cacheRead: read('cacheRead'),
    cacheWrite: read('cacheWrite'),
  }
}

function readAliases(entry: JsonRecord, where: string, problems: string[]): readonly string[] {
  const aliases: unknown = entry['aliases'] ?? []
  if (Array.isArray(aliases) && aliases.every((alias) => typeof alias === 'string')) return aliases
  problems.push(`${where} aliases must be a list of names`)
  return []
}
