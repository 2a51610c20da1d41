/**
 * Records with the secrets taken out of what came from outside: answers, what agents did and left, what
 * graders and providers said. What the user wrote (names of suites, cases, subjects and graders) and what Assay
 * itself writes (outcomes, reasons' codes, hashes, keys of records) stays as it is, whatever the secrets are: by
 * these a record is read again, and a run finds its trials.
 */
import type { Attempt, Grade, Json, Text, Trial } from '@assay/contract'
import { maskedJson } from './masked-json.ts'
import type { Redact } from './redact.ts'
import type { Revision, RunRecord, SubjectRecord } from '../run-record.ts'

/** The trial as it is written. Its files, trajectory, stream and diff are masked already (masked-answer.ts). */
export const maskedTrial = (trial: Trial, redact: Redact): Trial => ({
  ...trial,
  ...(trial.reason === undefined
    ? {}
    : { reason: { ...trial.reason, text: redact(trial.reason.text) } }),
  grades: trial.grades.map((grade) => maskedGrade(grade, redact)),
  answer: trial.answer === null ? null : maskedText(trial.answer, redact),
  ...(trial.attempts === undefined ? {} : { attempts: maskedAttempts(trial.attempts, redact) }),
  ...(trial.remarks === undefined ? {} : { remarks: trial.remarks.map(redact) }),
})

export const maskedAttempts = (attempts: readonly Attempt[], redact: Redact): Attempt[] =>
  attempts.map((attempt) =>
    attempt.error === undefined ? attempt : { ...attempt, error: redact(attempt.error) },
  )

function maskedGrade(grade: Grade, redact: Redact): Grade {
  const { reason, evidence, facts, details } = grade
  return {
    ...grade,
    ...(reason === undefined ? {} : { reason: redact(reason) }),
    ...(evidence === undefined ? {} : { evidence: maskedText(evidence, redact) }),
    ...(facts === undefined ? {} : { facts: maskedFacts(grade.type, facts, redact) }),
    ...(details === undefined ? {} : { details: details.map((one) => maskedGrade(one, redact)) }),
  }
}

/** A blob was masked before it was stored. */
const maskedText = (text: Text, redact: Redact): Text =>
  typeof text === 'string' ? redact(text) : text

/** Graders whose facts are somebody else's, keys included. */
const FOREIGN: ReadonlySet<string> = new Set(['custom', 'program'])

/** What other graders say in one word is a word of Assay's own; longer things are lists and objects. */
function maskedFacts(type: string, facts: Json, redact: Redact): Json {
  if (FOREIGN.has(type)) return maskedJson(facts, redact)
  if (typeof facts !== 'object' || facts === null || Array.isArray(facts))
    return maskedJson(facts, redact, 'values')
  return Object.fromEntries(
    Object.entries(facts).map(([key, fact]) => [
      key,
      typeof fact === 'string' ? fact : maskedJson(fact, redact, 'values'),
    ]),
  )
}

/** `run.json` as it is written: subjects may name a key of another one among their words. */
export const maskedRecord = (record: RunRecord, redact: Redact): RunRecord => ({
  ...record,
  revisions: record.revisions.map((revision) => maskedRevision(revision, redact)),
  ...(record.waits === undefined
    ? {}
    : { waits: record.waits.map((wait) => ({ ...wait, why: redact(wait.why) })) }),
})

export const maskedRevision = (revision: Revision, redact: Redact): Revision => ({
  ...revision,
  subjects: revision.subjects.map((subject) => maskedSubject(subject, redact)),
  ...(revision.judges === undefined
    ? {}
    : { judges: revision.judges.map((judge) => maskedSubject(judge, redact)) }),
})

const maskedSubject = (subject: SubjectRecord, redact: Redact): SubjectRecord => ({
  ...subject,
  config: maskedJson(subject.config, redact, 'values'),
})
