/**
 * Shows the gates that the command had to decide. For each gate it shows the measured value. For an undecided gate
 * it also shows what would decide it.
 */
import { GATE_STATUS, gateSentence, scopeParts, skillSentence } from 'assay/view-data'
import type { ViewReport } from '../data/source.ts'
import { counted } from '../figures.ts'
import { Name } from '../text/shown.tsx'
import { Scroll } from './tables/scroll.tsx'

/** The limit on the gates that are listed. Failed gates are listed first. */
const MOST_GATES = 300

export function Gates({ report: { gates } }: { readonly report: ViewReport }) {
  if (gates === undefined) return null
  const { results, skills, outcome } = gates
  const undecided = results.filter(({ status }) => status === 'undecided').length
  const rank = { failed: 0, undecided: 1, held: 2 }
  const rows = [
    ...skills.map((skill) => ({
      rank: skill.passed === true ? 2 : 0,
      status: skill.passed === null ? 'NO VERDICT' : skill.passed ? 'PASSED' : 'FAILED',
      scope: [skill.subject, skill.suite],
      said: `skill: ${skillSentence(skill)}`,
    })),
    ...results.map((result) => ({
      rank: rank[result.status],
      status: GATE_STATUS[result.status],
      scope: scopeParts(result),
      said: gateSentence(result),
    })),
  ].toSorted((a, b) => a.rank - b.rank)
  const more = rows.length - MOST_GATES
  return (
    <section aria-labelledby="gates">
      <h2 id="gates">Gates</h2>
      {outcome.code === 0 ? (
        <p>
          {undecided > 0
            ? `No gate failed, ${undecided} of ${results.length} undecided.`
            : 'What was asked for holds.'}
        </p>
      ) : (
        outcome.failures.map((failure) => (
          <p>
            <strong>Failed:</strong> <Name text={failure} most={600} />
          </p>
        ))
      )}
      <Scroll label="Gates">
        <table>
          <caption class="unseen">Gates</caption>
          <thead>
            <tr>
              <th scope="col">status</th>
              <th scope="col">of</th>
              <th scope="col">gate</th>
            </tr>
          </thead>
          <tbody>
            {rows.slice(0, MOST_GATES).map(({ status, scope, said }) => (
              <tr>
                <td>{status}</td>
                <td>
                  {scope.map((part, i) => (
                    <>
                      {i > 0 && ' · '}
                      <Name text={part} />
                    </>
                  ))}
                </td>
                <td>
                  <Name text={said} most={2000} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </Scroll>
      {more > 0 && (
        <p class="muted small">and {counted(more, 'further gate')}; report.json has all of them</p>
      )}
    </section>
  )
}
