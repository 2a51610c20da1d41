/** Prints the table of a skill's stimuli and the verdict on the skill. */
import type { Colors } from 'picocolors/types.js'
import { plain } from '@assay/contract'
import { counted, percent, cut, table, wrap } from '../../text/index.ts'
import type { Report, SubjectReport } from '../schema/report.ts'
import {
  commonK,
  isScored,
  skillSummary,
  type AnyStimulus,
  type SkillSummary,
} from '../words/skill-words.ts'

/** If there are more stimuli than this, only the worst ones are listed. */
const SHOWN = 20
const WORST_SHOWN = 10

/** Returns the lines about a skill. No lines if the suite does not describe one. */
export function skillLines(
  report: Report,
  rows: readonly SubjectReport[],
  width: number,
  colors: Colors,
): string[] {
  return rows.flatMap((row) => {
    const skill = skillSummary(report, row)
    return skill === null ? [] : ['', ...skillTable(skill, width, colors)]
  })
}

function skillTable(skill: SkillSummary, width: number, colors: Colors): string[] {
  const all = skill.stimuli
  const isShort = all.length <= SHOWN
  const shown = isShort ? all : all.toSorted((a, b) => rank(a) - rank(b)).slice(0, WORST_SHOWN)
  // Stimuli can have different numbers of trials (k). If all have the same number, the column titles show it.
  const k = commonK(all)
  const at = k ?? 'k'
  const [head, ...body] = table(
    [
      {
        title: isShort ? 'stimulus' : `worst ${WORST_SHOWN} of ${all.length} stimuli`,
        align: 'left',
      },
      ...(k !== null ? [] : [{ title: 'k', align: 'right' } as const]),
      { title: 'score', align: 'right' },
      { title: 'pass rate', align: 'right' },
      { title: `pass@${at}`, align: 'right' },
      { title: `p^${at}`, align: 'right' },
      { title: 'flaky', align: 'right' },
    ],
    shown.map((one) => stimulusRow(one, k === null)),
    width,
  )
  const flaky = all.filter((one) => isScored(one) && one.flaky).length
  const title = `skill ${plain(skill.name)} · ${plain(skill.subject)}`
  const { perTrialPassRate, passAtK, passToTheK } = skill.overall
  const overall = `mean over stimuli: pass rate ${percent(perTrialPassRate)}, pass@k ${passAtK.toFixed(3)}, p^k ${passToTheK.toFixed(3)}`
  return [
    colors.bold(cut(title, width)),
    colors.dim(head ?? ''),
    ...body,
    ...wrap(`${overall}; ${counted(flaky, 'flaky stimulus', 'flaky stimuli')}`, width).map((line) =>
      colors.dim(line),
    ),
    ...wrap(skill.verdict, width),
  ]
}

/** Returns the sort key of a stimulus. The worst come first. Stimuli without a score come before the lowest score. */
const rank = (one: AnyStimulus): number => (isScored(one) ? one.aggregateScore : -1)

function stimulusRow(stimulus: AnyStimulus, withK: boolean): string[] {
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
