/** The schema of `prompts` in suites and experiments. */
import { z } from 'zod'

const fileSchema = z
  .strictObject({ file: z.string().min(1).max(500).describe('A file with the text.') })
  .describe('Text from a file, relative to this file. It is a template too.')

const templateSchema = z.union(
  [z.string().regex(/\S/, 'a text that is not blank'), fileSchema],
  'text, or { file = "path" }',
)

const messageSchema = z.strictObject({
  role: z.enum(['system', 'user', 'assistant']).describe('Who says it.'),
  content: templateSchema.describe('What is said, as a template.'),
})

/** A complete prompt, as it is written in a table or in a YAML or JSON file. */
export const promptTableSchema = z
  .strictObject({
    system: templateSchema.optional().describe('The system message.'),
    user: templateSchema
      .optional()
      .describe(
        'What the user says. {{ prompt }} is the prompt of the case. Default: that prompt.',
      ),
    messages: z
      .array(messageSchema)
      .min(1)
      .max(200)
      .optional()
      .describe(
        'A list of messages with roles, such as examples of questions and answers, and at the end the question. If the last one is an answer, the prompt of the case follows.',
      ),
  })
  .refine(
    ({ user, messages }) => user === undefined || messages === undefined,
    'either user or messages',
  )
  .refine(
    (prompt) => Object.values(prompt).some((one) => one !== undefined),
    'at least one of system, user and messages',
  )

const nameSchema = z
  .string()
  .regex(/^[^,\p{Cc}]{1,60}$/u, 'a short name of one line without commas')
  .refine((name) => name.trim() === name, 'a name that neither begins nor ends with a space')

const pathSchema = z.string().min(1).max(500)

export const promptsSchema = z
  .union(
    [
      pathSchema,
      z.array(pathSchema).min(1).max(100),
      z
        .record(nameSchema, z.union([templateSchema, promptTableSchema], 'a text or a table'))
        .refine((all) => Object.keys(all).length > 0, 'at least one prompt'),
    ],
    'files such as "prompts/*.md", or prompts by name',
  )
  .describe(
    'Ways to ask: every subject is asked with each of them, and they are compared like subjects. Files such as "prompts/*.md", or tables by name with system, user and messages. Their texts are templates: {{ column }} is a column of the row or one of the case’s vars.',
  )

export type PromptsGiven = z.infer<typeof promptsSchema>
export type PromptTable = z.infer<typeof promptTableSchema>
export type PromptText = z.infer<typeof templateSchema>
