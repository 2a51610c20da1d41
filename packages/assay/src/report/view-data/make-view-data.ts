/**
 * Turns a run into the data of the viewer, small enough for one file whatever the size of the run. Each part has a size
 * limit, measured in bytes of the written JSON. Items that do not fit are left out and counted. The trials are read
 * twice: first for their outcomes, then for the texts of the chosen trials. So only the chosen data is in memory. The
 * result does not depend on the order of recording.
 */
import type { Outcome } from '@assay/contract'
import { spread } from './choose-trials.ts'
import { positionsIn } from '../schema/trial-position.ts'
import { counted } from '../../text/index.ts'
import type { ReportSource } from '../formats/format.ts'
import { keepTrials, type TrialLimits } from './keep-trials.ts'
import { headlineOf } from '../headline/index.ts'
import { notesOf } from '../figures/footnotes.ts'
import type { CaseReport, Report, SubjectReport } from '../schema/report.ts'
import { scriptBytes } from '../formats/script-json.ts'
import { disclosuresOf } from '../figures/disclosures.ts'
import type {
  LeftOut,
  ViewCase,
  ViewCell,
  ViewData,
  ViewReport,
  ViewSkill,
  ViewSubject,
} from './view-data.ts'
import { isScored, skillSummary, type AnyStimulus } from '../words/skill-words.ts'
import { rubricsOf } from './review/rubrics.ts'
import { cutText, MOST_TEXT } from './view-trial.ts'

export interface ViewLimits extends TrialLimits {
  readonly cellBytes: number
  /** The maximum size of the prompts of all cases in bytes. */
  readonly caseBytes: number
}

/**
 * The limits for the data of one HTML file. With them, the file is well below 30 MB, including the report and the page
 * itself.
 */
export const VIEW_LIMITS: ViewLimits = {
  trials: 2000,
  trialBytes: 10_000_000,
  actBytes: 6_000_000,
  cellBytes: 7_000_000,
  caseBytes: 4_000_000,
}

const LETTERS: Readonly<Record<Outcome | 'cancelled', string>> = {
  passed: 'p',
  failed: 'f',
  unscored: 'u',
  errored: 'e',
  cancelled: 'c',
}

export async function makeViewData(
  source: ReportSource,
  limits: ViewLimits = VIEW_LIMITS,
): Promise<ViewData> {
  const { report } = source
  const { outcomesOf, recorded } = await readOutcomes(source)
  const { cells, casesLeftOut } = keepCells(report, outcomesOf, limits.cellBytes)
  const { trials, actsLeftOut } = await keepTrials(source, cells, limits)
  const leftOut = { trials: recorded - trials.length, acts: actsLeftOut, cases: casesLeftOut }
  return {
    stamps: disclosuresOf(report),
    notes: viewNotes(report, leftOut),
    report: viewReport(report),
    cases: keepCases(source, cells, limits.caseBytes),
    cells,
    trials,
    leftOut,
  }
}

/**
 * Returns everything except the texts of the trials. A server uses it, which sends a trial only when a page asks for
 * it. `outcomesOf` comes from the run, so no trial is read.
 */
export function makeViewParts(
  source: ReportSource,
  outcomesOf: OutcomesOf,
  { cellBytes, caseBytes }: Pick<ViewLimits, 'cellBytes' | 'caseBytes'> = VIEW_LIMITS,
): Omit<ViewData, 'trials'> {
  const { report } = source
  const { cells, casesLeftOut } = keepCells(report, outcomesOf, cellBytes)
  const leftOut = { trials: 0, acts: 0, cases: casesLeftOut }
  return {
    stamps: disclosuresOf(report),
    notes: viewNotes(report, leftOut),
    report: viewReport(report),
    cases: keepCases(source, cells, caseBytes),
    cells,
    leftOut,
  }
}

const keyOf = (suite: string, one: string, subject: string): string =>
  [suite, one, subject].join('\u0000')

/** Returns the outcomes of the trials of one subject on one case, one letter per trial. */
type OutcomesOf = (suite: string, one: string, subject: string) => string

/**
 * Reads the outcome letter of every trial into one buffer. Trials that were planned but not recorded count as
 * cancelled.
 */
