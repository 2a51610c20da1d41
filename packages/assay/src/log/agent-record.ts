/**
 * Parses three records that a run folder keeps for later grading: an agent's trajectory (its steps), its workspace diff
 * (the files it changed), and the messages of a conversation. Throws if a record does not have the expected shape.
 */
import { RunError, type Message, type Trajectory, type WorkspaceDiff } from '@assay/contract'
import {
  amount,
  json,
  listOf,
  entriesOf,
  number,
  oneOf,
  orNull,
  pathText,
  table,
  text,
  type Check,
} from './shape.ts'

const step = table(
  { kind: text },
  {
    at: number,
    turn: number,
    text,
    name: text,
    id: text,
    path: text,
    args: json,
    result: orNull(text),
    type: text,
    raw: text,
    evidence: oneOf('seen', 'claimed'),
  },
)

const trajectory = table(
  { version: oneOf(1), steps: listOf(step) },
  { usage: table({}), usd: orNull(amount), oddities: listOf(text) },
)

const mode = oneOf('100644', '100755', '120000')

const octal: Check = (value) =>
  typeof value === 'string' && /^[0-7]{1,4}$/u.test(value)
    ? null
    : { path: [], expected: 'permissions in octal' }

const diff = table(
  {
    version: oneOf(1),
    changes: listOf(
      table(
        { path: text, change: oneOf('added', 'changed', 'deleted') },
        { modeBefore: mode, mode, text, base64: text, patch: text },
      ),
    ),
  },
  {
    folders: listOf(table({ path: text, change: oneOf('added', 'deleted') })),
    permissions: entriesOf(octal),
    unkept: listOf(text),
    oddities: listOf(text),
  },
)

export const parseTrajectory = (written: string): Trajectory =>
  parsed(written, trajectory, 'what the agent did') as Trajectory

export const parseDiff = (written: string): WorkspaceDiff =>
  parsed(written, diff, 'what the agent left') as WorkspaceDiff

const messages = listOf(table({ role: oneOf('system', 'user', 'assistant'), content: text }))

export const parseMessages = (written: string): Message[] =>
  parsed(written, messages, 'what was said') as Message[]

/**
 * Parses a record and checks it against `shape`. Throws a `RunError` that names the record (`what`) if it does not fit.
 */
export function parsed(written: string, shape: Check, what: string): unknown {
  let value: unknown
  try {
    value = JSON.parse(written)
  } catch (error) {
    throw new RunError(`the record of ${what} is damaged: ${(error as Error).message}`)
  }
  const misfit = shape(value)
  if (misfit === null) return value
  throw new RunError(
    `the record of ${what} is damaged: ${pathText(misfit.path)}: expected ${misfit.expected}`,
  )
}
