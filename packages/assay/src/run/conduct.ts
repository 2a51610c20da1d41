/**
 * The way of one trial: ask, put the answer on the disk, grade, put the trial on the disk. Grading has
 * its own places (the cores), so that slow graders do not idle a provider nor the reverse.
 */
import { availableParallelism } from 'node:os'
import { dirname } from 'node:path'
import type {
  Answer,
  Ask,
  Grade,
  Identity,
  Message,
  Outcome,
  ReasonCode,
  Source,
  Subject,
  Suite,
  Text,
  Trial,
} from '../contract.ts'
import { gradeAnswer, GraderFailure, GraderTimeout } from '../grade/index.ts'
import type { RunFolder } from '../log/index.ts'
import { SandboxError } from '../sandbox/index.ts'
import { askSubject, tenths, type AskContext, type Asked } from './ask.ts'
import type { Job } from './execute.ts'
import type { Pending } from './pending.ts'
import { Places } from './places.ts'
import type { Cell } from './plan.ts'
import type { Pool } from './pool.ts'
import { failureOf, isScored, settleFailed, settleGraded, type Settled } from './settle.ts'
import { hash32, stream } from './streams.ts'

export type RunCell = Cell<Suite, Subject>

/** What is known of a trial once it is answered. */
type Head = Omit<Pending, 'answer'>

interface Graded {
  readonly settled: Settled
  readonly grades: readonly Grade[]
  readonly gradeMs: number
}

export interface Conductor {
  /**
   * Without a kept answer it needs a place in the pool and a reservation, both taken for it. Resolves
   * with the recorded trial; rejects when `signal` aborts or the log cannot be written.
   */
  conduct(
    index: number,
    cell: RunCell,
    pool: Pool,
    reserved: number,
    kept: Pending | undefined,
  ): Promise<Trial>
  /** Answers that wait for their grades. */
  readonly waiting: { readonly answers: number; readonly bytes: number }
}

export interface Hooks {
  /** A provider's place has come free. */
  answered(): void
  /** A trial's outcome is known; it is not on the disk yet. */
  settled(outcome: Outcome): void
}