async function readOutcomes({ report, trials }: ReportSource): Promise<{
  outcomesOf: OutcomesOf
  recorded: number
}> {
  const positionOf = positionsIn(report)
  const places = new Map<string, { readonly from: number; readonly to: number }>()
  let planned = 0
  for (const { suite, subject, cases } of report.subjects)
    for (const one of cases) {
      const to = planned + one.counts.planned
      places.set(keyOf(suite, one.case, subject), { from: planned, to })
      planned = to
    }
  const letters = Buffer.alloc(planned, LETTERS.cancelled)
  let recorded = 0
  await trials((trial) => {
    recorded++
    const { suite, case: one, subject, outcome } = trial
    const place = places.get(keyOf(suite, one, subject))
    const position = positionOf(trial)
    if (place !== undefined && position !== null)
      letters[place.from + position] = LETTERS[outcome].charCodeAt(0)
  })
  const outcomesOf: OutcomesOf = (suite, one, subject) => {
    const { from, to } = places.get(keyOf(suite, one, subject)) ?? { from: 0, to: 0 }
    return letters.toString('latin1', from, to)
  }
  return { outcomesOf, recorded }
}

// ── The report ───────────────────────────────────────────────────────────────────────────────────────

/** The maximum number of points of all curves together. A chart needs no more. */
const MOST_POINTS = 8000
const MOST_LINES = 100
const MOST_LINE = 2000

/** Returns the notes of the report, and notes about data that was left out of the file. */
const viewNotes = (report: Report, { cases, trials, acts }: LeftOut): string[] => [
  ...notesOf(report)
    .slice(0, MOST_LINES)
    .map((note) => note.slice(0, MOST_LINE)),
  ...(report.provenance.shard === undefined
    ? []
    : ['the trials of a case are counted from 0 here, over this part only']),
  ...(cases > 0
    ? [
        `${counted(cases, 'case')} with the best pass rates are in the figures, but not in the grid and the table of cases: this page has no room for them`,
      ]
    : []),
  ...(trials > 0
    ? [
        `the texts of ${counted(trials, 'trial')} are not in this file; failed and errored ones were kept first`,
      ]
    : []),
  ...(acts > 0
    ? [
        `what the agent did in ${counted(acts, 'more trial')} is not in this file; failed and errored ones were kept first`,
      ]
    : []),
]

function viewReport(report: Report): ViewReport {
  const points = Math.max(2, Math.floor(MOST_POINTS / Math.max(1, report.subjects.length)))
  const thin: Thin = <T>(curve: readonly T[]): T[] => {
    const last = curve.at(-1)
    return last === undefined ? [] : [...spread(curve.slice(0, -1), points - 1), last]
  }
  const { notes: _, headline: _stored, ...rest } = report
  return {
    ...rest,
    headline: headlineOf(report),
    reasons: report.reasons
      .slice(0, MOST_LINES)
      .map((reason) => ({ ...reason, example: reason.example.slice(0, MOST_LINE) })),
    provenance: {
      ...report.provenance,
      subjects: report.provenance.subjects.map((subject) => ({
        ...subject,
        config: scriptBytes(subject.config ?? null) > MOST_TEXT ? '…' : subject.config,
      })),
    },
    subjects: report.subjects.map((row) => viewSubject(report, row, thin)),
  }
}

type Thin = <T>(curve: readonly T[]) => T[]

/** The maximum number of stimuli of all skills together. Those with the lowest scores are kept. */
const MOST_STIMULI = 2000

function viewSkill(report: Report, row: SubjectReport): ViewSkill | null {
  const skill = skillSummary(report, row)
  if (skill === null) return null
  const most = Math.max(10, Math.floor(MOST_STIMULI / report.subjects.length))
  if (skill.stimuli.length <= most) return { ...skill, stimuliLeftOut: 0 }
  const rank = (one: AnyStimulus): number => (isScored(one) ? one.aggregateScore : -1)
  return {
    ...skill,
    stimuli: skill.stimuli.toSorted((a, b) => rank(a) - rank(b)).slice(0, most),
    stimuliLeftOut: skill.stimuli.length - most,
  }
}

function viewSubject(report: Report, row: SubjectReport, thin: Thin): ViewSubject {
  const { cases: _, spec, curve, ...rest } = row
  return {
    ...rest,
    statistics: spec.statistics,
    passToTheK: spec.passToTheK,
    skill: viewSkill(report, row),
    curve: { passAtK: thin(curve.passAtK), passHatK: thin(curve.passHatK) },
  }
}

// ── Cells ────────────────────────────────────────────────────────────────────────────────────────────

