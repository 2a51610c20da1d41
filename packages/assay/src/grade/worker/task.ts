/** What is handed to a grading thread or process, and what comes back: plain data that survives the crossing. */
import type { Json } from '@assay/contract'
import type { CustomGraded } from '../command/custom-grader.ts'
import type { Measure } from '../text/similarity-score.ts'

/** Is there a match, and where? */
export interface PatternTask {
  readonly kind: 'pattern'
  readonly pattern: string
  readonly flags: string
  readonly text: string
}

/** Does the JSON in the text fit the schema? Both as text: the thread parses, and keeps the schema ready. */
export interface SchemaTask {
  readonly kind: 'schema'
  readonly schema: string
  readonly draft: Draft
  readonly text: string
}

/** How alike are the texts? */
export interface SimilarityTask {
  readonly kind: 'likeness'
  readonly a: string
  readonly b: string
  readonly by: Measure
}

/** The user's own grader, in a process of its own kind: what options does it take, or what does it say? */
export interface CustomTask {
  readonly kind: 'custom'
  /** Absolute. */
  readonly file: string
  /** Of the file's bytes when the suite was read. */
  readonly sha256: string
  /** Null: its options with their defaults are asked for. */
  readonly call: { readonly graded: CustomGraded; readonly options: Json } | null
}

/** What a thread of the built-in graders does. */
export type BuiltInTask = PatternTask | SchemaTask | SimilarityTask
export type Task = BuiltInTask | CustomTask

export type Draft = '4' | '7' | '2019-09' | '2020-12'

export interface Match {
  readonly index: number
  readonly length: number
}

/** Where the JSON does not fit, most telling first; empty where it fits. */
export type Misfits = readonly { readonly at: string; readonly why: string }[]

export type Finding<T extends BuiltInTask> = T extends PatternTask
  ? Match | null
  : T extends SchemaTask
    ? Misfits
    : number

/** `limit`: the work ended at a limit that the answer ran into, not by a fault of the grader. */
export type Reply =
  | { readonly found?: unknown }
  | { readonly failed: string; readonly limit: boolean }

/** The last message of a process in which an error came from nowhere: it can do no further task. */
export interface LastWords {
  readonly broken: string
}

/** Of what a custom grader prints, that many characters are kept: the last ones. */
export const MOST_PRINTED = 8000

/** Error texts beyond this are cut: characters. */
const MOST_WORDS = 2000

/**
 * What a process wrote, as a reply or last words. Null where it is neither: a grader can write to the descriptor
 * itself, and whatever it writes must be its own failure.
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
