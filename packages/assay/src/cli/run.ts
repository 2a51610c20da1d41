/** `assay run`: from flags, run file and settings to a plan; runs it, shows it, says what it came to. */
import { join } from 'node:path'
import type { Json, Subject, Suite } from '../contract.ts'
import { UsageError } from '../errors.ts'
import { graders } from '../grade/index.ts'
import { lastRevision, readRecord } from '../log/index.ts'
import { plain } from '../plain.ts'
import { counted, dollars, renderSummary, summarizeTally } from '../report/index.ts'
import { run, systemClock, type RunEvent, type RunResult } from '../run/index.ts'
import { makeSubjects, splitSubjects, type SubjectRequest } from '../subject/index.ts'
import { formatWarning, loadSuites, parseDuration, selectFromSuites } from '../suite/index.ts'
import { findRun, RUNS_FOLDER } from './find-run.ts'
import type { Output } from './output.ts'
import { humanProgress, jsonProgress, type Progress } from './progress.ts'
import { loadSettings, type Settings } from './settings.ts'
import { verdictOf } from './verdict.ts'

export interface RunFlags {
  readonly suites: readonly string[]
  readonly evalSet?: readonly string[]
  readonly model?: readonly string[]
  readonly models?: readonly string[]
  readonly trials?: number
  readonly passK?: readonly number[]
  readonly temperature?: number
  readonly parallelism?: number
  readonly filter?: readonly string[]
  readonly case?: readonly string[]
  readonly output?: string
  readonly seed?: number
  readonly budget?: number
  readonly timeout?: string
  readonly gradeTimeout?: string
  readonly maxErrors?: number
  readonly resume?: string | true
  readonly keepErrors?: boolean
  readonly allowChanged?: boolean
  readonly allowPartial?: boolean
  readonly cache?: boolean
  readonly prices?: string
  readonly dryRun?: boolean
  readonly json?: boolean
}

/** What makes a plan: kept in the record, so that `--resume` alone can make it again. */
type Request = {
  readonly suites: readonly string[]
  readonly models: readonly string[]
  readonly filter: readonly string[]
  readonly cases: readonly string[]
  readonly temperature: number | null
  readonly trials: number
  readonly passK: readonly number[]
  readonly prices: string | null
}
