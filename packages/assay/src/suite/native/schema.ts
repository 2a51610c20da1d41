/**
 * The schema of Assay's own suite format. It validates suites in TOML, YAML, JSON and modules, and the JSON Schema for
 * editors is generated from it. Every field has a description, which editors show. Checks that need more than one field
 * (prompt or turns, weights and thresholds) are in `native.ts`.
 */
import { z } from 'zod'
import { codeWeightsSchema } from '@assay/code'
import { promptsSchema } from '../prompts/prompt-schema.ts'
import { A_DURATION, DURATION, MOST_SECONDS, parseDuration } from '@assay/contract'
import { transformSchema } from './transform-schema.ts'

const MOST_ID = 200
const MOST_TRIALS = 1_000_000
const MOST_TOKENS = 100_000_000
const MOST_FILES = 1000

// oxlint-disable-next-line no-control-regex
const NO_CONTROLS = /^[^\u0000-\u001f\u007f-\u009f\u2028\u2029]*$/

/** Ids identify cases and suites in every record of a run. They are never used as file names. */
export const idSchema = z
  .string()
  .min(1)
  .max(MOST_ID)
  .regex(NO_CONTROLS, 'an id without control characters or line breaks')
  .refine((id) => id.trim() !== '', 'an id that is not blank')

const fileTextSchema = z
  .strictObject({
    file: z
      .string()
      .min(1)
      .describe(
        'Path of a UTF-8 text file, relative to the suite file and inside the repository that it is in.',
      ),
  })
  .describe('Text read from a file next to the suite; its content counts for the case’s hash.')

const textSchema = z.union([z.string(), fileTextSchema], 'text, or { file = "path" }')
const askedSchema = z.union(
  [z.string().regex(/\S/, 'a prompt that is not blank'), fileTextSchema],
  'text, or { file = "path" }',
)

export const durationSchema = z
  .union(
    [
      z.number().min(0.001).max(MOST_SECONDS),
      z
        .string()
        .regex(DURATION, { error: A_DURATION, abort: true })
        .refine((value) => parseDuration(value) !== null, A_DURATION),
    ],
    A_DURATION,
  )
  .describe('A number of seconds, or text with a unit: "500ms", "90s", "10m", "1h30m".')

const trialsSchema = z.int().min(1).max(MOST_TRIALS)
const maxTokensSchema = z.int().min(1).max(MOST_TOKENS)
const formatSchema = z
  .literal('script')
  .describe(
    'JavaScript and TypeScript: solution and tests are scripts, not modules (undeclared variables, CommonJS).',
  )

const editionSchema = z
  .enum(['2018', '2021', '2024'])
  .describe('Rust: the edition of the language, 2021 unless given.')

const includeIgnoredSchema = z
  .boolean()
  .describe('Rust: tests with #[ignore] are run as well. Default false.')

const languageSchema = z
  .string()
  .min(1)
  .max(50)
  .describe('Programming language of the answer: typescript, python, rust, go, …')

const dependencySchema = z
  .strictObject({
    name: z.string().min(1).describe('Name of the package.'),
    version: z.string().min(1).optional().describe('Version or version range.'),
    features: z.array(z.string().min(1)).optional().describe('Features to switch on (crates).'),
  })
  .describe('A package the answer may use.')

const dependenciesSchema = z
  .array(dependencySchema)
  .max(200)
  .describe('Packages the answer may use.')

/** The keys that all graders have. Each grader adds its own options. */
export const graderSchema = z.looseObject({
  type: z.string().min(1).describe('Which grader; `assay graders` lists them.'),
  name: idSchema
    .optional()
    .describe('What its grade is called in records; the type unless given. Unique within a case.'),
  weight: z
    .number()
    .min(0)
    .max(1e9)
    .optional()
    .describe(
      'Its share in the score, relative to the other graders. Default 1; with 0 it counts for the verdict only.',
    ),
  required: z
    .boolean()
    .optional()
    .describe('When this grade fails, the trial’s score is 0 and it fails. Default false.'),
  negate: z
    .boolean()
    .optional()
    .describe('Turn the verdict and the score round: what passed fails. Default false.'),
  transform: transformSchema
    .optional()
    .describe(
      'Grade a part of the answer: { pattern = "…" } takes a group of a match, { path = "/…" } a value of JSON; a list applies several in order.',
    ),
})

