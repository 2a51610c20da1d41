/** Adds to a report the results of all gates, the verdicts on its skills, and the exit code that follows from both. */
import { counted } from '../../text/index.ts'
import type { BoundResult, GatesReport, SkillVerdict } from '../schema/gate-schema.ts'
import type { Report, SubjectReport } from '../schema/report.ts'
import { checkGateNames, type BoundGate } from './bound-gate.ts'
import { decideGates } from './decide-gates.ts'

export interface GatesAsked {
  readonly gates: readonly BoundGate[]
  /** If true, gates that are not decided fail. */
  readonly strict: boolean
  /** If true, every skill must pass. */
  readonly requirePass: boolean
}

/** Whether the user asked for gates, or that every skill passes. */
export const isGated = ({ gates, requirePass }: GatesAsked): boolean =>
  gates.length > 0 || requirePass

/**
 * Returns the report with the results of its gates. `faults` says why the run is incomplete or invalid. If it is not
 * empty, the exit code is 3, whatever the gates say.
 */
export function withGates(report: Report, asked: GatesAsked, faults: readonly string[]): Report {
  if (!isGated(asked)) return report
  checkGateNames(asked.gates, namesIn(report))
  const results = decideGates(report, asked.gates)
  const skills = asked.requirePass ? report.subjects.map((row) => skillVerdict(report, row)) : []
  const gates: GatesReport = {
    results,
    skills,
    strict: asked.strict,
    outcome: outcomeOf(results, skills, asked.strict, faults),
  }
  return { ...report, gates }
}

export function namesIn({ subjects }: Report) {
  const cases = subjects.flatMap((row) => row.cases)
  const unique = (names: readonly string[]): string[] => [...new Set(names)]
  return {
    suites: unique(subjects.map(({ suite }) => suite)),
    subjects: unique(subjects.map(({ subject }) => subject)),
    cases: unique(cases.map((one) => one.case)),
    tags: unique(cases.flatMap(({ tags }) => tags ?? [])),
  }
}

function skillVerdict({ provenance }: Report, row: SubjectReport): SkillVerdict {
  const { skill } = row.spec
  const threshold = provenance.suites.find(({ id }) => id === row.suite)?.threshold ?? null
  const scored = row.cases.some(({ n }) => n > 0)
  return {
    suite: row.suite,
    subject: row.subject,
    passed: skill === null || !scored ? null : skill.passed,
    score: skill === null || !scored ? null : skill.overallScore,
    threshold,
    missing: row.cases.filter(({ n, counts }) => n === 0 && counts.errored + counts.cancelled > 0)
      .length,
  }
}

function outcomeOf(
  results: readonly BoundResult[],
  skills: readonly SkillVerdict[],
  strict: boolean,
  faults: readonly string[],
): GatesReport['outcome'] {
  const failures: string[] = []
  const failed = results.filter(({ status }) => status === 'failed').length
  if (failed > 0) failures.push(`${counted(failed, 'gate')} of ${results.length} failed`)
  const undecided = results.filter(({ status }) => status === 'undecided').length
  if (strict && undecided > 0)
    failures.push(`${counted(undecided, 'gate')} of ${results.length} undecided (--strict)`)
  const lost = skills.filter(({ passed }) => passed === false).length
  if (lost > 0)
    failures.push(`${counted(lost, 'skill')} of ${skills.length} did not pass (--require-pass)`)
  const open = skills.filter(({ passed }) => passed === null).length
  if (open > 0)
    failures.push(
      `${counted(open, 'skill')} of ${skills.length} without a verdict (--require-pass)`,
    )
  const partial = skills.filter(({ passed, missing }) => passed === true && missing > 0).length
  if (partial > 0)
    failures.push(
      `${counted(partial, 'skill')} passed on a part of the stimuli only (--require-pass)`,
    )
  if (faults.length > 0)
    return {
      code: 3,
      failures: [
        `the run is incomplete or invalid: ${faults.join('; ')} (--allow-partial accepts that)`,
        ...failures,
      ],
    }
  return { code: failures.length > 0 ? 1 : 0, failures }
}
