/** Shows the stimuli of each skill and the verdict on it, as the scoring-functions specification defines them. */
import { commonK, isScored } from 'assay/view-data'
import type { ViewSubject } from '../data/source.ts'
import { counted, NONE, percent } from '../figures.ts'
import { Name } from '../text/shown.tsx'
import { PlainTable } from './plain-table.tsx'

type Skill = Exclude<ViewSubject['skill'], null>

export function Skills({ rows }: { readonly rows: readonly ViewSubject[] }) {
  const skills = rows.flatMap(({ skill }) => skill ?? [])
  if (skills.length === 0) return null
  return (
    <section aria-labelledby="skills">
      <h2 id="skills">Skill</h2>
      {skills.map((skill) => (
        <SkillTable key={skill.subject} skill={skill} />
      ))}
    </section>
  )
}

function SkillTable({ skill }: { readonly skill: Skill }) {
  const { name, subject, stimuli, overall, verdict, stimuliLeftOut } = skill
  const k = commonK(stimuli) ?? 'k'
  return (
    <>
      <h3>
        <Name text={name} /> · <Name text={subject} />
      </h3>
      <p>
        <strong>{verdict}</strong>
      </p>
      <PlainTable
        label="Stimuli"
        titles={['stimulus', 'k', 'score', 'pass rate', `pass@${k}`, `p^${k}`, 'flaky']}
        rows={[
          ...stimuli.map((one) =>
            isScored(one)
              ? [
                  one.stimulusName,
                  String(one.multiTrial.k),
                  one.aggregateScore.toFixed(3),
                  percent(one.multiTrial.perTrialPassRate),
                  one.multiTrial.passAtK.toFixed(3),
                  one.multiTrial.passToTheK.toFixed(3),
                  one.flaky ? `${Math.round(one.flakinessPercent)}%` : 'no',
                ]
              : [one.name, NONE, one.why, '', '', '', ''],
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
        ]}
      />
      {stimuliLeftOut > 0 && (
        <p class="muted small">
          and {counted(stimuliLeftOut, 'further stimulus', 'further stimuli')} with better scores
        </p>
      )}
    </>
  )
}
