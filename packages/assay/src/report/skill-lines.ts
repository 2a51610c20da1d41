/**
 * The scores of scoring-functions: each stimulus with its multi-trial figures, and the skill against its
 * threshold. Shown of suites in skill form: those with a threshold, and eval YAML.
 */
import type { Colors } from 'picocolors/types.js'
import { plain } from '../plain.ts'
import { counted, percent } from './figures.ts'
import type { Report, SubjectReport } from './report.ts'
import { cut, table } from './table.ts'

type Skill = Exclude<SubjectReport['spec']['skill'], null>
type Stimulus = Skill['stimulusScores'][number]

/** More stimuli than this are not listed one by one; the worst are. */
const SHOWN = 20
const WORST_SHOWN = 10

export function isSkill({ provenance }: Report, suite: string): boolean {
  const known = provenance.suites.find(({ id }) => id === suite)
  return known !== undefined && (known.threshold !== null || known.format === 'eval-yaml')
}

/** None where the suite is no skill. */
export function skillLines(
  report: Report,
  rows: readonly SubjectReport[],
  width: number,
  colors: Colors,
): string[] {
  const suite = rows[0]?.suite ?? ''
  if (!isSkill(report, suite)) return []
  const threshold = report.provenance.suites.find(({ id }) => id === suite)?.threshold ?? null
  return rows.flatMap(({ subject, spec: { skill } }) =>
    skill === null ? [] : ['', ...skillTable(subject, skill, threshold, width, colors)],
  )
}

function skillTable(
  subject: string,
  skill: Skill,
  threshold: number | null,
  width: number,
  colors: Colors,
): string[] {
  const all = skill.stimulusScores
  const isShort = all.length <= SHOWN
  const shown = isShort
    ? all
    : all.toSorted((a, b) => a.aggregateScore - b.aggregateScore).slice(0, WORST_SHOWN)
  const ks = new Set(all.filter(({ unscored }) => !unscored).map(({ multiTrial: { k } }) => k))
  // Each stimulus has its own number of trials; where all have the same, the title says it.
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
  const flaky = all.filter((one) => one.flaky).length
  const title = `skill ${plain(skill.skillName)} · ${plain(subject)}`
  const { perTrialPassRate, passAtK, passToTheK } = skill.overallMultiTrial
  const overall = `mean over stimuli: pass rate ${percent(perTrialPassRate)}, pass@k ${passAtK.toFixed(3)}, pass^k ${passToTheK.toFixed(3)}`
  return [
    colors.bold(cut(title, width)),
    colors.dim(head ?? ''),
    ...body,
    colors.dim(cut(`${overall}; ${counted(flaky, 'flaky stimulus', 'flaky stimuli')}`, width)),
    cut(verdict(skill, threshold), width),
  ]
}

function stimulusRow(stimulus: Stimulus, withK: boolean): string[] {
  const { stimulusName, aggregateScore, multiTrial, unscored, flaky, flakinessPercent } = stimulus
  const { k, perTrialPassRate, passAtK, passToTheK } = multiTrial
  return unscored
    ? [plain(stimulusName), ...(withK ? ['–'] : []), 'unscored']
    : [
        plain(stimulusName),
        ...(withK ? [String(k)] : []),
        aggregateScore.toFixed(3),
        percent(perTrialPassRate),
        passAtK.toFixed(3),
        passToTheK.toFixed(3),
        flaky ? `${Math.round(flakinessPercent)}%` : 'no',
      ]
}

function verdict({ overallScore, passed }: Skill, threshold: number | null): string {
  const said = passed ? 'PASSED' : 'FAILED'
  const score = `score ${overallScore.toFixed(3)}`
  if (threshold !== null)
    return `${said}: ${score}, ${passed ? 'at least' : 'below'} the threshold of ${threshold}`
  return `${said}: ${score}; without a threshold a skill passes where every scored trial does`
}
