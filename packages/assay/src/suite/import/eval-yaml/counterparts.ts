/**
 * Translates the graders of the eval YAML format. The options in each `config` become the options of Assay's
 * equivalent grader. A type that is not listed here has no equivalent, or its equivalent would run with the user's
 * permissions.
 */
import { z } from 'zod'
import type { Json } from '@assay/contract'
import {
  check,
  isRecord,
  type Notes,
  quote,
  type Path,
  noteUnread,
} from '../../../documents/index.ts'
import { durationSchema } from '../../native/schema.ts'
import {
  evalYamlJudge,
  judgeOptionsFrom,
  modelsWithoutProvider,
  withDefaultJudge,
  type JudgeDefaults,
} from './judges.ts'

export interface Translation {
  readonly type: string
  readonly options: Json
  readonly negate: boolean
}

/** Returns the equivalent grader. Returns null if the config is invalid. The problems are then noted. */
export type Translate = (
  config: unknown,
  path: Path,
  notes: Notes,
  judging: JudgeDefaults,
) => Translation | null

/**
 * Returns a function that translates one type of grader. It checks the config with a schema. Unknown keys in the
 * config cause warnings, not errors.
 */
function by<Given extends { readonly negate?: boolean | undefined }>(
  schema: z.ZodType<Given>,
  type: string,
  options: (given: Given) => Json,
): Translate {
  return (config, path, notes) => {
    const given = check(schema, config, notes, { path })
    if (given === undefined || hasIdleCount(config, type, path, notes)) return null
    noteUnread(schema, config, path, notes)
    return { type, options: options(given), negate: given.negate ?? false }
  }
}

/** Graders that use `min_count` themselves. */
const COUNTING = new Set(['tool-calls', 'tool-call-count'])

/**
 * Reports a `min_count` above 1 on a grader that does not count. Without this count, an answer could pass that the
 * file would fail. A count of 1 needs no report, because every such grader asks for one occurrence anyway.
 */
function hasIdleCount(config: unknown, type: string, path: Path, notes: Notes): boolean {
  const least = isRecord(config) ? config['min_count'] : undefined
  if (least === undefined || least === 1 || COUNTING.has(type)) return false
  notes.problem([...path, 'min_count'], {
    expected: 'no min_count, as this grader does not count; a pattern can ask for several matches',
  })
  return true
}

const negate = z.boolean().optional()
const text = z.string().min(1)
const containsShape = {
  substring: text.optional(),
  value: text.optional(),
  case_sensitive: z.boolean().optional(),
  negate,
}
interface Texts {
  readonly substring?: string | undefined
  readonly value?: string | undefined
}
const hasText = ({ substring, value }: Texts): boolean =>
  substring !== undefined || value !== undefined
const A_SUBSTRING = 'a table with substring'

const contains = z.looseObject(containsShape).refine(hasText, A_SUBSTRING)
const matches = z.looseObject({ pattern: text, negate })
const path = z.string().min(1)
const fileExists = z.looseObject({ path, negate })
const fileContains = z.looseObject({ path, ...containsShape }).refine(hasText, A_SUBSTRING)
const fileMatches = z.looseObject({ path, pattern: text, negate })
const texts = z.union([text, z.array(text).min(1)], 'text, or a list of texts')
const runCommand = z.looseObject({
  command: text,
  args: z.array(z.string()).optional(),
  expected_exit_code: z.int().min(0).max(255).optional(),
  stdout_contains: texts.optional(),
  stderr_contains: texts.optional(),
  stdout_matches: text.optional(),
  timeout: durationSchema.optional(),
  env: z.record(z.string(), z.string()).optional(),
  negate,
})
const budget = z.looseObject({ max: z.number().min(0), negate })
const wallTime = z.looseObject({ max: durationSchema, negate })
const nothing = z.looseObject({ negate })
const bound = z.number().min(0).optional()
const isBounded = ({ max, min }: Range): boolean => max !== undefined || min !== undefined
const countShape = { max: bound, min: bound, negate }
const count = z.looseObject(countShape).refine(isBounded, 'a table with max')
const callCount = z
  .looseObject({ ...countShape, min_count: bound, tool: text.optional() })
  .refine(
    ({ min_count, ...range }) => min_count !== undefined || isBounded(range),
    'a table with max',
  )
const tool = z.union(
  [text, z.looseObject({ name: text, min_count: z.int().min(1).max(1_000_000).optional() })],
  'the name of a tool, or a table with its name',
)
const tools = z.array(tool).optional()
const toolCalls = z
  .looseObject({ required: tools, disallowed: tools, sequence: tools, negate })
  .superRefine((given, context) => {
    for (const key of ['disallowed', 'sequence'] as const)
      for (const [index, one] of (given[key] ?? []).entries())
        if (typeof one !== 'string' && one.min_count !== undefined)
          context.addIssue({
            code: 'custom',
            path: [key, index, 'min_count'],
            message: 'no min_count, which only required tools have',
          })
  })
const names = z.array(text).optional()
const skills = z.looseObject({ required: names, disallowed: names, negate })
const diffContains = z
  .looseObject({ ...containsShape, pattern: text.optional(), path: path.optional() })
  .refine(
    (given) => hasText(given) || given.pattern !== undefined,
    'a table with substring or pattern',
  )

