/**
 * Notes that a reader needs in addition to the tables, one line each. Examples are trials that did not run, money
 * spent, and figures based on fewer cases. All formats use these notes, so that the terminal, a pull-request comment
 * and the HTML page say the same. Names in the notes are not escaped, so each caller must escape them for its format.
 */
import type { Integrity } from '@assay/contract'
import { counted, dollars, percent } from '../../text/index.ts'
import type { Report } from '../schema/report.ts'
import { spentText } from '../words/spent-words.ts'

/** Returns all notes. The most important note comes first. */
export const notesOf = (report: Report): string[] => [...notRun(report), ...furtherNotes(report)]

/** Returns all notes except those about trials that did not run. Some callers show those in another place. */
export const furtherNotes = (report: Report): string[] => [
  ...report.notes,
  ...spent(report),
  ...replaced(report),
  ...sensitivity(report),
  ...fewerCases(report),
  ...codeWeights(report),
  ...integrity(report),
  ...unknownPrices(report),
  ...ownClaims(report),
  ...openNetwork(report),
  ...costCarriers(report),
]

const STOPPED: Readonly<Record<string, string>> = {
  budget: 'the budget was reached',
  interrupted: 'the run was interrupted',
  failed: 'the run was stopped by a failure',
  partial: 'a provider was given up',
}

/** Says how many planned trials did not run, and why. */
function notRun({ counts, provenance }: Report): string[] {
  // The warning at the top names a log that has lost trials.
  if (counts.cancelled === 0 || provenance.stopped === 'complete') return []
  const why = STOPPED[provenance.stopped ?? ''] ?? 'the run is not complete'
  return [`${why}: ${counted(counts.cancelled, 'planned trial')} did not run`]
}

/** Lists the agents about which Assay knows only what they report about themselves. */
function ownClaims({ provenance: { subjects } }: Report): string[] {
  const names = subjects.filter(({ config }) => hasNoGateway(config)).map(({ id }) => id)
  return names.length === 0
    ? []
    : [
        `tokens, cost, turns, tool calls and skills of ${names.join(', ')} are the agent’s own claims: its requests did not go through Assay’s gateway (gateway = false, or no key)`,
      ]
}

/** Says that agents had network access to more than their model. */
const openNetwork = ({ networks = [] }: Report): string[] =>
  networks.includes('open')
    ? [
        `${networks.length > 1 ? 'some trials' : 'the trials'} of agents had an open network: they could reach whatever this machine reaches`,
      ]
    : []

const hasNoGateway = (config: unknown): boolean =>
  typeof config === 'object' && config !== null && 'gateway' in config && config.gateway === false

const spent = (report: Report): string[] =>
  report.spentUsd > 0
    ? [`spent ${spentText({ ...report, unpriced: unpricedIn(report) })}${ofSimulated(report)}`]
    : []

/** Says how much of the money spent is simulated. A judge can be live even if all subjects are simulated. */
function ofSimulated({ subjects, provenance, counts, spentUsd, cached }: Report): string {
  const { judges = [], regrades, log } = provenance
  const live = (provenance.subjects.length === 0 ? subjects : provenance.subjects).map(
    ({ source }) => source !== 'simulated',
  )
  // Grading recorded answers again sends requests to judges only, not to subjects.
  const asked = [
    ...(regrades === undefined ? live : []),
    ...judges.map(({ kind }) => kind !== 'simulated'),
  ]
  if (!asked.includes(true)) return ' of simulated money'
  if (!asked.includes(false)) return ''
  // The report has only the costs of scored trials. If errored, replaced or cached trials cost money too, the simulated
  // part of the total is unknown.
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

/** Says which suites score code with weights other than those of the code-scoring specification. */
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

/** Says how much higher or lower the pass rate could be if the errored trials had been scored. */
const sensitivity = ({ subjects }: Report): string[] =>
  subjects
    .filter(({ counts }) => counts.errored > 0 && counts.passed + counts.failed > 0)
    .map(
      ({ subject, counts, sensitivity: { erroredFail, erroredPass } }) =>
        `${subject}: with its ${counted(counts.errored, 'errored trial')} as failures the pass rate is ${percent(erroredFail ?? 0)}, as passes ${percent(erroredPass ?? 0)}`,
    )

/** Says which figures are based on only some of the scored cases. */
function fewerCases({ subjects }: Report): string[] {
  const said = subjects.flatMap(({ subject, passRate, passAtK }) =>
    passAtK
      .filter(({ metric }) => metric.n < passRate.n)
      .map(({ k, metric }) => ({
        subject,
        text: `pass@${k}, pass^${k}: over ${metric.n} of ${counted(passRate.n, 'case')}, those with ${k} scored trials or more`,
      })),
  )
  // A note that is the same for all subjects is printed once, without the names of the subjects.
  const byText = Map.groupBy(said, ({ text }) => text)
  const all = new Set(subjects.map(({ subject }) => subject)).size
  return [...byText].map(([text, of]) =>
    of.length >= all ? text : `${of.map(({ subject }) => subject).join(', ')}: ${text}`,
  )
}

/** Says how well the tests were isolated from the code under test. This note is printed whenever code was tested. */
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

const unpricedIn = ({ subjects }: Report): number =>
  subjects.reduce((sum, { cost }) => sum + cost.unknown, 0)

function unknownPrices(report: Report): string[] {
  const unknown = unpricedIn(report)
  return unknown > 0 ? [`no $/pass: the price of ${counted(unknown, 'answer')} is unknown`] : []
}

/** A note is added if no more than this share of the cases or trials makes up half of the cost. */
const FEW = 0.1

/**
 * Returns a note for each subject for which one case or a few trials make up most of the cost. The reader must know
 * this, because $/pass then depends on them.
 */
function costCarriers({ subjects }: Report): string[] {
  return subjects.flatMap(({ subject, cost, cases }) => {
    const { totalUsd: total } = cost
    if (total === null || total === 0) return []
    const scored = cases.filter(({ n }) => n > 0)
    const costs = scored.map(({ sums }) => sums.costUsd).sort((a, b) => b - a)
    let carriers = 0
    for (let sum = 0; sum < total / 2 && carriers < costs.length; carriers++)
      sum += costs[carriers] as number
    if (costs.length > 1 && (carriers === 1 ? costs.length > 2 : carriers <= FEW * costs.length))
      return [
        `${subject}: ${counted(carriers, 'case')} of ${costs.length} ${carriers === 1 ? 'makes' : 'make'} up half of the cost or more, so $/pass depends on ${carriers === 1 ? 'it' : 'them'}`,
      ]
    const trials = scored.reduce((sum, { n }) => sum + n, 0)
    const squares = scored.reduce((sum, { sums }) => sum + sums.costSq, 0)
    const worth = squares === 0 ? trials : (total * total) / squares
    return worth < FEW * trials
      ? [
          `${subject}: few of ${counted(trials, 'trial')} make up most of the cost (it is as uneven as that of ${counted(Math.max(1, Math.round(worth)), 'trial')}), so $/pass depends on them`,
        ]
      : []
  })
}
