/**
 * Finds the records in a JSON document that is not a list. The document can be a report of another evaluation tool, an
 * object that contains a list, or an object whose keys are the names of the cases. Reports are converted to flat
 * records with common keys, which are then read like all others.
 */
import { isPandas, pandasRecords } from './pandas.ts'
import { isRecord, scalarText, valueAt, type JsonRecord } from './record-rows.ts'

/** The name for logs of the tool Inspect in messages. */
export const INSPECT_LOG = 'an Inspect log'

/** The records of a document, and where they were found. */
export interface DocumentRecords {
  /** The name of the format, as shown to the user. */
  readonly kind: string
  readonly records: readonly { readonly record: unknown; readonly place: string }[]
  readonly notes: readonly string[]
}

/** Whether the first line of a file is a whole document, not the first of many records. */
export const isDocument = (value: JsonRecord): boolean =>
  isInspectLog(value) ||
  isPromptfoo(value) ||
  isSweBench(value) ||
  isPandas(value) ||
  isKeyed(value)

/** Whether a record contains a list of objects. */
export const hasList = (value: JsonRecord): boolean => findLists(value, [], {}).length > 0

/** Returns the records of a document. Null if it has none. `scorer` is the name that the user gave with `--passed`. */
export function recordsIn(document: unknown, scorer: string | undefined): DocumentRecords | null {
  if (!isRecord(document)) return null
  if (isInspectLog(document)) return inspectRecords(document, scorer)
  if (isPromptfoo(document)) return promptfooRecords(document)
  if (isSweBench(document)) return sweBenchRecords(document)
  if (isPandas(document)) return pandasRecords(document)
  return listRecords(document) ?? (isKeyed(document) ? keyedRecords(document) : null)
}

const listAt = (value: unknown, ...path: string[]): readonly unknown[] => {
  const list = valueAt(value, path)
  return Array.isArray(list) ? list : []
}

// ── Inspect ──────────────────────────────────────────────────────────────────────────────────────────

const isInspectLog = (value: JsonRecord): boolean =>
  isRecord(valueAt(value, ['eval'])) &&
  typeof valueAt(value, ['eval', 'task']) === 'string' &&
  Array.isArray(valueAt(value, ['samples']))

/** The letters that Inspect uses for verdicts: correct, incorrect, partially correct, no answer. */
const LETTERS: Readonly<Record<string, readonly [passed: string, score: number]>> = {
  C: ['passed', 1],
  I: ['failed', 0],
  P: ['failed', 0.5],
  N: ['failed', 0],
}

function inspectRecords(log: JsonRecord, wanted: string | undefined): DocumentRecords {
  const samples = listAt(log, 'samples')
  const scorers = new Set(
    samples.flatMap((sample) => {
      const scores = valueAt(sample, ['scores'])
      return isRecord(scores) ? Object.keys(scores) : []
    }),
  )
  const [first] = scorers
  const scorer = wanted !== undefined && scorers.has(wanted) ? wanted : first
  const others = [...scorers].filter((name) => name !== scorer)
  const records = samples.map((sample, i) => {
    const value = scorer === undefined ? undefined : valueAt(sample, ['scores', scorer, 'value'])
    const [passed, score] = inspectVerdict(value)
    const isError = valueAt(sample, ['error']) != null
    const usage = Object.values((valueAt(sample, ['model_usage']) ?? {}) as JsonRecord)
    const tokens = (key: string): number | null =>
      usage.reduce<number | null>((sum, one) => {
        const count = valueAt(one, [key])
        return typeof count === 'number' ? (sum ?? 0) + count : sum
      }, null)
    return {
      place: `samples[${i}]`,
      record: {
        suite: valueAt(log, ['eval', 'task']),
        model: valueAt(log, ['eval', 'model']),
        case_id: valueAt(sample, ['id']),
        epoch: valueAt(sample, ['epoch']),
        passed: isError ? 'error' : passed,
        score: isError ? null : score,
        duration_seconds: valueAt(sample, ['total_time']) ?? null,
        input_tokens: tokens('input_tokens'),
        output_tokens: tokens('output_tokens'),
      },
    }
  })
  return {
    kind: INSPECT_LOG,
    records,
    notes:
      others.length === 0
        ? []
        : [
            `verdicts are those of the scorer ${scorer}; --passed names another: ${others.join(', ')}`,
          ],
  }
}

/** Returns the verdict and the score of a value. A number other than 0 and 1 is a score without a verdict. */
function inspectVerdict(value: unknown): readonly [passed: string | null, score: number | null] {
  if (typeof value === 'string' && Object.hasOwn(LETTERS, value))
    return LETTERS[value] as readonly [string, number]
  if (typeof value === 'boolean') return [String(value), value ? 1 : 0]
  if (typeof value !== 'number') return [scalarText(value) || null, null]
  return [value === 1 || value === 0 ? String(value) : null, value]
}

// ── promptfoo ────────────────────────────────────────────────────────────────────────────────────────

