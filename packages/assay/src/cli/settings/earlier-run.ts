/** What an earlier run was asked for, as its record says. Somebody else may have written it, so its shape is checked. */
import { normalize } from 'node:path'
import { z } from 'zod'
import { UsageError } from '@assay/contract'
import { lastRevision, readRecord, type ReadOptions } from '../../log/index.ts'
import type { Request } from './run-flags.ts'

/** The run that goes on, or whose answers are graded again. */
export interface EarlierRun {
  readonly request: Request
  readonly folder: string
  /** As its record has it. */
  readonly consent: unknown
}

const texts = z.array(z.string())

/** Trust is asked for the path without its steps back, and a link before `..` would lead elsewhere: that one is opened. */
const path = z.string().transform((text) => normalize(text))

/** Keys may be added by later versions. */
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

/** Null where the run was started by a program that did not say. */
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
