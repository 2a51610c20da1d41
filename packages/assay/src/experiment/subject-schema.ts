/**
 * The schema of a subject, which is `[subjects.NAME]` in assay.toml and in experiments. It does not check which
 * settings are valid for which kind of subject. `makeSubjects` does that later.
 */
import { z } from 'zod'
import { AGENT_NAMES, EFFORTS, EVENT_FORMATS, BASELINES, SUBJECT_KINDS } from '../subject/index.ts'
import { durationSchema, idSchema } from '../suite/index.ts'

export const pathSchema = z.string().min(1).max(4096)

const mcpServerSchema = z.union(
  [
    z.strictObject({
      command: z.string().min(1).describe('The program that serves.'),
      args: z.array(z.string()).optional().describe('Its arguments.'),
      env: z.record(z.string(), z.string()).optional().describe('Variables that it gets.'),
    }),
    z.strictObject({
      url: z
        .url({ protocol: /^https?$/, error: 'an address that begins with http:// or https://' })
        .describe('The address of a server that runs already.'),
      headers: z.record(z.string(), z.string()).optional().describe('Headers that it is sent.'),
    }),
  ],
  'a table with a command, or with a url',
)

const settingsShape = {
  agent: z
    .enum(AGENT_NAMES)
    .optional()
    .describe('An agent, in the workspace of each case: your own installation of it.'),
  model: z
    .string()
    .min(1)
    .optional()
    .describe(
      'A model as provider/model. For an agent: the name that the agent uses for its model.',
    ),
  command: z
    .union([z.string().min(1), z.array(z.string()).min(1)], 'a command line or a list of words')
    .optional()
    .describe(
      'A program that answers: the prompt on stdin, the answer on stdout. With agent = "acp", the agent’s command.',
    ),
  replay: pathSchema
    .optional()
    .describe('Answers recorded earlier: a run folder, or a JSONL file of samples.'),
  simulated: z
    .union(
      [z.literal(true), z.string(), z.record(z.string(), z.unknown())],
      'true, a table of options, or text such as "pass=0.8"',
    )
    .optional()
    .describe('Draws from the cases’ reference and faulty answers. For trying things out.'),
  baseline: z
    .enum(BASELINES)
    .optional()
    .describe('The reference of each case, or a subject that does nothing.'),
  temperature: z.number().min(0).max(2).optional().describe('Randomness of the answers.'),
  maxTokens: z.int().min(1).optional().describe('Most tokens of an answer.'),
  topP: z.number().gt(0).max(1).optional().describe('Nucleus sampling.'),
  seed: z.int().min(0).max(2_147_483_647).optional().describe('Seed sent to the provider.'),
  system: z.string().optional().describe('System prompt, before everything else.'),
  reasoningEffort: z
    .enum(EFFORTS)
    .optional()
    .describe('How much a model that can reason shall do so.'),
  timeout: durationSchema.optional().describe('For one answer.'),
  promptAs: z
    .enum(['stdin', 'argument', 'json'])
    .optional()
    .describe('How a command gets the prompt; in place of {prompt}, else on stdin.'),
  answerAs: z
    .enum(['text', 'json'])
    .optional()
    .describe('What a command prints: the answer itself, or a JSON envelope with usage.'),
  cwd: pathSchema.optional().describe('Working directory of a command.'),
  env: z
    .record(z.string(), z.string())
    .optional()
    .describe(
      'Variables that a command or agent gets, in addition to the few that every program needs.',
    ),
  passEnv: z
    .array(z.string().min(1))
    .optional()
    .describe('Variables of your own environment that it gets too, by name.'),
  program: pathSchema
    .optional()
    .describe('Where the agent’s program is, where it is not on the PATH. Relative to this file.'),
  args: z.array(z.string()).max(200).optional().describe('Words added to the agent’s own.'),
  skills: z
    .array(pathSchema)
    .max(100)
    .optional()
    .describe('Folders with a SKILL.md, copied to where the agent looks for skills.'),
  files: z
    .record(z.string(), pathSchema)
    .optional()
    .describe(
      'Files and folders that are copied into the workspace: the path there, and the path of the source.',
    ),
  homeFiles: z
    .record(z.string(), pathSchema)
    .optional()
    .describe(
      'Files and folders that are copied into the agent’s home: the path there, and the path of the source.',
    ),
  mcpServers: z
    .record(z.string().regex(/^[\w-]+$/, 'a name of letters, digits, _ and -'), mcpServerSchema)
    .optional()
    .describe('MCP servers of the agent, by name.'),
  gateway: z
    .boolean()
    .optional()
    .describe(
      'Whether requests of an agent, or of a command in a workspace, to its model go through Assay. Where they can, unless given.',
    ),
  events: z
    .enum(EVENT_FORMATS)
    .optional()
    .describe(
      'How what a command prints is read: as text, or as events. In a workspace found out unless given.',
    ),
}

/**
 * The schema for a part of a subject's settings: those that all subjects of a matrix share, or those of one value of an
 * axis.
 */
export const subjectSettingsSchema = z.strictObject(settingsShape)

export const subjectSchema = subjectSettingsSchema
  .refine(
    (subject) =>
      [
        subject.agent ?? subject.model,
        subject.agent === 'acp' ? undefined : subject.command,
        ...[subject.replay, subject.simulated, subject.baseline],
      ].filter((kind) => kind !== undefined).length === 1,
    `exactly one of ${SUBJECT_KINDS.join(', ')}`,
  )
  .describe('Who is being evaluated, under a name of its own.')

// The schema for names of subjects. `--model a,b` can list names, and also `provider/model` or `scheme:options`. So
// names may not contain characters that would make this list ambiguous.
export const subjectNameSchema = idSchema.regex(
  /^[^\s,:/='"]+$/,
  'a name without spaces, commas, colons, slashes, equals signs and quotes',
)

export type DescribedSubject = z.infer<typeof subjectSchema>
