/** Prints the gates of a report and whether the command fails because of them. */
import type { Colors } from 'picocolors/types.js'
import { plain } from '@assay/contract'
import { counted, padEnd, wrap } from '../../text/index.ts'
import { GATE_STATUS, gateSentence, scopeParts, skillSentence } from '../gates/words.ts'
import type { Report } from '../schema/report.ts'

/** The width of the status column, in characters. */
const STATUS = 11

/** Returns the lines about gates. No lines if the user did not ask for gates. */
export function gateLines({ gates }: Report, width: number, colors: Colors): string[] {
  if (gates === undefined) return []
  const { results, skills, outcome } = gates
  const paint = { held: colors.green, failed: colors.red, undecided: colors.yellow }
  const entry = (status: keyof typeof paint, word: string, text: string): string[] => {
    const [first = '', ...rest] = wrap(text, width - STATUS)
    return [
      `${paint[status](padEnd(word, STATUS))}${first}`,
      ...rest.map((line) => `${' '.repeat(STATUS)}${line}`),
    ]
  }
  const undecided = results.filter(({ status }) => status === 'undecided').length
  const closing =
    outcome.code === 0
      ? [
          undecided > 0
            ? `no gate failed, ${undecided} of ${results.length} undecided`
            : 'what was asked for holds',
        ]
      : outcome.failures.map((failure) => `failed: ${plain(failure)}`)
  const last = outcome.code !== 0 ? colors.red : undecided > 0 ? colors.yellow : colors.green
  return [
    '',
    colors.bold(
      [
        ...(results.length > 0 ? [counted(results.length, 'gate')] : []),
        ...(skills.length > 0 ? [`verdict on ${counted(skills.length, 'skill')}`] : []),
      ].join(', '),
    ),
    ...results.flatMap((result) =>
      entry(
        result.status,
        GATE_STATUS[result.status],
        `${scopeParts(result).map(plain).join(' · ')}: ${gateSentence(result)}`,
      ),
    ),
    ...skills.flatMap((skill) =>
      entry(
        skill.passed === true ? 'held' : 'failed',
        skill.passed === null ? 'NO VERDICT' : skill.passed ? 'PASSED' : 'FAILED',
        `${plain(skill.subject)} · ${plain(skill.suite)}: ${skillSentence(skill)}`,
      ),
    ),
    ...closing.flatMap((line) => wrap(line, width)).map((line) => last(line)),
  ]
}