export const COMMON_GRADER_KEYS = Object.keys(graderSchema.shape)

/** The key `turn`, which all graders that grade the text of one answer have. */
export const turnSchema = z
  .int()
  .min(1)
  .max(1000)
  .optional()
  .describe(
    'Which answer is graded, by the user’s turn that it answers, from 1. Default: the last.',
  )

const gradersSchema = z.array(graderSchema).max(100)

export const scoringSchema = z.strictObject({
  weights: z
    .record(z.string(), z.number().min(0).max(1e9))
    .optional()
    .describe('Weight of graders by their name or, for all of a kind, by their type.'),
  threshold: z
    .number()
    .min(0)
    .max(1)
    .optional()
    .describe(
      'From 0 to 1. A trial passes when its score reaches it. Without: every grader passes.',
    ),
  code: codeWeightsSchema.optional(),
})

const expectationsSchema = z
  .strictObject({
    shouldCompile: z
      .boolean()
      .optional()
      .describe('False: the case passes when the code does not compile. Default true.'),
    shouldPassTests: z
      .boolean()
      .optional()
      .describe('False: the tests are not run and count as passed. Default true.'),
    maxWarnings: z.int().min(0).optional().describe('More lint warnings than this fail the case.'),
    functions: z.array(z.string().min(1)).optional().describe('Functions that must be defined.'),
    types: z.array(z.string().min(1)).optional().describe('Types that must be defined.'),
    customCheck: z
      .string()
      .min(1)
      .optional()
      .describe('A shell command; run only in the sandbox and only where the user allows it.'),
  })
  .describe('What a code case expects beyond its tests.')

const callSchema = z
  .strictObject({
    args: z.array(z.json()).describe('The arguments, as data.'),
    returns: z.json().optional().describe('What the call must return.'),
    throws: z
      .string()
      .min(1)
      .optional()
      .describe('Instead: the name of the error that the call must throw.'),
    tolerance: z.number().min(0).optional().describe('Numbers may differ by this much. Default 0.'),
  })
  .refine(
    (call) => (call.returns === undefined) !== (call.throws === undefined),
    'a call with either returns or throws',
  )
  .describe('One test as data: the entry point is called and its result compared.')

const patternsSchema = z.array(z.string().min(1).max(500)).max(200)

const filesSchema = z
  .record(z.string(), textSchema)
  .refine((files) => Object.keys(files).length <= MOST_FILES, `at most ${MOST_FILES} files`)

const gitSchema = z
  .strictObject({
    path: z
      .string()
      .min(1)
      .max(4096)
      .optional()
      .describe(
        'A repository or a bundle, relative to the suite file: in the suite’s folder, or the repository that the suite is in, such as "..". One elsewhere needs the full hash of its commit, and trust.',
      ),
    url: z
      .string()
      .min(1)
      .max(2000)
      .optional()
      .describe(
        'Instead of the path: the address of a repository (https or http). Its commit, by the full hash, is fetched once after you trusted the suite with the address.',
      ),
    commit: z
      .string()
      .regex(/^[\w][\w./~^-]{0,199}$/, 'a commit: its hash, a tag or a branch')
      .describe(
        'The commit to start from. A branch or tag of a repository here means the commit that it points to now.',
      ),
    depth: z
      .int()
      .min(1)
      .max(100_000)
      .optional()
      .describe('How many commits of history the agent sees. Default 1: that one alone.'),
    graded: z
      .boolean()
      .optional()
      .describe('Whether commits, branches and tags are part of the result. Default: false.'),
  })
  .describe('A git checkout to start from, without remotes and without what came later.')