export const COUNTERPARTS: Readonly<Record<string, Translate>> = {
  completed: by(nothing, 'completed', () => ({})),
  // If the subject's command fails, the trial is errored before it is graded. So this grader passes in every trial
  // that is graded.
  'exit-success': by(nothing, 'matches', () => ({ pattern: '^' })),
  'output-contains': by(contains, 'contains', containsOptions),
  'output-matches': by(matches, 'matches', ({ pattern }) => withFlags(pattern)),
  'file-exists': by(fileExists, 'file-exists', (given) => ({ path: plainPath(given.path) })),
  'file-contains': by(fileContains, 'file-contains', (given) => ({
    path: plainPath(given.path),
    ...containsOptions(given),
  })),
  'file-matches': by(fileMatches, 'file-matches', (given) => ({
    path: plainPath(given.path),
    ...withFlags(given.pattern),
  })),
  'run-command': by(runCommand, 'run', runOptions),
  'tool-calls': by(toolCalls, 'tool-calls', (given) => ({
    ...listed('expected', given.required),
    ...listed('disallowed', given.disallowed),
    ...listed('sequence', given.sequence),
    ...countsOf(given.required),
  })),
  'skill-invocation': by(skills, 'skill-invocation', (given) => ({
    ...listed('expected', given.required),
    ...listed('disallowed', given.disallowed),
  })),
  'diff-contains': by(diffContains, 'diff-contains', diffOptions),
  'diff-empty': by(nothing, 'diff-empty', () => ({})),
  'tool-call-count': by(callCount, 'tool-call-count', (given) => ({
    ...countOptions({ max: given.max, min: given.min ?? given.min_count }),
    ...(given.tool === undefined ? {} : { tool: given.tool }),
  })),
  'turn-count': by(count, 'turn-count', countOptions),
  'error-count': by(count, 'error-count', countOptions),
  'token-budget': by(budget, 'token-budget', ({ max }) => ({ max })),
  'wall-time': by(wallTime, 'time-budget', ({ max }) => ({ max })),
  prompt: judged,
  panel: judged,
}

function judged(
  config: unknown,
  at: Path,
  notes: Notes,
  judging: JudgeDefaults,
): Translation | null {
  if (typeof config !== 'object' || config === null || !('prompt' in config)) {
    notes.unread(at.slice(0, -1), 'is left out: a judge without a prompt has nothing to decide')
    return null
  }
  const read = evalYamlJudge.safeParse(config)
  const given = read.success ? withDefaultJudge(read.data, judging) : null
  for (const model of given === null ? [] : modelsWithoutProvider(given)) {
    const what = `names the judge ${quote(model)} without its provider: --judge says who judges`
    notes.unread(at, what)
  }
  for (const what of (given?.evidence ?? []).filter((one) => one !== 'golden_patch'))
    notes.unread([...at, 'evidence'], `(${quote(what)}) is not acted on`)
  const translate = by(evalYamlJudge, 'judge', (checked) =>
    judgeOptionsFrom(withDefaultJudge(checked, judging), judging),
  )
  return translate(config, at, notes, judging)
}

function containsOptions(given: Texts & { readonly case_sensitive?: boolean | undefined }) {
  // The eval YAML format ignores case by default.
  const ignoreCase = !(given.case_sensitive ?? false)
  return { value: given.substring ?? given.value ?? '', ignoreCase }
}

/**
 * Returns an object with the list under its key, or an empty object if the list is empty, because an empty list
 * requires nothing.
 */
const listed = (
  key: string,
  list: readonly (string | { readonly name: string })[] | undefined,
): Record<string, string[]> =>
  list === undefined || list.length === 0
    ? {}
    : { [key]: list.map((one) => (typeof one === 'string' ? one : one.name)) }

/** Returns how often each required tool must be called, for tools with a `min_count`. */
function countsOf(required: z.infer<typeof tools>): { counts?: Record<string, { min: number }> } {
  const counts: Record<string, { min: number }> = {}
  for (const one of required ?? [])
    if (typeof one !== 'string' && one.min_count !== undefined)
      counts[one.name] = { min: Math.max(one.min_count, counts[one.name]?.min ?? 0) }
  return Object.keys(counts).length === 0 ? {} : { counts }
}

interface Range {
  readonly max?: number | undefined
  readonly min?: number | undefined
}

function countOptions({ max, min }: Range): Record<string, number> {
  return { ...(max === undefined ? {} : { max }), ...(min === undefined ? {} : { min }) }
}

function diffOptions(given: z.infer<typeof diffContains>): Json {
  return {
    ...(hasText(given) ? containsOptions(given) : {}),
    ...(given.pattern === undefined ? {} : withFlags(given.pattern)),
    ...(given.path === undefined ? {} : { path: plainPath(given.path) }),
  }
}

const plainPath = (given: string): string => given.replace(/^(?:\.\/)+/, '')

/**
 * Turns the leading `(?ims)` of a pattern in the eval YAML format into flags, because JavaScript does not support it in
 * a pattern.
 */
function withFlags(pattern: string): { pattern: string; flags: string } {
  const [all = '', letters = ''] = /^\(\?([ims]+)\)/.exec(pattern) ?? []
  return { pattern: pattern.slice(all.length), flags: [...new Set(letters)].join('') }
}

function runOptions(given: z.infer<typeof runCommand>): Json {
  const { command, args, stdout_matches: pattern } = given
  const matched = pattern === undefined ? null : withFlags(pattern)
  return {
    // A command with arguments is started as a program. A command without arguments that consists of several words
    // is run by a shell.
    command: args === undefined && /\s/.test(command) ? command : [command, ...(args ?? [])],
    exitCode: given.expected_exit_code ?? 0,
    ...(given.stdout_contains === undefined ? {} : { stdoutContains: given.stdout_contains }),
    ...(given.stderr_contains === undefined ? {} : { stderrContains: given.stderr_contains }),
    ...(matched === null ? {} : { stdoutMatches: matched.pattern, flags: matched.flags }),
    ...(given.timeout === undefined ? {} : { timeout: given.timeout }),
    ...(given.env === undefined ? {} : { env: given.env }),
  }
}
