/** Formats the comparison of each suite's best subject with the other subjects, for a pull-request comment. */
import { code, counted, markdownTable } from '../../../text/index.ts'
import {
  AGAINST_TITLES,
  againstAs,
  againstNotes,
  againstRows,
  againstTitle,
  headlineOf,
} from '../../headline/index.ts'
import type { Report, SuiteHeadline } from '../../schema/report.ts'

const MOST_ROWS = 20

export function againstSection(report: Report): string[] {
  const { suites } = headlineOf(report)
  return suites.flatMap((headline, i) => [
    ...(i > 0 && headline.against.length > 0 ? [''] : []),
    ...section(headline, suites.length > 1),
  ])
}

function section(headline: SuiteHeadline, several: boolean): string[] {
  const { best, against, suite } = headline
  if (best === null || against.length === 0) return []
  const pairs = against.find(({ together }) => together !== null)?.together?.comparisons ?? 1
  const rows = againstRows(headline)
  const right = true
  const more = rows.length - MOST_ROWS
  return [
    `### Over ${code(best, 60)}${several ? ` on ${code(suite, 60)}` : ''}`,
    '',
    ...markdownTable(
      [
        { title: 'subject' },
        { title: AGAINST_TITLES.difference, right },
        { title: AGAINST_TITLES.fixed, right },
        { title: AGAINST_TITLES.population, right },
        { title: AGAINST_TITLES.p, right },
        ...(pairs > 1 ? [{ title: againstTitle(pairs), right }] : []),
      ],
      rows
        .slice(0, MOST_ROWS)
        .map((row) => [
          code(row.subject, 100),
          row.difference,
          row.fixed,
          row.population,
          row.p,
          ...(pairs > 1 ? [row.together] : []),
        ]),
    ),
    ...(more > 0 ? ['', `and ${counted(more, 'further row')}`] : []),
    '',
    `<sub>Points of pass rate, ${againstAs(headline)}, with 95 % intervals; ${againstNotes(headline)}.</sub>`,
  ]
}
