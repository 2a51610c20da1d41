/**
 * Prints the scores of the scoring-functions document: each stimulus with its multi-trial figures, and the
 * skill against its threshold. Only for suites in skill form: suites with a threshold, and eval YAML.
 */
import type { Colors } from 'picocolors/types.js'
import { plain } from '@assay/contract'
import { counted, percent, cut, table, wrap } from '../../text/index.ts'
import type { Report, SubjectReport } from '../schema/report.ts'

type Skill = Exclude<SubjectReport['spec']['skill'], null>
type Stimulus = Skill['stimulusScores'][number]

/** A stimulus without a scored trial, and why. It does not count in the verdict. */
interface Missing {
  readonly name: string
  readonly why: 'unscored' | 'errored' | 'cancelled'
}

/** If there are more stimuli than this, only the worst ones are listed. */
const SHOWN = 20
const WORST_SHOWN = 10

export function isSkill({ provenance }: Report, suite: string): boolean {
  const known = provenance.suites.find(({ id }) => id === suite)
  return known !== undefined && (known.threshold !== null || known.format === 'eval-yaml')
}

/** Returns no lines if the suite is not a skill. */
export function skillLines(
  report: Report,
  rows: readonly SubjectReport[],
  width: number,
  colors: Colors,
): string[] {
  const suite = rows[0]?.suite ?? ''
  if (!isSkill(report, suite)) return []
  const threshold = report.provenance.suites.find(({ id }) => id === suite)?.threshold ?? null
  return rows.flatMap((row) => {
    const { skill } = row.spec
    return skill === null ? [] : ['', ...skillTable(row, skill, threshold, width, colors)]
  })
}

const isScored = (one: Stimulus | Missing): one is Stimulus => 'aggregateScore' in one

/** Returns every planned stimulus, in the suite's order. */
function stimuliOf({ cases }: SubjectReport, skill: Skill): (Stimulus | Missing)[] {
  const known = new Map(skill.stimulusScores.map((one) => [one.stimulusName, one]))
  return cases.map(({ case: name, counts: { unscored, errored } }) => {
    const one = known.get(name)
    if (one !== undefined && !one.unscored) return one
    const why = errored > 0 ? 'errored' : unscored > 0 ? 'unscored' : 'cancelled'
    return { name, why }
  })
}

function skillTable(
  row: SubjectReport,
  skill: Skill,
  threshold: number | null,
  width: number,
  colors: Colors,
): string[] {
  const all = stimuliOf(row, skill)
  const scored = all.filter(isScored)
  const isShort = all.length <= SHOWN
  const shown = isShort ? all : all.toSorted((a, b) => rank(a) - rank(b)).slice(0, WORST_SHOWN)
  const ks = new Set(scored.map(({ multiTrial: { k } }) => k))
  // Each stimulus has its own number of trials. If all have the same number, the column title says it.
  const [k] = ks
  const at = ks.size === 1 ? String(k) : 'k'
  const [head, ...body] = table(
    [
      {
        title: isShort ? 'stimulus' : `worst ${WORST_SHOWN} of ${all.length} stimuli`,
        align: 'left',
      },
      ...(ks.size === 1 ? [] : [{ title: 'k', align: 'right' } as const]),
      { title: 'score', align: 'right' },
      { title: 'pass rate', align: 'right' },
      { title: `pass@${at}`, align: 'right' },
      { title: `pass^${at}`, align: 'right' },
      { title: 'flaky', align: 'right' },
    ],
    shown.map((one) => stimulusRow(one, ks.size !== 1)),
    width,
  )
  const flaky = scored.filter((one) => one.flaky).length
  const title = `skill ${plain(skill.skillName)} · ${plain(row.subject)}`
  const { perTrialPassRate, passAtK, passToTheK } = skill.overallMultiTrial
  const overall = `mean over stimuli: pass rate ${percent(perTrialPassRate)}, pass@k ${passAtK.toFixed(3)}, pass^k ${passToTheK.toFixed(3)}`
  return [
    colors.bold(cut(title, width)),
    colors.dim(head ?? ''),
    ...body,
    ...wrap(`${overall}; ${counted(flaky, 'flaky stimulus', 'flaky stimuli')}`, width).map((line) =>
      colors.dim(line),
    ),
    ...wrap(verdict(skill, threshold, all), width),
  ]
}

/** Sort key: stimuli without a score come before the worst score. */
const rank = (one: Stimulus | Missing): number => (isScored(one) ? one.aggregateScore : -1)

function stimulusRow(stimulus: Stimulus | Missing, withK: boolean): string[] {
  if (!isScored(stimulus)) return [plain(stimulus.name), ...(withK ? ['–'] : []), stimulus.why]
  const { stimulusName, aggregateScore, multiTrial, flaky, flakinessPercent } = stimulus
  const { k, perTrialPassRate, passAtK, passToTheK } = multiTrial
  return [
    plain(stimulusName),
    ...(withK ? [String(k)] : []),
    aggregateScore.toFixed(3),
    percent(perTrialPassRate),
    passAtK.toFixed(3),
    passToTheK.toFixed(3),
    flaky ? `${Math.round(flakinessPercent)}%` : 'no',
  ]
}

/**
 * The verdict of the scoring-functions document covers scored stimuli only. If some were not scored, the text
 * says so.
 */
function verdict(
  { overallScore, passed }: Skill,
  threshold: number | null,
  all: readonly (Stimulus | Missing)[],
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
