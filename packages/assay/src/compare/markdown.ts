/**
 * Formats a comparison for a comment on a pull request: the verdict first, then the table, then details that the reader
 * can unfold. Names come from untrusted suites and reports. They are written as code, and every character that Markdown
 * or HTML would interpret becomes a character reference. So a name cannot add formatting or a link, mention a user, or
 * break out of its table cell.
 */
import { plain } from '@assay/contract'
import { GATE_STATUS } from '../report/index.ts'
import { counted, htmlCode as code } from '../text/index.ts'
import type { Comparison, PairComparison } from './comparison-types.ts'
import type { CaseChange, CaseName } from './match-cases.ts'
import { aboutFigures, averageText } from './about.ts'
import {
  caseTexts,
  changeTexts,
  gateFinding,
  gateScope,
  gateText,
  doubts,
  headlineOf,
  intervalText,
  percentText,
  pText,
  simultaneousText,
  titleOf,
  VERDICTS,
} from './words.ts'

/** The maximum number of cases that are listed. A comment on GitHub can have at most 65,536 characters. */
const MOST_CASES = 50

/**
 * Returns a character reference. For @ and # that is not enough: GitHub looks for mentions (`@user`) and issues (`#1`)
 * in the rendered text. So these two get a zero-width space after them, which prevents the links.
 */
const reference = (mark: string): string =>
  `&#${mark.codePointAt(0)};${mark === '@' || mark === '#' ? '&#8203;' : ''}`

/** Escapes a sentence that Assay wrote, because the sentence may quote a name from an untrusted file. */
const escaped = (text: string): string =>
  plain(text)
    .toWellFormed()
    .replaceAll(/[^\p{L}\p{N}\p{M} ,.–−…]/gu, reference)

const ICONS = {
  regression: '🔴',
  improvement: '🟢',
  noRegression: '🟢',
  inconclusive: '🟡',
} as const

export function renderMarkdown(comparison: Comparison): string {
  const { outcome, warnings, baseline, current } = comparison
  const parts = [
    `## Assay: ${headline(comparison)}`,
    ...outcome.failures.map((failure) => `**${escaped(failure)}**`),
    ...comparison.pairs.map((pair) => pairPart(pair, comparison)),
    ...gatesPart(comparison),
    ...byParts(comparison),
    ...casesPart('regression', comparison.regressions, comparison),
    ...casesPart('improvement', comparison.improvements, comparison),
    ...namesPart('New cases', comparison.new_cases),
    ...namesPart('Removed cases', comparison.removed_cases),
    ...namesPart('Not comparable', comparison.not_comparable),
    ...(warnings.length > 0 ? [warnings.map((text) => `> ⚠️ ${escaped(text)}`).join('\n>\n')] : []),
    `<sub>baseline ${code(baseline.name)}${stamp(baseline)} · current ${code(current.name)}${stamp(current)}${comparison.pairs.some(({ cases }) => cases > 0) ? ` · ${counted(comparison.unchanged.length, 'case')} unchanged within ${comparison.threshold}` : ''}</sub>`,
  ]
  return `${parts.join('\n\n')}\n`
}

function headline({ outcome, gates, pairs }: Comparison): string {
  if (outcome.code === 3)
    return pairs.some(({ cases }) => cases > 0) ? 'incomplete' : 'nothing comparable'
  const isWorse = pairs.some(({ metrics: [first] }) => first?.verdict === 'regression')
  if (outcome.code === 1) return isWorse ? 'failed, regression' : 'failed'
  if (!outcome.gated) return isWorse ? 'regression' : 'comparison'
  return gates.some(({ status }) => status === 'undecided') ? 'undecided' : 'gates hold'
}

const stamp = ({ sources, edited }: Comparison['baseline']): string =>
  `${edited === true ? ' (EDITED)' : ''}${sources.includes('simulated') ? ' (SIMULATED)' : sources.includes('replay') ? ' (REPLAYED)' : ''}`

