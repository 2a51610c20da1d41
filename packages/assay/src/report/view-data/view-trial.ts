/**
 * Converts a trial to the form that the viewer shows. Its texts are loaded and cut. There is a limit for each text and
 * a limit for all texts together, so that neither a long answer nor an answer with many files fills the page.
 */
import { isJudgeGrade, JUDGE_CRITERION, type Grade, type Text, type Trial } from '@assay/contract'
import { DEFAULT_SCORING, type TierScoring } from '../figures/composite.ts'
import { trialFigures } from '../figures/runs/trial-figures.ts'
import type { ReportSource } from '../formats/format.ts'
import { readMessages } from '../terminal/said.ts'
import { remarksOf } from '../terminal/show-trial.ts'
import type { ViewGrade, ViewText, ViewTrial } from './view-data.ts'

/** The maximum number of characters of one text, and of all texts of a trial. */
export const MOST_TEXT = 20_000
const MOST_TEXTS = 100_000
const MOST_FILES = 30
const MOST_DETAILS = 100
const MOST_DEPTH = 4
/** The maximum number of characters of a name, which is shown in one line. */
export const MOST_NAME = 500

type FetchText = ReportSource['text']
type Take = (text: Text) => ViewText

/** Upper limits of the texts of one trial, in characters. */
export interface TextLimits {
  readonly text: number
  readonly texts: number
}

export function viewTrial(
  trial: Trial,
  fetch: FetchText,
  scoring: TierScoring = DEFAULT_SCORING,
  limits: TextLimits = { text: MOST_TEXT, texts: MOST_TEXTS },
): ViewTrial {
  const figures = trialFigures(trial, scoring)
  let room = limits.texts
  const take: Take = (text) => {
    const taken = cutText(text, fetch, Math.min(limits.text, room))
    room -= typeof taken === 'string' ? taken.length : taken.text.length
    return taken
  }
  const { suite, case: one, subject, index, outcome, reason, usage, cost, time } = trial
  const files = Object.entries(trial.files ?? {})
  const remarks = remarksOf(trial)
  // In a log of another program, a trial may have no answer.
  const { answer }: Partial<Trial> = trial
  return {
    suite,
    case: one,
    subject,
    index,
    outcome,
    reason: reason === undefined ? null : { code: reason.code, text: take(reason.text) },
    score: trial.score,
    answer: answer === null || answer === undefined ? null : take(answer),
    ...(trial.messages === undefined
      ? {}
      : {
          said: (readMessages(fetch(trial.messages)) ?? []).map(({ title, content }) => ({
            title,
            text: take(content),
          })),
        }),
    ...(trial.log === undefined ? {} : { log: take(trial.log) }),
    grades: trial.grades.slice(0, MOST_DETAILS).map((grade) => viewGrade(grade, take, MOST_DEPTH)),
    files: files
      .slice(0, MOST_FILES)
      .map(([path, text]) => ({ path: path.slice(0, MOST_NAME), text: take(text) })),
    filesLeftOut: Math.max(0, files.length - MOST_FILES),
    source: trial.source,
    costUsd: cost.answerUsd,
    answerMs: known(time.answerMs),
    waitMs: known(time.waitMs),
    gradeMs: known(time.gradeMs),
    durationMs: figures.durationMs,
    implRate: trial.implRate,
    composite: figures.composite,
    costOfPass: figures.costOfPass === Infinity ? 'infinite' : figures.costOfPass,
    attempts: trial.attempts?.length ?? 1,
    tokens:
      usage === null ? null : [usage.input + usage.cacheRead + usage.cacheWrite, usage.output],
    ...(trial.network === undefined ? {} : { network: trial.network.slice(0, MOST_NAME) }),
    ...(remarks.length === 0 ? {} : { remarks: remarks.map((text) => text.slice(0, MOST_NAME)) }),
  }
}

function viewGrade(grade: Grade, take: Take, depth: number): ViewGrade {
  const { name, type, score, passed, weight, required, reason, evidence, integrity } = grade
  const details = grade.details ?? []
  const shown = depth === 0 ? [] : details.slice(0, MOST_DETAILS)
  return {
    name: name.slice(0, MOST_NAME),
    type,
    score,
    passed,
    weight,
    ...(required && { required }),
    ...((isJudgeGrade(grade) || type === JUDGE_CRITERION) && { judged: true }),
    ...(reason !== undefined && reason !== '' && { reason: take(reason) }),
    ...(evidence !== undefined && evidence !== '' && { evidence: take(evidence) }),
    ...(integrity !== undefined && { integrity }),
    ...(shown.length > 0 && { details: shown.map((one) => viewGrade(one, take, depth - 1)) }),
    ...(shown.length < details.length && { detailsLeftOut: details.length - shown.length }),
  }
}

/** Returns the first `most` characters of a text, and the number of bytes that were left out. */
export function cutText(text: Text, fetch: FetchText, most: number): ViewText {
  const bytes = typeof text === 'string' ? Buffer.byteLength(text) : text.bytes
  const start = fetch(text, most + 1)
  if (start === null) return { text: '', more: bytes, gone: true }
  if (start.length <= most) return start
  const kept = start.slice(0, beforePair(start, most))
  return { text: kept, more: Math.max(0, bytes - Buffer.byteLength(kept)) }
}

/** Moves the position of a cut by one if it would split a surrogate pair. */
const beforePair = (text: string, at: number): number =>
  /[\ud800-\udbff]/.test(text.charAt(at - 1)) && /[\udc00-\udfff]/.test(text.charAt(at))
    ? at - 1
    : at

const known = (value: number): number | null => (Number.isNaN(value) ? null : value)
