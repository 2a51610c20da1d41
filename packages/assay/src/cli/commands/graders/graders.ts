/**
 * `assay graders [TYPE]`: lists the graders and the options of each. The list is generated from the schemas that
 * check the options, so it is never out of date.
 */
import { z } from 'zod'
import { UsageError } from '@assay/contract'
import { graders, type Grader } from '../../../grade/index.ts'
import { nearest, wrap } from '../../../text/index.ts'
import { commonGraderSchema } from '../../../suite/index.ts'
import { printedJson, type Output } from '../../output/output.ts'

export interface GradersOptions {
  /** The type of the grader to show in full. If absent, all graders are listed briefly. */
  readonly type?: string
  readonly json?: boolean
}

interface OptionLine {
  readonly name: string
  readonly type: string
  readonly required: boolean
  readonly default?: unknown
  readonly description: string
}

interface GraderLine {
  readonly type: string
  readonly summary: string
  readonly needsSandbox: boolean
  readonly runsAsUser: boolean
  /** Whether the grader grades the text of the answer. Only such a grader can have a transform. */
  readonly readsAnswer: boolean
  readonly options: readonly OptionLine[]
}

export async function gradersCommand(
  { type, json }: GradersOptions,
  output: Pick<Output, 'out' | 'colors' | 'width'>,
): Promise<number> {
  const types = graders.map((grader) => grader.type)
  if (type !== undefined && !types.includes(type)) {
    const near = nearest(type, types)
    throw new UsageError(
      `there is no grader "${type}"${near === null ? `: there are ${types.join(', ')}` : `; did you mean ${near}?`}`,
    )
  }
  const lines = graders.filter((grader) => type === undefined || grader.type === type).map(lineOf)
  const common = optionLines(commonGraderSchema).filter(({ name }) => name !== 'type')
  if (json === true) {
    output.out(`${printedJson({ graders: lines, common }, 2)}\n`)
    return 0
  }
  const [only] = lines
  const text =
    type === undefined || only === undefined ? inShort(lines, output) : inFull(only, common, output)
  output.out(`${text.join('\n')}\n`)
  return 0
}

const lineOf = (grader: Grader): GraderLine => ({
  type: grader.type,
  summary: grader.summary,
  needsSandbox: grader.needsSandbox === true,
  runsAsUser: grader.runsAsUser === true,
  readsAnswer: grader.readsAnswer === true,
  options: optionLines(grader.options),
})

// ── Options from a schema ────────────────────────────────────────────────────────────────────────────

type JsonSchema = Readonly<Record<string, unknown>>

function optionLines(schema: z.ZodType): OptionLine[] {
  const told: JsonSchema = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' })
  const required = Array.isArray(told['required']) ? (told['required'] as string[]) : []
  return Object.entries((told['properties'] ?? {}) as Record<string, JsonSchema>).map(
    ([name, option]) => ({
      name,
      type: typeOf(option),
      required: required.includes(name),
      ...(option['default'] === undefined ? {} : { default: option['default'] }),
      description: typeof option['description'] === 'string' ? option['description'] : '',
    }),
  )
}

const NOUNS: Readonly<Record<string, string>> = {
  string: 'text',
  integer: 'whole number',
  array: 'list',
  object: 'table',
  boolean: 'true or false',
}

/** Returns the type of an option in a few words. */
function typeOf(option: JsonSchema): string {
  const { type, enum: choices, items, anyOf, const: only } = option
  if (Array.isArray(choices)) return choices.map(String).join(' | ')
  if (only !== undefined) return JSON.stringify(only)
  if (Array.isArray(anyOf))
    return [...new Set(anyOf.map((one: JsonSchema) => typeOf(one)))].join(' | ')
  if (type === 'array') {
    const inner = typeof items === 'object' && items !== null ? typeOf(items as JsonSchema) : ''
    return inner === '' ? 'list' : `list of ${inner}`
  }
  return typeof type === 'string' ? (NOUNS[type] ?? type) : 'any value'
}

// ── Terminal output ──────────────────────────────────────────────────────────────────────────────────

function inShort(
  lines: readonly GraderLine[],
  { colors, width }: Pick<Output, 'colors' | 'width'>,
): string[] {
  const column = Math.max(...lines.map(({ type }) => type.length)) + 2
  const told = lines.flatMap(({ type, summary }) => {
    const [first = '', ...more] = wrap(summary, Math.max(20, width - column))
    return [
      `${colors.bold(type)}${' '.repeat(column - type.length)}${first}`,
      ...more.map((line) => ' '.repeat(column) + line),
    ]
  })
  return [...told, '', 'assay graders TYPE shows the options of one.']
}

function inFull(
  { type, summary, needsSandbox, runsAsUser, readsAnswer, options }: GraderLine,
  common: readonly OptionLine[],
  { colors, width }: Pick<Output, 'colors' | 'width'>,
): string[] {
  const remarks = [
    ...(needsSandbox ? ['It runs what the answer holds, in the sandbox.'] : []),
    ...(runsAsUser
      ? ['It runs with your rights: only in a folder that you trust (assay trust).']
      : []),
  ]
  const lines = (list: readonly OptionLine[]): string[] =>
    list.flatMap((option) => [
      `  ${colors.bold(option.name)}  ${option.type}${remarkOf(option)}`,
      ...wrap(option.description, Math.max(20, width - 6)).map((line) => `      ${line}`),
    ])
  return [
    `${colors.bold(type)}: ${summary}`,
    ...remarks,
    '',
    options.length === 0 ? 'no options of its own' : 'options',
    ...lines(options),
    '',
    'as every grader',
    ...lines(common.filter(({ name }) => readsAnswer || name !== 'transform')),
  ]
}

function remarkOf({ required, default: fallback }: OptionLine): string {
  if (required) return ', required'
  return fallback === undefined ? '' : `, default ${JSON.stringify(fallback)}`
}