/**
 * Keeps the cells of as many cases as fit. Cases with the worst pass rates are chosen first. A case is kept with all
 * its subjects. The kept cells are in the order of the report.
 */
function keepCells(
  report: Report,
  outcomesOf: OutcomesOf,
  room: number,
): { cells: ViewCell[]; casesLeftOut: number } {
  const byCase = new Map<string, { n: number; c: number; places: [number, number][] }>()
  report.subjects.forEach(({ suite, cases }, s) => {
    cases.forEach((one, i) => {
      const key = keyOf(suite, one.case, '')
      const known = byCase.get(key) ?? { n: 0, c: 0, places: [] }
      known.n += one.n
      known.c += one.c
      known.places.push([s, i])
      byCase.set(key, known)
    })
  })
  const rows = report.subjects.map((): ViewCell[] => [])
  const at = new Map<ViewCell, number>()
  let left = room
  let casesLeftOut = byCase.size
  const rate = ({ n, c }: { n: number; c: number }): number => (n === 0 ? 2 : c / n)
  for (const { places } of [...byCase.values()].toSorted((a, b) => rate(a) - rate(b))) {
    const cells = places.map(([s, i]) => cellAt(report, s, i, outcomesOf))
    left -= cells.reduce((sum, cell) => sum + scriptBytes(cell) + 1, 0)
    if (left < 0) break
    casesLeftOut--
    cells.forEach((cell, j) => {
      const [s, i] = places[j] as [number, number]
      rows[s]?.push(cell)
      at.set(cell, i)
    })
  }
  const inOrder = (a: ViewCell, b: ViewCell): number => (at.get(a) ?? 0) - (at.get(b) ?? 0)
  return { cells: rows.flatMap((row) => row.toSorted(inOrder)), casesLeftOut }
}

function cellAt(report: Report, s: number, i: number, outcomesOf: OutcomesOf): ViewCell {
  const { suite, subject, cases } = report.subjects[s] as SubjectReport
  const one = cases[i] as CaseReport
  return {
    suite,
    case: one.case,
    subject,
    outcomes: outcomesOf(suite, one.case, subject),
    n: one.n,
    c: one.c,
    interval: intervalOf(one),
    meanScore: one.meanScore,
    flaky: one.flaky,
    flakinessPercent: one.flakinessPercent,
    failedGraders: one.failedGraders,
    reasons: one.reasons,
  }
}

/** Returns the interval, rounded to four decimals to save space. */
function intervalOf({ passRate }: CaseReport): ViewCell['interval'] {
  const { interval } = passRate
  if (interval === undefined) return null
  const round = (value: number): number => Math.round(value * 1e4) / 1e4
  return [round(interval.low), round(interval.high ?? 1)]
}

// ── The prompts ──────────────────────────────────────────────────────────────────────────────────────

/** Returns every case of the cells. After the size limit is reached, cases are returned without their prompts. */
function keepCases(source: ReportSource, cells: readonly ViewCell[], room: number): ViewCase[] {
  const known = new Map(
    source.suites.flatMap(({ id, cases }) => cases.map((one) => [keyOf(id, one.id, ''), one])),
  )
  const cut = (text: string) => cutText(text, source.text, MOST_TEXT)
  const kept = new Map<string, ViewCase>()
  /** For each suite and list of rubrics, the first case that has them. */
  const firstWith = new Map<string, string>()
  let left = room
  for (const { suite, case: id } of cells) {
    const key = keyOf(suite, id, '')
    const asked = known.get(key)
    if (asked === undefined || kept.has(key)) continue
    const { name, tags, language, turns, reference } = asked
    const brief = { suite, case: id, name, tags, language, turns: null, reference: null }
    const rubrics = rubricsOf(asked, cut)
    const sameRubrics = JSON.stringify([suite, rubrics])
    const like = firstWith.get(sameRubrics)
    const whole: ViewCase = {
      ...brief,
      turns: turns.map(cut),
      reference: reference === null ? null : cut(reference),
      ...(rubrics.length > 0 && (like === undefined ? { rubrics } : { rubricsLike: like })),
    }
    const bytes = scriptBytes(whole)
    kept.set(key, bytes <= left ? whole : brief)
    if (bytes > left) continue
    left -= bytes
    if (whole.rubrics !== undefined) firstWith.set(sameRubrics, id)
  }
  return [...kept.values()]
}