const isPromptfoo = (value: JsonRecord): boolean => {
  const [first] = listAt(value, 'results', 'results')
  return isRecord(first) && Object.hasOwn(first, 'success') && Object.hasOwn(first, 'provider')
}

/** The number that promptfoo uses for a result that ended in a provider error, not in a failed assertion. */
const PROVIDER_ERROR = 2

function promptfooRecords(document: JsonRecord): DocumentRecords {
  const records = listAt(document, 'results', 'results').map((result, i) => {
    const at = (...path: string[]): unknown => valueAt(result, path)
    const provider = at('provider')
    const number = at('testIdx')
    const description = at('testCase', 'description') ?? at('description') ?? ''
    const name =
      typeof number === 'number'
        ? `${number + 1} ${scalarText(description)}`.trim()
        : JSON.stringify(at('vars') ?? i)
    return {
      place: `results.results[${i}]`,
      record: {
        model: isRecord(provider)
          ? valueAt(provider, ['label']) || valueAt(provider, ['id'])
          : provider,
        variant: at('prompt', 'label') ?? `prompt ${scalarText(at('promptIdx')) || 0}`,
        case: name,
        passed: at('failureReason') === PROVIDER_ERROR ? 'error' : at('success'),
        score: at('failureReason') === PROVIDER_ERROR ? null : at('score'),
        cost: at('cost') ?? null,
        latency_ms: at('latencyMs') ?? null,
        input_tokens: at('tokenUsage', 'prompt') ?? null,
        output_tokens: at('tokenUsage', 'completion') ?? null,
      },
    }
  })
  return { kind: 'results of promptfoo', records, notes: [] }
}

// ── SWE-bench ────────────────────────────────────────────────────────────────────────────────────────

const isSweBench = (value: JsonRecord): boolean =>
  Array.isArray(valueAt(value, ['resolved_ids'])) &&
  Array.isArray(valueAt(value, ['unresolved_ids']))

/**
 * The lists of a SWE-bench report and what they mean. A case with an empty patch failed. A case with an error of the
 * test harness errored.
 */
const SWE_LISTS = [
  ['resolved_ids', 'passed'],
  ['unresolved_ids', 'failed'],
  ['empty_patch_ids', 'failed'],
  ['error_ids', 'error'],
  ['incomplete_ids', 'skipped'],
] as const

function sweBenchRecords(report: JsonRecord): DocumentRecords {
  const seen = new Set<unknown>()
  const records = SWE_LISTS.flatMap(([list, passed]) =>
    listAt(report, list).flatMap((id, i) => {
      if (seen.has(id)) return []
      seen.add(id)
      return [{ place: `${list}[${i}]`, record: { instance_id: id, passed } }]
    }),
  )
  return { kind: 'a SWE-bench report', records, notes: [] }
}

// ── Any other document ───────────────────────────────────────────────────────────────────────────────

const DEEPEST = 3
const LONGEST_CONTEXT = 200

interface FoundList {
  readonly path: readonly string[]
  readonly items: readonly unknown[]
  /** The texts and numbers of the objects that contain the list, such as the name of the model. */
  readonly context: JsonRecord
}

/** Returns the items of the longest list of objects in a document. */
function listRecords(document: JsonRecord): DocumentRecords | null {
  const lists = findLists(document, [], {}).sort((a, b) => b.items.length - a.items.length)
  const [longest, ...others] = lists
  if (longest === undefined) return null
  const path = longest.path.join('.')
  return {
    kind: `the list "${path}" of a JSON document`,
    records: longest.items.map((item, i) => ({
      place: `${path}[${i}]`,
      record: isRecord(item) ? { ...longest.context, ...item } : item,
    })),
    notes:
      others.length === 0
        ? []
        : [`other lists are not read: ${others.map((one) => one.path.join('.')).join(', ')}`],
  }
}

function findLists(value: JsonRecord, path: readonly string[], above: JsonRecord): FoundList[] {
  const own = Object.entries(value).filter(
    ([, one]) =>
      typeof one === 'number' || (typeof one === 'string' && one.length <= LONGEST_CONTEXT),
  )
  const context = { ...above, ...Object.fromEntries(own) }
  return Object.entries(value).flatMap(([key, one]): FoundList[] => {
    const here = [...path, key]
    if (Array.isArray(one))
      return one.length > 0 && one.every(isRecord) ? [{ path: here, items: one, context }] : []
    return isRecord(one) && here.length < DEEPEST ? findLists(one, here, context) : []
  })
}

/**
 * Whether the keys of the object are names of records. That is so if every value is an object and these objects have a
 * key in common.
 */
function isKeyed(value: JsonRecord): boolean {
  const values = Object.values(value)
  const [first, ...others] = values
  if (others.length === 0 || !isRecord(first) || !others.every(isRecord)) return false
  return Object.keys(first).some((key) => others.every((one) => Object.hasOwn(one, key)))
}

const keyedRecords = (document: JsonRecord): DocumentRecords => ({
  kind: 'a JSON object with one key per case',
  records: Object.entries(document).map(([key, value]) => ({
    place: key,
    record: { key, ...(value as JsonRecord) },
  })),
  notes: [],
})
