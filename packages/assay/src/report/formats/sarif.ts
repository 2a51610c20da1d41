/**
 * Writes SARIF 2.1.0 for code scanning views. It contains the compiler errors and linter findings in the code of
 * answers, with their locations. Failing tests have no location in the code, so they are left out. The JUnit format has
 * them.
 *
 * The code is in answers, not in the repository. So a location names the answer:
 * `answers/<suite>/<subject>/<case>/<index>/<file>`, each name percent-encoded. Line numbers refer to the program that
 * was graded. GitHub shows only the first 5,000 results, so no more are written. Errors come first, and a notification
 * says how many results were left out.
 *
 * A failed gate is a result too, at the location `gates/<suite>/<subject>`. A gate that is not decided is a note. Gates
 * that hold are left out. Figures by tag or metadata (`--by`) are among the properties of the run.
 */
import { createHash } from 'node:crypto'
import { type Grade, type Identity, isCodeGrade, type Trial, plain } from '@assay/contract'
import { counted } from '../../text/index.ts'
import type { ReportFormat, ReportSource } from './format.ts'
import { cellKey } from '../schema/trial-position.ts'
import { jsonText, putList } from './json-text.ts'
import { gateSentence, skillSentence } from '../gates/words.ts'
import type { BoundResult } from '../schema/gate-schema.ts'
import type { Report } from '../schema/report.ts'
import { disclosuresOf } from '../figures/disclosures.ts'

const MOST_RESULTS = 5000

export const sarif: ReportFormat = {
  name: 'sarif',
  description: 'compile errors and lint findings for code scanning views',
  write: async (source, put) => {
    const { results, left } = await collect(source)
    const gates = gateResults(source.report)
    const rules = [...(gates.length === 0 ? [] : [GATE_RULE]), ...rulesOf(results)]
    const at = new Map(rules.map(({ id }, i) => [id, i]))
    put('{\n  "$schema": "https://json.schemastore.org/sarif-2.1.0.json",\n  "version": "2.1.0",\n')
    put('  "runs": [\n    {\n')
    for (const [key, value] of Object.entries(headOf(source.report, rules, left)))
      put(`      ${JSON.stringify(key)}: ${jsonText(value, 3)},\n`)
    put('      "results": ')
    putList(put, [...gates, ...results.map((one) => resultOf(one, at.get(one.rule) ?? 0))], 3)
    put('\n    }\n  ]\n}\n')
  },
}

// ── Findings ─────────────────────────────────────────────────────────────────────────────────────────

type Level = 'error' | 'warning'

interface Result {
  readonly trial: Pick<Trial, keyof Identity | 'outcome' | 'source'>
  readonly rule: string
  readonly level: Level
  readonly message: string
  readonly file: string
  readonly line: number
  readonly column: number
  /** The sort key. It decides which results are kept if there are too many. */
  readonly rank: readonly [level: number, row: number, index: number, place: number]
}

/**
 * Collects the results in one pass over the trials. To save memory, it keeps at most twice as many results as are
 * written.
 */
async function collect({
  report,
  trials,
}: ReportSource): Promise<{ results: Result[]; left: number }> {
  const rows = rowNumbers(report)
  // Gates come before all other results, because they decide the exit code.
  const most = Math.max(0, MOST_RESULTS - gateResults(report).length)
  let results: Result[] = []
  let found = 0
  await trials((trial) => {
    const more = findingsOf(trial, rows.get(cellKey(trial)) ?? rows.size)
    found += more.length
    results.push(...more)
    if (results.length > 2 * MOST_RESULTS) results = first(results, most)
  })
  results = first(results, most)
  return { results, left: found - results.length }
}

const first = (results: readonly Result[], most: number): Result[] =>
  results.toSorted(byRank).slice(0, most)

function byRank({ rank: a }: Result, { rank: b }: Result): number {
  for (const [i, one] of a.entries()) if (one !== b[i]) return one - (b[i] as number)
  return 0
}

function rowNumbers({ subjects }: Report): ReadonlyMap<string, number> {
  const keys = subjects.flatMap(({ suite, subject, cases }) =>
    cases.map((one) => cellKey({ suite, case: one.case, subject })),
  )
  return new Map(keys.map((key, i) => [key, i]))
}

const LEVELS: Readonly<Record<string, Level>> = { compile: 'error', lint: 'warning' }

/** Returns the findings of a trial. The code grader stores them in the `facts` of its `details`. */
function findingsOf(trial: Trial, row: number): Result[] {
  const { suite, case: id, subject, index, outcome, source } = trial
  const parts = trial.grades.filter(isCodeGrade).flatMap(({ details }) => details ?? [])
  let place = 0
  return parts.flatMap((part) => {
    const level = LEVELS[part.name]
    if (level === undefined) return []
    return listOf(part).map((finding): Result => ({
      trial: { suite, case: id, subject, index, outcome, source },
      rule: textOf(finding['code']) ?? `${part.name}-${level}`,
      level,
      message: textOf(finding['message']) ?? 'no message',
      file: textOf(finding['file']) ?? 'answer',
      line: wholeOf(finding['line']),
      column: wholeOf(finding['column']),
      rank: [level === 'error' ? 0 : 1, row, index, place++],
    }))
  })
}

type Loose = Readonly<Record<string, unknown>>

const isLoose = (value: unknown): value is Loose => typeof value === 'object' && value !== null

/**
 * Returns the findings that a grade contains. A log may be untrusted, so a value that does not have the form of a
 * finding is skipped.
 */