/** Matches a host name, which may have `*.` before it. */
const HOST = /^(?:\*\.)?[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?$/i

const workspaceSchema = z
  .strictObject({
    git: z
      .union(
        [z.literal('graded'), gitSchema],
        '"graded", or a table with the path or url of a repository and a commit',
      )
      .optional()
      .describe(
        'A git checkout to start from. "graded": none, but commits and branches that the agent makes are part of the result.',
      ),
    folder: z
      .string()
      .min(1)
      .max(500)
      .optional()
      .describe(
        'A folder whose content is copied in: relative to the suite file, inside its repository.',
      ),
    setup: z
      .union(
        [z.string().min(1).max(10_000), z.array(z.string().min(1).max(10_000)).max(100)],
        'a shell command, or a list of them',
      )
      .optional()
      .describe('Shell commands that prepare the folder, run once per case in the sandbox.'),
    setupTimeout: durationSchema.optional().describe('For all of them together. Default 10m.'),
    ignore: patternsSchema
      .optional()
      .describe(
        'Patterns of paths that are not part of the result. Default: node_modules, __pycache__, .venv and .pytest_cache, wherever they are.',
      ),
    protect: patternsSchema
      .optional()
      .describe(
        'Patterns of paths that the agent must leave as they are, such as "tests/**": a trial that changes one fails as tampered.',
      ),
    hidden: filesSchema
      .optional()
      .describe('Files that are added for grading after the agent has stopped, by relative path.'),
    network: z
      .union(
        [
          z.enum(['open', 'none']),
          z
            .array(z.string().max(253).regex(HOST, 'a name such as example.com or *.example.com'))
            .min(1)
            .max(100),
        ],
        '"open", "none", or a list of host names',
      )
      .optional()
      .describe(
        'What the agent and setup commands may reach in addition to the agent’s model: "open", "none", or these hosts by TLS. Default open.',
      ),
  })
  .describe('The folder that an agent works in; the case’s `files` are copied into it too.')

const limitsSchema = z
  .strictObject({
    turns: z.int().min(1).max(1_000_000).optional().describe('Requests to the model.'),
    toolCalls: z.int().min(0).max(1_000_000).optional().describe('Calls of tools.'),
    tokens: z
      .int()
      .min(1)
      .max(MOST_TOKENS * 100)
      .optional()
      .describe('Tokens of all classes.'),
    usd: z.number().positive().max(1e6).optional().describe('What it costs, in US dollars.'),
  })
  .describe('What an agent may use, apart from its time; a trial that goes over one fails.')

const tagSchema = z
  .string()
  .min(1)
  .max(100)
  .regex(NO_CONTROLS, 'a tag without control characters or line breaks')
  .refine((tag) => !tag.includes(',') && tag.trim() === tag, 'a tag without commas or outer spaces')

export const groupSchema = z
  .string()
  .min(1)
  .max(200)
  .regex(NO_CONTROLS, 'a name without control characters or line breaks')
  .refine((name) => name.trim() === name, 'a name without outer spaces')
  .describe(
    'The repository, template or other origin that the case shares with similar ones. Intervals and tests for cases like these count groups instead of cases. Default: the case is its own group.',
  )

export const metadataSchema = z
  .record(
    z
      .string()
      .min(1)
      .max(100)
      .regex(NO_CONTROLS, 'a key without control characters or line breaks'),
    z.union(
      [z.string().max(200).regex(NO_CONTROLS, 'one line of text'), z.number(), z.boolean()],
      'a text of one line, a number, true or false',
    ),
  )
  .refine((table) => Object.keys(table).length <= 100, 'at most 100 keys')
  .describe('Facts about the case, by which `--by KEY` breaks figures down.')

/**
 * A case cannot have a weight, so this key is refused and not ignored. The confidence intervals and tests of a
 * report count every case once. Their coverage and error rates were simulated that way (docs/design/coverage.md) and
 * would be different with weights.
 */
const weightSchema = z
  .never(
    'no weight of a case: intervals and tests count every case once (a grader may have a weight, and --by TAG shows parts of a suite)',
  )
  .optional()
  .describe('Not allowed: intervals and tests count every case once.')

const varsSchema = z
  .record(z.string().min(1).max(100), z.json())
  .refine((vars) => Object.keys(vars).length <= 1000, 'at most 1000 variables')
  .describe('Values of the variables in `prompts`. Cases from rows have the columns without it.')

const caseSchema = z
  .strictObject({
    id: idSchema.describe('Unique within the suite; part of every record. Keep it when you edit.'),
    name: z.string().min(1).max(500).optional().describe('For people; the id unless given.'),
    description: z.string().optional().describe('What this case is about, for people.'),
    prompt: askedSchema.optional().describe('What is asked. Either this or `turns`.'),
    turns: z
      .array(askedSchema)
      .min(1)
      .max(1000)
      .optional()
      .describe('The user’s turns of a conversation, in order. Either this or `prompt`.'),
    system: textSchema
      .optional()
      .describe('The system message, before the prompt. A prompt of `prompts` may replace it.'),
    vars: varsSchema.optional(),
    input: z
      .json()
      .optional()
      .describe('The input of a function. A subject that takes text is asked it as text or JSON.'),
    expected: z
      .json()
      .optional()
      .describe('The output that is expected, for graders that are functions.'),
    language: languageSchema.optional(),
    tests: textSchema.optional().describe('Hidden test source that the answer’s code must pass.'),
    calls: z
      .array(callSchema)
      .min(1)
      .max(10_000)
      .optional()
      .describe('Tests as data, without test code: calls of `entryPoint`. Not for Rust.'),
    entryPoint: z.string().min(1).optional().describe('The function under test.'),
    module: z
      .string()
      .regex(/^[\p{L}_][\p{L}\p{N}_-]*(?:\.[\p{L}_][\p{L}\p{N}_]*)*$/u, 'the name of a module')
      .max(200)
      .optional()
      .describe(
        'What the tests call the module of the solution (`acronym` in `from acronym import abbreviate`). Found in the tests unless given.',
      ),
    continuation: z
      .boolean()
      .optional()
      .describe('The answer continues the prompt: the program is prompt + answer.'),
    stop: z.array(z.string().min(1)).optional().describe('Where a continuation ends.'),
    expectations: expectationsSchema.optional(),
    reference: textSchema.optional().describe('An answer that must pass; proves the case.'),
    faulty: z
      .array(textSchema)
      .max(1000)
      .optional()
      .describe('Answers that must fail; prove that the case can tell.'),
    files: filesSchema
      .optional()
      .describe('Files the case brings, by relative path with forward slashes.'),
    weight: weightSchema,
    tags: z.array(tagSchema).max(100).optional().describe('For `--filter` and `--by tag`.'),
    group: groupSchema.optional(),
    metadata: metadataSchema.optional(),
    graders: gradersSchema
      .optional()
      .describe('How the answer is graded, instead of the suite’s graders. Empty: unscored.'),
    scoring: scoringSchema
      .optional()
      .describe('Overrides the suite’s threshold and single weights for this case.'),
    trials: trialsSchema
      .optional()
      .describe(
        'Trials of this case. --trials and a run file win over it, and it over the suite’s.',
      ),
    timeout: durationSchema
      .optional()
      .describe('For one answer. --timeout and a run file win over it, and it over the suite’s.'),
    maxTokens: maxTokensSchema.optional().describe('Most tokens of the answer.'),
    dependencies: dependenciesSchema.optional(),
    lint: z
      .enum(['on', 'off'])
      .optional()
      .describe('Whether the code is linted; off, that part of its score is 1. Default on.'),
    format: formatSchema.optional(),
    edition: editionSchema.optional(),
    includeIgnored: includeIgnoredSchema.optional(),
    allowUnsafe: z
      .boolean()
      .optional()
      .describe('Rust: the answer may use unsafe code. Default false.'),
    workspace: workspaceSchema.optional(),
    limits: limitsSchema.optional(),
  })
  .describe('One thing to do, with how it is graded.')

const defaultsSchema = z
  .strictObject({
    language: languageSchema.optional(),
    format: formatSchema.optional(),
    edition: editionSchema.optional(),
    includeIgnored: includeIgnoredSchema.optional(),
    trials: trialsSchema
      .optional()
      .describe('Trials per case. --trials and a run file win over it, and it over assay.toml.'),
    timeout: durationSchema
      .optional()
      .describe('For one answer. --timeout and a run file win over it, and it over assay.toml.'),
    maxTokens: maxTokensSchema.optional().describe('Most tokens of an answer.'),
    dependencies: dependenciesSchema.optional(),
    workspace: workspaceSchema.optional(),
    limits: limitsSchema.optional(),
  })
  .describe('Shared by all cases; a case overrides.')

const dataFileSchema = z.string().min(1).max(500)
const scalarSchema = z.union(
  [z.string(), z.number(), z.boolean()],
  'text, a number, or true or false',
)

/**
 * The keys of a case in a template. They may have any value, because the values are checked only after they are
 * rendered with a row.
 */
const templateSchema = z
  .strictObject(
    Object.fromEntries(
      Object.entries(caseSchema.shape).map(([key, schema]) => [
        key,
        key === 'weight'
          ? schema
          : z
              .unknown()
              .optional()
              .describe(schema.description ?? ''),
      ]),
    ),
  )
  .describe(
    'The case that each row of `data` becomes. Its texts are templates: {{ column }} is the value of a column.',
  )

export const suiteSchema = z
  .strictObject({
    $schema: z.string().optional().describe('For editors; ignored.'),
    id: idSchema
      .optional()
      .describe(
        'Names the suite in records and comparisons; the name of its file without the ending unless given. Keep it when you edit.',
      ),
    name: z.string().min(1).max(500).optional().describe('For people; the id unless given.'),
    description: z.string().optional().describe('What this suite measures, for people.'),
    defaults: defaultsSchema.optional(),
    graders: gradersSchema
      .optional()
      .describe('How every answer is graded, unless a case has graders of its own.'),
    scoring: scoringSchema
      .optional()
      .describe('How grades become a score and a verdict; a case may override it.'),
    cases: z
      .array(caseSchema)
      .min(1)
      .max(1_000_000)
      .optional()
      .describe('The cases, at least one. Either this or `data`, or both.'),
    prompts: promptsSchema.optional(),
    data: z
      .union(
        [dataFileSchema, z.array(dataFileSchema).min(1).max(1000)],
        'a path, or a list of paths',
      )
      .optional()
      .describe(
        'Files whose rows are cases: CSV, TSV, JSON, JSON lines, YAML or Parquet, relative to the suite. `*` matches any name.',
      ),
    template: templateSchema.optional(),
    where: z
      .record(z.string(), z.union([scalarSchema, z.array(scalarSchema).min(1).max(1000)]))
      .optional()
      .describe(
        'Only rows whose columns have these values: { split = "test", lang = ["ts", "py"] }.',
      ),
    limit: z
      .int()
      .min(1)
      .optional()
      .describe('At most this number of rows, from the beginning of the data.'),
    sample: z
      .union(
        [
          z.int().min(1),
          z.strictObject({
            count: z.int().min(1).describe('How many rows.'),
            seed: z.int().min(0).optional().describe('Chooses another sample. Default 1.'),
          }),
        ],
        'a number, or { count, seed }',
      )
      .optional()
      .describe(
        'So many rows by chance: the same ones each time and in any order of the rows. The seed is 1 unless given.',
      ),
  })
  .describe('A suite of cases for Assay.')

/**
 * The schema of a suite without its cases and graders. These are checked one by one later, so that all errors are
 * reported.
 */
export const suiteFrameSchema = suiteSchema.extend({
  graders: z.array(z.unknown()).max(100).optional(),
  cases: z.array(z.unknown()).min(1).max(1_000_000).optional(),
})

export const caseFrameSchema = caseSchema.extend({
  graders: z.array(z.unknown()).max(100).optional(),
})

export type SuiteFrame = z.infer<typeof suiteFrameSchema>
export type CaseFrame = z.infer<typeof caseFrameSchema>
export type TextSource = z.infer<typeof textSchema>
export type WorkspaceGiven = z.infer<typeof workspaceSchema>
export type LimitsGiven = z.infer<typeof limitsSchema>
export type Scoring = z.infer<typeof scoringSchema>
