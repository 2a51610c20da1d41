/** Formats the stimuli of each skill and the verdict on the skill, for a pull-request comment. */
import { code, counted, markdownTable, percent, prose } from '../../../text/index.ts'
import type { Report } from '../../schema/report.ts'
import { commonK, isScored, skillSummary, type SkillSummary } from '../../words/skill-words.ts'

/** The maximum number of stimuli that are listed. Those with the lowest scores are chosen. */
const MOST_STIMULI = 20
const MOST_SKILLS = 20

export function skillsSection(report: Report): string[] {
  const skills = report.subjects.flatMap((row) => skillSummary(report, row) ?? [])
  const more = skills.length - MOST_SKILLS
  return [
    ...skills
      .slice(0, MOST_SKILLS)
      .flatMap((skill, i) => [...(i === 0 ? [] : ['']), ...section(skill)]),
    ...(more > 0 ? ['', `and ${counted(more, 'further skill')}; report.json has all of them`] : []),
  ]
}

function section({ name, subject, stimuli, overall, verdict }: SkillSummary): string[] {
  const k = commonK(stimuli)
  const rank = (one: (typeof stimuli)[number]): number => (isScored(one) ? one.aggregateScore : -1)
  const shown =
    stimuli.length <= MOST_STIMULI
      ? stimuli
      : stimuli.toSorted((a, b) => rank(a) - rank(b)).slice(0, MOST_STIMULI)
  const right = true
  const more = stimuli.length - shown.length
  return [
    `### Skill ${code(name, 60)} · ${code(subject, 80)}`,
    '',
    `**${prose(verdict)}**`,
    '',
    ...markdownTable(
      [
        { title: 'stimulus' },
        { title: 'k', right },
        { title: 'score', right },
        { title: 'pass rate', right },
        { title: `pass@${k ?? 'k'}`, right },
        { title: `p^${k ?? 'k'}`, right },
        { title: 'flaky', right },
      ],
      [
        ...shown.map((one) =>
          isScored(one)
            ? [
                code(one.stimulusName, 80),
                String(one.multiTrial.k),
                one.aggregateScore.toFixed(3),
                percent(one.multiTrial.perTrialPassRate),
                one.multiTrial.passAtK.toFixed(3),
                one.multiTrial.passToTheK.toFixed(3),
                one.flaky ? `${Math.round(one.flakinessPercent)}%` : 'no',
              ]
            : [code(one.name, 80), '–', one.why, '', '', '', ''],
        ),
        [
          'mean over stimuli',
          String(overall.k),
          '',
          percent(overall.perTrialPassRate),
          overall.passAtK.toFixed(3),
          overall.passToTheK.toFixed(3),
          '',
        ],
      ],
    ),
    ...(more > 0
      ? ['', `and ${counted(more, 'further stimulus', 'further stimuli')} with better scores`]
      : []),
  ]
}
