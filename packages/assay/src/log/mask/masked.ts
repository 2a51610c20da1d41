/**
 * Masks secrets in the parts of a record that come from outside: answers, trajectories, diffs, and the texts of
 * graders and providers. Two kinds of words are never masked, even if a secret is equal to one of them: the user's
 * own names (of suites, cases, subjects and graders), and the words that Assay writes (outcomes, reason codes,
 * hashes, keys). If these words were masked, the record could not be read again, and a run could not find its
 * trials.
 */
import type { Attempt, Grade, Json, Text, Trial } from '@assay/contract'
import { maskedJson } from './masked-json.ts'
import type { Redact } from './redact.ts'
import type { Revision, RunRecord, SubjectRecord } from '../run-record.ts'

/**
 * Returns the trial with secrets masked, as it is written. Its files, trajectory, stream and diff are already masked
 * (masked-answer.ts).
 */
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

/** Masks a text that is in the log line. A text that is stored as a blob was masked before it was stored. */
const maskedText = (text: Text, redact: Redact): Text =>
  typeof text === 'string' ? redact(text) : text

/**
 * The types of graders whose facts come from code outside of Assay. The keys of their facts are masked too, because
 * that code chose them.
 */
const FOREIGN: ReadonlySet<string> = new Set(['custom', 'program'])

/**
 * Masks the facts that a grader recorded. For graders in `FOREIGN`, everything is masked. For other graders, a fact
 * that is a single text is one of Assay's own words and is not masked. Their facts that are lists or objects are
 * masked.
 */
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

/**
 * Returns `run.json` with secrets masked, as it is written. Without this, the settings of one subject could show the
 * key of another.
 */
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
