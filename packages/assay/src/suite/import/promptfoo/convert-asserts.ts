/**
 * Converts the assertions of promptfoo (another evaluation tool) to graders. An assertion without an equivalent
 * grader is reported. It is never replaced by a weaker one.
 */
import type { Json } from '@assay/contract'

export type Table = Record<string, Json>

/** Collects what could not be converted (`lost`), and remarks about differences (`note`). */
export interface Findings {
  readonly lost: (where: string, what: string) => void
  readonly note: (where: string, what: string) => void
}

export const isTable = (value: unknown): value is Table =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const escaped = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')
export const textOf = (value: Json | undefined): string =>
  typeof value === 'string' ? value : JSON.stringify(value ?? '')

/** Returns the items of a list, or of a text with commas between the items. */
const listOf = (value: Json | undefined): string[] =>
  Array.isArray(value)
    ? value.map(textOf)
    : textOf(value)
        .split(',')
        .map((one) => one.trim())

type Convert = (value: Json | undefined, given: Table) => Table | string

const contains =
  (ignoreCase: boolean): Convert =>
  (value) => ({ type: 'contains', value: textOf(value), ...(ignoreCase ? { ignoreCase } : {}) })

const several =
  (key: 'any' | 'all', ignoreCase: boolean): Convert =>
  (value) => ({ type: 'contains', [key]: listOf(value), ...(ignoreCase ? { ignoreCase } : {}) })

const number = (value: Json | undefined): number | null => {
  const read = typeof value === 'string' && value.trim() !== '' ? Number(value) : value
  return typeof read === 'number' && Number.isFinite(read) ? read : null
}

const budget =
  (type: string, ofThreshold: (threshold: number) => Json): Convert =>
  (value, { threshold }) => {
    const most = number(threshold) ?? number(value)
    return most === null ? 'it has no threshold' : { type, max: ofThreshold(most) }
  }

const CONVERTED: Readonly<Record<string, Convert>> = {
  equals: (value) =>
    typeof value === 'object' && value !== null
      ? { type: 'json', equals: value }
      : { type: 'equals', value: textOf(value), trim: false },
  contains: contains(false),
  icontains: contains(true),
  'contains-any': several('any', false),
  'contains-all': several('all', false),
  'icontains-any': several('any', true),
  'icontains-all': several('all', true),
  regex: (value) => ({ type: 'matches', pattern: textOf(value) }),
  'starts-with': (value) => ({ type: 'matches', pattern: `^${escaped(textOf(value))}` }),
  'is-json': (value) =>
    isTable(value)
      ? { type: 'json', schema: value }
      : value === undefined || value === ''
        ? { type: 'json' }
        : 'its schema is not a table in this file',
  latency: budget('time-budget', (ms) => ms / 1000),
  cost: budget('cost-budget', (usd) => usd),
  'llm-rubric': (value, { provider }) =>
    typeof value === 'string' && value.trim() !== ''
      ? {
          type: 'judge',
          rubric: [value],
          ...(typeof provider === 'string' ? { judges: [modelName(provider) ?? provider] } : {}),
        }
      : 'its rubric is not a text',
}

/** Converts an `assert-set` to the grader `all`, or to `any` if one passing member is enough. */
function setOf(given: Table, where: string, findings: Findings): Table | string {
  const members = Array.isArray(given['assert']) ? given['assert'] : []
  const threshold = number(given['threshold'])
  const type =
    threshold === null || threshold >= 1
      ? 'all'
      : threshold * members.length <= 1 && members.length > 0
        ? 'any'
        : null
  if (type === null) return `its threshold of ${threshold} is neither all nor one of them`
  const graders = members.map((one) => graderOf(one, where, findings))
  if (graders.includes(null)) return 'a part of it could not be carried over'
  return { type, graders: graders as Table[] }
}

/** Returns the equivalent grader. Returns null if there is none. The assertion is then reported. */
export function graderOf(given: Json, where: string, findings: Findings): Table | null {
  if (!isTable(given) || typeof given['type'] !== 'string') {
    findings.lost(where, 'an assertion without a type')
    return null
  }
  const isNegated = given['type'].startsWith('not-')
  const type = isNegated ? given['type'].slice(4) : given['type']
  const refuse = (why: string): null => {
    findings.lost(where, `the assertion ${textOf(given['type'])}: ${why}`)
    return null
  }
  if (given['transform'] !== undefined || given['contextTransform'] !== undefined)
    return refuse('its transform is a program; see `transform` of graders')
  const convert = Object.hasOwn(CONVERTED, type) ? CONVERTED[type] : undefined
  const made =
    type === 'assert-set'
      ? setOf(given, where, findings)
      : (convert?.(given['value'], given) ?? WHY[type] ?? 'Assay has no such grader')
  if (typeof made === 'string') return refuse(made)
  if (typeof given['value'] === 'string' && given['value'].startsWith('file://'))
    return refuse('its value is in a file')
  const { weight, metric } = given
  return {
    ...made,
    ...(typeof metric === 'string' ? { name: metric } : {}),
    ...(typeof weight === 'number' ? { weight } : {}),
    ...(isNegated ? { negate: true } : {}),
  }
}

const PROGRAM = 'it is a program; write it as a custom grader'
const EMBEDDING = 'it needs embeddings; use similarity or a judge'
const WHY: Readonly<Record<string, string>> = {
  javascript: PROGRAM,
  python: 'it is a program; write it as a program grader',
  ruby: 'it is a program; write it as a program grader',
  webhook: 'it calls an address; write it as a custom grader',
  similar: EMBEDDING,
  'contains-json': 'Assay’s json takes an answer that is JSON, or its only fenced block',
  factuality: 'write what must be true as a rubric of a judge',
  'model-graded-closedqa': 'write the criterion as a rubric of a judge',
  'g-eval': 'write the criterion as a rubric of a judge',
}

/**
 * `PROVIDERS` maps promptfoo's providers to Assay's names. `INTERFACES` matches the words with which promptfoo names
 * one of a provider's APIs. They are not part of a model's name.
 */
const PROVIDERS: Readonly<Record<string, string>> = {
  openai: 'openai',
  anthropic: 'anthropic',
  google: 'google',
  azure: 'azure',
  azureopenai: 'azure',
  mistral: 'mistral',
  groq: 'groq',
  deepseek: 'deepseek',
  xai: 'xai',
  openrouter: 'openrouter',
  ollama: 'ollama',
}
const INTERFACES = /^(?:chat|completion|messages|responses)$/

/** Returns Assay's name for the model that a promptfoo provider names. Returns null if there is no equivalent. */
export function modelName(id: string): string | null {
  const [name = '', ...rest] = id.split(':')
  const provider = Object.hasOwn(PROVIDERS, name) ? PROVIDERS[name] : undefined
  const model = INTERFACES.test(rest[0] ?? '') ? rest.slice(1) : rest
  if (provider === undefined || model.length === 0) return null
  return `${provider}/${model.join(':')}`
}
