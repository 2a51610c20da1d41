/**
 * Reads an agent's trajectory and workspace diff from the record of a trial. A record may be cut off, untrusted or from
 * another version, so it is read field by field. A step of an unknown kind becomes an unknown event. If a record cannot
 * be read, the result is the reason. Nothing here throws.
 */
import type {
  FileChange,
  FileMode,
  Json,
  ModelRequest,
  Step,
  StepEvidence,
  Text,
  Trajectory,
  Trial,
  Usage,
  WorkspaceDiff,
} from '@assay/contract'
import type { ReportSource } from '../formats/format.ts'
import type { Missing } from './view-data.ts'

type FetchText = ReportSource['text']
type Fields = Readonly<Record<string, unknown>>

/** The maximum size of a record that is parsed, in bytes. */
const MOST_BYTES = 64_000_000

/** Returns the trajectory, or the reason why it is missing. Returns null if the trial has none. */
export const readTrajectory = (trial: Trial, fetch: FetchText): Trajectory | Missing | null =>
  readRecord(trial.trajectory, fetch, trajectoryOf)

/** Returns the diff, or the reason why it is missing. Returns null if the trial had no workspace. */
export const readDiff = (trial: Trial, fetch: FetchText): WorkspaceDiff | Missing | null =>
  readRecord(trial.diff, fetch, diffOf)

export const isMissing = (part: object): part is Missing => 'missing' in part

/** Reads a JSON record and checks its version. `read` checks everything else. */
function readRecord<T>(
  text: Text | undefined,
  fetch: FetchText,
  read: (fields: Fields) => T | null,
): T | Missing | null {
  if (text === undefined) return null
  if (typeof text !== 'string' && text.bytes > MOST_BYTES)
    return { missing: 'it is too large to be read here' }
  const json = fetch(text)
  if (json === null) return { missing: 'its text is no longer in the run folder' }
  const value = parsed(json)
  if (!isFields(value)) return { missing: 'its record cannot be read' }
  if (value['version'] !== 1)
    return { missing: 'its record is of a version that this Assay does not know' }
  return read(value) ?? { missing: 'its record cannot be read' }
}

/** Parses JSON. Returns undefined if it is not valid. */
function parsed(json: string): unknown {
  try {
    return JSON.parse(json) as unknown
  } catch {
    return undefined
  }
}

function trajectoryOf(fields: Fields): Trajectory | null {
  const { steps, usdFrom } = fields
  if (!Array.isArray(steps)) return null
  return {
    version: 1,
    format: stringOf(fields['format']),
    agentVersion: stringOrNull(fields['agentVersion']),
    model: stringOrNull(fields['model']),
    steps: steps.map(stepOf),
    usage: usageByModel(fields['usage']),
    usd: numberOrNull(fields['usd']),
    usdFrom: usdFrom === 'reported' || usdFrom === 'priced' ? usdFrom : null,
    turns: numberOf(fields['turns']),
    firstTokenMs: numberOrNull(fields['firstTokenMs']),
    ms: numberOf(fields['ms']),
    complete: fields['complete'] === true,
    oddities: listOf(fields['oddities']).map(stringOf),
    ...(Array.isArray(fields['requests']) && {
      requests: fields['requests'].filter(isFields).map(requestOf),
    }),
  }
}

function requestOf(fields: Fields): ModelRequest {
  const { usage, error } = fields
  const attempts = numberOrNull(fields['attempts'])
  return {
    at: numberOf(fields['at']),
    model: stringOf(fields['model']),
    status: numberOrNull(fields['status']),
    usage: isFields(usage) ? usageOf(usage) : null,
    usd: numberOrNull(fields['usd']),
    ms: numberOf(fields['ms']),
    ...(attempts !== null && { attempts }),
    ...(typeof error === 'string' && { error }),
    ...(fields['estimated'] === true && { estimated: true as const }),
  }
}

const evidenceOf = ({ evidence }: Fields): { readonly evidence?: StepEvidence } =>
  evidence === 'seen' || evidence === 'claimed' ? { evidence } : {}

const ROLES = ['user', 'assistant', 'system'] as const
const CHANGES = ['added', 'changed', 'deleted'] as const

