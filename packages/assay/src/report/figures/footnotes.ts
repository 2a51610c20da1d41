/**
 * Notes that a reader needs in addition to the tables, one line each: trials that did not run, money spent,
 * figures based on fewer cases. They are made once, so that the terminal, a pull-request comment and the HTML
 * page say the same. Names in them are raw: the caller must neutralise them.
 */
import type { Integrity } from '@assay/contract'
import { counted, dollars, percent } from '../../text/index.ts'
import type { Report } from '../schema/report.ts'

/** Returns all notes, the most important first. */
export const notesOf = (report: Report): string[] => [...notRun(report), ...furtherNotes(report)]

/** Returns all notes except those about trials that did not run, for callers that report these elsewhere. */
export const furtherNotes = (report: Report): string[] => [
  ...report.notes,
  ...spent(report),
  ...replaced(report),
  ...sensitivity(report),
  ...fewerCases(report),
  ...codeWeights(report),
  ...integrity(report),
  ...unknownPrices(report),
]

const STOPPED: Readonly<Record<string, string>> = {
  budget: 'the budget was reached',
  interrupted: 'the run was interrupted',
  failed: 'the run was stopped by a failure',
  partial: 'a provider was given up',
}

/** Says how many planned trials did not run, and why. */
function notRun({ counts, provenance }: Report): string[] {
  if (counts.cancelled === 0) return []
  const why = STOPPED[provenance.stopped ?? ''] ?? 'the run is not complete'
  return [`${why}: ${counted(counts.cancelled, 'planned trial')} did not run`]
}

const spent = (report: Report): string[] =>
  report.spentUsd > 0 ? [`spent ${dollars(report.spentUsd)}${ofSimulated(report)}`] : []

/** Says how much of the spent money is simulated. A judge may be live even if the subjects are simulated. */
function ofSimulated({ subjects, provenance, counts, spentUsd, cached }: Report): string {
  const { judges = [], regrades, log } = provenance
  const live = (provenance.subjects.length === 0 ? subjects : provenance.subjects).map(
    ({ source }) => source !== 'simulated',
  )
  // Regrading sends requests to judges only.
  const asked = [
    ...(regrades === undefined ? live : []),
    ...judges.map(({ kind }) => kind !== 'simulated'),
  ]
  if (!asked.includes(true)) return ' of simulated money'
  if (!asked.includes(false)) return ''
  // The report has the costs of scored trials only. The simulated part is unknown if others (errored,
  // replaced, cached) count too.
  const isTold =
    regrades === undefined &&
    judges.every(({ kind }) => kind !== 'simulated') &&
    counts.errored + counts.unscored + log.replaced + cached === 0 &&
    provenance.subjects.every(({ kind }) => kind !== 'replay')
  if (!isTold) return ', some of it simulated money'
  const part = subjects
    .filter(({ source }) => source === 'simulated')
    .reduce((sum, { cost }) => sum + (cost.totalUsd ?? 0), 0)
  if (part === 0) return ''
  return part > spentUsd - 1e-9
    ? ' of simulated money'
    : `, of which ${dollars(part)} is simulated money`
}

/** Says which suites score code with weights other than the specification's. */
const codeWeights = ({ provenance }: Report): string[] =>
  provenance.suites.flatMap(({ id, codeWeights: profiles = [] }) =>
    profiles.map(
      ({ compile, tests, lint }) =>
        `${id}: code is scored by ${compile} compile, ${tests} tests, ${lint} lint, not by the specification’s 0.4, 0.5 and 0.1`,
    ),
  )

const replaced = ({ provenance: { log, origin } }: Report): string[] =>
  log.replaced > 0 && origin === null
    ? [`${counted(log.replaced, 'recorded trial')} replaced by a later one`]
    : []

/** Says how much the errored trials could have changed the pass rate. */
const sensitivity = ({ subjects }: Report): string[] =>
  subjects
    .filter(({ counts }) => counts.errored > 0 && counts.passed + counts.failed > 0)
    .map(
      ({ subject, counts, sensitivity: { erroredFail, erroredPass } }) =>
        `${subject}: with its ${counted(counts.errored, 'errored trial')} as failures the pass rate is ${percent(erroredFail ?? 0)}, as passes ${percent(erroredPass ?? 0)}`,
    )

/** Says which figures are based on fewer cases than were scored. */
function fewerCases({ subjects }: Report): string[] {
  const said = subjects.flatMap(({ subject, passRate, passAtK }) =>
    passAtK
      .filter(({ metric }) => metric.n < passRate.n)
      .map(({ k, metric }) => ({
        subject,
        text: `pass@${k}, pass^${k}: over ${metric.n} of ${counted(passRate.n, 'case')}, those with ${k} scored trials or more`,
      })),
  )
  // A note that is the same for all subjects is printed once, without names.
  const byText = Map.groupBy(said, ({ text }) => text)
  const all = new Set(subjects.map(({ subject }) => subject)).size
  return [...byText].map(([text, of]) =>
    of.length >= all ? text : `${of.map(({ subject }) => subject).join(', ')}: ${text}`,
  )
}

/** Says how well the tests were isolated from the code under test. Printed whenever code was tested. */
function integrity({ subjects, sandboxes }: Report): string[] {
  const total = (level: Integrity): number =>
    subjects.reduce((sum, { code }) => sum + (code?.integrity[level] ?? 0), 0)
  const [isolated, inProcess] = [total('isolated'), total('in-process')]
  if (isolated + inProcess === 0) return []
  const said = [
    ...(isolated > 0 ? [`${counted(isolated, 'trial')} with isolated tests`] : []),
    ...(inProcess > 0 ? [`${counted(inProcess, 'trial')} with tests in-process`] : []),
  ]
  return [`code tested in ${sandboxes.join(', ')}: ${said.join(', ')}`]
}

function unknownPrices({ subjects }: Report): string[] {
  const unknown = subjects.reduce((sum, { cost }) => sum + cost.unknown, 0)
  return unknown > 0 ? [`no $/pass: the price of ${counted(unknown, 'answer')} is unknown`] : []
}
