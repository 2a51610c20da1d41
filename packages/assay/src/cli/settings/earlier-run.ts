/**
 * Reads the request of an earlier run (its suites, subjects and settings) from its record. The record may be untrusted,
 * so its shape is checked.
 */
import { normalize } from 'node:path'
import { z } from 'zod'
import { UsageError } from '@assay/contract'
import { lastRevision, readRecord, type ReadOptions } from '../../log/index.ts'
import type { Request } from './run-flags.ts'

/** The run that is resumed or whose answers are graded again. */
export interface EarlierRun {
  readonly request: Request
  readonly folder: string
  /** The consent from the record (what the earlier command line allowed). Its signature is not checked yet. */
  readonly consent: unknown
}

const texts = z.array(z.string())

/**
 * Normalizes the path. Trust is checked for the normalized path, so the same path must be opened. Otherwise a link
 * before `..` could lead to another file.
 */
const path = z.string().transform((text) => normalize(text))

/** Allows unknown keys, because later versions may add some. */
const requestSchema = z.looseObject({
  suites: z.array(path),
  subjects: texts,
  config: path.nullable(),
  filter: texts,
  cases: texts,
  temperature: z.number().nullable(),
  trials: z.number(),
  passK: z.array(z.number()),
  prices: path.nullable(),
  judges: texts.optional(),
  regrade: path.optional(),
  asked: z
    .looseObject({
      trials: z.number().optional(),
      passK: z.array(z.number()).optional(),
      timeoutMs: z.number().optional(),
    })
    .optional(),
})

/** Returns the earlier run. Null if it has no recorded request, because a program started it with the library. */
export function earlierRun(folder: string, options: ReadOptions = {}): EarlierRun | null {
  const { request, consent } = lastRevision(readRecord(folder, options))
  if (request === null) return null
  const read = requestSchema.safeParse(request)
  if (!read.success) {
    const [issue] = read.error.issues
    throw new UsageError(
      `the record of ${folder} does not say what the run was asked for (${issue?.path.join('.') ?? ''}: ${issue?.message ?? ''})`,
    )
  }
  return { request: read.data as Request, folder, consent }
}
