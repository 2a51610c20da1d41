/** Tasks for grading threads and processes, and their replies: plain data that can be sent between them. */
import type { Json } from '@assay/contract'
import type { GradedAnswer } from '../command/custom-grader.ts'
import type { Match, WantedGroup } from '../regex/match-group.ts'
import type { Measure } from '../text/similarity-score.ts'

/** A task that searches a text for a pattern and returns where it matches. */
export interface PatternTask {
  readonly kind: 'pattern'
  readonly pattern: string
  readonly flags: string
  readonly text: string
  /** Set if the caller wants a group of the first or the last match. Otherwise the result is the first match. */
  readonly wanted?: WantedGroup
}

/**
 * A task that validates the JSON in the text against the schema. Both are sent as text. The thread parses them
 * and caches the schema.
 */
export interface SchemaTask {
  readonly kind: 'schema'
  readonly schema: string
  readonly draft: Draft
  readonly text: string
}

/** A task that computes how similar two texts are. */
export interface SimilarityTask {
  readonly kind: 'similarity'
  readonly a: string
  readonly b: string
  readonly by: Measure
}

/** A task for a process that runs custom graders. It asks a custom grader for its options or for its output. */
export interface CustomTask {
  readonly kind: 'custom'
  /** The absolute path of the grader's file. */
  readonly file: string
  /** The hash that the file had when the suite was read. */
  readonly sha256: string
  /** The input and options with which to call the grader. Null to ask only for the options with their defaults. */
  readonly call: { readonly graded: GradedAnswer; readonly options: Json } | null
}

/** The tasks for the threads of the built-in graders. */
export type BuiltInTask = PatternTask | SchemaTask | SimilarityTask
export type Task = BuiltInTask | CustomTask

export type Draft = '4' | '7' | '2019-09' | '2020-12'

/**
 * The positions at which the JSON does not match the schema, the most helpful one first. Empty if the JSON matches.
 */
export type Misfits = readonly { readonly at: string; readonly why: string }[]

export type Finding<T extends BuiltInTask> = T extends PatternTask
  ? Match | null
  : T extends SchemaTask
    ? Misfits
    : number

/**
 * The reply to a task. `limit` says that the answer made the task reach a limit. Without it, the grader itself
 * failed.
 */
export type Reply =
  | { readonly found?: unknown }
  | { readonly failed: string; readonly limit: boolean }

/** The last message of a process after an uncaught error. The process then does no more tasks. */
export interface LastWords {
  readonly broken: string
}

/** How many characters of a custom grader's output are kept. If it prints more, only the end is kept. */
export const MOST_PRINTED = 8000

/** The limit on the characters of an error message. Longer messages are cut. */
const MOST_WORDS = 2000

/**
 * Parses a message of a process, which is a reply or the last message. Returns null if it is neither. A grader can
 * cause this by writing to the file descriptor itself, and it counts as the grader's failure.
 */
export function readReply(message: unknown): Reply | LastWords | null {
  if (typeof message !== 'object' || message === null || Array.isArray(message)) return null
  const { broken, failed, limit, found } = message as Readonly<Record<string, unknown>>
  if (broken !== undefined)
    return typeof broken === 'string' ? { broken: broken.slice(0, MOST_WORDS) } : null
  if (failed === undefined) return { found }
  if (typeof failed !== 'string' || typeof limit !== 'boolean') return null
  return { failed: failed.slice(0, MOST_WORDS), limit }
}