function pairPart(pair: PairComparison, { alpha, target }: Comparison): string {
  const [decided] = pair.metrics
  const name =
    pair.baseline === pair.current
      ? code(pair.current)
      : `${code(pair.baseline)} → ${code(pair.current)}`
  if (decided === undefined || pair.cases === 0)
    return `### ${name}\n\nNo case is scored on both sides.`
  const [head, said] = headlineOf(pair, decided)
  const level = percentText(1 - alpha)
  const hasFamily = pair.metrics.some(({ together }) => together !== null)
  const rows = pair.metrics.map((change) =>
    [
      titleOf(change.metric, change.k),
      ...changeTexts(change),
      intervalText(change),
      escaped(pText(change.p)),
      ...(hasFamily ? [simultaneousText(change)] : []),
      change.change === null ? escaped(change.reason) : VERDICTS[change.verdict],
    ].join(' | '),
  )
  return [
    `### ${name}`,
    '',
    `${ICONS[decided.verdict]} **${head}** ${escaped(said)}`,
    '',
    `| measure | baseline | current | change | ${level} % interval | p |${hasFamily ? ' all verdicts counted: simultaneous interval |' : ''} verdict |`,
    `|---|---:|---:|---:|---:|---:|${hasFamily ? '---:|' : ''}---|`,
    ...rows.map((row) => `| ${row} |`),
    '',
    '<details><summary>How sure is that?</summary>',
    '',
    [...doubts(pair.metrics).map(escaped), aboutFigures(pair, target)].join(' '),
    '',
    `- Any change at all on these cases? p ${escaped(pText(pair.tests.anythingChanged.p))}`,
    `- Did the average change on cases like these? ${escaped(averageText(pair.tests))}`,
    ...pair.parameters.map(
      ({ name: parameter, baseline, current }) =>
        `- ${code(parameter)}: ${code(baseline ?? 'not set')} → ${code(current ?? 'not set')}`,
    ),
    '',
    '</details>',
  ].join('\n')
}

function gatesPart({ gates }: Comparison): string[] {
  if (gates.length === 0 || (gates.length === 1 && gates[0]?.kind === 'change')) return []
  return [
    [
      '| gate | subject | | |',
      '|---|---|---|---|',
      ...gates.map(
        (gate) =>
          `| ${escaped(gateText(gate))} | ${[gate.subject, ...gateScope(gate, true)].map((part) => code(part)).join(' · ')} | ${GATE_STATUS[gate.status]} | ${escaped(gateFinding(gate))} |`,
      ),
    ].join('\n'),
  ]
}

function byParts({ by = [], alpha }: Comparison): string[] {
  return by.map(({ key, rows, notes }) =>
    [
      `### By ${code(key)}`,
      '',
      `| value | subject | cases | groups | change | ${percentText(1 - alpha)} % interval | verdict |`,
      '|---|---|---:|---:|---:|---:|---|',
      ...rows
        .slice(0, MOST_CASES)
        .map(
          ({ value, current, cases, groups, change }) =>
            `| ${code(value)} | ${code(current)} | ${cases} | ${groups ?? ''} | ${changeTexts(change)[2]} | ${intervalText(change)} | ${change.change === null ? escaped(change.reason) : VERDICTS[change.verdict]} |`,
        ),
      ...(rows.length > MOST_CASES ? ['', `and ${rows.length - MOST_CASES} more`] : []),
      ...notes.flatMap((note) => ['', escaped(note)]),
    ].join('\n'),
  )
}

function casesPart(
  title: string,
  list: readonly CaseChange[],
  { threshold, pairs }: Comparison,
): string[] {
  if (list.length === 0) return []
  const several = pairs.length > 1
  const rows = [...list]
    .sort((a, b) => Math.abs(b.delta) - Math.abs(a.delta))
    .slice(0, MOST_CASES)
    .map(
      (row) =>
        `| ${code(row.case_id)}${several ? ` ${code(row.model)}` : ''} | ${caseTexts(row, threshold).join(' | ')} | ${escaped(pText(row.adjusted_p))} |`,
    )
  const rest = list.length - rows.length
  return [
    [
      `<details><summary>${counted(list.length, title)}, by more than ${threshold}</summary>`,
      '',
      '| case | baseline | current | change | p |',
      '|---|---:|---:|---:|---:|',
      ...rows,
      '',
      ...(rest > 0 ? [`and ${rest} more`, ''] : []),
      '</details>',
    ].join('\n'),
  ]
}

function namesPart(title: string, cases: readonly CaseName[]): string[] {
  if (cases.length === 0) return []
  const some = cases.slice(0, MOST_CASES).map(({ case_id }) => code(case_id))
  const rest = cases.length - some.length
  return [
    `<details><summary>${title}: ${cases.length}</summary>\n\n${some.join(', ')}${rest > 0 ? ` and ${rest} more` : ''}\n\n</details>`,
  ]
}
