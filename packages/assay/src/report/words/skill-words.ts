/**
 * Describes for people the scores that the scoring-functions specification defines: each stimulus with the figures over
 * its trials, and the verdict on the skill. Only suites that describe a skill have these scores. These are suites with
 * a threshold, and suites in the eval YAML format.
 */
import { counted } from '../../text/index.ts'
import type { CaseReport, Report, SubjectReport } from '../schema/report.ts'

type Skill = Exclude<SubjectReport['spec']['skill'], null>
export type Stimulus = Skill['stimulusScores'][number]

/** A stimulus without a scored trial, and the reason. The verdict does not include it. */
export interface MissingStimulus {
  readonly name: string
  readonly why: 'unscored' | 'errored' | 'cancelled'
}

export type AnyStimulus = Omit<Stimulus, 'trialResults'> | MissingStimulus

export interface SkillSummary {
  readonly suite: string
  readonly subject: string
  readonly name: string
  /** Every planned stimulus, in the order of the suite. */
  readonly stimuli: readonly AnyStimulus[]
  readonly overall: Skill['overallMultiTrial']
  /** A text with the verdict and how it follows from the score. */
  readonly verdict: string
}

export function isSkill({ provenance }: Pick<Report, 'provenance'>, suite: string): boolean {
  const known = provenance.suites.find(({ id }) => id === suite)
  return known !== undefined && (known.threshold !== null || known.format === 'eval-yaml')
}

/** Returns the summary of a skill. Null if the suite does not describe a skill, or if nothing was scored. */
export function skillSummary(report: Report, row: SubjectReport): SkillSummary | null {
  if (!isSkill(report, row.suite)) return null
  const { skill } = row.spec
  if (skill === null) return null
  const threshold = report.provenance.suites.find(({ id }) => id === row.suite)?.threshold ?? null
  const stimuli = stimuliOf(row.cases, skill)
  return {
    suite: row.suite,
    subject: row.subject,
    name: skill.skillName,
    stimuli,
    overall: skill.overallMultiTrial,
    verdict: verdictOf(skill, threshold, stimuli),
  }
}

export const isScored = (one: AnyStimulus): one is Omit<Stimulus, 'trialResults'> =>
  'aggregateScore' in one

/** Returns the number of trials (k) that all scored stimuli have. Null if the numbers differ. */
export function commonK(stimuli: readonly AnyStimulus[]): number | null {
  const ks = new Set(stimuli.filter(isScored).map(({ multiTrial }) => multiTrial.k))
  const [k] = ks
  return ks.size === 1 && k !== undefined ? k : null
}

function stimuliOf(cases: readonly CaseReport[], skill: Skill): AnyStimulus[] {
  const known = new Map(skill.stimulusScores.map((one) => [one.stimulusName, one]))
  return cases.map(({ case: name, counts: { unscored, errored } }) => {
    const one = known.get(name)
    if (one !== undefined && !one.unscored) {
      const { trialResults: _results, ...rest } = one
      return rest
    }
    const why = errored > 0 ? 'errored' : unscored > 0 ? 'unscored' : 'cancelled'
    return { name, why }
  })
}

/**
 * Returns the verdict as the scoring-functions specification defines it, from scored stimuli only. If some stimuli were
 * not scored, the text says so.
 */
function verdictOf(
  { overallScore, passed }: Skill,
  threshold: number | null,
  all: readonly AnyStimulus[],
): string {
  const scored = all.filter(isScored).length
  const missing = (['unscored', 'errored', 'cancelled'] as const).flatMap((why) => {
    const n = all.filter((one) => !isScored(one) && one.why === why).length
    return n === 0 ? [] : [`${n} ${why}`]
  })
  const stimuli = counted(all.length, 'stimulus', 'stimuli')
  if (scored === 0) return `NO VERDICT: none of ${stimuli} was scored: ${missing.join(', ')}`
  const over =
    missing.length === 0
      ? ''
      : ` on the ${scored} of ${stimuli} that ${scored === 1 ? 'was' : 'were'} scored`
  const said = `${passed ? 'PASSED' : 'FAILED'}${over}: score ${overallScore.toFixed(3)}`
  const why =
    threshold === null
      ? '; without a threshold a skill passes where every scored trial does'
      : `, ${passed ? 'at least' : 'below'} the threshold of ${threshold}`
  return `${said}${why}${missing.length === 0 ? '' : `; ${missing.join(', ')}`}`
}