function stepOf(value: unknown): Step {
  const fields = isFields(value) ? value : {}
  const { kind, text, name, result } = fields
  const head = { at: numberOf(fields['at']), turn: numberOf(fields['turn']) }
  const spent = spentOf(fields)
  if (kind === 'message')
    return {
      ...head,
      ...spent,
      kind,
      role: ROLES.find((role) => role === fields['role']) ?? 'assistant',
      text: stringOf(text),
    }
  if (kind === 'reasoning') return { ...head, ...spent, kind, text: stringOf(text) }
  if (kind === 'tool-call')
    return {
      ...head,
      ...spent,
      kind,
      id: stringOf(fields['id']),
      name: stringOf(name),
      args: (fields['args'] ?? null) as Json,
      result: result === null || result === undefined ? null : stringOf(result),
      failed: fields['failed'] === true,
      ms: numberOrNull(fields['ms']),
      ...evidenceOf(fields),
    }
  if (kind === 'file-change')
    return { ...head, kind, path: stringOf(fields['path']), change: changeOf(fields['change']) }
  if (kind === 'skill') return { ...head, kind, name: stringOf(name), ...evidenceOf(fields) }
  if (kind === 'error') return { ...head, kind, text: stringOf(text) }
  if (kind === 'other')
    return { ...head, kind, type: stringOf(fields['type']), raw: stringOf(fields['raw']) }
  return { ...head, kind: 'other', type: stringOf(kind), raw: jsonOf(value) }
}

function spentOf({ usage, usd }: Fields): { usage?: Usage; usd?: number } {
  return {
    ...(isFields(usage) && { usage: usageOf(usage) }),
    ...(numberOrNull(usd) !== null && { usd: numberOf(usd) }),
  }
}

const usageOf = (fields: Fields): Usage => ({
  input: numberOf(fields['input']),
  cacheRead: numberOf(fields['cacheRead']),
  cacheWrite: numberOf(fields['cacheWrite']),
  output: numberOf(fields['output']),
  reasoning: numberOf(fields['reasoning']),
})

/**
 * Returns the usage of each model. A model name can be any text. `Object.fromEntries` is safe for all of them: even
 * `__proto__` becomes an ordinary key.
 */
const usageByModel = (value: unknown): Readonly<Record<string, Usage>> =>
  Object.fromEntries(
    Object.entries(isFields(value) ? value : {}).map(([model, usage]) => [
      model,
      usageOf(isFields(usage) ? usage : {}),
    ]),
  )

function diffOf(fields: Fields): WorkspaceDiff | null {
  const { changes } = fields
  if (!Array.isArray(changes)) return null
  const oddities = listOf(fields['oddities']).map(stringOf)
  // Records of earlier versions have no `unkept` (files that were not stored). They have only `oddities`, which are
  // messages for people.
  const unkept = Array.isArray(fields['unkept']) ? fields['unkept'].map(stringOf) : oddities
  return {
    version: 1,
    changes: changes.filter(isFields).map(fileChangeOf),
    ...(Array.isArray(fields['folders']) && {
      folders: fields['folders'].filter(isFields).map(({ path, change }) => ({
        path: stringOf(path),
        change: change === 'deleted' ? ('deleted' as const) : ('added' as const),
      })),
    }),
    ...(isFields(fields['permissions']) && {
      permissions: Object.fromEntries(
        Object.entries(fields['permissions']).map(([path, bits]) => [path, stringOf(bits)]),
      ),
    }),
    ...(unkept.length > 0 && { unkept, oddities }),
  }
}

const MODES: readonly FileMode[] = ['100644', '100755', '120000']

function fileChangeOf(fields: Fields): FileChange {
  const { text, base64, patch } = fields
  const modeBefore = MODES.find((mode) => mode === fields['modeBefore'])
  const mode = MODES.find((one) => one === fields['mode'])
  return {
    path: stringOf(fields['path']),
    change: changeOf(fields['change']),
    ...(modeBefore !== undefined && { modeBefore }),
    ...(mode !== undefined && { mode }),
    ...(typeof text === 'string' && { text }),
    ...(typeof base64 === 'string' && { base64 }),
    ...(typeof patch === 'string' && { patch }),
  }
}

const changeOf = (value: unknown): FileChange['change'] =>
  CHANGES.find((change) => change === value) ?? 'changed'

// ── Fields ───────────────────────────────────────────────────────────────────────────────────────────

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

const numberOrNull = (value: unknown): number | null =>
  typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : null

const numberOf = (value: unknown): number => numberOrNull(value) ?? 0

const stringOrNull = (value: unknown): string | null => (typeof value === 'string' ? value : null)

/** Returns a string as it is, '' for a missing value, and any other value as JSON. */
function stringOf(value: unknown): string {
  if (typeof value === 'string') return value
  return value === undefined || value === null ? '' : jsonOf(value)
}

/** Returns a value as JSON text for people. If the value is nested too deeply to be written, the text says so. */
export function jsonOf(value: unknown, indent?: number): string {
  try {
    return JSON.stringify(value, null, indent) ?? ''
  } catch {
    return '(nested too deeply to be shown)'
  }
}