export function conductor(job: Job, signal: AbortSignal, hooks: Hooks): Conductor {
  const { folder, clock, budget, seed } = job
  const grading = new Places(availableParallelism())
  const waiting = { answers: 0, bytes: 0 }
  const remarks = new Set<string>()

  async function conduct(
    index: number,
    cell: RunCell,
    pool: Pool,
    reserved: number,
    kept: Pending | undefined,
  ): Promise<Trial> {
    if (kept !== undefined) return gradeAndRecord(cell, await unfold(folder, kept), kept, true)

    const identity: Identity = {
      suite: cell.suite.id,
      case: cell.case.id,
      subject: cell.subject.id,
      index,
    }
    const startedAt = new Date(clock.now()).toISOString()
    const ask: Ask = {
      suite: identity.suite,
      case: cell.case,
      index,
      messages: cell.case.turns.map((content): Message => ({ role: 'user', content })),
      maxTokens: cell.case.maxTokens,
      timeoutMs: cell.case.timeoutMs ?? job.timeoutMs,
      random: stream(seed, 'answer', ...streamWords(identity)),
      signal,
    }
    const headOf = (asked: Asked, source: Source): Head => ({
      ...identity,
      caseHash: cell.case.hash,
      attempts: asked.attempts,
      startedAt,
      answerMs: tenths(asked.answerMs),
      waitMs: tenths(asked.waitMs),
      answerUsd: asked.answerUsd,
      spentUsd: asked.spentUsd,
      source,
    })
    // An answer that costs nothing to make again need not be kept before it is graded.
    const paid = cell.subject.source === 'live'
    const { asked, cached } = await answerTo(
      cell.subject,
      ask,
      pool,
      reserved,
      async (one, answer) => {
        if (!paid) return
        const { text, files, ...rest } = answer
        const pending: Pending = {
          ...headOf(one, cell.subject.source),
          answer: { ...rest, text: await folder.text(text), ...(await foldFiles(folder, files)) },
        }
        await folder.appendPending(pending)
        await job.cache?.put(cell.subject, ask, answer, one.answerMs)
      },
    )
    const head = headOf(asked, cached ? 'cache' : cell.subject.source)
    if ('answer' in asked.result) remark(cell.subject, asked.result.answer)
    if ('error' in asked.result) {
      const { reason, message } = asked.result.error
      return record(head, null, errored(reason, message), false)
    }
    return gradeAndRecord(cell, asked.result.answer, head, paid && !cached)
  }

  /** What a subject says beside a good answer (a parameter it ignored) is told once. */
  function remark({ id }: Subject, { stop, note }: Answer): void {
    if (stop !== 'end' || note === undefined || remarks.has(`${id}\n${note}`)) return
    remarks.add(`${id}\n${note}`)
    job.onEvent({ type: 'warning', text: `${id}: ${note}` })
  }

  /** From the cache, else from the subject; gives back the place and the reservation. */
  async function answerTo(
    subject: Subject,
    ask: Ask,
    pool: Pool,
    reserved: number,
    keep: AskContext['keep'],
  ): Promise<{ asked: Asked; cached: boolean }> {
    let spentUsd = 0
    try {
      const kept = subject.source === 'live' ? ((await job.cache?.get(subject, ask)) ?? null) : null
      if (kept !== null) {
        pool.leave()
        return { asked: fromCache(kept), cached: true }
      }
      const words = streamWords({
        suite: ask.suite,
        case: ask.case.id,
        subject: subject.id,
        index: ask.index,
      })
      const random = stream(seed, 'backoff', ...words)
      const asked = await askSubject(subject, ask, {
        clock,
        pool,
        policy: job.policy,
        random,
        keep,
      })
      spentUsd = asked.spentUsd
      return { asked, cached: false }
    } finally {
      budget.settle(reserved, spentUsd)
      hooks.answered()
    }
  }

  async function gradeAndRecord(
    cell: RunCell,
    answer: Answer,
    head: Head,
    wasPending: boolean,
  ): Promise<Trial> {
    return record(head, answer, await grade(cell, answer, head), wasPending)
  }

  async function grade(cell: RunCell, answer: Answer, head: Head): Promise<Graded> {
    if (!isScored(cell.case)) return ungraded({ outcome: 'unscored', score: null })
    const failure = failureOf(answer)
    if (failure !== null) return ungraded(settleFailed(failure))

    const bytes = answer.text.length * 2
    waiting.answers++
    waiting.bytes += bytes
    await grading.enter()
    const from = clock.now()
    try {
      const grades = await gradeAnswer(
        {
          case: cell.case,
          answer: answer.text,
          files: answer.files ?? {},
          usage: answer.usage,
          usd: answer.usd,
          answerMs: head.answerMs,
          folder: dirname(cell.suite.path),
        },
        {
          timeoutMs: job.gradeTimeoutMs,
          signal,
          random: stream(seed, 'grade', ...streamWords(head)),
          sandbox: job.sandbox,
          text: (text) => folder.text(text),
        },
      )
      const settled = settleGraded(grades, cell.case.threshold)
      return { settled, grades, gradeMs: tenths(clock.now() - from) }
    } catch (error) {
      const gradeMs = tenths(clock.now() - from)
      if (error instanceof GraderTimeout)
        return {
          ...ungraded(settleFailed({ code: 'grader-timeout', text: error.message })),
          gradeMs,
        }
      if (error instanceof GraderFailure) {
        const code = error.cause instanceof SandboxError ? 'sandbox-failed' : 'grader-error'
        return { ...errored(code, error.message), gradeMs }
      }
      throw error
    } finally {
      grading.leave()
      waiting.answers--
      waiting.bytes -= bytes
    }
  }

  async function record(
    head: Head,
    answer: Answer | null,
    { settled, grades, gradeMs }: Graded,
    wasPending: boolean,
  ): Promise<Trial> {
    const { suite, case: id, subject, index, caseHash, attempts, source } = head
    hooks.settled(settled.outcome)
    const sandboxed = grades.some(({ type }) => type === 'code')
    const trial: Trial = {
      suite,
      case: id,
      subject,
      index,
      caseHash,
      outcome: settled.outcome,
      ...(settled.reason === undefined ? {} : { reason: settled.reason }),
      score: settled.score,
      implRate: null,
      grades,
      answer: answer === null ? null : await folder.text(answer.text),
      ...(await foldFiles(folder, answer?.files)),
      usage: answer?.usage ?? null,
      cost: { answerUsd: head.answerUsd, judgeUsd: null, spentUsd: head.spentUsd },
      time: { startedAt: head.startedAt, answerMs: head.answerMs, waitMs: head.waitMs, gradeMs },
      ...(attempts.length === 0 ? {} : { attempts }),
      source,
      ...(sandboxed && job.sandbox !== null ? { sandbox: job.sandbox.name } : {}),
    }
    await folder.appendTrial(trial, wasPending)
    return trial
  }

  return { conduct, waiting }
}

const streamWords = ({ suite, case: id, subject, index }: Identity): number[] => [
  hash32(`${suite}\n${id}\n${subject}`),
  index,
]

const ungraded = (settled: Settled): Graded => ({ settled, grades: [], gradeMs: 0 })

const errored = (code: ReasonCode, text: string): Graded =>
  ungraded({ outcome: 'errored', reason: { code, text }, score: null })

const fromCache = (answer: Answer): Asked => ({
  result: { answer },
  attempts: [],
  answerMs: answer.ms ?? 0,
  waitMs: 0,
  answerUsd: answer.usd,
  spentUsd: 0,
})

async function unfold(folder: RunFolder, { answer }: Pending): Promise<Answer> {
  const { text, files, ...rest } = answer
  const texts: Record<string, string> = {}
  for (const [path, file] of Object.entries(files ?? {}))
    texts[path] = await folder.blobs.read(file)
  return {
    ...rest,
    text: await folder.blobs.read(text),
    ...(files === undefined ? {} : { files: texts }),
  }
}

async function foldFiles(
  folder: RunFolder,
  files: Readonly<Record<string, string>> | undefined,
): Promise<{ files?: Record<string, Text> }> {
  if (files === undefined) return {}
  const texts: Record<string, Text> = {}
  for (const [path, text] of Object.entries(files)) texts[path] = await folder.text(text)
  return { files: texts }
}