function listOf({ facts }: Grade): Loose[] {
  const findings = isLoose(facts) ? (facts as Loose)['findings'] : null
  return Array.isArray(findings) ? findings.filter(isLoose) : []
}

const textOf = (value: unknown): string | null => {
  const text = typeof value === 'string' ? plain(value).toWellFormed().trim() : ''
  return text === '' ? null : text
}

const wholeOf = (value: unknown): number =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 1 ? value : 1

// ── Output ───────────────────────────────────────────────────────────────────────────────────────────

interface Rule {
  readonly id: string
  readonly shortDescription: { readonly text: string }
  readonly defaultConfiguration: { readonly level: Level }
}

function rulesOf(results: readonly Result[]): Rule[] {
  const rules = new Map<string, Rule>()
  for (const { rule: id, level } of results)
    if (!rules.has(id))
      rules.set(id, {
        id,
        shortDescription: { text: `${level === 'error' ? 'compile error' : 'lint finding'} ${id}` },
        defaultConfiguration: { level },
      })
  return [...rules.values()].sort((a, b) => (a.id < b.id ? -1 : 1))
}

function headOf(report: Report, rules: readonly Rule[], left: number): Record<string, unknown> {
  const { run, provenance } = report
  const { tool, toolchains } = provenance
  const said = [
    'Locations name the code of answers, which are in the run and not in the repository.',
    ...disclosuresOf(report).map((stamp) => `${plain(stamp)}.`),
    ...(left > 0 ? [`${counted(left, 'further finding')} left out.`] : []),
  ]
  return {
    tool: {
      driver: {
        name: 'assay',
        ...(tool === null ? {} : { semanticVersion: tool.version }),
        rules,
      },
      extensions: Object.entries(toolchains).map(([name, version]) => ({ name, version })),
    },
    automationDetails: { id: `assay/${run.id}` },
    ...(report.by === undefined ? {} : { properties: { by: report.by } }),
    invocations: [
      {
        executionSuccessful: true,
        ...(run.createdAt === null ? {} : { startTimeUtc: run.createdAt }),
        ...(run.endedAt === null ? {} : { endTimeUtc: run.endedAt }),
        toolExecutionNotifications: said.map((text) => ({ level: 'note', message: { text } })),
      },
    ],
  }
}

/** The SARIF rule for gates. It is the first rule if there are gates to report. */
const GATE_RULE: Rule = {
  id: 'assay/gate',
  shortDescription: { text: 'a condition that the run must meet' },
  defaultConfiguration: { level: 'error' },
}

function gateResults({ gates }: Report): Record<string, unknown>[] {
  if (gates === undefined) return []
  const failed = gates.results.filter(({ status }) => status === 'failed')
  const undecided = gates.results.filter(({ status }) => status === 'undecided')
  const lost = gates.skills.filter(({ passed, missing }) => passed !== true || missing > 0)
  return [
    ...lost.map((skill) =>
      gateResult(skill, 'error', `skill did not pass: ${skillSentence(skill)}`, skill, ['skill']),
    ),
    ...failed.map((result) =>
      gateResult(result, 'error', gateSentence(result), result, keyOf(result)),
    ),
    ...undecided.map((result) =>
      gateResult(
        result,
        gates.strict ? 'error' : 'note',
        gateSentence(result),
        result,
        keyOf(result),
      ),
    ),
  ].slice(0, MOST_RESULTS)
}

/**
 * Returns the values that distinguish the gates of one suite and subject from each other. They are the same in the next
 * run.
 */
const keyOf = ({ metric, k, kind, limit, tag, case: one }: BoundResult): unknown[] => [
  metric,
  k,
  kind,
  limit,
  tag,
  one,
]

function gateResult(
  { suite, subject }: { readonly suite: string; readonly subject: string },
  level: Level | 'note',
  text: string,
  gate: object,
  key: readonly unknown[],
): Record<string, unknown> {
  const uri = ['gates', ...[suite, subject].map(segmentOf)].join('/')
  return {
    ruleId: GATE_RULE.id,
    ruleIndex: 0,
    level,
    message: { text: plain(text).toWellFormed() },
    locations: [
      {
        physicalLocation: { artifactLocation: { uri }, region: { startLine: 1, startColumn: 1 } },
      },
    ],
    partialFingerprints: {
      'assayGate/v1': createHash('sha256')
        .update(JSON.stringify([uri, ...key]))
        .digest('hex'),
    },
    properties: { gate },
  }
}

function resultOf(one: Result, ruleIndex: number): Record<string, unknown> {
  const { trial, rule, level, message, line, column } = one
  const uri = uriOf(one)
  return {
    ruleId: rule,
    ruleIndex,
    level,
    message: { text: message },
    locations: [
      {
        physicalLocation: {
          artifactLocation: { uri },
          region: { startLine: line, startColumn: column },
        },
      },
    ],
    partialFingerprints: {
      'assayFinding/v1': createHash('sha256')
        .update(JSON.stringify([uri, rule, line, column, message]))
        .digest('hex'),
    },
    properties: { ...trial, inAnswer: true },
  }
}

function uriOf({ trial: { suite, subject, case: id, index }, file }: Result): string {
  const segments = [suite, subject, id, String(index), ...file.split(/[/\\]/)]
  return ['answers', ...segments.map(segmentOf)].join('/')
}

/**
 * Encodes a name as one segment of a path. An empty name or a name of only dots gets an underscore. Without it, `..`
 * would lead out of the folder.
 */
function segmentOf(name: string): string {
  const encoded = encodeURIComponent(plain(name).toWellFormed())
  return /^\.*$/.test(encoded) ? `_${encoded}` : encoded
}
