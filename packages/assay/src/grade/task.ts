/** What is handed to a grading thread and what comes back: plain data that survives the crossing. */

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

export type Task = PatternTask | SchemaTask

export type Draft = '4' | '7' | '2019-09' | '2020-12'

export interface Match {
  readonly index: number
  readonly length: number
}

/** Where the JSON does not fit, most telling first; empty where it fits. */
export type Misfits = readonly { readonly at: string; readonly why: string }[]

export type Finding<T extends Task> = T extends PatternTask ? Match | null : Misfits

/** `limit`: the work ended at a limit that the answer ran into, not by a fault of the grader. */
export type Reply =
  | { readonly found: Match | null | Misfits }
  | { readonly failed: string; readonly limit: boolean }

/** The first message of a thread. */
export const READY = 'ready'
