/** Formats the gates of a report for a pull-request comment. */
import { code, counted, markdownTable, prose } from '../../../text/index.ts'
import { GATE_STATUS, gateSentence, scopeParts, skillSentence } from '../../gates/words.ts'
import type { Report } from '../../schema/report.ts'

const MOST_GATES = 60

export function gatesSection({ gates }: Report): string[] {
  if (gates === undefined) return []
  const { results, skills, outcome } = gates
  const undecided = results.filter(({ status }) => status === 'undecided').length
  const said =
    outcome.code !== 0
      ? outcome.failures.map((failure) => `**failed: ${prose(failure)}**`)
      : [
          undecided > 0
            ? `no gate failed, ${undecided} of ${results.length} undecided`
            : 'what was asked for holds',
        ]
  // Failed gates come first, because the last gates may be left out.
  const rank = { failed: 0, undecided: 1, held: 2 }
  const rows = [
    ...skills.map((skill) => ({
      rank: skill.passed === true ? 2 : 0,
      cells: [
        skill.passed === null ? 'NO VERDICT' : skill.passed ? 'PASSED' : 'FAILED',
        `${code(skill.subject, 80)} on ${code(skill.suite, 60)}`,
        prose(`skill: ${skillSentence(skill)}`),
      ],
    })),
    ...results.map((result) => ({
      rank: rank[result.status],
      cells: [
        GATE_STATUS[result.status],
        scopeParts(result)
          .map((part) => code(part, 80))
          .join(' · '),
        prose(gateSentence(result)),
      ],
    })),
  ].toSorted((a, b) => a.rank - b.rank)
  const more = rows.length - MOST_GATES
  return [
    '### Gates',
    '',
    ...said.flatMap((line) => [line, '']),
    ...markdownTable(
      [{ title: '' }, { title: 'of' }, { title: 'gate' }],
      rows.slice(0, MOST_GATES).map(({ cells }) => cells),
    ),
    ...(more > 0 ? ['', `and ${counted(more, 'further gate')}, which did not fail`] : []),
  ]
}
