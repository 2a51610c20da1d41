/** Makes the text of docs/reference/formulas.md from the metric registry. */
import { registry, type MetricEntry } from '@assay/metrics'
import { lookupTables } from './lookup-tables.ts'
import { SPEC_PATHS } from './spec-paths.ts'

const HEAD = `# Formulas

*Reference. Introduced by [Reading the numbers](../guides/reading-the-numbers.md). Words: [glossary](../glossary.md).*

<!-- Written from packages/metrics/src/*/entries.ts by \`npm run docs\`. Edit there. -->

Every metric and statistic of \`@assay/metrics\`: what it answers, how it is computed, and what it does at
its edges. A name under “document” says which of the three source documents defines it, and under which
name: *code-scoring* (generated code), *scoring-functions* (agent skills) or *metrics-formulas* (tiered
experiments). Where a document's formula is unsound for small samples, the sound counterpart is next to it and
is what Assay shows first.

A count of successes always has the same form: \`n\` trials, then \`c\` of them passed, as two arguments or as
\`{ n, c }\`.

Every function refuses arguments outside its domain with a \`RangeError\` that names the argument, and none
returns NaN, but for the raw blocks of \`bootstrapBlock\`, where it marks a resample without a value. A version is raised whenever the same input may give another answer.
`

const DIRECTION: Record<MetricEntry['direction'], string> = {
  higher: 'higher is better',
  lower: 'lower is better',
  none: '',
}

function section({
  name,
  specName,
  answers,
  unit,
  direction,
  range,
  formula,
  edges,
  version,
  source,
}: MetricEntry): string {
  const facts = [unit, DIRECTION[direction], `range ${range}`, `version ${version}`]
  return [
    `### \`${name}\``,
    '',
    answers,
    '',
    '```',
    formula,
    '```',
    '',
    ...edges.map((edge) => `- ${edge}`),
    ...(edges.length > 0 ? [''] : []),
    `${facts.filter(Boolean).join(' · ')}${specName === null ? '' : `  \nDocument: ${specName}`}${source === undefined ? '' : `  \nSource: ${source}`}`,
    '',
  ].join('\n')
}

export function formulasPage(): string {
  const contents = registry.map(({ title, entries }) => {
    const names = entries.map(({ name }) => `[\`${name}\`](#${name.toLowerCase()})`)
    return `- **${title}**: ${names.join(', ')}`
  })
  const rooms = registry.map(
    ({ title, entries }) => `## ${title}\n\n${entries.map(section).join('\n')}`,
  )
  const list = [
    ...contents,
    '- [**Lookup tables**](#lookup-tables) of pass@k and pass^k',
    '- [**Where they are in report.json**](#where-they-are-in-reportjson)',
  ]
  return `${HEAD}\n${list.join('\n')}\n\n${rooms.join('\n')}\n${lookupTables()}\n${paths()}`
}

const WHERE = `## Where they are in report.json

Every figure that one of the three documents names, and its place in the report of a run. \`[]\` goes through a list.
Comparing two runs is a document of its own: \`assay compare --format json\`. Figures under \`spec\` are the
documents' own; the same questions are answered with intervals next to them (\`passRate\`, \`passHatK\`, \`cost.perPass\`,
\`composite\`). A list of what each grader said of each trial (\`trialResults\`), and the figures of single
runs (\`runs\`), are left out of runs with more than 20,000 trials.
`

function paths(): string {
  const rows = SPEC_PATHS.map(
    ({ document, figure, path }) => `| ${document} | ${figure} | \`${path}\` |`,
  )
  return [WHERE, '| document | figure | report.json |', '|---|---|---|', ...rows, ''].join('\n')
}
