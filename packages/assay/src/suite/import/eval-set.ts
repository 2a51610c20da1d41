/**
 * Reads eval sets in TOML: `[eval_set]` with `[[cases]]`, each with a prompt and expectations. This is the file
 * format of the program that the specification code-scoring describes, and such files need no changes. That program
 * ignores unknown keys, so here they cause only warnings. A file that the program refuses (because of a missing name
 * or an unknown language) is refused here too.
 */
import { z } from 'zod'
import type { Case } from '@assay/contract'
import { check, type Document, isRecord, takeNotes, noteUnread } from '../../documents/index.ts'
import { withCodeGrader } from '../native/code-grading.ts'
import { bareCase, checkIds, finish, sealCase, type LoadedSuite } from '../native/finish.ts'
import { languageName } from '../language.ts'
import { groupSchema, idSchema, metadataSchema } from '../native/schema.ts'

const LANGUAGES = ['rust', 'python', 'typescript', 'ts', 'go', 'golang'] as const
const DEFAULT_TIMEOUT_SECONDS = 60
const DEFAULT_MAX_TOKENS = 4096

const languageSchema = z.preprocess(
  (value) => (typeof value === 'string' ? value.toLowerCase() : value),
  z.enum(LANGUAGES),
)
const secondsSchema = z
  .int()
  .min(1)
  .max(7 * 24 * 3600)
const countSchema = z.int().min(0)

const headerSchema = z.looseObject({
  id: idSchema,
  name: z.string().min(1),
  description: z.string().optional(),
  default_language: languageSchema.optional(),
  default_timeout_secs: secondsSchema.optional(),
})

const expectationsSchema = z.looseObject({
  should_compile: z.boolean().optional(),
  should_pass_tests: z.boolean().optional(),
  test_file: z.string().optional(),
  expected_functions: z.array(z.string()).optional(),
  expected_types: z.array(z.string()).optional(),
  max_clippy_warnings: countSchema.optional(),
  custom_check: z.string().optional(),
})

const caseSchema = z.looseObject({
  id: idSchema,
  name: z.string().min(1),
  description: z.string().optional(),
  prompt: z.string().refine((prompt) => prompt.trim() !== '', 'a prompt that is not blank'),
  language: languageSchema.optional(),
  tags: z.array(z.string()).optional(),
  group: groupSchema.optional(),
  metadata: metadataSchema.optional(),
  dependencies: z
    .array(
      z.looseObject({
        name: z.string().min(1),
        version: z.string(),
        features: z.array(z.string()).optional(),
      }),
    )
    .optional(),
  timeout_secs: secondsSchema.optional(),
  max_tokens: z.int().min(1).optional(),
  expectations: expectationsSchema.optional(),
})

const fileSchema = z.looseObject({
  eval_set: headerSchema,
  cases: z.array(z.unknown()).min(1),
})

type Header = z.infer<typeof headerSchema>
type GivenCase = z.infer<typeof caseSchema>

export const isEvalSet = (value: unknown): boolean =>
  isRecord(value) && Object.hasOwn(value, 'eval_set')

export function readEvalSet(document: Document, path: string): LoadedSuite {
  const notes = takeNotes(document)
  const file = check(fileSchema, document.value, notes)
  noteUnread(fileSchema, document.value, [], notes)
  const raw = isRecord(document.value) ? document.value['cases'] : undefined
  const items: readonly unknown[] = Array.isArray(raw) ? raw : []
  checkIds(
    items.map((item, index) => [index, isRecord(item) ? item['id'] : undefined] as const),
    (index) => ['cases', index, 'id'],
    notes,
  )

  const cases: Case[] = []
  for (const [index, item] of items.entries()) {
    const at = ['cases', index]
    const given = check(caseSchema, item, notes, { path: at })
    noteUnread(caseSchema, item, at, notes)
    if (given === undefined) continue
    if (given.expectations?.custom_check !== undefined)
      notes.unread(
        [...at, 'expectations', 'custom_check'],
        'is a shell command from somebody else and is not run',
      )
    cases.push(readCase(given, file?.eval_set))
  }

  const header = file?.eval_set
  return finish(
    {
      id: header?.id ?? '',
      name: header?.name ?? '',
      description: header?.description ?? '',
      path,
      format: 'eval-set',
      threshold: null,
      // These are the defaults of the eval-set format, so they apply even if the file does not set them.
      defaults: {
        timeoutMs: 1000 * (header?.default_timeout_secs ?? DEFAULT_TIMEOUT_SECONDS),
        maxTokens: DEFAULT_MAX_TOKENS,
      },
      cases,
      locateTests: (caseId) => {
        const index = items.findIndex((item) => isRecord(item) && item['id'] === caseId)
        return document.locate(['cases', index, 'expectations', 'test_file'], 'key')
      },
    },
    notes,
  )
}

function readCase(given: GivenCase, header: Header | undefined): Case {
  const expectations = given.expectations
  const seconds = given.timeout_secs ?? header?.default_timeout_secs ?? DEFAULT_TIMEOUT_SECONDS
  const content = {
    ...bareCase(given.id, [given.prompt]),
    name: given.name,
    description: given.description ?? '',
    language: languageName(given.language ?? header?.default_language ?? 'rust'),
    tests: expectations?.test_file ?? null,
    expectations: {
      shouldCompile: expectations?.should_compile ?? true,
      shouldPassTests: expectations?.should_pass_tests ?? true,
      maxWarnings: expectations?.max_clippy_warnings ?? null,
      functions: expectations?.expected_functions ?? [],
      types: expectations?.expected_types ?? [],
      customCheck: expectations?.custom_check ?? null,
    },
    tags: given.tags ?? [],
    ...(given.group === undefined ? {} : { group: given.group }),
    ...(given.metadata === undefined ? {} : { metadata: given.metadata }),
    timeoutMs: seconds * 1000,
    maxTokens: given.max_tokens ?? DEFAULT_MAX_TOKENS,
    dependencies: (given.dependencies ?? []).map(({ name, version, features }) => ({
      name,
      version,
      features: features ?? [],
    })),
  }
  return sealCase(withCodeGrader(content))
}
